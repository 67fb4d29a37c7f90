/* A little of everything, repeated for as long as a test needs: `churn [ROUNDS]`. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static double spin(int amount) {
    volatile double x = 1;
    while (amount-- > 0) x = x * 1.0000001 + 1e-9;
    return x;
}

int main(int argc, char **argv) {
    const int rounds = argc > 1 ? atoi(argv[1]) : 30;
    long loops = 0, guarded = 0, locked = 0, singles = 0, tasks = 0, turns = 0, inner = 0;
    long double large = 0;
    omp_lock_t lock;
    int round;
    omp_init_lock(&lock);
    omp_set_max_active_levels(2);
    for (round = 0; round < rounds; round++) {
#pragma omp parallel reduction(+ : inner)
        {
            int i;
#pragma omp for schedule(dynamic, 2) reduction(+ : loops)
            for (i = 0; i < 20; i++) loops += i + (spin(200) < 0);
#pragma omp critical(churn)
            guarded += 1 + (spin(500) < 0);
#pragma omp atomic
            large += 1;
            omp_set_lock(&lock);
            locked += 1 + (spin(500) < 0);
            omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp for ordered schedule(static, 1)
            for (i = 0; i < 10; i++)
#pragma omp ordered
                turns += i + (spin(100) < 0);
#pragma omp single
            {
                for (i = 0; i < 10; i++) {
#pragma omp task
#pragma omp atomic
                    tasks += 1 + (spin(100) < 0);
                }
                singles += 1;
            }
            spin(omp_get_thread_num() * 300);
            if (round % 10 == 0) {
#pragma omp parallel num_threads(2) reduction(+ : inner)
                inner += 1;
            }
        }
        spin(1000);
    }
    omp_destroy_lock(&lock);
    printf("%ld %ld %ld %ld %ld %ld %ld %.0Lf\n", loops, guarded, locked, singles, tasks, turns, inner, large);
    return 0;
}
