/* Critical sections: named, unnamed, nested, and outside of any region. */
#include <stdio.h>

enum { ROUNDS = 50 };

int main(void) {
    long plain = 0, named = 0, outer = 0, inner = 0;
#pragma omp critical
    plain += 1;
#pragma omp critical(apple)
    named += 1;
#pragma omp parallel /* expect: FORK 1, IBAR T, IDLE T-1, CTWT 0..4*50*T*(T>1) */
    {
        int round;
        for (round = 0; round < ROUNDS; round++) {
#pragma omp critical
            plain += 1;
#pragma omp critical(apple)
            named += 1;
#pragma omp critical(pear)
            {
                outer += 1;
#pragma omp critical(plum)
                inner += 1;
            }
        }
    }
    printf("%ld %ld %ld %ld\n", plain, named, outer, inner);
    return 0;
}
