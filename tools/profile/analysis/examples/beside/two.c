/* The program of beside-others.md: two parallel regions, of which one is imbalanced. */
#include <omp.h>
#include <stdio.h>

static volatile double sink;

static void work(long n)
{
    double x = 1;
    for (long i = 0; i < n; i++)
        x = x * 0.999 + 1;
    sink = x;
}

static void even(int steps)
{
    for (int step = 0; step < steps; step++) {
#pragma omp parallel
        work(300000);
    }
}

/* The last thread has three times as much to do as the first. */
static void uneven(int steps)
{
    for (int step = 0; step < steps; step++) {
#pragma omp parallel
        work(200000 + 400000 * omp_get_thread_num() / (omp_get_num_threads() - 1));
    }
}

int main(void)
{
    even(500);
    uneven(500);
    puts("done");
    return 0;
}
