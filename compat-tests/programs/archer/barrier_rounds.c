/* Many barriers, one after the other: two threads take turns at one variable. Twin: one barrier of the twenty is missing. */
#include <omp.h>

#include "apart.h"

enum { ROUNDS = 20 };

static long turn;

int main(void) {
    static int done[ROUNDS];
    int round;
#pragma omp parallel num_threads(2) private(round)
    for (round = 0; round < ROUNDS; round++) {
        if (round % 2 == omp_get_thread_num())
            turn += round; /* race */
        tell(&done[round]);
        await(&done[round], 2);
#ifdef TWIN
        if (round == 12)
            continue;
#endif
#pragma omp barrier
    }
    return turn != ROUNDS * (ROUNDS - 1) / 2;
}
