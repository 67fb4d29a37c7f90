//! Numbers of the Sun Collector API, one plain enum per family.
//!
//! `headers/omp_collector_api.h` is generated from this file, so variants are spelled as C spells them. Numbers up to
//! 22 (events), 11 (states) and 8 (requests) are those of the white paper's header. The task ones beyond are those that
//! OpenUH's runtime gave to its extension ("OpenUH task extension", section 3).
#![allow(non_camel_case_types)]

use zerocopy::{IntoBytes, TryFromBytes};

/// Requests of a collector: the `r` field of an entry (white paper, "Request Codes").
///
/// "Signal-safe" requests may be made from an asynchronous signal handler, on any thread. While no session is open,
/// every request except `OMP_REQ_START` is answered `OMP_ERRCODE_SEQUENCE_ERR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, TryFromBytes)]
pub enum Request {
    /// Opens the session. No input, no result. Not signal-safe.
    OMP_REQ_START = 0,
    /// Registers a callback for one event. Input: an event number and a function pointer, either directly after it (12
    /// bytes) or padded as a C compiler lays the struct out (16 bytes). A null pointer removes the registration. Not
    /// signal-safe.
    OMP_REQ_REGISTER = 1,
    /// Removes the registration of one event. Input: an event number (4 bytes). Not signal-safe.
    OMP_REQ_UNREGISTER = 2,
    /// The calling thread's state (4 bytes). If the thread waits, also the identifier of its wait (packed: 12 bytes in
    /// all; padded: 16 bytes). Signal-safe.
    OMP_REQ_STATE = 3,
    /// The id of the parallel region that the calling thread executes, or 0 (8 bytes). Signal-safe.
    OMP_REQ_CURRENT_PRID = 4,
    /// The id of the enclosing parallel region, or 0 (8 bytes); only on a team's master thread. Signal-safe here,
    /// although the white paper doesn't require it.
    OMP_REQ_PARENT_PRID = 5,
    /// Ends the session and removes its registrations. Not signal-safe.
    OMP_REQ_STOP = 6,
    /// Holds events back until `OMP_REQ_RESUME`; events of that time are never reported. Not signal-safe.
    OMP_REQ_PAUSE = 7,
    /// Resumes the events after `OMP_REQ_PAUSE`. Not signal-safe.
    OMP_REQ_RESUME = 8,
    /// OpenUH: the id of the task that the calling thread executes (8 bytes, or its low half in 4). Signal-safe.
    OMP_REQ_TASK_ID = 9,
    /// OpenUH: the id of the parent of the task that the calling thread executes, 0 for none (8 bytes, or its low half
    /// in 4). Signal-safe.
    OMP_REQ_TASK_PID = 10,
    /// One more than the number of the last request.
    OMP_REQ_LAST = 11,
}

/// Result of a request: the `ec` field of an entry (white paper, "Return Codes in the 'ec' Field").
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoBytes)]
pub enum ErrorCode {
    /// The request was served; `rsz` bytes of result are in `mem`.
    OMP_ERRCODE_OK = 0,
    /// The callback is not the address of code.
    OMP_ERRCODE_ERROR = 1,
    /// No request or event has this number.
    OMP_ERRCODE_UNKNOWN = 2,
    /// The request or event is known, but the OpenMP runtime in this process can't serve it.
    OMP_ERRCODE_UNSUPPORTED = 3,
    /// No session is open, or (for `OMP_REQ_START`) one already is.
    OMP_ERRCODE_SEQUENCE_ERR = 4,
    /// Obsolete: never returned.
    OMP_ERRCODE_OBSOLETE = 5,
    /// The calling thread can't serve this request.
    OMP_ERRCODE_THREAD_ERR = 6,
    /// `mem` is too small; `rsz` is the number of bytes that the request needs.
    OMP_ERRCODE_MEM_TOO_SMALL = 7,
    /// One more than the number of the last code.
    OMP_ERRCODE_LAST = 8,
}

