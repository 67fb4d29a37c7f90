/* natively: unsteady
   (clang makes the target region a part of the team's.)
   Target region on the host: its barrier is one of a team of one, and orders nothing for the team around it. What a thread wrote before
   it, the other one reads after a barrier of the team. Twin: no such barrier. */
#include <omp.h>

#include "apart.h"

static long value, seen;

static void barrier_of_one(void) {
#pragma omp barrier
}

int main(void) {
    static int written, done;
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
#pragma omp target map(tofrom : value, written) firstprivate(me)
        {
            if (me == 0) value = 1; /* race */
            tell(&written);
            if (me == 1) await(&written, 2);
            barrier_of_one();
        }
        tell(&done);
        await(&done, 2);
#ifndef TWIN
#pragma omp barrier
#endif
        if (me == 1) seen = value; /* race */
    }
    return seen != 1;
}
