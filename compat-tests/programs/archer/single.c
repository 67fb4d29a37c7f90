/* The barrier at the end of single: what one thread writes, all read. Twin: nowait. */
#include <omp.h>

#include "apart.h"

enum { N = 3 };

static long value, seen[N];

int main(void) {
    static int written;
#pragma omp parallel num_threads(N)
    {
#pragma omp single IF_TWIN(nowait)
        {
            value = 5; /* race */
            tell(&written);
        }
        await(&written, 1);
        seen[omp_get_thread_num()] = value; /* race */
    }
    return seen[N - 1] != 5;
}
