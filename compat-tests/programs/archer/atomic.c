/* An atomic update that is not a single instruction: gcc calls libgomp for its lock. Twin: not atomic. */
#include <omp.h>

#include "apart.h"

static __int128 sum;

int main(void) {
    static int done;
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        await(&done, me);
#ifndef TWIN
#pragma omp atomic
#endif
        sum += me + 1; /* race */
        tell(&done);
    }
    return sum != 3;
}
