/* A barrier waits for all tasks: the creator reads what its task wrote on another thread. Twin: no barrier. */
#include "apart.h"

static long value;

int main(void) {
    static int done;
#pragma omp parallel num_threads(2)
    {
        int creator = 0;
#pragma omp single nowait
        {
            creator = 1;
#pragma omp task
            {
                value = 5; /* race */
                tell(&done);
            }
            await(&done, 1);
        }
#ifndef TWIN
#pragma omp barrier
#endif
        if (creator)
            value++; /* race */
    }
    return value != 6;
}
