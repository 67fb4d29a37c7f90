/* The barrier at the end of sections, each on a thread of its own. Twin: nowait. */
#include <omp.h>

#include "apart.h"

static long left, right, sum[2];

int main(void) {
    static int begun, done;
#pragma omp parallel num_threads(2)
    {
#pragma omp sections IF_TWIN(nowait)
        {
#pragma omp section
            {
                tell(&begun);
                await(&begun, 2);
                left = 1; /* race */
            }
#pragma omp section
            {
                tell(&begun);
                await(&begun, 2);
                right = 2; /* race */
            }
        }
        tell(&done);
        await(&done, 2);
        sum[omp_get_thread_num()] = left + right; /* race */
    }
    return sum[1] != 3;
}
