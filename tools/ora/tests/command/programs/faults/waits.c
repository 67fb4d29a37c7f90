/* Threads that wait for each other's access. */
#include "faults.h"

#include <stddef.h>

/* Most of the work is in a critical section. */
OUTLINED static void critical(long ms, int mended) {
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    for (long i = 0; i < ms * 5; i++) {
        double part = work(20);
        if (mended) {
            sum += part + work(80);
        } else {
#pragma omp critical
            sum += part + work(80);
        }
    }
    sink = sum;
}

/* Two counters under one name. */
OUTLINED static void one_name(long ms, int mended) {
    double one = 0, other = 0;
#pragma omp parallel
    for (long i = 0; i < ms * 5; i++) {
        if (omp_get_thread_num() % 2 == 0) {
#pragma omp critical(both)
            one += work(100);
        } else if (mended) {
#pragma omp critical(second)
            other += work(100);
        } else {
#pragma omp critical(both)
            other += work(100);
        }
    }
    sink = one + other;
}

/* One lock for two halves of a table. */
OUTLINED static void one_lock(long ms, int mended) {
    omp_lock_t locks[2];
    double table[2] = {0, 0};
    omp_init_lock(&locks[0]);
    omp_init_lock(&locks[1]);
#pragma omp parallel
    for (long i = 0; i < ms * 5; i++) {
        int half = omp_get_thread_num() % 2;
        omp_lock_t *lock = &locks[mended ? half : 0];
        omp_set_lock(lock);
        table[half] += work(100);
        omp_unset_lock(lock);
    }
    sink = table[0] + table[1];
}

/* The same with a lock that its owner may take again. */
OUTLINED static void one_nest_lock(long ms, int mended) {
    omp_nest_lock_t locks[2];
    double table[2] = {0, 0};
    omp_init_nest_lock(&locks[0]);
    omp_init_nest_lock(&locks[1]);
#pragma omp parallel
    for (long i = 0; i < ms * 5; i++) {
        int half = omp_get_thread_num() % 2;
        omp_nest_lock_t *lock = &locks[mended ? half : 0];
        omp_set_nest_lock(lock);
        omp_set_nest_lock(lock);
        table[half] += work(100);
        omp_unset_nest_lock(lock);
        omp_unset_nest_lock(lock);
    }
    sink = table[0] + table[1];
}

/* A lock that is held while the owner computes what needs none. */
OUTLINED static void held_long(long ms, int mended) {
    omp_lock_t lock;
    double sum = 0;
    omp_init_lock(&lock);
#pragma omp parallel
    for (long i = 0; i < ms * 5; i++) {
        if (mended) {
            double part = work(100);
            omp_set_lock(&lock);
            sum += part;
            omp_unset_lock(&lock);
        } else {
            omp_set_lock(&lock);
            sum += work(100);
            omp_unset_lock(&lock);
        }
    }
    sink = sum;
}

/* Nearly the whole body of the loop is ordered. */
OUTLINED static void ordered(long ms, int mended) {
    double sum = 0;
    if (mended) {
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
        for (long i = 0; i < ms * 10; i++)
            sum += work(100);
    } else {
#pragma omp parallel for ordered schedule(dynamic, 1)
        for (long i = 0; i < ms * 10; i++) {
            double part = work(5);
#pragma omp ordered
            sum += part + work(95);
        }
    }
    sink = sum;
}

const struct planted waits[] = {
    {"critical", critical},           {"one_name", one_name},   {"one_lock", one_lock},
    {"one_nest_lock", one_nest_lock}, {"held_long", held_long}, {"ordered", ordered},
    {NULL, NULL},
};
