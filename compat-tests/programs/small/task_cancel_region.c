/* Regions that are cancelled while tasks are pending: those of the region's barrier are dropped, or run, but never twice
 * and never late. */
/* with: OMP_CANCELLATION=true */
#include <omp.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    long ran = 0, late = 0, round, over = 0, whole = 0, i;
    for (round = 0; round < 40; round++) {
        ran = 0;
#pragma omp parallel private(i)
        {
            char large[500];
            memset(large, 1, sizeof large);
#pragma omp single nowait
            for (i = 0; i < 50; i++) {
#pragma omp task firstprivate(large) shared(ran)
#pragma omp atomic
                ran += large[i];
#pragma omp task shared(late, over)
                {
                    long now;
#pragma omp atomic read
                    now = over;
#pragma omp atomic
                    late += now;
                }
            }
#pragma omp cancel parallel if (omp_get_thread_num() == omp_get_num_threads() - 1)
#pragma omp barrier
#pragma omp cancellation point parallel
        }
#pragma omp atomic write
        over = 1;
        if (ran < 0 || ran > 50) printf("%ld ran\n", ran);
#pragma omp atomic write
        over = 0;
        /* The next region is complete again. */
#pragma omp parallel
        {
#pragma omp task shared(whole)
#pragma omp atomic
            whole += 1;
        }
    }
    printf("%ld late, %ld\n", late, whole / omp_get_max_threads());
    return 0;
}
