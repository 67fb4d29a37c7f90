/* Events at a steady rate: events RATE SECONDS [THREADS]. Each turn of a thread sets its own lock, which is three events. RATE is that
 * of all threads together. Prints the number of events, the seconds that they took, and the seconds of CPU time. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 1000 };

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double now(void) { return seconds_of(CLOCK_MONOTONIC); }

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    double rate = atof(argv[1]), seconds = atof(argv[2]);
    int threads = argc > 3 ? atoi(argv[3]) : 2;
    long batches = (long)(rate * seconds / threads / 3 / BATCH);
    double begun = now(), cpu_begun = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
#pragma omp parallel num_threads(threads)
    {
        omp_lock_t lock;
        omp_init_lock(&lock);
        for (long batch = 0; batch < batches; batch++) {
            for (int turn = 0; turn < BATCH; turn++) {
                omp_set_lock(&lock);
                omp_unset_lock(&lock);
            }
            /* This thread is early: waits for the other threads. */
            while (now() - begun < (double)(batch + 1) * BATCH * 3 * threads / rate);
        }
        omp_destroy_lock(&lock);
    }
    double took = now() - begun, cpu_took = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_begun;
    printf("%.0f %.6f %.6f\n", 3.0 * BATCH * (double)batches * threads, took, cpu_took);
    return 0;
}
