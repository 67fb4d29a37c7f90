/* A construct with task reductions outside of all regions, for which libgomp gives the thread a team of its own; then a region of two
   threads. The argument selects the construct. */
#include <stdio.h>
#include <stdlib.h>

static int sum;

static void add(int i)
{
#pragma omp task in_reduction(+ : sum)
    sum += i;
}

static void add_all(void)
{
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 8; i++)
        add(i);
}

int main(int argc, char **argv)
{
    int threads = 0;
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 1:
#pragma omp for reduction(task, + : sum)
        for (int i = 0; i < 8; i++)
            add(i);
        break;
    case 2:
#pragma omp for schedule(dynamic) reduction(task, + : sum)
        for (int i = 0; i < 8; i++)
            add(i);
        break;
    case 3:
#pragma omp for ordered reduction(task, + : sum)
        for (int i = 0; i < 8; i++) {
            add(i);
#pragma omp ordered
            threads = 0;
        }
        break;
    case 4:
#pragma omp sections reduction(task, + : sum)
    {
        add(12);
#pragma omp section
        add(16);
    }
        break;
    case 5:
#pragma omp teams num_teams(1)
        add_all();
    }
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads++;
    printf("%d %d\n", sum, threads);
    return 0;
}