/// Events that a callback can be registered for (white paper, "Events Subject to Notification").
///
/// A callback runs on the thread on which the event happens, and gets the event's number. In a `BEGIN` callback the
/// thread's state is the one entered, in an `END` callback the one about to be left, except `END_IDLE` (below).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, TryFromBytes)]
pub enum EventNumber {
    /// A parallel construct was encountered, on the encountering thread, before any worker starts: the region has its
    /// id, the state is overhead. Also for regions of one thread.
    OMP_EVENT_FORK = 1,
    /// A parallel region is over, on the thread that encountered it; the region's id is still current.
    OMP_EVENT_JOIN = 2,
    /// A worker has returned to the thread pool, or was created.
    OMP_EVENT_THR_BEGIN_IDLE = 3,
    /// A worker leaves the thread pool: its state is overhead already, and the new region is current.
    OMP_EVENT_THR_END_IDLE = 4,
    /// A thread starts to wait in the barrier that ends a region or a work-sharing construct.
    OMP_EVENT_THR_BEGIN_IBAR = 5,
    /// A thread ends its wait in the barrier at the end of a region or work-sharing construct.
    OMP_EVENT_THR_END_IBAR = 6,
    /// A thread starts to wait in an explicit barrier.
    OMP_EVENT_THR_BEGIN_EBAR = 7,
    /// A thread ends its wait in an explicit barrier.
    OMP_EVENT_THR_END_EBAR = 8,
    /// A thread starts to wait for a lock or nestable lock that is taken.
    OMP_EVENT_THR_BEGIN_LKWT = 9,
    /// A thread has acquired the lock that it waited for.
    OMP_EVENT_THR_END_LKWT = 10,
    /// A thread starts to wait for a critical section that is taken.
    OMP_EVENT_THR_BEGIN_CTWT = 11,
    /// A thread has entered the critical section that it waited for.
    OMP_EVENT_THR_END_CTWT = 12,
    /// A thread starts to wait for its turn in an ordered region.
    OMP_EVENT_THR_BEGIN_ODWT = 13,
    /// A thread has got its turn in an ordered region.
    OMP_EVENT_THR_END_ODWT = 14,
    /// The master thread enters a master region.
    OMP_EVENT_THR_BEGIN_MASTER = 15,
    /// The master thread leaves a master region.
    OMP_EVENT_THR_END_MASTER = 16,
    /// The thread that executes a single region enters it.
    OMP_EVENT_THR_BEGIN_SINGLE = 17,
    /// The thread that executes a single region leaves it.
    OMP_EVENT_THR_END_SINGLE = 18,
    /// A thread enters an ordered region.
    OMP_EVENT_THR_BEGIN_ORDERED = 19,
    /// A thread leaves an ordered region.
    OMP_EVENT_THR_END_ORDERED = 20,
    /// A thread starts to wait for an atomic update that the runtime guards with a lock.
    OMP_EVENT_THR_BEGIN_ATWT = 21,
    /// A thread ends its wait for an atomic update, and executes it.
    OMP_EVENT_THR_END_ATWT = 22,
    /// OpenUH: a task starts to create an explicit task.
    OMP_EVENT_THR_BEGIN_CREATE_TASK = 23,
    /// OpenUH: a task has created an explicit task, which runs immediately.
    OMP_EVENT_THR_END_CREATE_TASK_IMM = 24,
    /// OpenUH: a task has created an explicit task, which is queued.
    OMP_EVENT_THR_END_CREATE_TASK_DEL = 25,
    /// OpenUH: a thread starts to look for a task to run.
    OMP_EVENT_THR_BEGIN_SCHD_TASK = 26,
    /// OpenUH: a thread has stopped looking for a task to run.
    OMP_EVENT_THR_END_SCHD_TASK = 27,
    /// OpenUH: a task starts to wait for its children.
    OMP_EVENT_THR_BEGIN_SUSPEND_TASK = 28,
    /// OpenUH: a task ends its wait for its children.
    OMP_EVENT_THR_END_SUSPEND_TASK = 29,
    /// OpenUH: a thread starts to look for a task in another thread's queue.
    OMP_EVENT_THR_BEGIN_STEAL_TASK = 30,
    /// OpenUH: a thread has stopped looking for a task in another thread's queue.
    OMP_EVENT_THR_END_STEAL_TASK = 31,
    /// OpenUH: a thread has taken a task from a queue.
    OMP_EVENT_THR_FETCHED_TASK = 32,
    /// OpenUH: a task's body starts.
    OMP_EVENT_THR_BEGIN_EXEC_TASK = 33,
    /// OpenUH: a task's body is complete.
    OMP_EVENT_THR_BEGIN_FINISH_TASK = 34,
    /// OpenUH: a task has ended: the cleanup after it is over.
    OMP_EVENT_THR_END_FINISH_TASK = 35,
    /// First number of an implementation's own events; there are none today.
    OMP_EVENT_THR_RESERVED_IMPL = 4096,
    /// One more than the number of the last event.
    OMP_EVENT_LAST = 4097,
}

