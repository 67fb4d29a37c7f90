/* Every lock routine, in and outside of regions. */
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 50 };

int main(void) {
    long count = 0, nested = 0, tries = 0;
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    omp_set_lock(&lock);
    printf("a lock that is set: test %d\n", omp_test_lock(&lock));
    omp_unset_lock(&lock);
    printf("a lock that is free: test %d\n", omp_test_lock(&lock));
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    printf("a nest lock of one's own: test %d\n", omp_test_nest_lock(&nest));
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    printf("a free nest lock: test %d\n", omp_test_nest_lock(&nest));
    omp_unset_nest_lock(&nest);
#pragma omp parallel /* expect: FORK 1, IBAR T, IDLE T-1, LKWT 0..2*50*T*(T>1) */
    {
        int round;
        for (round = 0; round < ROUNDS; round++) {
            omp_set_lock(&lock);
            count += 1;
            omp_unset_lock(&lock);
            omp_set_nest_lock(&nest);
            omp_set_nest_lock(&nest);
            nested += 1;
            omp_unset_nest_lock(&nest);
            omp_unset_nest_lock(&nest);
            /* A free lock can also be taken by testing it; testing never waits. */
            while (!omp_test_lock(&lock)) continue;
            tries += 1;
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    printf("%ld %ld %ld\n", count, nested, tries);
    return 0;
}
