/* A region of two threads with a loop, critical sections, tasks and a taskwait: the same number of each in every run. */
#include <stdio.h>

int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 10; i++) {
#pragma omp critical
            sum += i;
        }
#pragma omp single
        {
            for (int i = 0; i < 5; i++) {
#pragma omp task shared(sum)
                {
#pragma omp critical
                    sum += 100;
                }
            }
#pragma omp taskwait
        }
    }
    printf("sum %d\n", sum);
    return 0;
}
