/* The loop construct, bound to teams, to a parallel region and to a thread, and combined with them. */
#include <omp.h>
#include <stdio.h>

enum { N = 90 };

int main(void) {
    int values[N], i;
    long sum = 0, other = 0, teams = 0;
#pragma omp parallel
    {
#pragma omp loop bind(parallel)
        for (i = 0; i < N; i++) values[i] = i * 3;
#pragma omp loop bind(parallel) reduction(+ : sum) order(concurrent)
        for (i = 0; i < N; i++) sum += values[i];
    }
#pragma omp parallel loop reduction(+ : other) collapse(2)
    for (i = 0; i < 9; i++)
        for (int j = 0; j < 10; j++) other += values[i * 10 + j];
#pragma omp loop bind(thread)
    for (i = 0; i < N; i++) values[i] += 1;
#pragma omp teams loop reduction(+ : teams)
    for (i = 0; i < N; i++) teams += values[i];
#pragma omp parallel for order(reproducible : concurrent)
    for (i = 0; i < N; i++) values[i] = 0;
    printf("%ld %ld %ld %d\n", sum, other, teams, values[N - 1]);
    return 0;
}
