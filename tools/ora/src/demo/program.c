/* Shown by `ora demo`: an OpenMP program with three faults that a table of times makes visible. */
#include <omp.h>

enum { STEPS = 6 };

static omp_lock_t input_lock;
static double results;

/* Stands for work: computes for so many milliseconds. */
static double compute(double milliseconds)
{
    double end = omp_get_wtime() + milliseconds / 1000, sum = 0;
    while (omp_get_wtime() < end)
        sum += 1;
    return sum;
}

int main(void)
{
    int threads = omp_get_num_procs() < 4 ? 2 : 4;
    omp_init_lock(&input_lock);
    for (int step = 0; step < STEPS; step++) {
#pragma omp parallel num_threads(threads)
        {
            /* All fetch their input under one lock ... */
            omp_set_lock(&input_lock);
            compute(6);
            omp_unset_lock(&input_lock);
            /* ... and register it in one critical section. */
#pragma omp critical
            results += compute(12);
            /* Imbalance: the last thread has the most to do. */
            compute(100.0 * (omp_get_thread_num() + 1) / threads);
        }
        /* One thread works, the others have nothing to do. */
        results += compute(20);
    }
    omp_destroy_lock(&input_lock);
    return results > 0 ? 0 : 1;
}
