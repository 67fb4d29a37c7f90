/* Sections and loops that are regions of their own, with variables that are firstprivate and lastprivate: there is a barrier
   between the copies and the first share. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int value = 3, last = 5, linear = 2, i;
    int places[40] = {0};
#pragma omp parallel sections firstprivate(value) lastprivate(value)
    {
#pragma omp section
        value = value < 3 ? 0 : 8;
#pragma omp section
        value = value < 3 ? 0 : 9;
#pragma omp section
        value = value < 3 ? 0 : 10;
    }
#pragma omp parallel for schedule(dynamic, 3) firstprivate(last) lastprivate(last)
    for (i = 0; i < 40; i++) last = i;
#pragma omp parallel for schedule(guided) linear(linear : 3)
    for (i = 0; i < 40; i++) {
        places[i] = linear;
        linear += 3;
    }
    printf("%d %d %d %d\n", value, last, linear, places[39]);
    return 0;
}
