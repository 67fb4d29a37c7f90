/* Events at a steady rate: events RATE SECONDS [THREADS]. Each turn of a thread is the setting of a lock of its own: three events. RATE is of all
 * threads together. Prints the events and the seconds that they took. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 1000 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    double rate = atof(argv[1]), seconds = atof(argv[2]);
    int threads = argc > 3 ? atoi(argv[3]) : 2;
    long batches = (long)(rate * seconds / threads / 3 / BATCH);
    double begun = now();
#pragma omp parallel num_threads(threads)
    {
        omp_lock_t lock;
        omp_init_lock(&lock);
        for (long batch = 0; batch < batches; batch++) {
            for (int turn = 0; turn < BATCH; turn++) {
                omp_set_lock(&lock);
                omp_unset_lock(&lock);
            }
            /* Ahead of time: the others' turn. */
            while (now() - begun < (double)(batch + 1) * BATCH * 3 * threads / rate);
        }
        omp_destroy_lock(&lock);
    }
    printf("%.0f %.6f\n", 3.0 * BATCH * (double)batches * threads, now() - begun);
    return 0;
}
