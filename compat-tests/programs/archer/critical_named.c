/* Critical sections with two names, one for each variable. Twin: one thread takes the wrong one. */
#include <omp.h>

#include "apart.h"

/* Both threads can be inside simultaneously only in the twin; there the second enters while the first is still inside. */
enum { PATIENCE = IF_TWIN(30000) UNLESS_TWIN(0) };

static long pears, plums;

int main(void) {
    static int passed, inside;
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(plums)
        plums++;
        tell(&passed);
        await(&passed, 2);
        if (omp_get_thread_num() == 0) {
#pragma omp critical(pears)
            {
                pears++; /* race */
                tell(&inside);
                await_for(&inside, 2, PATIENCE);
            }
        } else {
#ifdef TWIN
#pragma omp critical(plums)
#else
#pragma omp critical(pears)
#endif
            {
                await_for(&inside, 1, PATIENCE);
                pears++; /* race */
                tell(&inside);
            }
        }
    }
    return pears + plums != 4;
}
