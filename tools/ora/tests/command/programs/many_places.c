/* 180 threads, all alive until the last one is done, each execute 200 regions at different places, twice: 36,000 pairs of a thread and a
 * place. Prints how many regions were executed. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 180, TURNS = 2 };

static pthread_barrier_t all;
static long executed[THREADS];

#define ONE _Pragma("omp parallel num_threads(1)") ++*count;
#define TEN ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static void *run(void *counted)
{
    long *count = counted;
    for (int turn = 0; turn < TURNS; turn++) {
        HUNDRED HUNDRED
    }
    pthread_barrier_wait(&all);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    long sum = 0;
    pthread_barrier_init(&all, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, &executed[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += executed[i];
    }
    printf("%ld\n", sum);
    return 0;
}
