/* A counter of hits is incremented by an atomic update in each iteration. */
#include <stdio.h>

int main(void) {
    long hits = 0;
#pragma omp parallel for
    for (long i = 0; i < 60000000; i++) {
        if ((i * 2654435761L >> 7) % 3 != 0) {
#pragma omp atomic /* HERE */
            hits++;
        }
    }
    printf("%ld\n", hits);
    return 0;
}
