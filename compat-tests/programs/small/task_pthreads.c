/* Several threads of the program itself create tasks simultaneously, each in its own teams and without any. */
#include "../queries.h"

#include <pthread.h>

enum { THREADS = 4 };

static long sums[THREADS];
static unsigned long hashes[THREADS];

static void *work(void *data) {
    const int me = (int)(long)data;
    long sum = 0;
    unsigned long hash = 0;
    int i, round;
    omp_set_num_threads(1 + me % 3);
    for (round = 0; round < 5; round++) {
#pragma omp parallel
#pragma omp single
        for (i = 0; i < 50; i++) {
#pragma omp task firstprivate(i) shared(sum, hash)
            {
#pragma omp atomic
                sum += i;
#pragma omp atomic
                hash += hash_of_team("task");
            }
        }
#pragma omp task shared(sum)
        sum += 1000;
#pragma omp taskwait
    }
    sums[me] = sum;
    hashes[me] = hash;
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    long i;
    for (i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0) return 1;
#pragma omp parallel
    {
#pragma omp task
        work((void *)0);
    }
    for (i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (i = 1; i < THREADS; i++) printf("%ld %lx\n", sums[i], hashes[i]);
    return 0;
}
