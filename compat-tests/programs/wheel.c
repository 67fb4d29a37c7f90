/* A library that uses OpenMP for itself, as an extension module of Python does. It is linked to a private libgomp. */
#include <omp.h>
#include "older_names.h"
#ifdef EARLY
#include <pthread.h>
#include <stdlib.h>
#endif

void GOMP_barrier(void);

#ifdef BALLAST
/* Makes the library larger, so that a library loaded after it is at a different address. */
static char ballast[BALLAST];
#endif

/* An address that the dynamic linker writes into data. */
static void (*const barriers[])(void) = {GOMP_barrier};

#ifdef LONG_CALLS
/* Constructs whose entry points take more arguments than there are registers: true if all arguments arrive. */
static int long_calls(void) {
    long sum = 0, chain = 1, mapped[20] = {0}, cells[9][9] = {{0}};
    static volatile unsigned long long bound = 1000;
    unsigned long long u, most = bound, few = most / 50;
    int i, j;
#pragma omp parallel for num_threads(4) schedule(dynamic, 3)
    for (i = 7; i < 100; i += 5)
#pragma omp atomic
        sum += i;
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(dynamic, 2) reduction(+ : sum)
        for (u = 5; u < most; u += 7) sum += (long)u;
#pragma omp for ordered schedule(dynamic, 3)
        for (u = few; u > 3; u -= 3)
#pragma omp ordered
            chain = (chain * 7 + (long)u) % 1000003;
#pragma omp for ordered(2) collapse(1) schedule(dynamic, 1)
        for (i = 1; i < 9; i++)
            for (j = 1; j < 9; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
                cells[i][j] = cells[i - 1][j] + cells[i][j - 1] + i;
#pragma omp ordered depend(source)
            }
#pragma omp single
        {
#pragma omp taskloop grainsize(3) shared(sum)
            for (i = 3; i < 40; i += 4)
#pragma omp atomic
                sum += i;
            for (i = 0; i < 10; i++)
#pragma omp task depend(inout : chain) priority(1) firstprivate(i) shared(chain)
                chain = (chain * 3 + i) % 1000003;
        }
    }
#pragma omp target map(tofrom : mapped)
    for (i = 0; i < 20; i++) mapped[i] = i * i;
    for (i = 7; i < 100; i += 5) sum -= i;
    for (u = 5; u < most; u += 7) sum -= (long)u;
    for (i = 3; i < 40; i += 4) sum -= i;
    for (i = 0; i < 20; i++) sum += mapped[i] != i * i;
    for (i = 1; i < 9; i++)
        for (j = 1; j < 9; j++) sum += cells[i][j] != cells[i - 1][j] + cells[i][j - 1] + i;
    {
        long right = 1;
        for (u = few; u > 3; u -= 3) right = (right * 7 + (long)u) % 1000003;
        for (i = 0; i < 10; i++) right = (right * 3 + i) % 1000003;
        return sum == 0 && chain == right;
    }
}
#endif

/* Sums that are correct only if every call reaches the one libgomp that this library is linked to: its queries (omp_get_*) go there
 * directly. */
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
#ifdef LONG_CALLS
    if (!long_calls()) return -1;
#endif
    return wrong ? -wrong : sum + guarded + locked + tasks + turns;
}

/* Ends the pool's threads, so that the library can be unloaded. */
__attribute__((visibility("default"))) int wheel_finish(void) { return omp_pause_resource_all(omp_pause_hard); }

#ifdef EARLY
static void *first(void *result) {
    *(long *)result = wheel_compute(2);
    return NULL;
}

/* Regions while the dynamic linker works: this thread holds its lock, and waits for one that runs the regions. */
__attribute__((constructor)) static void begin(void) {
    long own, others;
    pthread_t thread;
    if (pthread_create(&thread, NULL, first, &others) != 0 || pthread_join(thread, NULL) != 0) abort();
    own = wheel_compute(2);
    if (own != others || own < 0) abort();
}
#endif
