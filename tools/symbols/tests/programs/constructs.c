/* Each construct prints its calling address; marks in the source are the expected names. */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

static int bias(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    printf("bias 0x%lx\n", (unsigned long)info->dlpi_addr);
    return 1;
}

__attribute__((noinline)) static void here(const char *tag)
{
    fprintf(stdout, "%s %p\n", tag, __builtin_return_address(0));
    __asm__ volatile("");
}

static volatile int sink[64];

__attribute__((noinline, cold)) static void rare(int n)
{
    printf("rare %d\n", n);
}

static inline __attribute__((always_inline)) void inner(void)
{
    here("inner");
    sink[0]++;
}

static inline __attribute__((always_inline)) void middle(void)
{
    inner(); /* calls inner */
    sink[1]++;
}

__attribute__((noinline)) static void orphan(int n)
{
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; i++) {
        here("orphan");
        sink[i % 64]++;
    }
}

__attribute__((noinline)) void team(int n)
{
#pragma omp parallel /* construct parallel */
    {
        here("parallel");
        if (sink[2]++ > 1000000)
            rare(sink[3]);
        orphan(n);
        middle(); /* calls middle */
        sink[3]++;
    }
    here("team");
    sink[4]++;
}

__attribute__((noinline)) double loop(int n)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) firstprivate(n) /* construct loop */
    for (int i = 0; i < n; i++) {
        here("loop");
        sum += i;
    }
    return sum;
}

__attribute__((noinline)) void tasks(int n)
{
#pragma omp parallel num_threads(2) /* construct creator */
#pragma omp single
    {
        here("creator");
#pragma omp task firstprivate(n) /* construct task */
        {
            sink[n]++;
            here("task");
#pragma omp task firstprivate(n) if (n > 1) /* construct child */
            {
                here("child");
                sink[n]++;
            }
#pragma omp taskwait
            sink[n]++;
        }
#pragma omp taskloop num_tasks(2) /* construct taskloop */
        for (int i = 0; i < 4; i++) {
            here("taskloop");
            sink[i]++;
        }
    }
}

__attribute__((noinline)) void nested(void)
{
#pragma omp parallel num_threads(2) /* construct outer */
    {
        here("outer");
#pragma omp parallel num_threads(2) /* construct nest */
        {
            here("nest");
            sink[5]++;
        }
        sink[6]++;
    }
}

__attribute__((noinline)) void often(int n)
{
    for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(2) /* construct first */
        {
            here("first");
            sink[8]++;
        }
#pragma omp parallel num_threads(2) /* construct second */
        {
            here("second");
            sink[9]++;
        }
    }
}

__attribute__((noinline)) static int grow(int n)
{
    return 3 * n + sink[8];
}

__attribute__((noinline)) void brief(int n)
{
#pragma omp parallel
#pragma omp single
#pragma omp task firstprivate(n) /* construct brief */
    {
        sink[9] = grow(n); /* in brief */
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 4;
    dl_iterate_phdr(bias, NULL);
    team(n);
    sink[7] = (int)loop(n);
    tasks(n);
    nested();
    often(n);
    brief(n);
    return 0;
}
