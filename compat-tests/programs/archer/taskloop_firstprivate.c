/* Iterations of a taskloop with a copy of their own each, of a variable that its creator writes again. Twin: it is shared. */
#include "apart.h"

enum { N = 2 };

static long seen[N];

int main(void) {
    static int begun, written;
    int i;
    long value[8] = {0};
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        value[3] = 5;
#pragma omp taskloop grainsize(1) nogroup UNLESS_TWIN(firstprivate(value)) IF_TWIN(shared(value))
        for (i = 0; i < N; i++) {
            tell(&begun);
            await(&begun, N);
            await(&written, 1);
            seen[i] = value[3]; /* race */
        }
        value[3] = 6; /* race */
        tell(&written);
    }
    return seen[0] + seen[1] != 10;
}
