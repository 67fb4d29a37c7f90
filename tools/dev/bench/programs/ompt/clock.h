/* Time measurement of the programs of `bench ompt`: short batches, of which the quickest counts. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <time.h>

/* A batch takes about this long: so short that many of them are not interrupted. */
#define BATCH_NS 1000000.0

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The nanoseconds of one of many. `once` does it so many times and says how long each took. */
static inline double quickest(double (*once)(int which, long n), int which, int batches)
{
    double best = 1e18;
    long n = 64;
    /* The first runs create threads and load caches; they also find the length of a batch. */
    for (int i = 0; i < 4; i++) {
        double each = once(which, n);
        if (each < best)
            best = each;
        n = (long)(BATCH_NS / best);
        if (n < 16)
            n = 16;
        if (n > 1000000)
            n = 1000000;
    }
    best = 1e18;
    for (int i = 0; i < batches; i++) {
        double each = once(which, n);
        if (each < best)
            best = each;
    }
    return best;
}

#endif
