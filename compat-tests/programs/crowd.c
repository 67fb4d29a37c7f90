/* 256 threads in one team, with loops, tasks, barriers, locks and singles. */
#include <omp.h>
#include <stdio.h>
#include "older_names.h"

enum { CROWD = 256 };

int main(void) {
    long members = 0, tasks = 0, loop = 0, turns = 0, guarded = 0;
    int i, round;
    omp_lock_t lock;
    omp_init_lock(&lock);
    for (round = 0; round < 3; round++) {
#pragma omp parallel num_threads(CROWD) reduction(+ : members)
        {
            members += 1;
#pragma omp task
#pragma omp atomic
            tasks += 1;
#pragma omp for schedule(dynamic) reduction(+ : loop)
            for (i = 0; i < 1000; i++) loop += i;
#pragma omp single
            turns += 1;
            omp_set_lock(&lock);
            guarded += 1;
            omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp master
            turns += omp_get_num_threads();
#pragma omp taskloop num_tasks(2)
            for (int k = 0; k < 4; k++)
#pragma omp atomic
                tasks += 1;
        }
    }
    omp_destroy_lock(&lock);
    printf("%ld %ld %ld %ld %ld\n", members, tasks, loop, turns, guarded);
    return 0;
}
