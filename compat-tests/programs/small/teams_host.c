/* Teams on the host: their numbers and limits, distribute in all its combinations, regions inside teams. */
#include "../queries.h"

enum { N = 60 };

int main(void) {
    int values[N] = {0}, i;
    long sum = 0, all = 0;
#pragma omp teams num_teams(3) thread_limit(2)
    {
        note(omp_get_team_num(), "team");
#pragma omp parallel
        {
            /* Each team has a thread 0, which may print more. */
#pragma omp masked
            note(10 + omp_get_team_num(), "its region");
#pragma omp barrier
        }
#pragma omp distribute
        for (i = 0; i < N; i++) values[i] += 1;
    }
    print_notes();
#pragma omp teams distribute parallel for num_teams(2) reduction(+ : sum) schedule(dynamic, 5)
    for (i = 0; i < N; i++) sum += values[i] * i;
#pragma omp teams distribute simd reduction(+ : all)
    for (i = 0; i < N; i++) all += i;
#pragma omp teams distribute parallel for simd collapse(2) num_teams(4) thread_limit(3)
    for (i = 0; i < 6; i++)
        for (int j = 0; j < 10; j++) values[i * 10 + j] = i + j;
#pragma omp teams num_teams(2 : 2) private(i)
    {
#pragma omp distribute dist_schedule(static, 7)
        for (i = 0; i < N; i++) {
#pragma omp task firstprivate(i)
            values[i] += 1;
#pragma omp taskwait
        }
    }
    for (i = 0; i < N; i++) all += values[i];
    printf("%ld %ld\n", sum, all);
    omp_set_num_teams(2);
    omp_set_teams_thread_limit(3);
    printf("%d %d\n", omp_get_max_teams(), omp_get_teams_thread_limit());
#pragma omp teams
    note(omp_get_team_num(), "by default");
    print_notes();
    return 0;
}
