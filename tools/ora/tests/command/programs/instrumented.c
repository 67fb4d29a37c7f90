/* For OPARI: two regions, a wait in each, and tasks. Lines that a test asks for have a mark. All work takes as
   small a part of its time as an argument says. Returns whether the process has more rights than its user. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>

static volatile double sum;
static int part = 1;

__attribute__((noinline)) static void work(int ms) {
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_nsec += ms * 1000000L / part;
    do {
        for (int i = 0; i < 1000; i++) sum = i;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - end.tv_sec) * 1000000000L + now.tv_nsec - end.tv_nsec < 0);
}

__attribute__((noinline)) static void tasks(void) {
#pragma omp single /* tasks' owner */
    for (int i = 0; i < 20; i++) {
#pragma omp task /* small */
        work(2);
        if (i % 2) {
#pragma omp task if (i > 3) /* large */
            work(6);
        }
    }
}

#ifdef SWITCHES
extern void POMP2_Init(void), POMP2_Off(void), POMP2_On(void);

/* Calls with an argument, as if the register held something: it is not a handle. */
static void switches(void) {
    ((void (*)(long))POMP2_Init)(8);
    ((void (*)(long))POMP2_Off)(8);
    ((void (*)(long))POMP2_On)(8);
}
#else
static void switches(void) {}
#endif

int main(int count, char **words) {
    part = count > 1 ? atoi(words[1]) : 1;
    switches();
#pragma omp parallel num_threads(2) /* first */
    {
#pragma omp master /* unequal */
        work(300);
#pragma omp barrier /* waits */
#pragma omp critical /* alone */
        work(60);
    }
#pragma omp parallel num_threads(2) /* second */
    {
        work(60);
        tasks();
    }
    printf("done\n");
    return (int)getauxval(AT_SECURE);
}
