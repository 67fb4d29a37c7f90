/* Priorities: with one thread that runs what others left, the order shows. */
/* with: OMP_MAX_TASK_PRIORITY=5 */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int order[30], place = 0, i, sum = 0;
    printf("%d\n", omp_get_max_task_priority());
#pragma omp parallel num_threads(1)
    for (i = 0; i < 30; i++) {
#pragma omp task priority(i % 8) firstprivate(i)
        order[place++] = i;
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (i = 0; i < 100; i++) {
#pragma omp task priority(i) firstprivate(i) untied
#pragma omp atomic
            sum += i;
        }
#pragma omp taskloop priority(3)
        for (i = 0; i < 100; i++)
#pragma omp atomic
            sum += i;
    }
    for (i = 0; i < 30; i++) printf("%d ", order[i]);
    printf("%d %d\n", sum, omp_get_max_task_priority());
    return 0;
}
