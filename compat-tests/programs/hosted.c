/* Teams and target regions, which run on the host if there is no device. */
#include <omp.h>
#include <stdio.h>

int main(void) {
    long leagues = 0, members = 0, mapped = 0, inside = 0;
    int i, round;
#pragma omp teams num_teams(2) reduction(+ : leagues, members)
    {
        leagues += 1;
#pragma omp parallel num_threads(2) reduction(+ : members)
        {
            members += 1;
#pragma omp barrier
        }
    }
#pragma omp teams distribute parallel for reduction(+ : leagues) num_teams(2) thread_limit(2)
    for (i = 0; i < 100; i++) leagues += i;
    for (round = 0; round < 3; round++) {
#pragma omp target map(tofrom : mapped)
        {
#pragma omp parallel num_threads(2) reduction(+ : mapped)
            mapped += 1;
        }
#pragma omp target teams distribute parallel for map(tofrom : mapped) reduction(+ : mapped)
        for (i = 0; i < 50; i++) mapped += i;
    }
#pragma omp parallel num_threads(2)
    {
        long mine = 0;
#pragma omp target map(tofrom : mine)
        mine += 1;
#pragma omp critical
        inside += mine;
#pragma omp barrier
#pragma omp target nowait map(tofrom : mine)
        mine += 1;
#pragma omp taskwait
#pragma omp critical
        inside += mine;
    }
    printf("%ld %ld %ld %ld\n", leagues, members, mapped, inside);
    return 0;
}
