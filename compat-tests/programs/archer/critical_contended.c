/* A critical section that several threads want simultaneously, many times. Twin: one thread enters without it, the last time. */
#include <omp.h>

#include "apart.h"

enum { N = 3, TIMES = 200 };

static long count;

static void guarded(int times) {
    int k;
    for (k = 0; k < times; k++) {
#pragma omp critical
        count++; /* race */
    }
}

int main(void) {
    static int begun, master, others;
#pragma omp parallel num_threads(N)
    {
        tell(&begun);
        await(&begun, N);
        guarded(TIMES);
        if (omp_get_thread_num() == 0) {
            tell(&master);
            await(&others, N - 1);
            UNLESS_TWIN(guarded(1));
            IF_TWIN(count++); /* race */
        } else {
            await(&master, 1);
            guarded(1);
            tell(&others);
        }
    }
    return count != N * (TIMES + 1);
}
