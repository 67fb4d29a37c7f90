/* Regions, barriers, locks and critical sections, forever. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    volatile long sum = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
    puts("ready");
    fflush(stdout);
    for (;;) {
#pragma omp parallel num_threads(3)
        {
            omp_set_lock(&lock);
            sum++;
            omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp critical
            sum++;
        }
    }
}
