/* A league of teams, with the constructs that may stand in one, and tasks. */
#include <omp.h>
#include <stdio.h>

static int sum;

static void add(int n) { __atomic_add_fetch(&sum, n, __ATOMIC_RELAXED); }

int main(void) {
#pragma omp teams num_teams(2) thread_limit(2)
    {
#pragma omp distribute
        for (int i = 0; i < 4; i++)
            add(i);
#pragma omp parallel num_threads(2)
        {
#pragma omp single nowait
            for (int i = 0; i < 4; i++) {
#pragma omp task
                add(1);
            }
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 4; i++)
                add(i);
        }
    }
#pragma omp target teams num_teams(2) map(tofrom : sum)
    {
#pragma omp distribute parallel for num_threads(2)
        for (int i = 0; i < 4; i++)
            add(1);
    }
#pragma omp teams num_teams(1)
    {
#pragma omp parallel num_threads(2)
        {
#pragma omp single nowait
            for (int i = 0; i < 4; i++) {
#pragma omp task
                add(1);
            }
        }
    }
    puts(sum > 0 ? "done" : "nothing");
    return 0;
}
