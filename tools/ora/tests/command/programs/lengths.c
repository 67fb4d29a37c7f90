/* Regions of two threads that work for 1 us to 1 s. Prints for each length: the line, the number of regions, the wall time of the work
   of all threads, and the time that the first thread took to start the regions, in nanoseconds; then the CPU time of the process. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static long now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static long work(long ns) {
    long begin = now(CLOCK_MONOTONIC), at = begin;
    while (at - begin < ns)
        at = now(CLOCK_MONOTONIC);
    return at - begin;
}

#define REGIONS(length)                                                                                                                    \
    do {                                                                                                                                   \
        long count = all_ns / (length) > 0 ? all_ns / (length) : 1, worked = 0, begun = 0;                                                 \
        for (long i = 0; i < count; i++) {                                                                                                 \
            long before = now(CLOCK_MONOTONIC);                                                                                            \
            _Pragma("omp parallel num_threads(2) reduction(+ : worked, begun)")                                                            \
            {                                                                                                                              \
                if (omp_get_thread_num() == 0)                                                                                             \
                    begun += now(CLOCK_MONOTONIC) - before;                                                                                \
                worked += work(length);                                                                                                    \
            }                                                                                                                              \
        }                                                                                                                                  \
        printf("%d %ld %ld %ld\n", __LINE__, count, worked, begun);                                                                        \
    } while (0)

int main(int argc, char **argv) {
    long all_ns = (argc > 1 ? atol(argv[1]) : 50) * 1000000L;
    REGIONS(1000L);
    REGIONS(10000L);
    REGIONS(100000L);
    REGIONS(1000000L);
    REGIONS(10000000L);
    REGIONS(100000000L);
    REGIONS(1000000000L);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    long us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
    printf("%ld\n", us * 1000);
    return 0;
}
