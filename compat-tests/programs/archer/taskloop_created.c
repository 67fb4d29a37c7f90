/* What the creator writes before a taskloop, the iterations read on other threads. Twin: it writes afterwards. */
#include "apart.h"

enum { N = 2 };

static long value, seen[N];

int main(void) {
    static int begun, written;
    int i;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        UNLESS_TWIN(value = 5);
        UNLESS_TWIN(tell(&written));
#pragma omp taskloop grainsize(1) nogroup
        for (i = 0; i < N; i++) {
            tell(&begun);
            await(&begun, N);
            await(&written, 1);
            seen[i] = value; /* race */
        }
        IF_TWIN(value = 5); /* race */
        IF_TWIN(tell(&written));
    }
    return seen[0] + seen[1] != 10;
}
