/*
 * Constructs with OMPT events. Compiled by gcc for libgomp and by clang for libomp. The program is the same with and
 * without a tool.
 *
 *     constructs time BATCHES NAMES    a line "NAME NANOSECONDS" a construct: the quickest of so many short batches
 *     constructs run COUNT NAME        runs one construct so many times, for instruction counts
 *     constructs count COUNT NAMES     a line "NAME EVENTS" a construct: events of one that reach the tool, on all threads
 *
 * BENCH_SHIFT moves the heap by so many times 16 bytes: libgomp's teams lie in it, some places are slower than others.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

/* Runs a construct `n` times, with any other work outside of start and stop. */
typedef void work(long n);

static double started, stopped;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static long done;

/* Keeps the compiler from merging or removing what is around it. */
#define HERE() __asm__ volatile("" ::: "memory")

static void start(void)
{
    started = now();
}

static void stop(void)
{
    stopped = now();
}

/* The constructs are executed by a team's only thread, or by one of two while the other waits outside of OpenMP. */
#define ALONE(body)                           \
    _Pragma("omp parallel num_threads(1)")    \
    {                                         \
        start();                              \
        body                                  \
        stop();                               \
    }

static sem_t over;
#define FIRST_OF_TWO(body)                    \
    _Pragma("omp parallel num_threads(2)")    \
    {                                         \
        if (omp_get_thread_num() == 0) {      \
            start();                          \
            body                              \
            stop();                           \
            sem_post(&over);                  \
        } else {                              \
            while (sem_wait(&over)) {         \
            }                                 \
        }                                     \
    }

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

/* About 100 us of work on each of two threads. */
static void region_work(long n)
{
    start();
    for (long i = 0; i < n; i++) {
#pragma omp parallel num_threads(2)
        for (int j = 0; j < 100000; j++)
            HERE();
    }
    stop();
}

static void barrier_1(long n)
{
    ALONE(for (long i = 0; i < n; i++) { _Pragma("omp barrier") })
}

static void barrier_2(long n)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            start();
        for (long i = 0; i < n; i++) {
#pragma omp barrier
        }
        if (omp_get_thread_num() == 0)
            stop();
    }
}

/* All tasks are queued: neither runtime queues less than 64. */
static void task_queued(long n)
{
    FIRST_OF_TWO(for (long i = 1; i <= n; i++) {
        _Pragma("omp task") done++;
        if (i % 32 == 0) {
            _Pragma("omp taskwait")
        }
    })
}

static void task_undeferred(long n)
{
    ALONE(for (long i = 0; i < n; i++) { _Pragma("omp task if(0)") done++; })
}

static void taskwait(long n)
{
    ALONE(for (long i = 0; i < n; i++) { _Pragma("omp taskwait") })
}

static void taskgroup(long n)
{
    ALONE(for (long i = 0; i < n; i++) { _Pragma("omp taskgroup") HERE(); })
}

static void lock_pair(long n)
{
    ALONE(for (long i = 0; i < n; i++) {
        omp_set_lock(&lock);
        omp_unset_lock(&lock);
    })
}

static void nest_lock_pair(long n)
{
    ALONE(for (long i = 0; i < n; i++) {
        omp_set_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
    })
}

static void critical_named(long n)
{
    ALONE(for (long i = 0; i < n; i++) { _Pragma("omp critical(bench)") HERE(); })
}

static void critical_unnamed(long n)
{
    ALONE(for (long i = 0; i < n; i++) { _Pragma("omp critical") HERE(); })
}

/* A loop with one chunk. */
static void loop(long n)
{
    ALONE(for (long i = 0; i < n; i++) {
        _Pragma("omp for schedule(dynamic, 1) nowait") for (int j = 0; j < 1; j++) HERE();
    })
}

/* Chunks of one loop. The other thread comes when none is left; if it were not there, libomp would hand out all of it in one chunk. */
static void chunk(long n)
{
#pragma omp parallel num_threads(2)
    {
        int first = omp_get_thread_num() == 0;
        if (first)
            start();
        else
            while (sem_wait(&over)) {
            }
#pragma omp for schedule(dynamic, 1) nowait
        for (long i = 0; i < n; i++)
            HERE();
        if (first) {
            stop();
            sem_post(&over);
        }
    }
}

static void single(long n)
{
    ALONE(for (long i = 0; i < n; i++) { _Pragma("omp single nowait") HERE(); })
}

static const struct {
    const char *name;
    work *run;
} constructs[] = {
    {"region_1", region_1},
    {"region_2", region_2},
    {"region_work", region_work},
    {"barrier_1", barrier_1},
    {"barrier_2", barrier_2},
    {"task_queued", task_queued},
    {"task_undeferred", task_undeferred},
    {"taskwait", taskwait},
    {"taskgroup", taskgroup},
    {"lock", lock_pair},
    {"nest_lock", nest_lock_pair},
    {"critical_named", critical_named},
    {"critical_unnamed", critical_unnamed},
    {"loop", loop},
    {"chunk", chunk},
    {"single", single},
};
enum { CONSTRUCTS = sizeof constructs / sizeof constructs[0] };

static double once(int which, long n)
{
    constructs[which].run(n);
    return (stopped - started) / (double)n;
}

/* Two runs, so that events around the constructs cancel out. */
static double count_events(unsigned long (*events)(void), int which, long n)
{
    unsigned long before, few, many;
    once(which, n);
    before = events();
    once(which, n);
    few = events() - before;
    once(which, 2 * n);
    many = events() - before - few;
    return ((double)many - (double)few) / (double)n;
}

int main(int count, char **arguments)
{
    const char *task = count > 3 ? arguments[1] : "", *shift = getenv("BENCH_SHIFT");
    char *volatile kept = malloc(4096 + 16 * (size_t)(shift ? atoi(shift) : 0));
    unsigned long (*events)(void);
    int found = 0;
    (void)kept;
    *(void **)&events = dlsym(RTLD_DEFAULT, "bench_events");
    sem_init(&over, 0, 0);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    for (int i = 3; i < count; i++)
        for (int j = 0; j < CONSTRUCTS; j++) {
            if (strcmp(arguments[i], constructs[j].name))
                continue;
            found++;
            if (!strcmp(task, "time"))
                printf("%s %.3f\n", constructs[j].name, quickest(once, j, atoi(arguments[2])));
            else if (!strcmp(task, "run"))
                constructs[j].run(atol(arguments[2]));
            else if (!strcmp(task, "count") && events)
                printf("%s %.4f\n", constructs[j].name, count_events(events, j, atol(arguments[2])));
            else
                found = 0;
        }
    if (found && found == count - 3)
        return 0;
    fprintf(stderr, "constructs: time BATCHES NAMES | run COUNT NAME | count COUNT NAMES (with a tool)\n");
    return 2;
}
