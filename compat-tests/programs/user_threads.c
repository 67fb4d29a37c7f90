/* Threads of the program itself, each with its own teams, and one without. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 4 };

static omp_lock_t lock;
static long counts[THREADS], total;

static void *regions(void *data) {
    long *count = data, sum = 0;
    int round;
    for (round = 0; round < ROUNDS; round++) {
#pragma omp parallel reduction(+ : sum) /* expect: FORK 3*4, IBAR 3*4*T, IDLE 3*4*(T-1) */
        {
            sum += 1;
#pragma omp barrier /* expect: EBAR 3*4*T */
#pragma omp critical /* expect: CTWT 0..3*4*T */
            total += 1;
        }
    }
    *count = sum;
    return NULL;
}

static void *no_region(void *data) {
    long *count = data;
    omp_set_lock(&lock); /* expect: LKWT 0..1 */
    *count += 1;
    omp_unset_lock(&lock);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS], plain;
    long locked = 0;
    int i;
    omp_init_lock(&lock);
    for (i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, regions, &counts[i]) != 0) return 1;
    if (pthread_create(&plain, NULL, no_region, &locked) != 0) return 1;
#pragma omp parallel /* expect: FORK 1, IBAR T, IDLE T-1 */
    {
#pragma omp atomic
        locked += 0;
    }
    for (i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pthread_join(plain, NULL);
    for (i = 0; i < THREADS; i++) printf("%ld ", counts[i]);
    printf("%ld %ld\n", total, locked);
    omp_destroy_lock(&lock);
    return 0;
}
