/* A lock that is tried until it is free: only the try that succeeds takes it. Twin: what it guards is also read outside. */
#include <omp.h>

#include "apart.h"

static long count;

int main(void) {
    static int done;
    long read = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        await(&done, me);
        while (!omp_test_lock(&lock))
            sched_yield();
        count++; /* race */
        omp_unset_lock(&lock);
        tell(&done);
        await(&done, 2);
        if (me == 0) {
            UNLESS_TWIN(omp_set_lock(&lock));
            read = count; /* race */
            UNLESS_TWIN(omp_unset_lock(&lock));
        }
    }
    omp_destroy_lock(&lock);
    return read != 2;
}
