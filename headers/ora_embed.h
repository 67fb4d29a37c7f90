/*
 * Generated from ora/runtimes/src/embed by `cargo xtask headers`. Changes made here are lost.
 *
 * Interface for a runtime of parallel code that reports its events to tools
 *
 * The runtime links libora.so (or libora.a) and calls these functions where the named events happen, always on the thread
 * of the event. libora then serves the tools: it maintains each thread's state, region and task, answers queries, and
 * invokes callbacks. Until a tool attaches, every call returns at once.
 *
 *     ora_embed_start(&about)                                         once, before all else
 *
 *     region = ora_embed_parallel_begin()                             on the thread that encounters a parallel construct
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
 * Collectors (the Sun Collector API) and OMPT tools, of TR2 and of OpenMP 5, are served. Three calls pass more arguments for
 * OMPT tools:
 *
 *     ora_embed_parallel_begin_for(threads, code, function)           in place of ora_embed_parallel_begin
 *     ora_embed_member_number(region, number, size)                   before ora_embed_member_begin
 *     ora_embed_task_create_begin_for(&task, &mark, code, function)   in place of ora_embed_task_create_begin
 *
 * OMPT tools get implicit tasks from their regions: ora_embed_task_implicit is for collectors. For locks, critical, ordered
 * and atomic regions they get waits only (TR2), and for single and masked regions the same events as collectors.
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
 * Version of this interface. It changes with every change that a runtime could notice.
 */
#define ORA_EMBED_VERSION 1

/**
 * Feature: waits in barriers, implicit and explicit ones.
 */
#define ORA_EMBED_HAS_BARRIERS 1

/**
 * Feature: waits for locks.
 */
#define ORA_EMBED_HAS_LOCKS 2

/**
 * Feature: waits for critical sections.
 */
#define ORA_EMBED_HAS_CRITICAL 4

/**
 * Feature: ordered regions, and waits for them.
 */
#define ORA_EMBED_HAS_ORDERED 8

/**
 * Feature: waits for atomic updates.
 */
#define ORA_EMBED_HAS_ATOMIC 16

/**
 * Feature: masked (master) regions.
 */
#define ORA_EMBED_HAS_MASKED 32

/**
 * Feature: single regions.
 */
#define ORA_EMBED_HAS_SINGLE 64

/**
 * Feature: a pool of workers, which are idle between regions.
 */
#define ORA_EMBED_HAS_POOL 128

/**
 * Feature: creation, execution and end of tasks.
 */
#define ORA_EMBED_HAS_TASKS 256

/**
 * Feature: waits for child tasks.
 */
#define ORA_EMBED_HAS_TASK_WAITS 512

/**
 * Feature: the search for a task to run.
 */
#define ORA_EMBED_HAS_TASK_SCHEDULING 1024

/**
 * Feature: the search for a task in another thread's queue.
 */
#define ORA_EMBED_HAS_TASK_STEALING 2048

/**
 * Feature: the time at which a task is taken from a queue.
 */
#define ORA_EMBED_HAS_TASK_FETCHING 4096

/**
 * Kinds of waits, for `ora_embed_wait_begin`.
 */
typedef enum {
    /**
     * A wait in the barrier at the end of a work-sharing construct.
     */
    ORA_EMBED_WAIT_WORK_BARRIER = 0,
    /**
     * A wait in an explicit barrier.
     */
    ORA_EMBED_WAIT_EXPLICIT_BARRIER = 1,
    /**
     * A wait for a lock; the wait id is its address.
     */
    ORA_EMBED_WAIT_LOCK = 2,
    /**
     * A wait for a nestable lock; the wait id is its address.
     */
    ORA_EMBED_WAIT_NEST_LOCK = 3,
    /**
     * A wait for a critical section; the wait id is the address that identifies it.
     */
    ORA_EMBED_WAIT_CRITICAL = 4,
    /**
     * A wait for the turn in an ordered region.
     */
    ORA_EMBED_WAIT_ORDERED = 5,
    /**
     * A wait for an atomic update; the wait id is the address of the lock that guards it.
     */
    ORA_EMBED_WAIT_ATOMIC = 6,
    /**
     * A wait for the children of the current task (taskwait).
     */
    ORA_EMBED_WAIT_CHILDREN = 7,
    /**
     * A wait for the tasks of a taskgroup.
     */
    ORA_EMBED_WAIT_TASKGROUP = 8,
} ora_embed_wait_kind;

/**
 * Kinds of stretches of a thread's time that are not waits, for `ora_embed_stretch_begin`.
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
 * Description of a runtime, passed at its start. A runtime that also exports it as a constant named `ora_embed_about`
 * is known before it starts: collectors usually register before `main`.
 */
typedef struct {
    /**
     * The value of `ORA_EMBED_VERSION` that the runtime was compiled with.
     */
    uint32_t version;
    /**
     * Features of the runtime: `ORA_EMBED_HAS_*`, or-ed together.
     */
    uint32_t features;
    /**
     * Function that returns 1 if the calling thread is in a parallel region, else 0. Called only on threads that were
     * in a region before the first tool attached. It has to be async-signal-safe. May be null.
     */
    int32_t (*in_parallel)(void);
} ora_embed_runtime;

