/*
 * Copyright (c) 2006, 2007, OpenMP Architecture Review Board.
 *
 * Permission is hereby granted, free of charge, to any person
 * obtaining a copy of this software and associated documentation
 * files (the "Software"), to deal in the Software without
 * restriction, including without limitation the rights to use, copy,
 * modify, merge, publish, distribute, sublicense, and/or sell copies
 * of the Software, and to permit persons to whom the Software is
 * furnished to do so, subject to the following conditions:
 *
 * The above copyright notice and this permission notice shall be
 * included in all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
 * EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
 * MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
 * NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS
 * BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN
 * ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
 * CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 * SOFTWARE.
 *
 */

/*
 * Generated from ora/src/codes.rs by `cargo xtask headers`. Changes made here are lost.
 *
 * Names and numbers are those of the header in the white paper "An OpenMP Runtime API for Profiling" (2007). What is
 * marked OpenUH comes from the task extension of that compiler's runtime.
 */

#ifndef _OMP_COLLECTOR_API_H
#define _OMP_COLLECTOR_API_H

/*
 * How a collector talks to the OpenMP runtime
 *
 * The collector looks up the symbol that OMP_COLLECTOR_API names, with dlsym() for example, and makes all its requests
 * through that one function. Its argument points to a list of entries, one right after the other, with an int 0 behind
 * the last one:
 *
 *     bytes  0..3   sz    length of the entry with this head: at least 16, a multiple of 4. Set by the collector
 *            4..7   r     an OMP_COLLECTORAPI_REQUEST. Set by the collector
 *            8..11  ec    an OMP_COLLECTORAPI_EC. Set by the runtime
 *           12..15  rsz   bytes of result in mem; with OMP_ERRCODE_MEM_TOO_SMALL, how many bytes mem must have. Set by
 *                         the runtime
 *           16..    mem   sz - 16 bytes: the input of the request, then its result
 *
 * Numbers have the machine's byte order. Entries must lie at a multiple of 4; no more is needed, also for the 8-byte
 * values in mem. Entries are served in order, as if each had come in a call of its own. What ec and rsz hold at the
 * call does not matter. One request, whole:
 *
 *     int entry[5] = { 16, OMP_REQ_START, 0, 0, 0 };
 *     if (__omp_collector_api(entry) == 0 && entry[2] == OMP_ERRCODE_OK) ...
 *
 * The call returns 0 when it got to the end of the list, also when some entries carry error codes. It returns -1 for a
 * null argument, and at an entry whose sz is below 16 or no multiple of 4 or which is misaligned: that entry and those
 * behind it are left alone, those before it have been served.
 *
 * Two layouts. The pair {int, pointer} of OMP_REQ_REGISTER and OMP_REQ_STATE may be packed, or padded as a C compiler
 * lays a struct out; a collector keeps to one of them:
 *
 *     REGISTER, in    event at mem+0, callback at mem+4 (mem: 12 bytes)    callback at mem+8 (mem: 16 bytes or more)
 *     STATE, out      state at mem+0, wait id at mem+4 (rsz: 12)           wait id at mem+8 (rsz: 16)
 *
 * In 16 bytes or more both fit: the callback is then taken from the place that holds the address of code, and STATE
 * answers padded unless an OMP_REQ_REGISTER of this session was packed. OMP_REQ_STATE writes the state alone (rsz: 4)
 * when no wait id goes with it. When one does and mem has less than 12 bytes, the state is still written and the answer
 * is OMP_ERRCODE_MEM_TOO_SMALL.
 *
 * From a signal handler, on any thread, these requests are safe: OMP_REQ_STATE, OMP_REQ_CURRENT_PRID,
 * OMP_REQ_PARENT_PRID, OMP_REQ_TASK_ID, OMP_REQ_TASK_PID. The others are not.
 */

/** Name of the function below, to look it up by. */
#define OMP_COLLECTOR_API "__omp_collector_api"

/**
 * What a collector can ask for: the `r` field of an entry (white paper, "Request Codes").
 *
 * "Signal-safe" requests may be made from an asynchronous signal handler, on any thread. Every request but
 * `OMP_REQ_START` is answered `OMP_ERRCODE_SEQUENCE_ERR` while no session is open.
 */
