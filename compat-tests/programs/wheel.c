/* A library that uses OpenMP for itself, as an extension module of Python does. It is linked to a libgomp of its own. */
#include <omp.h>
#ifdef EARLY
#include <pthread.h>
#include <stdlib.h>
#endif

void GOMP_barrier(void);

#ifdef BALLAST
/* Makes the library larger, so that what is loaded after it lies elsewhere. */
static char ballast[BALLAST];
#endif

/* An address that the dynamic linker puts into data. */
static void (*const barriers[])(void) = {GOMP_barrier};

/* Sums that are right only if every call reaches the one libgomp that this library is linked to: what it asks
 * (omp_get_*) goes there directly. */
__attribute__((visibility("default"))) long wheel_compute(int rounds) {
    long sum = 0, guarded = 0, locked = 0, wrong = 0, tasks = 0, turns = 0;
    omp_lock_t lock;
    int round;
#ifdef BALLAST
    *(volatile char *)ballast = 1;
#endif
    for (round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(4) reduction(+ : sum, wrong)
        {
            int i;
            /* Not earlier: the first call of all is the region's, when the dynamic linker has bound nothing yet. */
#pragma omp master
            if (round == 0) omp_init_lock(&lock);
#pragma omp barrier
            wrong += omp_get_num_threads() != 4;
            wrong += !omp_in_parallel();
#pragma omp for schedule(dynamic, 3)
            for (i = 0; i < 100; i++) sum += i;
#pragma omp critical(wheel)
            guarded += 1;
            omp_set_lock(&lock);
            locked += 1;
            omp_unset_lock(&lock);
#pragma omp barrier
            wrong += guarded + locked < 8 * (round + 1);
            barriers[0]();
#pragma omp for ordered schedule(static, 1)
            for (i = 0; i < 8; i++)
#pragma omp ordered
                turns = (turns * 3 + i) % 1009;
#pragma omp single
            for (i = 0; i < 5; i++) {
#pragma omp task
#pragma omp atomic
                tasks += i;
            }
        }
    }
    omp_destroy_lock(&lock);
    return wrong ? -wrong : sum + guarded + locked + tasks + turns;
}

/* Ends the pool's threads, so that the library can be unloaded. */
__attribute__((visibility("default"))) int wheel_finish(void) { return omp_pause_resource_all(omp_pause_hard); }

#ifdef EARLY
static void *first(void *result) {
    *(long *)result = wheel_compute(2);
    return NULL;
}

/* Regions while the dynamic linker works: its lock is held by this thread, which waits for one that runs them. */
__attribute__((constructor)) static void begin(void) {
    long own, others;
    pthread_t thread;
    if (pthread_create(&thread, NULL, first, &others) != 0 || pthread_join(thread, NULL) != 0) abort();
    own = wheel_compute(2);
    if (own != others || own < 0) abort();
}
#endif
