/* The judge of three tools: each interface's tool lends its eyes, and whoever hears of an event has them compared. */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LEVELS = 6 };
#define UNKNOWN ((int64_t)-1)
enum { OF_ORA, OF_TR2, OF_5, EYES };

/* States as sets: an interface may know no better. */
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

/* What one interface says of the calling thread: ids of regions and tasks from the innermost outwards, 0 beyond the last;
 * UNKNOWN where it can't say. */
struct view {
    int64_t region[LEVELS], task[LEVELS], thread;
    int size, state;
};

/* Fills a view that is UNKNOWN all over; false if there is nothing to be said now. */
typedef int (*look)(struct view *);

/* From now on this interface is asked; null: not any more. */
void judge_lend(int whose, look eyes);
look judge_eyes(int whose);

/* An event happens here: all eyes must see the same, and what the event itself says (UNKNOWN: nothing). */
void judge_event(const char *where, int64_t region, int64_t task);

/* A region begins or ends: ORA's region is already, or still, that one, and the others' the one around it. */
void judge_region(const char *where, int64_t region, int64_t task);

/* Something is wrong. */
void judge_complain(const char *where, const char *what, int64_t one, int64_t other);

/* What the TR2 tool was told last on this thread: the ids of a new region and of a new task. Taken once; then UNKNOWN. */
extern __thread int64_t judge_new_region, judge_new_task;

static inline int64_t judge_take(int64_t *what) {
    const int64_t taken = *what;
    *what = UNKNOWN;
    return taken;
}

/* A random number, from SIDE_SEED on. */
uint32_t judge_random(uint32_t *state);
uint32_t judge_seed(uint32_t which);

/* Whether a word stands in the list in SIDE_STORM: who comes and goes. */
int judge_storms(const char *who);

/* Starts a thread that runs for as long as the process lives, and gets no signals. */
void judge_start(void *(*run)(void *));

/* Waits for a moment. */
void judge_pause(uint32_t *state);

#ifdef __cplusplus
}
#endif

#endif
