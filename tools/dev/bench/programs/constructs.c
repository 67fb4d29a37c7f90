/*
 * Measures the cost of each OpenMP construct. The program is the same at every level of watching.
 *
 *     constructs time BATCHES     a line "NAME NANOSECONDS" a construct: the quickest of so many short batches
 *     constructs run NAME COUNT   runs one construct so many times, for instruction counts
 *     constructs count            a line "NAME EVENTS" a construct: what the master's collector saw of one
 *
 * BENCH_SHIFT moves the heap by so many times 16 bytes. libgomp gets a team of one thread from aligned malloc at each
 * region, which costs up to a fifth more where the heap happens to lie badly: each mode has to see all four places.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A batch takes about this long: so short that many of them are not interrupted. */
#define BATCH_NS 1000000.0

/* Runs a construct `n` times; only the time between start and stop counts. */
typedef void work(long n);

static double started, stopped;
static unsigned long events_before, events_after;
static unsigned long (*events)(void);
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void start(void)
{
    if (events)
        events_before = events();
    started = now();
}

static void stop(void)
{
    stopped = now();
    if (events)
        events_after = events();
}

/* Keeps the compiler from merging or removing what is around it. */
#define HERE() __asm__ volatile("" ::: "memory")

static void region_1(long n)
{
    start();
    for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(1)
        HERE();
    }
    stop();
}

static void region_2(long n)
{
    start();
    for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(2)
        HERE();
    }
    stop();
}

static void barrier_2(long n)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp master
        start();
        for (long i = 0; i < n; i++) {
#pragma omp barrier
        }
#pragma omp master
        stop();
    }
}

static void critical_named(long n)
{
#pragma omp parallel num_threads(1)
    {
        start();
        for (long i = 0; i < n; i++) {
#pragma omp critical(bench)
            HERE();
        }
        stop();
    }
}

static void critical_unnamed(long n)
{
#pragma omp parallel num_threads(1)
    {
        start();
        for (long i = 0; i < n; i++) {
#pragma omp critical
            HERE();
        }
        stop();
    }
}

static void lock_pair(long n)
{
#pragma omp parallel num_threads(1)
    {
        start();
        for (long i = 0; i < n; i++) {
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
        }
        stop();
    }
}

static void nest_lock_pair(long n)
{
#pragma omp parallel num_threads(1)
    {
        start();
        for (long i = 0; i < n; i++) {
            omp_set_nest_lock(&nest_lock);
            omp_unset_nest_lock(&nest_lock);
        }
        stop();
    }
}

static void single_2(long n)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp master
        start();
        for (long i = 0; i < n; i++) {
#pragma omp single
            HERE();
        }
#pragma omp master
        stop();
    }
}

static void single_nowait(long n)
{
#pragma omp parallel num_threads(1)
    {
        start();
        for (long i = 0; i < n; i++) {
#pragma omp single nowait
            HERE();
        }
        stop();
    }
}

static void dynamic_chunk(long n)
{
#pragma omp parallel num_threads(1)
    {
        start();
#pragma omp for schedule(dynamic, 1) nowait
        for (long i = 0; i < n; i++)
            HERE();
        stop();
    }
}

static const struct {
    const char *name;
    work *run;
} constructs[] = {
    {"region_1", region_1},
    {"region_2", region_2},
    {"barrier_2", barrier_2},
    {"critical_named", critical_named},
    {"critical_unnamed", critical_unnamed},
    {"lock", lock_pair},
    {"nest_lock", nest_lock_pair},
    {"single_2", single_2},
    {"single_nowait", single_nowait},
    {"dynamic_chunk", dynamic_chunk},
};
enum { CONSTRUCTS = sizeof constructs / sizeof constructs[0] };

static double once(int which, long n)
{
    constructs[which].run(n);
    return (stopped - started) / (double)n;
}

static void measure(int which, int batches)
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
    printf("%s %.3f\n", constructs[which].name, best);
}

int main(int count, char **arguments)
{
    const char *task = count > 1 ? arguments[1] : "", *shift = getenv("BENCH_SHIFT");
    char *volatile kept = malloc(4096 + 16 * (size_t)(shift ? atoi(shift) : 0));
    (void)kept;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    if (!strcmp(task, "time") && count == 3) {
        for (int i = 0; i < CONSTRUCTS; i++)
            measure(i, atoi(arguments[2]));
        return 0;
    }
    if (!strcmp(task, "count")) {
        *(void **)&events = dlsym(RTLD_DEFAULT, "bench_events");
        for (int i = 0; events && i < CONSTRUCTS; i++) {
            const long n = 1000;
            once(i, n);
            once(i, n);
            printf("%s %.3f\n", constructs[i].name, (double)(events_after - events_before) / (double)n);
        }
        return events ? 0 : 1;
    }
    for (int i = 0; !strcmp(task, "run") && count == 4 && i < CONSTRUCTS; i++) {
        if (!strcmp(arguments[2], constructs[i].name)) {
            constructs[i].run(atol(arguments[3]));
            return 0;
        }
    }
    fprintf(stderr, "constructs: time BATCHES | run NAME COUNT | count\n");
    return 2;
}
