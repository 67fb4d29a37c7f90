/* taskwait waits for children, not for their children: those a child has to wait for itself. Twin: it doesn't. */
#include "apart.h"

static long value;

int main(void) {
    static int done;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            {
                value = 5; /* race */
                tell(&done);
            }
#ifndef TWIN
#pragma omp taskwait
#endif
        }
        await(&done, 1);
#pragma omp taskwait
        value++; /* race */
    }
    return value != 6;
}
