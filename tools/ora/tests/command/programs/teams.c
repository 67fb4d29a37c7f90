/* Regions of two threads inside of a region of two threads. Says, in seconds of CPU time, the longest share and the mean of the
   inner regions, then of the outer ones: there a thread's share is the longest one of each inner region. All are even, or, by
   the argument, those of one outer thread have three times the work ("outer"), or one member of each inner team has ("inner"). */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { OUTER = 5, INNER = 4 };

static double cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double work(double seconds) {
    double begin = cpu_s(), now;
    do
        for (volatile int i = 0; i < 5000; i++) {
        }
    while ((now = cpu_s()) < begin + seconds);
    return now - begin;
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "even";
    double inner_longest = 0, inner_mean = 0, outer_longest = 0, outer_mean = 0;
    omp_set_max_active_levels(2);
    for (int i = 0; i < OUTER; i++) {
        double path[2] = {0}, mean[2] = {0};
#pragma omp parallel num_threads(2)
        {
            int outer = omp_get_thread_num();
            for (int j = 0; j < INNER; j++) {
                double max = 0, sum = 0;
#pragma omp parallel num_threads(2) reduction(max : max) reduction(+ : sum)
                {
                    int large = !strcmp(how, "outer") ? outer == 0 : !strcmp(how, "inner") && omp_get_thread_num() == 1;
                    max = sum = work(large ? 0.03 : 0.01);
                }
                path[outer] += max;
                mean[outer] += sum / 2;
            }
        }
        inner_longest += path[0] + path[1];
        inner_mean += mean[0] + mean[1];
        outer_longest += path[0] > path[1] ? path[0] : path[1];
        outer_mean += (path[0] + path[1]) / 2;
    }
    printf("%f %f %f %f\n", inner_longest, inner_mean, outer_longest, outer_mean);
    return 0;
}
