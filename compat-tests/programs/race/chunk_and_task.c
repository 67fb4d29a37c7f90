/* A chunk of a loop and a task that its thread executes, which nothing but a taskwait orders. The thread has asked for its number.
   Twin: without the taskwait. */
#include <omp.h>

#include "../archer/apart.h"

static long value, sum;

int main(void) {
    int there = 0, done = 0;
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num(), i;
        if (me == 0) {
#pragma omp task shared(done)
            {
                value = 1; /* race */
                tell(&done);
            }
#ifndef TWIN
#pragma omp taskwait
#endif
        }
#pragma omp for schedule(dynamic, 1) nowait
        for (i = 0; i < 8; i++) {
            if (me == 0) {
                await(&there, 1);
                sum += value; /* race */
            } else {
                tell(&there);
                await(&done, 1);
            }
        }
    }
    return sum < 0;
}
