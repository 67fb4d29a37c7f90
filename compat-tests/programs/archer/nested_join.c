/* Nested regions: each inner team's elements are read after its end by the thread that began it. Twin: read before its end. */
#include <omp.h>

#include "apart.h"

static long element[2][2], sum[2];

static void add(int team) { sum[team] = element[team][0] + element[team][1]; /* race */ }

int main(void) {
    static int written[2];
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int team = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        {
            int me = omp_get_thread_num();
            element[team][me] = me + 1; /* race */
            tell(&written[team]);
            await(&written[team], 2);
            IF_TWIN(if (me == 0) add(team));
        }
        UNLESS_TWIN(add(team));
    }
    return sum[0] + sum[1] != 6;
}