/**
 * Record of a wait, a stretch, or the creation or execution of a task that has begun. The runtime provides the memory,
 * on the stack of the thread, in the frame that begins and ends it, and does not look inside. Plain data: a frame that
 * an exception or longjmp leaves needs no care.
 */
typedef struct {
    /**
     * Opaque contents.
     */
    uint64_t inside[6];
} ora_embed_mark;

/**
 * Record of a task, in memory of the runtime that lives as long as the task is the current one of any thread. The
 * runtime does not look inside.
 */
typedef struct {
    /**
     * Opaque contents.
     */
    uint64_t inside[8];
} ora_embed_task;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Announces a runtime, before all other calls. Returns 0, or -1 if the library has another version of this interface,
 * or another runtime was announced before: then nothing is reported. A process has one such runtime at most. Not
 * async-signal-safe.
 *
 * - `runtime`: description of the runtime, which is copied.
 *
 * The behaviour is undefined unless `runtime` is null (the result is -1), or points to a description that is readable
 * during the call.
 */
int ora_embed_start(const ora_embed_runtime *runtime);

/**
 * Makes the calling thread a worker of the runtime, which goes to its thread pool: BEGIN_IDLE. A worker calls nothing when its
 * thread ends: the library sees the end of each thread. It has to have left its last region by then (`ora_embed_member_pooled`).
 */
void ora_embed_worker(void);

/**
 * Begins a parallel region on the thread that encountered its construct: FORK. No other thread has started yet.
 * Returns the region's handle, or null if it is not reported; both are to be passed to the functions below.
 */
const ora_embed_region *ora_embed_parallel_begin(void);

/**
 * Begins a parallel region like `ora_embed_parallel_begin`, with more arguments for OMPT tools.
 *
 * - `threads`: number of threads that the construct requests; 0: not known.
 * - `code`: return address of the program's call of the runtime: `__builtin_return_address(0)` in a function that is not inlined; null:
 *   not known.
 * - `function`: function that members execute, of any type, cast to this one; null: not known.
 */
const ora_embed_region *ora_embed_parallel_begin_for(int threads,
                                                     const void *code,
                                                     void (*function)(void));

/**
 * Announces the calling thread as a member of the region's team, for OMPT tools. To be called before
 * `ora_embed_member_begin`. Without it members are numbered in the order in which they come, and the team's size is
 * not known.
 *
 * - `region`: the region.
 * - `number`: number of the thread in the team, from 0 for the thread that encountered the construct.
 * - `size`: number of threads in the team.
 *
 * The behaviour is undefined unless `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for`,
 * and has not ended.
 */
void ora_embed_member_number(const ora_embed_region *region, int number, int size);

/**
 * Begins the region's body on the calling thread, a member of its team: END_IDLE on a worker.
 *
 * - `region`: the region.
 *
 * The behaviour is undefined unless `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for`,
 * and has not ended.
 */
void ora_embed_member_begin(const ora_embed_region *region);

/**
 * Ends the region's body on the calling thread, which arrives at the region's last barrier: BEGIN_IBAR.
 *
 * - `region`: the region.
 *
 * The behaviour is undefined unless `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for`,
 * and has not ended.
 */
void ora_embed_member_end(const ora_embed_region *region);

/**
 * Returns the calling worker to the thread pool, after it has passed the region's last barrier: END_IBAR, BEGIN_IDLE.
 * A runtime whose workers can't tell when they pass it calls `ora_embed_member_leave` instead.
 *
 * - `region`: the region, which may have ended.
 *
 * The behaviour is undefined unless `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for`.
 */
void ora_embed_member_pooled(const ora_embed_region *region);

/**
 * Marks the calling worker as leaving the body for the last barrier, if it is not known when it passes that.
 * END_IBAR and BEGIN_IDLE are deferred until it begins its next region; queries are answered correctly meanwhile.
 *
 * - `region`: the region.
 *
 * The behaviour is undefined unless `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for`,
 * and has not ended.
 */
void ora_embed_member_leave(const ora_embed_region *region);

/**
 * Ends a parallel region on the thread that encountered its construct: END_IBAR, JOIN.
 *
 * - `region`: the region, whose members all have arrived at the last barrier.
 *
 * The behaviour is undefined unless `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for` on
 * this thread, and all its members have arrived at the last barrier.
 */
void ora_embed_parallel_end(const ora_embed_region *region);

/**
 * Begins a wait of the calling thread. Only to be called if the thread really has to wait.
 *
 * - `kind`: an `ora_embed_wait_kind`; other numbers are ignored.
 * - `wait_id`: identifier of what the thread waits for, the same for all threads that wait for it. For barriers it
 *   should be another one each time. May be 0, which tools take for "not known".
 * - `mark`: memory for the record of the wait, in the stack frame that begins and ends it.
 *
 * The behaviour is undefined unless `mark` lies in the stack frame that begins and ends the wait.
 */
