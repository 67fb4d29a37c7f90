/*
 * Tasks inside of tasks: how the cost of a task changes with the number of those that are there.
 *
 *     live TASKS    prints "tasks NANOSECONDS" for each of so many tasks, every one of which was alive when the last one began
 *
 * A runtime may refuse to queue many tasks, but one that waits for its child stays. They lie on the stack of a worker
 * (OMP_STACKSIZE): the initial thread's is limited.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void nest(long depth)
{
    if (depth > 0) {
#pragma omp task if (0)
        nest(depth - 1);
    }
    __asm__ volatile("" ::: "memory");
}

int main(int count, char **arguments)
{
    const long tasks = count > 1 ? atol(arguments[1]) : 1000;
    const long often = tasks < 100000 ? 1000000 / tasks : 1;
    double best = 1e18;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        /* The first time allocates the memory. */
        nest(tasks);
        for (int batch = 0; batch < 5; batch++) {
            double begun = now();
            for (long i = 0; i < often; i++)
                nest(tasks);
            double each = (now() - begun) / (double)often / (double)tasks;
            best = each < best ? each : best;
        }
    }
    printf("tasks %.3f\n", best);
    return 0;
}
