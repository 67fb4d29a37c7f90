/* Orders threads in time in a way that ThreadSanitizer doesn't treat as ordering: relaxed atomics don't synchronise. So a program can
   ensure that two accesses are made by two threads, one after the other, and that only OpenMP orders them. (ThreadSanitizer can miss two
   accesses at the very same time.) */
#ifndef APART_H
#define APART_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Code that is only in the twin, or only in the program itself; for clauses. */
#ifdef TWIN
#define IF_TWIN(...) __VA_ARGS__
#define UNLESS_TWIN(...)
#else
#define IF_TWIN(...)
#define UNLESS_TWIN(...) __VA_ARGS__
#endif

/* Reports that one more thread has reached a place; returns how many were there before. */
static inline int tell(int *place) { return __atomic_fetch_add(place, 1, __ATOMIC_RELAXED); }

/* Waits until that many threads have reached the place, outside of any OpenMP construct; false when the time is over. */
static inline int await_for(int *place, int count, long milliseconds) {
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (__atomic_load_n(place, __ATOMIC_RELAXED) < count) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 >= milliseconds)
            return 0;
        sched_yield();
    }
    return 1;
}

/* The same for an event that must happen: ends the program if it doesn't. */
static inline void await(int *place, int count) {
    if (!await_for(place, count, 30000)) {
        fprintf(stderr, "waited in vain for %d\n", count);
        _Exit(9);
    }
}

#endif
