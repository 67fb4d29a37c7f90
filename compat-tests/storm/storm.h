/* A storm of signals: every thread is interrupted 10,000 times a second, and queries all three interfaces. The answers must be possible
 * together. Counts go to a file that all processes of a program share. */
#ifndef STORM_H
#define STORM_H

#include <stdint.h>

/* Registers in the `uc_mcontext` of a signal: the interrupted address, and the result of a system call. */
#ifdef __aarch64__
#define STORM_PLACE pc
#define STORM_RESULT regs[0]
#else
#define STORM_PLACE gregs[REG_RIP]
#define STORM_RESULT gregs[REG_RAX]
#endif

enum { LEVELS = 3 };

/* Numbers in the file, in this order; the reader has the same list. */
enum storm_count {
    DELIVERED,      /* signals that came */
    ASKED,          /* and those that the timers wanted to send, too */
    IN_OUR_CODE,    /* of those that came: interrupted an instruction of libora.so. The handler interrupts no handler, and nobody
                       else asks: so that is what hosts and the core do when they are told of something */
    IN_REGIONS,     /* the thread executes a region */
    IN_TASKS,       /* an explicit task, as OpenMP 5 says */
    WAITING,        /* a state with a wait id */
    MOVED,          /* not compared: another thread ended the region between two questions */
    TIMERS,         /* threads that were interrupted */
    NO_TIMERS,      /* threads that weren't: there were too many */
    CALLBACKS,      /* events told */
    OF_TR2, OF_FIVE, /* samples in which that interface was asked, too */
    GUARDED,        /* threads whose every system call is noticed while they ask */
    COUNTS = 32
};

/* Rules that the answers must not violate. */
enum storm_rule {
    WALK, CODE, NO_STATE, STATE_AND_REGION, STATE_AND_WAIT, WAIT_OF_NOTHING, PARENT_OF_NOTHING, PARENT_AND_REGION, TASK_AND_STATE,
    TASK_AND_REGION, TASK_AND_CREATOR,
    TR2_STATE, TR2_WAIT, TR2_REGION, TR2_PARENT, TR2_TASK, TR2_THREAD, TR2_SIZE, TR2_FRAME,
    FIVE_NO_STATE, FIVE_STATE, FIVE_WAIT, FIVE_THREAD, FIVE_REGION, FIVE_TASK, FIVE_AND_REGION,
    SYSTEM_CALLED, MEMORY_ASKED_FOR, LOCK_TAKEN,
    RULES
};

/* Queried first and last: if it differs, another thread changed our state meanwhile. */
struct moment {
    uint64_t region, task, wait;
    int state, has_wait;
};

/* Answers of each interface in one signal. */
struct ora_answers {
    struct moment first, last;
    uint64_t parent, creator;
    int set, walked, refused, parent_told, no_tasks;
};

struct tr2_answers {
    uint64_t wait, thread, region[LEVELS], task[LEVELS];
    int there, state, set, size, has_frame;
};

struct five_answers {
    uint64_t wait;
    /* Answers of the entry points at each level, and whether the words are ones that we wrote. */
    int there, own, state, set, listed, region[LEVELS], task[LEVELS], size, explicit_task, initial_task, thread_fits, regions_fit,
        tasks_fit;
};

/* States as sets, since each interface has its own. */
enum {
    SERIAL = 1 << 0, PARALLEL = 1 << 1, IDLE = 1 << 2, OVERHEAD = 1 << 3, IMPLICIT = 1 << 4, EXPLICIT = 1 << 5, TASKS = 1 << 6,
    LOCK = 1 << 7, CRITICAL = 1 << 8, ATOMIC = 1 << 9, ORDERED = 1 << 10, NOBODY = 0
};

int ora_start(void);
void ora_ask_before(struct ora_answers *);
void ora_ask_after(struct ora_answers *);
void five_ask(struct five_answers *);
void five_ask_the_system(struct five_answers *);

/* From now on TR2's entry points are queried as well. */
void storm_lend_tr2(void (*ask)(struct tr2_answers *));

/* Called before and after the queries: see guard.c. */
void guard_open(void);
void guard_me(void);
void guard_me_no_more(void);
void guard_begin(void);
void guard_allow_a_call(void);
void guard_end(void);

/* Something forbidden in a signal handler was done. */
void storm_forbidden(enum storm_rule);

/* Compares the answers given in one signal. */
void judge(const struct ora_answers *, const struct tr2_answers *, const struct five_answers *);

void storm_count(enum storm_count);
void storm_add(enum storm_count, uint64_t);
void storm_wrong(enum storm_rule, const struct ora_answers *, const struct tr2_answers *, const struct five_answers *);

#endif
