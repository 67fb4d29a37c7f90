/* Two locks, one for each variable. Twin: one thread takes the wrong one, while the other holds the right one. */
#include <omp.h>

#include "apart.h"

/* Both threads can be inside simultaneously only in the twin; there the second enters while the first is still inside. */
enum { PATIENCE = IF_TWIN(30000) UNLESS_TWIN(0) };

static long pears, plums;

int main(void) {
    static int passed, inside;
    omp_lock_t pear, plum;
    omp_init_lock(&pear);
    omp_init_lock(&plum);
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
        omp_lock_t *mine = me == 1 ? IF_TWIN(&plum) UNLESS_TWIN(&pear) : &pear;
        omp_set_lock(&plum);
        plums++;
        omp_unset_lock(&plum);
        tell(&passed);
        await(&passed, 2);
        omp_set_lock(mine);
        await_for(&inside, me, PATIENCE);
        pears++; /* race */
        tell(&inside);
        await_for(&inside, 2, PATIENCE);
        omp_unset_lock(mine);
    }
    omp_destroy_lock(&pear);
    omp_destroy_lock(&plum);
    return pears + plums != 4;
}
