/* A runtime of about 150 lines that reports itself through ora_embed.h: teams of threads, barriers, locks, tasks. */
#ifndef TEAMS_H
#define TEAMS_H

typedef struct teams_lock { int taken; } teams_lock;

/* Creates a pool of `threads - 1` workers. */
void teams_start(int threads);
/* Runs body(data, member) on every thread; returns when all have finished. Must not be nested. */
void teams_parallel(void (*body)(void *data, int member), void *data);
/* All members wait for one another. */
void teams_barrier(void);
void teams_lock_set(teams_lock *lock);
void teams_lock_unset(teams_lock *lock);
/* Queues a task, which runs at a member's next teams_taskwait, or at the end of the body. */
void teams_task(void (*body)(void *data), void *data);
/* Runs tasks until none are left. */
void teams_taskwait(void);
/* Ends the pool. */
void teams_stop(void);

#endif
