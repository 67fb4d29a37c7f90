/*
 * Generated from ora/runtimes/src/embed by `cargo xtask headers`. Changes made here are lost.
 *
 * How a runtime that runs parallel code lets tools watch it
 *
 * The runtime links libora.so (or libora.a) and calls these functions where the things that they name happen, always on
 * the thread that they are about. libora then serves the tools: it keeps each thread's state, region and task, answers
 * queries, and calls back. Until a tool attaches, every call returns at once.
 *
 *     ora_embed_start(&about)                                         once, before all else
 *
 *     region = ora_embed_parallel_begin()                             on the thread that meets a parallel construct
 *         ora_embed_member_begin(region)                              on every member of its team, that thread included
 *             ... the body: waits, stretches, tasks, inner regions
 *         ora_embed_member_end(region)                                at the last barrier
 *         ora_embed_member_pooled(region)                             on workers: they have passed it
 *     ora_embed_parallel_end(region)                                  on the first thread again
 *
 *     ora_embed_wait_begin(kind, what, &mark) ... ora_embed_wait_end(&mark)          only where a thread really waits
 *     ora_embed_stretch_begin(kind, &mark) ... ora_embed_stretch_end(&mark)
 *
 *     ora_embed_task_create_begin(&task, &mark); ... ora_embed_task_create_end(&task, at_once, &mark)
 *     ora_embed_task_begin(&task, &mark) ... ora_embed_task_end(&mark); ora_embed_task_gone(&mark)
 *
 * Collectors (the Sun Collector API) and tools of OMPT, of TR2 and of OpenMP 5, are served. Three calls tell the latter more:
 *
 *     ora_embed_parallel_begin_for(threads, code, function)           in place of ora_embed_parallel_begin
 *     ora_embed_member_number(region, number, size)                   before ora_embed_member_begin
 *     ora_embed_task_create_begin_for(&task, &mark, code, function)   in place of ora_embed_task_create_begin
 *
 * They know implicit tasks by their regions: what ora_embed_task_implicit says is for collectors. Of locks, critical, ordered and atomic
 * regions they are told waits only (TR2), and of single and masked regions what collectors are told.
 *
 * A callback of a tool runs inside these calls, so no lock that a tool's callback could need may be held around them.
 * None of them may be called from a signal handler.
 *
 * Unstable: the interface may change until a release says otherwise. A library of another version refuses ora_embed_start.
 */

#ifndef ORA_EMBED_H
#define ORA_EMBED_H

#include <stdint.h>

/** Stands for a parallel region. */
typedef struct ora_embed_region ora_embed_region;

/**
 * The version of this interface. It changes with every change that a runtime could notice.
 */
#define ORA_EMBED_VERSION 1

/**
 * Barriers: implicit and explicit ones.
 */
#define ORA_EMBED_HAS_BARRIERS 1

/**
 * Waits for locks.
 */
#define ORA_EMBED_HAS_LOCKS 2

/**
 * Waits for critical sections.
 */
#define ORA_EMBED_HAS_CRITICAL 4

/**
 * Ordered regions, and waits for them.
 */
#define ORA_EMBED_HAS_ORDERED 8

/**
 * Waits for atomic updates.
 */
#define ORA_EMBED_HAS_ATOMIC 16

/**
 * Masked (master) regions.
 */
#define ORA_EMBED_HAS_MASKED 32

/**
 * Single regions.
 */
#define ORA_EMBED_HAS_SINGLE 64

/**
 * A pool of workers that are idle between regions.
 */
#define ORA_EMBED_HAS_POOL 128

/**
 * Creation, execution and end of tasks.
 */
#define ORA_EMBED_HAS_TASKS 256

/**
 * Waits for child tasks.
 */
#define ORA_EMBED_HAS_TASK_WAITS 512

/**
 * The search for a task to run.
 */
#define ORA_EMBED_HAS_TASK_SCHEDULING 1024

/**
 * The search for a task in another thread's queue.
 */
#define ORA_EMBED_HAS_TASK_STEALING 2048

/**
 * The event of a task taken from a queue.
 */
#define ORA_EMBED_HAS_TASK_FETCHING 4096

/**
 * Kinds of waits.
 */
typedef enum {
    /**
     * The barrier at the end of a work-sharing construct.
     */
    ORA_EMBED_WAIT_WORK_BARRIER = 0,
    /**
     * An explicit barrier.
     */
    ORA_EMBED_WAIT_EXPLICIT_BARRIER = 1,
    /**
     * A lock; the wait id is its address.
     */
    ORA_EMBED_WAIT_LOCK = 2,
    /**
     * A nestable lock; the wait id is its address.
     */
    ORA_EMBED_WAIT_NEST_LOCK = 3,
    /**
     * A critical section; the wait id is the address that names it.
     */
    ORA_EMBED_WAIT_CRITICAL = 4,
    /**
     * The turn in an ordered region.
     */
    ORA_EMBED_WAIT_ORDERED = 5,
    /**
     * An atomic update; the wait id is the address of the lock that guards it.
     */
    ORA_EMBED_WAIT_ATOMIC = 6,
    /**
     * The children of the current task (taskwait).
     */
    ORA_EMBED_WAIT_CHILDREN = 7,
    /**
     * The tasks of a taskgroup.
     */
    ORA_EMBED_WAIT_TASKGROUP = 8,
} ora_embed_wait_kind;

