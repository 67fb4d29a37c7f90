/* Explicit barriers, and scopes, which end with the same call. */
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 20 };

int main(void) {
    long late = 0, step[ROUNDS] = {0}, scoped = 0;
#pragma omp parallel reduction(+ : late) /* expect: FORK 1, IBAR T, IDLE T-1 */
    {
        int round;
        for (round = 0; round < ROUNDS; round++) {
#pragma omp atomic
            step[round] += 1;
#pragma omp barrier /* expect: EBAR 20*T */
            if (step[round] != omp_get_num_threads()) late += 1;
        }
#pragma omp scope reduction(+ : scoped) /* expect: EBAR T */
        scoped += 1;
    }
    printf("%ld %ld %ld\n", late, step[ROUNDS - 1], scoped);
    return 0;
}
