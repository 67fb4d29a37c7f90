/* Critical sections with two names, one for each variable. Twin: one thread takes the wrong one. */
#include <omp.h>

#include "apart.h"

static long pears, plums;

int main(void) {
    static int inside;
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(plums)
        plums++;
        if (omp_get_thread_num() == 0) {
#pragma omp critical(pears)
            {
                pears++; /* race */
                tell(&inside);
                /* Both are inside at once, if they can. */
                await_for(&inside, 2, IF_TWIN(30000) UNLESS_TWIN(0));
            }
        } else {
#ifdef TWIN
#pragma omp critical(plums)
#else
#pragma omp critical(pears)
#endif
            {
                pears++; /* race */
                tell(&inside);
                await_for(&inside, 2, IF_TWIN(30000) UNLESS_TWIN(0));
            }
        }
    }
    return plums != 2;
}
