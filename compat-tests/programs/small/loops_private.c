/* private, firstprivate, lastprivate (also conditional), linear, and reductions over loops and sections. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int first = 7, last = -1, linear = 3, sections = 0, i, found = -1, private = 9;
    long sum = 0;
    int array[3] = {1, 2, 3};
#pragma omp parallel for firstprivate(first, array) lastprivate(last) schedule(dynamic, 4) reduction(+ : sum)
    for (i = 0; i < 50; i++) {
        last = first + i;
        sum += array[i % 3];
    }
#pragma omp parallel for lastprivate(conditional : found) schedule(dynamic)
    for (i = 0; i < 60; i++)
        if (i % 7 == 2) found = i;
#pragma omp parallel for simd linear(linear : 2) reduction(+ : sum) schedule(static)
    for (i = 0; i < 40; i++) {
        sum += linear;
        linear += 2;
    }
#pragma omp parallel sections lastprivate(sections) private(private) firstprivate(first)
    {
#pragma omp section
        sections = private = first;
#pragma omp section
        sections = 5 + first;
    }
    printf("%d %d %d %d %d %d %ld\n", first, last, found, linear, sections, private, sum);
    return 0;
}