typedef enum {
    /**
     * Opens the session. No input, no result. Not signal-safe.
     */
    OMP_REQ_START = 0,
    /**
     * Asks for callbacks of one event. Input: an event number and a function pointer, either at once behind it (12
     * bytes) or padded as a C compiler lays the struct out (16 bytes). A null pointer takes the registration back. Not
     * signal-safe.
     */
    OMP_REQ_REGISTER = 1,
    /**
     * Takes a registration back. Input: an event number (4 bytes). Not signal-safe.
     */
    OMP_REQ_UNREGISTER = 2,
    /**
     * The calling thread's state (4 bytes), and what it waits for when it waits (packed: 12 bytes; padded: 16 bytes).
     * Signal-safe.
     */
    OMP_REQ_STATE = 3,
    /**
     * The id of the parallel region that the calling thread executes, or 0 (8 bytes). Signal-safe.
     */
    OMP_REQ_CURRENT_PRID = 4,
    /**
     * On a team's master: the id of the region around the current one, or 0 (8 bytes). Signal-safe here, although the
     * white paper doesn't ask for it.
     */
    OMP_REQ_PARENT_PRID = 5,
    /**
     * Ends the session and drops its registrations. Not signal-safe.
     */
    OMP_REQ_STOP = 6,
    /**
     * Holds events back until `OMP_REQ_RESUME`; what happens meanwhile is never told. Not signal-safe.
     */
    OMP_REQ_PAUSE = 7,
    /**
     * Lets events through again. Not signal-safe.
     */
    OMP_REQ_RESUME = 8,
    /**
     * OpenUH: the id of the task that the calling thread executes (8 bytes, or its low half in 4). Signal-safe.
     */
    OMP_REQ_TASK_ID = 9,
    /**
     * OpenUH: the id of that task's parent, 0 for none (8 bytes, or its low half in 4). Signal-safe.
     */
    OMP_REQ_TASK_PID = 10,
    /**
     * One more than the last request.
     */
    OMP_REQ_LAST = 11,
} OMP_COLLECTORAPI_REQUEST;

/**
 * How a request went: the `ec` field of an entry (white paper, "Return Codes in the 'ec' Field").
 */
typedef enum {
    /**
     * Done; `rsz` bytes of result are in `mem`.
     */
    OMP_ERRCODE_OK = 0,
    /**
     * The callback is not the address of code.
     */
    OMP_ERRCODE_ERROR = 1,
    /**
     * No request or event has this number.
     */
    OMP_ERRCODE_UNKNOWN = 2,
    /**
     * The number is known, but the OpenMP runtime in this process can't serve it.
     */
    OMP_ERRCODE_UNSUPPORTED = 3,
    /**
     * No session is open, or (for `OMP_REQ_START`) one already is.
     */
    OMP_ERRCODE_SEQUENCE_ERR = 4,
    /**
     * Never answered.
     */
    OMP_ERRCODE_OBSOLETE = 5,
    /**
     * The calling thread has no answer to this request.
     */
    OMP_ERRCODE_THREAD_ERR = 6,
    /**
     * `mem` is too small; `rsz` says how many bytes it takes.
     */
    OMP_ERRCODE_MEM_TOO_SMALL = 7,
    /**
     * One more than the last code.
     */
    OMP_ERRCODE_LAST = 8,
} OMP_COLLECTORAPI_EC;

/**
 * What a callback can be registered for (white paper, "Events Subject to Notification").
 *
 * A callback runs on the thread that the event happens on and gets the event's number. In a `BEGIN` callback the
 * thread's state is the one entered, in an `END` callback the one about to be left, except `END_IDLE` (below).
 */
