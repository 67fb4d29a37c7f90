/* Regions in tasks in regions in tasks, with the results of the queries at each level. */
#include "../queries.h"

static long count;
static unsigned long hashes[4];

static void inner(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp task
        {
#pragma omp parallel num_threads(2)
            {
#pragma omp single
#pragma omp task
                {
#pragma omp atomic
                    hashes[3] += hash_of_team("innermost");
                }
#pragma omp atomic
                count += 1;
            }
#pragma omp atomic
            hashes[2] += hash_of_team("in the inner task");
        }
#pragma omp atomic
        count += 10;
    }
}

int main(void) {
    int i;
    omp_set_max_active_levels(3);
#pragma omp parallel
    {
#pragma omp single
        for (i = 0; i < 6; i++) {
#pragma omp task
            {
                inner();
#pragma omp atomic
                hashes[0] += hash_of_team("in the outer task");
            }
#pragma omp task if (0)
            {
                inner();
#pragma omp atomic
                hashes[1] += hash_of_team("undeferred");
            }
        }
    }
#pragma omp task
    inner();
#pragma omp taskwait
    printf("%ld %lx %lx %lx %lx\n", count, hashes[0], hashes[1], hashes[2], hashes[3]);
    say_queries("end");
    return 0;
}
