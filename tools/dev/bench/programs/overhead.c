/*
 * Measures the cost of constructs with a little work inside, in the spirit of EPCC's OpenMP microbenchmarks (syncbench, schedbench,
 * taskbench). Our own code.
 *
 *     overhead time BATCHES [NAMES]    a line "NAME NANOSECONDS" a construct: the quickest of so many batches
 *     overhead run NAME COUNT          runs one construct so many times, for instruction counts
 *
 * A time is what passes for one construct (sync), one iteration (for), or one task of one thread (task). Each has about a tenth of a microsecond of
 * work.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH_NS 2000000.0

static omp_lock_t lock;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The same work on every machine: no clock is read. */
static inline void delay(void)
{
    for (int i = 0; i < 100; i++)
        __asm__ volatile("");
}

static void parallel(long n)
{
    for (long i = 0; i < n; i++) {
#pragma omp parallel
        delay();
    }
}

static void for_(long n)
{
#pragma omp parallel
    for (long i = 0; i < n; i++) {
#pragma omp for schedule(static)
        for (int j = 0; j < omp_get_num_threads(); j++)
            delay();
    }
}

static void parallel_for(long n)
{
    for (long i = 0; i < n; i++) {
        int threads = omp_get_max_threads();
#pragma omp parallel for schedule(static)
        for (int j = 0; j < threads; j++)
            delay();
    }
}

static void barrier(long n)
{
#pragma omp parallel
    for (long i = 0; i < n; i++) {
        delay();
#pragma omp barrier
    }
}

static void single(long n)
{
#pragma omp parallel
    for (long i = 0; i < n; i++) {
#pragma omp single
        delay();
    }
}

static void critical(long n)
{
#pragma omp parallel
    for (long i = 0; i < n / omp_get_num_threads() + 1; i++) {
#pragma omp critical
        delay();
    }
}

static void locked(long n)
{
#pragma omp parallel
    for (long i = 0; i < n / omp_get_num_threads() + 1; i++) {
        omp_set_lock(&lock);
        delay();
        omp_unset_lock(&lock);
    }
}

static void ordered(long n)
{
#pragma omp parallel for ordered schedule(static, 1)
    for (long i = 0; i < n; i++) {
#pragma omp ordered
        delay();
    }
}

static void reduction(long n)
{
    for (long i = 0; i < n; i++) {
        long sum = 0;
#pragma omp parallel reduction(+ : sum)
        {
            delay();
            sum++;
        }
        __asm__ volatile("" ::"r"(sum));
    }
}

static void static_1(long n)
{
#pragma omp parallel for schedule(static, 1)
    for (long i = 0; i < n; i++)
        delay();
}

static void dynamic_1(long n)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (long i = 0; i < n; i++)
        delay();
}

static void dynamic_8(long n)
{
#pragma omp parallel for schedule(dynamic, 8)
    for (long i = 0; i < n; i++)
        delay();
}

static void guided_1(long n)
{
#pragma omp parallel for schedule(guided, 1)
    for (long i = 0; i < n; i++)
        delay();
}

static void tasks_of_all(long n)
{
#pragma omp parallel
    for (long i = 0; i < n; i++) {
#pragma omp task
        delay();
    }
}

static void tasks_of_one(long n)
{
#pragma omp parallel
#pragma omp master
    for (long i = 0; i < n; i++) {
#pragma omp task
        delay();
    }
}

static void taskwait(long n)
{
#pragma omp parallel
    for (long i = 0; i < n; i++) {
#pragma omp task
        delay();
#pragma omp taskwait
    }
}

static void taskgroup(long n)
{
#pragma omp parallel
    for (long i = 0; i < n; i++) {
#pragma omp taskgroup
        {
#pragma omp task
            delay();
        }
    }
}

static void taskloop(long n)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (long i = 0; i < n; i++)
        delay();
}

static void depend(long n)
{
    int x = 0;
#pragma omp parallel
#pragma omp master
    for (long i = 0; i < n; i++) {
#pragma omp task depend(inout : x)
        delay();
    }
    (void)x;
}

static const struct {
    const char *name;
    void (*run)(long n);
} constructs[] = {
    {"parallel", parallel},       {"for", for_},
    {"parallel_for", parallel_for}, {"barrier", barrier},
    {"single", single},           {"critical", critical},
    {"lock", locked},             {"ordered", ordered},
    {"reduction", reduction},     {"static_1", static_1},
    {"dynamic_1", dynamic_1},     {"dynamic_8", dynamic_8},
    {"guided_1", guided_1},       {"tasks_of_all", tasks_of_all},
    {"tasks_of_one", tasks_of_one}, {"taskwait", taskwait},
    {"taskgroup", taskgroup},     {"taskloop", taskloop},
    {"depend", depend},
};
enum { CONSTRUCTS = sizeof constructs / sizeof constructs[0] };

static double each(int which, long n)
{
    double begun = now();
    constructs[which].run(n);
    return (now() - begun) / (double)n;
}

static double quickest(int which, int batches)
{
    long n = 16;
    /* The first runs create threads and load caches; they also find the length of a batch. */
    for (int i = 0; i < 3; i++) {
        n = (long)(BATCH_NS / each(which, n));
        n = n < 16 ? 16 : n > 100000 ? 100000 : n;
    }
    double best = 1e18;
    for (int i = 0; i < batches; i++) {
        double time = each(which, n);
        best = time < best ? time : best;
    }
    return best;
}

static int wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return 1;
    return !count;
}

int main(int count, char **arguments)
{
    const char *task = count > 2 ? arguments[1] : "";
    omp_init_lock(&lock);
    for (int i = 0; i < CONSTRUCTS; i++) {
        if (!strcmp(task, "time") && wanted(constructs[i].name, count - 3, arguments + 3))
            printf("%s %.3f\n", constructs[i].name, quickest(i, atoi(arguments[2])));
        else if (!strcmp(task, "run") && count == 4 && !strcmp(arguments[2], constructs[i].name))
            constructs[i].run(atol(arguments[3]));
    }
    return !*task;
}
