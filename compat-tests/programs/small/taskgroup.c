/* Task groups: nested, inside tasks, outside of regions; their end waits for descendants as well. */
#include <omp.h>
#include <stdio.h>

static long count;

static void descend(int depth) {
    int i;
    for (i = 0; i < 2; i++) {
#pragma omp task firstprivate(depth)
        {
            if (depth > 0) descend(depth - 1);
#pragma omp atomic
            count += 1;
        }
    }
}

int main(void) {
    long here;
#pragma omp parallel private(here)
    {
#pragma omp single
        {
#pragma omp taskgroup
            descend(5);
#pragma omp atomic read
            here = count;
            printf("%ld\n", here);
#pragma omp taskgroup
            {
                descend(3);
#pragma omp taskgroup
                descend(2);
#pragma omp task
                {
#pragma omp taskgroup
                    descend(4);
                }
            }
#pragma omp atomic read
            here = count;
            printf("%ld\n", here);
#pragma omp taskgroup
            {
            }
        }
        /* One group for each thread. */
#pragma omp taskgroup
        {
#pragma omp task
#pragma omp atomic
            count += 1;
        }
    }
    count -= omp_get_max_threads();
#pragma omp taskgroup
    descend(3);
    printf("%ld\n", count);
    return 0;
}