/**
 * Kinds of stretches of a thread's time that are no waits.
 */
typedef enum {
    /**
     * The body of a masked (master) region.
     */
    ORA_EMBED_MASKED = 0,
    /**
     * The body of a single region, on the thread that executes it.
     */
    ORA_EMBED_SINGLE = 1,
    /**
     * The body of an ordered region.
     */
    ORA_EMBED_ORDERED = 2,
    /**
     * The combination of results of a reduction: a state without events.
     */
    ORA_EMBED_REDUCTION = 3,
    /**
     * Work for the runtime: a state without events.
     */
    ORA_EMBED_OVERHEAD = 4,
    /**
     * The search for a task to run.
     */
    ORA_EMBED_TASK_SCHEDULE = 5,
    /**
     * The search for a task in another thread's queue.
     */
    ORA_EMBED_TASK_STEAL = 6,
} ora_embed_stretch_kind;

/**
 * Description of a runtime, passed at its start. If the runtime exports the same as a constant named `ora_embed_about`, it is
 * known before it starts: collectors usually register their events before `main`.
 */
typedef struct {
    /**
     * `ORA_EMBED_VERSION` as the runtime was compiled with it.
     */
    uint32_t version;
    /**
     * The features that the runtime reports: `ORA_EMBED_HAS_*`, or-ed together.
     */
    uint32_t features;
    /**
     * Returns non-zero if the calling thread is in a parallel region. It is called only on threads that were in a region
     * before the first tool attached. It has to be async-signal-safe. May be null.
     */
    int32_t (*in_parallel)(void);
} ora_embed_runtime;

/**
 * Record of a wait or stretch that has begun. The runtime keeps it on the stack of the thread, in the frame that begins and
 * ends the wait or stretch, and does not read it. Plain data: a frame that is left by an exception or longjmp needs no care.
 */
typedef struct {
    /**
     * Private to the library.
     */
    uint64_t inside[6];
} ora_embed_mark;

/**
 * Record of a task, in memory of the runtime's that lives as long as the task is a current task of any thread. The runtime
 * does not read it.
 */
typedef struct {
    /**
     * Private to the library.
     */
    uint64_t inside[8];
} ora_embed_task;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Announces the runtime. Called once, before all other functions. Returns 0, or -1 if the library has another version of this
 * interface or another runtime came first: then nothing is reported.
 *
 * # Safety
 * `runtime` points to the runtime's description; it is copied.
 */
int ora_embed_start(const ora_embed_runtime *runtime);

/**
 * BEGIN_IDLE: the calling thread is a worker of the runtime, and goes to its pool.
 */
void ora_embed_worker(void);

/**
 * FORK: the calling thread has met a parallel construct. No other thread of the team has started yet. Returns a handle of the
 * region, or null if the region goes unreported; both are passed on to the functions below.
 */
const ora_embed_region *ora_embed_parallel_begin(void);

/**
 * FORK, with details for tools of OMPT: as `ora_embed_parallel_begin`, with the number of threads that the construct requests,
 * the address in the program to which its call of the runtime returns, and the function that members execute. 0 and null: not
 * known.
 */
const ora_embed_region *ora_embed_parallel_begin_for(int threads,
                                                     const void *code,
                                                     const void *function);

/**
 * Announces that the calling thread will be a member of the region's team. `number`: its number in the team, 0 for the thread
 * that has met the construct; `size`: the number of members. To be called before `ora_embed_member_begin`, for tools of OMPT:
 * without it members are numbered in the order of their begins, and the team's size is not known.
 *
 * # Safety
 * As `ora_embed_member_begin`.
 */
void ora_embed_member_number(const ora_embed_region *region,
                             int number,
                             int size);

/**
 * END_IDLE on a worker: the calling thread, a member of the region's team, begins to execute the region's body.
 *
 * # Safety
 * `region` came from `ora_embed_parallel_begin`, and has not ended.
 */
void ora_embed_member_begin(const ora_embed_region *region);

/**
 * BEGIN_IBAR: the calling thread has executed the region's body, and arrives at the region's last barrier.
 *
 * # Safety
 * As `ora_embed_member_begin`.
 */
void ora_embed_member_end(const ora_embed_region *region);

