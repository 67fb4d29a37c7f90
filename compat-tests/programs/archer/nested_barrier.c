/* Nested regions: what one inner team wrote, the thread that started the other team reads after a barrier of the outer team. Twin: no
   such barrier. */
#include <omp.h>

#include "apart.h"

static long element[2][2], sum[2];

int main(void) {
    static int done;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int team = omp_get_thread_num(), other = 1 - team;
#pragma omp parallel num_threads(2)
        {
            element[team][omp_get_thread_num()] = 1; /* race */
#pragma omp barrier
            element[team][1 - omp_get_thread_num()] += 1; /* race */
        }
        tell(&done);
        await(&done, 2);
#ifndef TWIN
#pragma omp barrier
#endif
        sum[team] = element[other][0] + element[other][1]; /* race */
    }
    return sum[0] + sum[1] != 8;
}
