// Programs with known efficiencies: each piece of work takes a given number of milliseconds of its thread's CPU time.
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
static void work(double ms) {
    double until = cpu() + ms;
    while (cpu() < until)
        ;
}
int main(int count, char **words) {
    const char *kind = count > 1 ? words[1] : "balanced";
    double ms = count > 2 ? atof(words[2]) : 100;
    int n = omp_get_max_threads();
    if (!strcmp(kind, "balanced")) {
#pragma omp parallel
        work(ms);
    } else if (!strcmp(kind, "double")) {
#pragma omp parallel
        work(omp_get_thread_num() == n - 1 ? 2 * ms : ms);
    } else if (!strcmp(kind, "alternating")) {
        for (int i = 0; i < n; i++)
#pragma omp parallel
            work(omp_get_thread_num() == i ? 2 * ms : ms);
    } else if (!strcmp(kind, "barriers")) {
#pragma omp parallel
        for (int i = 0; i < n; i++) {
            work(omp_get_thread_num() == i ? 2 * ms : ms);
#pragma omp barrier
        }
    } else if (!strcmp(kind, "critical")) {
#pragma omp parallel
#pragma omp critical
        work(ms);
    } else if (!strcmp(kind, "lock")) {
        omp_lock_t lock;
        omp_init_lock(&lock);
#pragma omp parallel
        {
            omp_set_lock(&lock);
            work(ms);
            omp_unset_lock(&lock);
        }
    } else if (!strcmp(kind, "ordered")) {
#pragma omp parallel for ordered schedule(static, 1)
        for (int i = 0; i < 4 * n; i++)
#pragma omp ordered
            work(ms / 4);
    } else if (!strcmp(kind, "chain")) {
        int last = 0;
        (void)last;
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < 20 * n; i++)
#pragma omp task depend(inout : last)
            work(ms / 20);
    } else if (!strcmp(kind, "serial")) {
        work(ms);
#pragma omp parallel
        work(ms);
    } else if (!strcmp(kind, "nested")) {
        omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(2)
                work(omp_get_thread_num() ? 2 * ms : ms);
            } else
                work(ms);
        }
    }
    return 0;
}
