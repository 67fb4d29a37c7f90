/* Tasks of every kind outside of any region, where there is no team, and in regions of one thread. */
#include "../queries.h"

static long sum;

static void everything(void) {
    int x = 0, i;
    for (i = 0; i < 10; i++) {
#pragma omp task firstprivate(i)
        sum += i;
#pragma omp task depend(inout : x) shared(x)
        x = x * 2 + 1;
    }
#pragma omp taskwait depend(in : x)
#pragma omp task untied final(i > 3)
    sum += 100 * omp_in_final();
#pragma omp taskyield
#pragma omp taskgroup task_reduction(+ : x)
#pragma omp task in_reduction(+ : x)
    x += 5;
#pragma omp taskloop grainsize(2) reduction(+ : x)
    for (i = 0; i < 9; i++) x += i;
#pragma omp taskwait
    printf("%ld %d\n", sum, x);
}

int main(void) {
    everything();
    say_queries("outside");
#pragma omp parallel num_threads(1)
    {
        everything();
#pragma omp task
        say_queries("a team of one");
    }
#pragma omp parallel if (0)
    everything();
#pragma omp task
    {
#pragma omp task
        say_queries("a task's task");
#pragma omp taskwait
    }
    everything();
    return 0;
}
