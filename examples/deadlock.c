/* Hangs: thread 0 waits at a barrier with a lock that thread 2 needs before it can come there. */
#include <omp.h>
#include <stdio.h>

static omp_lock_t guard;
static int sum;

int main(void) {
    omp_init_lock(&guard);
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num();
        if (me == 0) omp_set_lock(&guard);
#pragma omp barrier
        if (me == 2) {
            omp_set_lock(&guard);
            sum += me;
            omp_unset_lock(&guard);
        }
#pragma omp barrier
        if (me == 0) omp_unset_lock(&guard);
    }
    printf("%d\n", sum);
    return 0;
}
