/* Judge of the three tools: each interface's tool provides a view, and a tool that gets an event has all views compared. */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LEVELS = 6 };
#define UNKNOWN ((int64_t)-1)
enum { OF_ORA, OF_TR2, OF_5, EYES };

/* States as sets, since an interface may not distinguish them further. */
enum {
    SERIAL = 1 << 0,
    PARALLEL = 1 << 1,
    IDLE = 1 << 2,
    OVERHEAD = 1 << 3,
    BARRIER_IMPLICIT = 1 << 4,
    BARRIER_EXPLICIT = 1 << 5,
    TASKWAIT = 1 << 6,
    TASKGROUP = 1 << 7,
    LOCK = 1 << 8,
    NEST_LOCK = 1 << 9,
    CRITICAL = 1 << 10,
    ATOMIC = 1 << 11,
    ORDERED = 1 << 12,
    ANY = -1
};

/* View of one interface of the calling thread: ids of regions and tasks from the innermost outwards, 0 beyond the last; UNKNOWN if the
 * interface doesn't provide one. */
struct view {
    int64_t region[LEVELS], task[LEVELS], thread;
    int size, state;
};

/* Fills a view that is initially UNKNOWN; returns false if nothing can be said now. */
typedef int (*look)(struct view *);

/* From now on this interface is queried; null: no longer. */
void judge_lend(int whose, look eyes);
look judge_eyes(int whose);

/* Called in an event: all views must agree, also with the data of the event itself (UNKNOWN: none). */
void judge_event(const char *where, int64_t region, int64_t task);

/* A region starts or ends: for ORA it is already, or still, the current one; for the others it is the enclosing one. */
void judge_region(const char *where, int64_t region, int64_t task);

/* Reports an error. */
void judge_complain(const char *where, const char *what, int64_t one, int64_t other);

/* Ids of a new region and of a new task that the TR2 tool last got on this thread. Can be taken once; then UNKNOWN. */
extern __thread int64_t judge_new_region, judge_new_task;

static inline int64_t judge_take(int64_t *what) {
    const int64_t taken = *what;
    *what = UNKNOWN;
    return taken;
}

/* A random number; SIDE_SEED is the seed. */
uint32_t judge_random(uint32_t *state);
uint32_t judge_seed(uint32_t which);

/* True if a word is in the list in SIDE_STORM, which names the tools that attach and detach. */
int judge_storms(const char *who);

/* Starts a thread that runs for as long as the process lives, and gets no signals. */
void judge_start(void *(*run)(void *));

/* Waits briefly. */
void judge_pause(uint32_t *state);

#ifdef __cplusplus
}
#endif

#endif
