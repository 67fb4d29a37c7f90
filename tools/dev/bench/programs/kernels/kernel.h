/*
 * Common part of all task kernels: `KERNEL SIZE THREADS` runs a kernel and prints
 *
 *     seconds processor-seconds tasks checksum
 *
 * Compiled without OpenMP, the same source is the serial program, which has to find the same checksum. -DUNTIED makes
 * all tasks untied. The kernels are our own, written from the algorithms that the Barcelona OpenMP Tasks Suite has, too.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Defined by each kernel. The second function is timed: one thread calls it, with a team around it. */
static void prepare(int size);
static void solve(void);
static uint64_t checksum(void);

static _Thread_local uint64_t tasks_here;
static uint64_t tasks;

/* Used in place of `#pragma omp task`, where two statements are allowed. */
#define PRAGMA(text) _Pragma(#text)
#ifndef _OPENMP
#define TASK(...)
#define TASKWAIT
#elif defined UNTIED
#define TASK(...) tasks_here++; PRAGMA(omp task untied __VA_ARGS__)
#define TASKWAIT PRAGMA(omp taskwait)
#else
#define TASK(...) tasks_here++; PRAGMA(omp task __VA_ARGS__)
#define TASKWAIT PRAGMA(omp taskwait)
#endif

/* The next number of a pseudo-random sequence (splitmix64). */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* At least 0 and less than 1. */
static inline double next_fraction(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

/* A checksum of bytes, which depends on their order. */
static inline uint64_t sum_of(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

static inline void *allocate(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory) {
        fprintf(stderr, "no memory\n");
        exit(3);
    }
    return memory;
}

/* The measured part, also for callgrind. */
__attribute__((noinline, noclone)) static void measured(int threads)
{
    (void)threads;
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        solve();
#pragma omp atomic
        tasks += tasks_here;
    }
}

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "%s SIZE THREADS\n", arguments[0]);
        return 2;
    }
    int threads = atoi(arguments[2]);
    (void)threads;
    prepare(atoi(arguments[1]));
    /* Creates the team's threads before the time is taken. */
#pragma omp parallel num_threads(threads)
    __asm__ volatile("" ::: "memory");
    double begun = wall(), used = processor();
    measured(threads);
    double seconds = wall() - begun, busy = processor() - used;
    printf("%.6f %.6f %llu %016llx\n", seconds, busy, (unsigned long long)tasks, (unsigned long long)checksum());
    return 0;
}
