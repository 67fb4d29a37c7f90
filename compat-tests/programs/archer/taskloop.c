/* taskloop waits for its iterations, which are spread over threads. Twin: nogroup. */
#include "apart.h"

enum { N = 2 };

static long element[N];

int main(void) {
    static int begun, done;
    int i;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskloop grainsize(1) IF_TWIN(nogroup)
        for (i = 0; i < N; i++) {
            tell(&begun);
            await(&begun, N);
            element[i] = i + 1; /* race */
            tell(&done);
        }
        await(&done, N);
        element[0] += element[1]; /* race */
    }
    return element[0] != 3;
}