/**
 * END_IBAR, BEGIN_IDLE: the calling worker has passed the region's last barrier and is in the pool. A runtime whose workers do
 * not know when they pass it calls `ora_embed_member_leave` instead.
 *
 * # Safety
 * As `ora_embed_member_begin`, but the region may have ended.
 */
void ora_embed_member_pooled(const ora_embed_region *region);

/**
 * The calling worker leaves the body for the last barrier without knowing when it will have passed it. END_IBAR and BEGIN_IDLE
 * come when it begins its next region; state queries are exact in between.
 *
 * # Safety
 * As `ora_embed_member_begin`.
 */
void ora_embed_member_leave(const ora_embed_region *region);

/**
 * END_IBAR, JOIN: the region is over, on the thread that met its construct.
 *
 * # Safety
 * `region` came from `ora_embed_parallel_begin` on this thread, and all its members have arrived at the last barrier.
 */
void ora_embed_parallel_end(const ora_embed_region *region);

/**
 * Begins a wait of the calling thread, for something that it can't have at once. `kind`: an `ora_embed_wait_kind`; `wait_id`
 * identifies what it waits for, and is the same for all threads that wait for it; each instance of a barrier should have its
 * own.
 *
 * # Safety
 * `mark` lies in the stack frame that begins and ends the wait.
 */
void ora_embed_wait_begin(int kind,
                          uint64_t wait_id,
                          ora_embed_mark *mark);

/**
 * Ends the wait of `mark`.
 *
 * # Safety
 * `mark` was written by `ora_embed_wait_begin` on this thread.
 */
void ora_embed_wait_end(const ora_embed_mark *mark);

/**
 * Begins a stretch of the calling thread's time. `kind`: an `ora_embed_stretch_kind`.
 *
 * # Safety
 * `mark` points to memory for a mark.
 */
void ora_embed_stretch_begin(int kind, ora_embed_mark *mark);

/**
 * Ends the stretch of `mark`.
 *
 * # Safety
 * `mark` was written by `ora_embed_stretch_begin` on this thread.
 */
void ora_embed_stretch_end(const ora_embed_mark *mark);

/**
 * BEGIN_CREATE_TASK: the calling thread begins to create `task`, which gets its id.
 *
 * # Safety
 * `task` and `mark` point to memory for them.
 */
void ora_embed_task_create_begin(ora_embed_task *task, ora_embed_mark *mark);

/**
 * BEGIN_CREATE_TASK, with details for tools of OMPT: as `ora_embed_task_create_begin`, with the address in the program to
 * which its call of the runtime returns, and the task's function. Null: not known.
 *
 * # Safety
 * As `ora_embed_task_create_begin`.
 */
void ora_embed_task_create_begin_for(ora_embed_task *task,
                                     ora_embed_mark *mark,
                                     const void *code,
                                     const void *function);

/**
 * END_CREATE_TASK_IMM if the task runs at once (`immediate` is not 0), else END_CREATE_TASK_DEL: the creation of `task` is
 * complete.
 *
 * # Safety
 * Both were written by `ora_embed_task_create_begin` on this thread, and the task has not ended.
 */
void ora_embed_task_create_end(const ora_embed_task *task,
                               int immediate,
                               const ora_embed_mark *mark);

/**
 * BEGIN_EXEC_TASK: the calling thread begins to execute `task`. For an implicit or initial task, whose creation is not
 * reported, call `ora_embed_task_implicit` instead.
 *
 * # Safety
 * `task` was created; `mark` points to memory for a mark, and is passed to the functions that end the task.
 */
void ora_embed_task_begin(const ora_embed_task *task, ora_embed_mark *mark);

/**
 * BEGIN_FINISH_TASK: the body of the task of `mark` has been executed.
 *
 * # Safety
 * `mark` was written by `ora_embed_task_begin` on this thread.
 */
void ora_embed_task_end(ora_embed_mark *mark);

/**
 * END_FINISH_TASK: the task of `mark` is complete. The task before it is current again.
 *
 * # Safety
 * `mark` was written by `ora_embed_task_begin` and `ora_embed_task_end` on this thread.
 */
void ora_embed_task_gone(const ora_embed_mark *mark);

/**
 * The calling thread begins to execute an implicit or initial task, which gets its id. Its parent is `parent`, which may be
 * null. To be called with a null `task` before the task's memory is freed.
 *
 * # Safety
 * `task` is null or points to memory for a task; `parent` is null or a task.
 */
void ora_embed_task_implicit(ora_embed_task *task,
                             const ora_embed_task *parent);

/**
 * `task` is the calling thread's current task again: the implicit task around a nested region that has ended.
 *
 * # Safety
 * `task` is null or a task that has not ended.
 */
void ora_embed_task_resume(const ora_embed_task *task);

/**
 * FETCHED_TASK: the calling thread has taken a task from a queue.
 */
void ora_embed_task_fetched(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ORA_EMBED_H */