typedef enum {
    /**
     * On the thread that met a parallel construct, before any worker starts: the region has its id, the state is
     * overhead. Also for regions of one thread.
     */
    OMP_EVENT_FORK = 1,
    /**
     * On the same thread once the region is over; its id is still current.
     */
    OMP_EVENT_JOIN = 2,
    /**
     * A worker has gone back to the pool, or has come into being.
     */
    OMP_EVENT_THR_BEGIN_IDLE = 3,
    /**
     * A worker leaves the pool: its state is overhead already, and the new region is current.
     */
    OMP_EVENT_THR_END_IDLE = 4,
    /**
     * A thread starts to wait in the barrier that ends a region or a work-sharing construct.
     */
    OMP_EVENT_THR_BEGIN_IBAR = 5,
    /**
     * It goes on.
     */
    OMP_EVENT_THR_END_IBAR = 6,
    /**
     * A thread starts to wait in an explicit barrier.
     */
    OMP_EVENT_THR_BEGIN_EBAR = 7,
    /**
     * It goes on.
     */
    OMP_EVENT_THR_END_EBAR = 8,
    /**
     * A thread starts to wait for a lock or nestable lock that is taken.
     */
    OMP_EVENT_THR_BEGIN_LKWT = 9,
    /**
     * It has the lock.
     */
    OMP_EVENT_THR_END_LKWT = 10,
    /**
     * A thread starts to wait for a critical section that is taken.
     */
    OMP_EVENT_THR_BEGIN_CTWT = 11,
    /**
     * It is in the section.
     */
    OMP_EVENT_THR_END_CTWT = 12,
    /**
     * A thread starts to wait for its turn in an ordered region.
     */
    OMP_EVENT_THR_BEGIN_ODWT = 13,
    /**
     * It has its turn.
     */
    OMP_EVENT_THR_END_ODWT = 14,
    /**
     * The master thread enters a master region.
     */
    OMP_EVENT_THR_BEGIN_MASTER = 15,
    /**
     * It leaves the region.
     */
    OMP_EVENT_THR_END_MASTER = 16,
    /**
     * The thread that executes a single region enters it.
     */
    OMP_EVENT_THR_BEGIN_SINGLE = 17,
    /**
     * It leaves the region.
     */
    OMP_EVENT_THR_END_SINGLE = 18,
    /**
     * A thread enters an ordered region.
     */
    OMP_EVENT_THR_BEGIN_ORDERED = 19,
    /**
     * It leaves the region.
     */
    OMP_EVENT_THR_END_ORDERED = 20,
    /**
     * A thread starts to wait for an atomic update that the runtime guards with a lock.
     */
    OMP_EVENT_THR_BEGIN_ATWT = 21,
    /**
     * It does the update.
     */
    OMP_EVENT_THR_END_ATWT = 22,
    /**
     * OpenUH: a task starts to create an explicit task.
     */
    OMP_EVENT_THR_BEGIN_CREATE_TASK = 23,
    /**
     * OpenUH: the new task runs at once.
     */
    OMP_EVENT_THR_END_CREATE_TASK_IMM = 24,
    /**
     * OpenUH: the new task is queued.
     */
    OMP_EVENT_THR_END_CREATE_TASK_DEL = 25,
    /**
     * OpenUH: a thread starts to look for a task to run.
     */
    OMP_EVENT_THR_BEGIN_SCHD_TASK = 26,
    /**
     * OpenUH: it has stopped looking.
     */
    OMP_EVENT_THR_END_SCHD_TASK = 27,
    /**
     * OpenUH: a task starts to wait for its children.
     */
    OMP_EVENT_THR_BEGIN_SUSPEND_TASK = 28,
    /**
     * OpenUH: it goes on.
     */
    OMP_EVENT_THR_END_SUSPEND_TASK = 29,
    /**
     * OpenUH: a thread starts to look for a task in another thread's queue.
     */
    OMP_EVENT_THR_BEGIN_STEAL_TASK = 30,
    /**
     * OpenUH: it has stopped looking.
     */
    OMP_EVENT_THR_END_STEAL_TASK = 31,
    /**
     * OpenUH: a thread has taken a task from a queue.
     */
    OMP_EVENT_THR_FETCHED_TASK = 32,
    /**
     * OpenUH: a task's body starts.
     */
    OMP_EVENT_THR_BEGIN_EXEC_TASK = 33,
    /**
     * OpenUH: a task's body is done.
     */
    OMP_EVENT_THR_BEGIN_FINISH_TASK = 34,
    /**
     * OpenUH: the task is gone.
     */
    OMP_EVENT_THR_END_FINISH_TASK = 35,
    /**
     * Events of an implementation's own start here; there are none today.
     */
    OMP_EVENT_THR_RESERVED_IMPL = 4096,
    /**
     * One more than the last event.
     */
    OMP_EVENT_LAST = 4097,
} OMP_COLLECTORAPI_EVENT;

/**
 * What a thread is doing (white paper, "Thread States").
 */
typedef enum {
    /**
     * Works for the OpenMP runtime: forks, joins, hands out iterations.
     */
    THR_OVHD_STATE = 1,
    /**
     * Executes the program's code inside a parallel region.
     */
    THR_WORK_STATE = 2,
    /**
     * Waits in an implicit barrier. The wait id is shared by the threads that meet there.
     */
    THR_IBAR_STATE = 3,
    /**
     * Waits in an explicit barrier. The wait id is shared by the threads that meet there.
     */
    THR_EBAR_STATE = 4,
    /**
     * A worker in the pool.
     */
    THR_IDLE_STATE = 5,
    /**
     * Executes the program's code outside of all parallel regions.
     */
    THR_SERIAL_STATE = 6,
    /**
     * Combines results of a reduction.
     */
    THR_REDUC_STATE = 7,
    /**
     * Waits for a lock. The wait id is the lock's address.
     */
    THR_LKWT_STATE = 8,
    /**
     * Waits for a critical section. The wait id is the address that names the section.
     */
    THR_CTWT_STATE = 9,
    /**
     * Waits for its turn in an ordered region. The wait id stands for the loop.
     */
    THR_ODWT_STATE = 10,
    /**
     * Waits for the lock that guards an atomic update. The wait id is an address that stands for the lock.
     */
    THR_ATWT_STATE = 11,
    /**
     * OpenUH: creates a task.
     */
    THR_TASK_CREATE_STATE = 12,
    /**
     * OpenUH: looks for a task to run.
     */
    THR_TASK_SCHEDULE_STATE = 13,
    /**
     * OpenUH: waits for child tasks.
     */
    THR_TASK_SUSPEND_STATE = 14,
    /**
     * OpenUH: takes a task from another thread.
     */
    THR_TASK_STEAL_STATE = 15,
    /**
     * OpenUH: cleans up behind a task.
     */
    THR_TASK_FINISH_STATE = 16,
    /**
     * One more than the last state.
     */
    THR_LAST_STATE = 17,
} OMP_COLLECTOR_API_THR_STATE;

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What OMP_REQ_REGISTER takes: called with the number of the event, on the thread that the event happens on, before
 * that thread goes on.
 */
typedef void (*OMP_COLLECTORAPI_CALLBACK)(OMP_COLLECTORAPI_EVENT event);

/**
 * Serves a list of requests; the layout is described above. May be called from any thread, also from inside a callback.
 */
int __omp_collector_api(void *arg);

#ifdef __cplusplus
}
#endif

#endif /* _OMP_COLLECTOR_API_H */
