/* Sections: more than threads, in loops, empty ones, lastprivate, reductions, nowait, nested in tasks' regions. */
#include <omp.h>
#include <stdio.h>

static long parts[6];

static void part(int which) {
#pragma omp atomic
    parts[which] += 1;
}

int main(void) {
    int round, last = 0;
    long sum = 0;
#pragma omp parallel private(round)
    {
        for (round = 0; round < 20; round++) {
#pragma omp sections nowait
            {
                part(0);
#pragma omp section
                part(1);
#pragma omp section
                part(2);
#pragma omp section
                part(3);
#pragma omp section
                part(4);
            }
        }
#pragma omp sections reduction(+ : sum) lastprivate(last)
        {
#pragma omp section
            sum += 1, last = 1;
#pragma omp section
            sum += 2, last = 2;
#pragma omp section
            sum += 4, last = 3;
        }
#pragma omp sections
        {
#pragma omp section
#pragma omp parallel num_threads(2)
#pragma omp sections
            {
#pragma omp section
                part(5);
#pragma omp section
                part(5);
            }
        }
    }
    printf("%ld %ld %ld %ld %ld %ld, %ld %d\n", parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], sum, last);
    return 0;
}
