/* Two tasks of one creator have no order between them but a critical section. Twin: none. */
#include "apart.h"

static long value;

int main(void) {
    static int begun, done;
    int i;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (i = 0; i < 2; i++) {
#pragma omp task
            {
                int turn = tell(&begun);
                await(&begun, 2);
                await(&done, turn);
#ifndef TWIN
#pragma omp critical
#endif
                value++; /* race */
                tell(&done);
            }
        }
#pragma omp taskwait
    }
    return value != 2;
}
