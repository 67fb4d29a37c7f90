/* A lock. Twin: one thread doesn't take it. */
#include <omp.h>

#include "apart.h"

static long count;

int main(void) {
    static int done;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        await(&done, me);
        if (me == 0 UNLESS_TWIN(|| me == 1))
            omp_set_lock(&lock);
        count++; /* race */
        if (me == 0 UNLESS_TWIN(|| me == 1))
            omp_unset_lock(&lock);
        tell(&done);
    }
    omp_destroy_lock(&lock);
    return count != 2;
}