void ora_embed_wait_begin(int kind, uint64_t wait_id, ora_embed_mark *mark);

/**
 * Ends a wait of the calling thread.
 *
 * - `mark`: record of the wait.
 *
 * The behaviour is undefined unless `mark` was written by `ora_embed_wait_begin` on this thread.
 */
void ora_embed_wait_end(const ora_embed_mark *mark);

/**
 * Begins a stretch of the calling thread's time that is not a wait.
 *
 * - `kind`: an `ora_embed_stretch_kind`; other numbers are ignored.
 * - `mark`: memory for the record of the stretch, in the stack frame that begins and ends it.
 *
 * The behaviour is undefined unless `mark` is writable and aligned.
 */
void ora_embed_stretch_begin(int kind, ora_embed_mark *mark);

/**
 * Ends a stretch of the calling thread's time.
 *
 * - `mark`: record of the stretch.
 *
 * The behaviour is undefined unless `mark` was written by `ora_embed_stretch_begin` on this thread.
 */
void ora_embed_stretch_end(const ora_embed_mark *mark);

/**
 * Begins the creation of a task on the calling thread, and assigns the task's id: BEGIN_CREATE_TASK.
 *
 * - `task`: memory for the record of the new task.
 * - `mark`: memory for the record of the creation, in the stack frame that begins and ends it.
 *
 * The behaviour is undefined unless `task` and `mark` are writable and aligned.
 */
void ora_embed_task_create_begin(ora_embed_task *task, ora_embed_mark *mark);

/**
 * Begins the creation of a task like `ora_embed_task_create_begin`, with more arguments for OMPT tools.
 *
 * - `task`: memory for the record of the new task.
 * - `mark`: memory for the record of the creation, in the stack frame that begins and ends it.
 * - `code`: return address of the program's call of the runtime: `__builtin_return_address(0)` in a function that is not inlined; null:
 *   not known.
 * - `function`: function that the task executes, of any type, cast to this one; null: not known.
 *
 * The behaviour is undefined unless `task` and `mark` are writable and aligned.
 */
void ora_embed_task_create_begin_for(ora_embed_task *task,
                                     ora_embed_mark *mark,
                                     const void *code,
                                     void (*function)(void));

/**
 * Ends the creation of a task: END_CREATE_TASK_IMM or END_CREATE_TASK_DEL.
 *
 * - `task`: record of the task.
 * - `immediate`: not 0 if the task is executed immediately (IMM), 0 if it is queued (DEL).
 * - `mark`: record of the creation.
 *
 * The behaviour is undefined unless both were written by `ora_embed_task_create_begin` or
 * `ora_embed_task_create_begin_for` on this thread, and the task has not ended.
 */
void ora_embed_task_create_end(const ora_embed_task *task,
                               int immediate,
                               const ora_embed_mark *mark);

/**
 * Begins the execution of a task on the calling thread: BEGIN_EXEC_TASK. For an implicit or initial task, whose
 * creation is not reported, `ora_embed_task_implicit` is to be called instead.
 *
 * - `task`: record of the task.
 * - `mark`: memory for the record of the execution, to be passed to the functions that end it.
 *
 * The behaviour is undefined unless `task` was created, and `mark` is writable and aligned.
 */
void ora_embed_task_begin(const ora_embed_task *task, ora_embed_mark *mark);

/**
 * Ends the body of the task that the calling thread executes: BEGIN_FINISH_TASK.
 *
 * - `mark`: record of the execution.
 *
 * The behaviour is undefined unless `mark` was written by `ora_embed_task_begin` on this thread.
 */
void ora_embed_task_end(ora_embed_mark *mark);

/**
 * Ends the task that the calling thread executes: END_FINISH_TASK. The task before it is current again.
 *
 * - `mark`: record of the execution.
 *
 * The behaviour is undefined unless `mark` was written by `ora_embed_task_begin` and `ora_embed_task_end` on this
 * thread.
 */
void ora_embed_task_gone(const ora_embed_mark *mark);

/**
 * Begins an implicit or initial task on the calling thread, and assigns the task's id. To be called with a null `task`
 * before the memory of that task's record ends.
 *
 * - `task`: memory for the record of the task; null: no task.
 * - `parent`: record of the task's parent; null: none.
 *
 * The behaviour is undefined unless `task` is null, or writable and aligned, and `parent` is null or a task.
 */
void ora_embed_task_implicit(ora_embed_task *task, const ora_embed_task *parent);

/**
 * Makes `task` the calling thread's current one again: the implicit task around a nested region, when that is over.
 *
 * - `task`: record of the task; null: no task.
 *
 * The behaviour is undefined unless `task` is null or a task that has not ended.
 */
void ora_embed_task_resume(const ora_embed_task *task);

/**
 * Reports that the calling thread has taken a task from a queue: FETCHED_TASK.
 */
void ora_embed_task_fetched(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ORA_EMBED_H */
