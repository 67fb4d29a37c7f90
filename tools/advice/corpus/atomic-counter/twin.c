/* The program with the cure applied: reduction(+:hits). */
#include <stdio.h>

int main(void) {
    long hits = 0;
#pragma omp parallel for reduction(+ : hits)
    for (long i = 0; i < 60000000; i++) {
        if ((i * 2654435761L >> 7) % 3 != 0) {
            hits++;
        }
    }
    printf("%ld\n", hits);
    return 0;
}
