/* Fork alone: what the master writes before a region, all threads read in it. The threads are there already. Twin: the master
   writes inside. */
#include <omp.h>

#include "apart.h"

enum { N = 3 };

static long value, seen[N];

int main(void) {
    static int written;
#pragma omp parallel num_threads(N)
    seen[omp_get_thread_num()] = 1;
    UNLESS_TWIN(value = 5);
#pragma omp parallel num_threads(N)
    {
        int me = omp_get_thread_num();
        if (me == 0) {
            IF_TWIN(value = 5); /* race */
            tell(&written);
        }
        await(&written, 1);
        seen[me] = value; /* race */
    }
    return seen[N - 1] != 5;
}
