/* 400 threads that exist simultaneously, each of which computes for half a millisecond. */
#include <pthread.h>
#include <time.h>

enum { THREADS = 400 };

static pthread_barrier_t gate;

static void *compute(void *nothing) {
    struct timespec ran;
    pthread_barrier_wait(&gate);
    do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    while (ran.tv_sec == 0 && ran.tv_nsec < 500000);
    pthread_barrier_wait(&gate);
    return nothing;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 16);
    pthread_barrier_init(&gate, 0, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], &attributes, compute, 0)) return 1;
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
    return 0;
}
