/* copyprivate: one thread fills a box and hands its address to all. Twin: each takes the address itself and doesn't wait. */
#include <omp.h>

#include "apart.h"

enum { N = 3 };

static long box, seen[N];

int main(void) {
    static int filled;
#pragma omp parallel num_threads(N)
    {
        long *mine = IF_TWIN(&box) UNLESS_TWIN(NULL);
#pragma omp single IF_TWIN(nowait) UNLESS_TWIN(copyprivate(mine))
        {
            box = 7; /* race */
            mine = &box;
            tell(&filled);
        }
        await(&filled, 1);
        seen[omp_get_thread_num()] = *mine; /* race */
    }
    return seen[N - 1] != 7;
}
