/* Locks of every kind and hint, on the stack, in arrays, tested, nested, handed from one region to the next. */
#include <omp.h>
#include <stdio.h>

enum { N = 20 };

int main(void) {
    omp_lock_t locks[N];
    omp_nest_lock_t nest;
    long counts[N] = {0}, tested = 0, depth = 0, total = 0, contended = 0;
    int i;
    for (i = 0; i < N; i++) omp_init_lock(&locks[i]);
    omp_init_nest_lock(&nest);
#pragma omp parallel private(i)
    {
        omp_lock_t mine;
        int round;
        omp_init_lock(&mine);
        for (i = 0; i < N; i++) {
            omp_set_lock(&locks[i]);
            omp_set_lock(&mine);
            counts[i] += 1;
            omp_unset_lock(&mine);
            omp_unset_lock(&locks[i]);
        }
        for (round = 0; round < 10; round++) {
            while (!omp_test_lock(&locks[0])) {
#pragma omp taskyield
            }
            tested += 1;
            omp_unset_lock(&locks[0]);
            omp_set_nest_lock(&nest);
            depth += omp_test_nest_lock(&nest) == 2;
            omp_unset_nest_lock(&nest);
            omp_unset_nest_lock(&nest);
        }
#pragma omp critical(hinted) hint(omp_sync_hint_contended | omp_sync_hint_nonspeculative)
        contended += 1;
        omp_destroy_lock(&mine);
    }
    for (i = 0; i < N; i++) {
        total += counts[i];
        omp_destroy_lock(&locks[i]);
    }
    omp_destroy_nest_lock(&nest);
    i = omp_get_max_threads();
    printf("%ld %ld %ld %ld\n", total / i, tested / i, depth / i, contended / i);
    return 0;
}
