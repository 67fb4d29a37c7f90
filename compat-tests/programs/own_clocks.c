/* Durations of waits according to the threads' own clocks, and to the events of waits: `own_clocks KIND HELD BETWEEN LEAST`.
 *
 * Two threads take the same mutex again and again. They hold it for HELD ticks, and do something else for BETWEEN ticks. The
 * program's own collector measures from each begin of a wait to its end. Turns that had to wait are those that began while the other
 * thread had the mutex, or was just before taking it. Prints the sums of both, in ticks, over those in which the system stopped no
 * thread; the first one's part in turns with an event; the number of these turns that came soon after another with an event, whose code
 * is in the caches, and of those in which the events have LEAST hundredths of the thread's own time; then the number of turns in which
 * the system stopped a thread, and of those for which both agree within a seventh; last the time that all turns have waited for certain.
 * In a turn without an event that is the time until the other thread's release: an interrupt may come after it, and the mutex is free.
 * Ends after ten seconds with what it has. */
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gomp_entry_points.h"
#include "omp_collector_api.h"

static uint64_t ticks(void) {
#ifdef __x86_64__
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static _Thread_local uint64_t begun, reported;

static void on_begin(int event) {
    (void)event;
    begun = ticks();
}

static void on_end(int event) {
    (void)event;
    reported += ticks() - begun;
}

static void collect(void) {
    static const int begins[] = {OMP_EVENT_THR_BEGIN_LKWT, OMP_EVENT_THR_BEGIN_CTWT, OMP_EVENT_THR_BEGIN_ATWT};
    int (*api)(void *);
    struct { int sz, r, ec, rsz, end; } start = {16, OMP_REQ_START, 0, 0, 0};
    struct { int sz, r, ec, rsz, event; void (*callback)(int); int end; } entry = {32, OMP_REQ_REGISTER, 0, 0, 0, 0, 0};
    size_t i;
    *(void **)&api = dlsym(RTLD_DEFAULT, "__omp_collector_api");
    if (!api) return;
    api(&start);
    for (i = 0; i < 2 * sizeof begins / sizeof *begins; i++) {
        entry.event = begins[i / 2] + (int)(i % 2);
        entry.callback = i % 2 ? on_end : on_begin;
        api(&entry);
    }
}

static void spend(uint64_t cycles) {
    uint64_t start;
    if (!cycles) return;
    start = ticks();
    while (ticks() - start < cycles) continue;
}

enum { TURNS = 4096, CHUNKS = 500, SECONDS = 10 };
/* If it took this little time, another thread has won the mutex. */
static const uint64_t soon = 300;
/* No turn takes this long unless the system has stopped a thread. After such a time, other code is in the processor's caches, and the
 * first event comes after thousands of ticks. */
static uint64_t stopped;

/* One turn of a thread: when it requested, acquired and was about to release the mutex; and its waiting time by the events. */
struct turn {
    uint64_t wanted, had, left, reported;
};

static struct turn turns[2][TURNS];
static int taken[2], over;

static omp_lock_t lock;
static omp_nest_lock_t nest;

static int take_turns(const char *kind, uint64_t held, uint64_t between, struct turn *turn) {
    int i;
    uint64_t before;
#define BEGIN                 \
    before = reported;        \
    turn[i].wanted = ticks();
#define INSIDE                              \
    {                                       \
        turn[i].had = ticks();              \
        turn[i].reported = reported - before; \
        spend(held);                        \
        turn[i].left = ticks();             \
    }
    for (i = 0; i < TURNS && !__atomic_load_n(&over, __ATOMIC_RELAXED); i++) {
        if (strcmp(kind, "unnamed") == 0) {
            BEGIN
#pragma omp critical
            INSIDE
        } else if (strcmp(kind, "named") == 0) {
            BEGIN
#pragma omp critical(pear)
            INSIDE
        } else if (strcmp(kind, "atomic") == 0) {
            BEGIN
            GOMP_atomic_start();
            INSIDE
            GOMP_atomic_end();
        } else if (strcmp(kind, "lock") == 0) {
            BEGIN
            omp_set_lock(&lock);
            INSIDE
            omp_unset_lock(&lock);
        } else if (strcmp(kind, "nest") == 0) {
            BEGIN
            omp_set_nest_lock(&nest);
            INSIDE
            omp_unset_nest_lock(&nest);
        } else {
            fprintf(stderr, "no such kind: %s\n", kind);
            exit(2);
        }
        spend(between);
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    return i;
}

static uint64_t least;
static uint64_t own, told, noticed, warm_turns, near, long_turns, agreeing, due;

/* Adds up the turns of a thread that had to wait for those of the other one. */
static void add_up(int thread) {
    int mine, other = 0;
    uint64_t last_event = 0;
    for (mine = 0; mine < taken[thread]; mine++) {
        const struct turn *turn = &turns[thread][mine];
        uint64_t took, until_release;
        while (other < taken[!thread] && turns[!thread][other].left < turn->wanted) other++;
        if (other == taken[!thread]) return;
        if (turns[!thread][other].had >= turn->wanted + soon || turns[!thread][other].had >= turn->had) continue;
        took = turn->had - turn->wanted;
        until_release = turns[!thread][other].left - turn->wanted;
        if (until_release > took) until_release = took;
        if (took < stopped) {
            own += took;
            told += turn->reported;
            due += turn->reported ? took : until_release;
            noticed += turn->reported ? took : 0;
            if (turn->wanted < last_event + stopped) {
                warm_turns++;
                near += 100 * turn->reported >= least * took;
            }
        } else {
            long_turns++;
            agreeing += turn->reported > took - took / 7 && turn->reported < took + took / 7;
        }
        if (turn->reported) last_event = turn->had;
    }
}

int main(int argc, char **argv) {
    const uint64_t enough = 4u * 1000 * 1000;
    const double begin = omp_get_wtime();
    int chunk;
    uint64_t held, between;
    if (argc != 5) return 2;
    held = strtoull(argv[2], 0, 10);
    between = strtoull(argv[3], 0, 10);
    least = strtoull(argv[4], 0, 10);
    stopped = 20000 + 10 * (held + between);
    /* A page fault in the first turn would be part of that turn, but of no event. */
    memset(turns, 1, sizeof turns);
    collect();
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    for (chunk = 0; chunk < CHUNKS && own < enough && omp_get_wtime() < begin + SECONDS; chunk++) {
        over = 0;
#pragma omp parallel num_threads(2)
        {
            const int me = omp_get_thread_num();
#pragma omp barrier
            taken[me] = take_turns(argv[1], held, between, turns[me]);
        }
        add_up(0);
        add_up(1);
    }
    printf("%llu %llu %llu %llu %llu %llu %llu %llu\n", (unsigned long long)own, (unsigned long long)told,
           (unsigned long long)noticed, (unsigned long long)warm_turns, (unsigned long long)near, (unsigned long long)long_turns,
           (unsigned long long)agreeing, (unsigned long long)due);
    return 0;
}
