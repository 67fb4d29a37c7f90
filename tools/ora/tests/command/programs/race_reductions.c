/* Reductions that LLVM's runtime combines itself: of more than four threads, of tasks, and of a league. -DRACY: another thread reads a
   result without waiting for it. */
#include <omp.h>
#include <unistd.h>

int main(void) {
    long loop = 0, group = 0, tasks = 0, league = 0, seen = 0;
#pragma omp parallel for reduction(+ : loop) num_threads(8)
    for (int i = 0; i < 1000; i++)
        loop += i;
#pragma omp parallel num_threads(6)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp taskgroup task_reduction(+ : group)
            for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : group)
                group += i;
            }
            group++;
        }
#ifndef RACY
#pragma omp barrier
#endif
        if (omp_get_thread_num() == 1) {
            usleep(100000);
            seen = group;
        }
#pragma omp barrier
#pragma omp for reduction(task, + : tasks)
        for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : tasks)
            tasks += i;
        }
#pragma omp single
        tasks++;
    }
#pragma omp teams num_teams(2) reduction(+ : league)
    league++;
    return loop != 499500 || group != 781 || tasks != 781 || league < 1 || seen > group;
}
