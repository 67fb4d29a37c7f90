/* A nest lock that is taken twice is free only after the second release. Twin: it is taken once, so the second access comes
   after its release. */
#include <omp.h>

#include "apart.h"

static long count;

int main(void) {
    static int done;
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        UNLESS_TWIN(omp_set_nest_lock(&lock));
        omp_set_nest_lock(&lock);
        count++; /* race */
        omp_unset_nest_lock(&lock);
        /* In the twin, the other thread may enter between the two accesses. */
        tell(&done);
        await_for(&done, 2, IF_TWIN(30000) UNLESS_TWIN(0));
        count++; /* race */
        UNLESS_TWIN(omp_unset_nest_lock(&lock));
    }
    omp_destroy_nest_lock(&lock);
    return count != 4;
}