/// States of a thread (white paper, "Thread States").
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoBytes)]
pub enum ThreadState {
    /// Executes code of the OpenMP runtime: forks, joins, distributes iterations.
    THR_OVHD_STATE = 1,
    /// Executes the program's code inside a parallel region.
    THR_WORK_STATE = 2,
    /// Waits in an implicit barrier. Threads that meet there share the wait id.
    THR_IBAR_STATE = 3,
    /// Waits in an explicit barrier. Threads that meet there share the wait id.
    THR_EBAR_STATE = 4,
    /// Waits in the thread pool (a worker).
    THR_IDLE_STATE = 5,
    /// Executes the program's code outside of all parallel regions.
    THR_SERIAL_STATE = 6,
    /// Combines results of a reduction.
    THR_REDUC_STATE = 7,
    /// Waits for a lock. The wait id is the lock's address.
    THR_LKWT_STATE = 8,
    /// Waits for a critical section. The wait id is the address that identifies the section.
    THR_CTWT_STATE = 9,
    /// Waits for its turn in an ordered region. The wait id identifies the loop.
    THR_ODWT_STATE = 10,
    /// Waits for the lock that guards an atomic update. The wait id is an address that identifies the lock.
    THR_ATWT_STATE = 11,
    /// OpenUH: creates a task.
    THR_TASK_CREATE_STATE = 12,
    /// OpenUH: looks for a task to run.
    THR_TASK_SCHEDULE_STATE = 13,
    /// OpenUH: waits for child tasks.
    THR_TASK_SUSPEND_STATE = 14,
    /// OpenUH: takes a task from another thread.
    THR_TASK_STEAL_STATE = 15,
    /// OpenUH: cleans up after a task.
    THR_TASK_FINISH_STATE = 16,
    /// One more than the number of the last state.
    THR_LAST_STATE = 17,
}

impl Request {
    /// The request with this number; `None` for any other number, which is an answer and no error.
    #[inline]
    pub fn from_raw(raw: i32) -> Option<Self> {
        Self::try_read_from_bytes(raw.as_bytes()).ok().filter(|r| *r != Self::OMP_REQ_LAST)
    }
}

impl EventNumber {
    /// The event with this number, markers (`RESERVED_IMPL`, `LAST`) not counted.
    pub fn from_raw(raw: i32) -> Option<Self> {
        let event = Self::try_read_from_bytes(raw.as_bytes()).ok()?;
        (raw < Self::OMP_EVENT_THR_RESERVED_IMPL as i32).then_some(event)
    }
}

impl ThreadState {
    /// True if a wait id goes with the state (white paper, `OMP_REQ_STATE`).
    #[inline]
    pub const fn waits(self) -> bool {
        use ThreadState::*;
        matches!(
            self,
            THR_IBAR_STATE | THR_EBAR_STATE | THR_LKWT_STATE | THR_CTWT_STATE | THR_ODWT_STATE | THR_ATWT_STATE
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_and_gaps_are_no_requests_or_events() {
        assert_eq!(
            (-1..20).filter(|r| Request::from_raw(*r).is_some()).collect::<Vec<_>>(),
            (0..11).collect::<Vec<_>>()
        );
        let events = (-5..5000).filter(|e| EventNumber::from_raw(*e).is_some()).collect::<Vec<_>>();
        assert_eq!(events, (1..36).collect::<Vec<_>>());
    }
}
