/* Two locks, one for each variable. Twin: one thread takes the wrong one, while the other holds the right one. */
#include <omp.h>

#include "apart.h"

static long pears, plums;

int main(void) {
    static int inside;
    omp_lock_t pear, plum;
    omp_init_lock(&pear);
    omp_init_lock(&plum);
#pragma omp parallel num_threads(2)
    {
        omp_lock_t *mine = IF_TWIN(omp_get_thread_num() == 1 ? &plum :) & pear;
        omp_set_lock(&plum);
        plums++;
        omp_unset_lock(&plum);
        omp_set_lock(mine);
        pears++; /* race */
        tell(&inside);
        /* Both are inside at once, if they can. */
        await_for(&inside, 2, IF_TWIN(30000) UNLESS_TWIN(0));
        omp_unset_lock(mine);
    }
    omp_destroy_lock(&pear);
    omp_destroy_lock(&plum);
    return pears + plums != 4;
}
