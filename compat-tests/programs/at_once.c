/* Each thread runs 100 undeferred tasks, with two waits for nothing each. Every tenth of them queues a task, which waits for nothing
 * itself, and waits for it. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        int i;
        for (i = 0; i < 100; i++) {
#pragma omp task if (0) shared(sum) firstprivate(i)
            {
#pragma omp taskwait
#pragma omp taskwait
                if (i % 10 == 0) {
                    int inner = 0;
#pragma omp task shared(inner)
                    {
#pragma omp taskwait
                        inner = 1;
                    }
#pragma omp taskwait
                    sum += inner;
                }
                sum++;
            }
        }
    }
    return sum == 110 * omp_get_max_threads() ? 0 : 1;
}
