//! Numbers of the Sun Collector API, taken from the white paper's text.
//!
//! They are repeated here on purpose: a test that took them from the library could not detect a wrong one.

/// Answers in an entry's `ec` field.
pub mod ec {
    /// Done.
    pub const OK: i32 = 0;
    /// No such request or event.
    pub const UNKNOWN: i32 = 2;
    /// A known event that the runtime can't raise.
    pub const UNSUPPORTED: i32 = 3;
    /// The request is out of order.
    pub const SEQUENCE_ERR: i32 = 4;
    /// The request is not allowed on this thread.
    pub const THREAD_ERR: i32 = 6;
    /// The result needs more space.
    pub const MEM_TOO_SMALL: i32 = 7;
}

/// Thread states.
pub mod state {
    /// Overhead.
    pub const OVHD: i32 = 1;
    /// Work in a region.
    pub const WORK: i32 = 2;
    /// Implicit barrier.
    pub const IBAR: i32 = 3;
    /// Explicit barrier.
    pub const EBAR: i32 = 4;
    /// Idle in the pool.
    pub const IDLE: i32 = 5;
    /// Outside of regions.
    pub const SERIAL: i32 = 6;
    /// Combines a reduction; never on libgomp.
    pub const REDUC: i32 = 7;
    /// Waits for a lock.
    pub const LKWT: i32 = 8;
    /// Waits for a critical section.
    pub const CTWT: i32 = 9;
    /// Waits for its turn.
    pub const ODWT: i32 = 10;
    /// Waits for an atomic update.
    pub const ATWT: i32 = 11;
    /// Creates a task.
    pub const TASK_CREATE: i32 = 12;
    /// Waits for other tasks.
    pub const TASK_SUSPEND: i32 = 14;
    /// Has done a task's body.
    pub const TASK_FINISH: i32 = 16;

    /// True if the state has a wait id.
    pub fn waits(state: i32) -> bool {
        matches!(state, IBAR | EBAR | LKWT | CTWT | ODWT | ATWT)
    }
}

/// Event numbers; `FORK` and the `BEGIN_*` ones are odd, and their ends are one more.
pub mod event {
    /// Sample in a signal handler; only in our traces.
    pub const SAMPLE: i32 = 0;
    /// Start of a region.
    pub const FORK: i32 = 1;
    /// End of a region.
    pub const JOIN: i32 = 2;
    /// A thread enters the pool.
    pub const BEGIN_IDLE: i32 = 3;
    /// A thread leaves the pool.
    pub const END_IDLE: i32 = 4;
    /// Implicit barrier.
    pub const BEGIN_IBAR: i32 = 5;
    /// End of an implicit barrier.
    pub const END_IBAR: i32 = 6;
    /// Explicit barrier.
    pub const BEGIN_EBAR: i32 = 7;
    /// Wait for a lock.
    pub const BEGIN_LKWT: i32 = 9;
    /// Wait for a critical section.
    pub const BEGIN_CTWT: i32 = 11;
    /// Wait for the turn in an ordered region.
    pub const BEGIN_ODWT: i32 = 13;
    /// Master region; never on libgomp, as gcc inlines all of it.
    pub const BEGIN_MASTER: i32 = 15;
    /// Body of a single construct.
    pub const BEGIN_SINGLE: i32 = 17;
    /// Body of an ordered region.
    pub const BEGIN_ORDERED: i32 = 19;
    /// Wait for an atomic update.
    pub const BEGIN_ATWT: i32 = 21;
    /// Creation of a task.
    pub const BEGIN_CREATE: i32 = 23;
    /// The new task runs immediately (undeferred).
    pub const END_CREATE_IMM: i32 = 24;
    /// The new task is queued.
    pub const END_CREATE_DEL: i32 = 25;
    /// A task waits for others.
    pub const BEGIN_SUSPEND: i32 = 28;
    /// A task continues after a wait.
    pub const END_SUSPEND: i32 = 29;
    /// A task is taken from a queue.
    pub const FETCHED: i32 = 32;
    /// Start of a task's body.
    pub const BEGIN_EXEC: i32 = 33;
    /// End of a task's body.
    pub const BEGIN_FINISH: i32 = 34;
    /// End of a task.
    pub const END_FINISH: i32 = 35;
    /// No event has a larger number.
    pub const LAST: i32 = 35;

    /// True if the event ends a task's creation.
    pub fn ends_creation(event: i32) -> bool {
        matches!(event, END_CREATE_IMM | END_CREATE_DEL)
    }

    /// True if the event starts something that another event ends.
    pub fn begins(event: i32) -> bool {
        match event {
            ..=BEGIN_CREATE => event % 2 == 1,
            _ => matches!(event, BEGIN_SUSPEND | BEGIN_EXEC),
        }
    }

    /// Event that this one ends; `None` if it ends nothing. BEGIN_FINISH ends the body, and END_FINISH has no partner.
    pub fn closes(event: i32) -> Option<i32> {
        match event {
            END_CREATE_IMM | END_CREATE_DEL => Some(BEGIN_CREATE),
            END_SUSPEND => Some(BEGIN_SUSPEND),
            BEGIN_FINISH => Some(BEGIN_EXEC),
            ..=BEGIN_CREATE if event % 2 == 0 => Some(event - 1),
            _ => None,
        }
    }

    /// Names of the white paper and of OpenUH, `NAMES[n]` for event `n`, without `OMP_EVENT_` and `THR_`.
    pub const NAMES: [&str; 36] = [
        "(sample)",
        "FORK",
        "JOIN",
        "BEGIN_IDLE",
        "END_IDLE",
        "BEGIN_IBAR",
        "END_IBAR",
        "BEGIN_EBAR",
        "END_EBAR",
        "BEGIN_LKWT",
        "END_LKWT",
        "BEGIN_CTWT",
        "END_CTWT",
        "BEGIN_ODWT",
        "END_ODWT",
        "BEGIN_MASTER",
        "END_MASTER",
        "BEGIN_SINGLE",
        "END_SINGLE",
        "BEGIN_ORDERED",
        "END_ORDERED",
        "BEGIN_ATWT",
        "END_ATWT",
        "BEGIN_CREATE_TASK",
        "END_CREATE_TASK_IMM",
        "END_CREATE_TASK_DEL",
        "BEGIN_SCHD_TASK",
        "END_SCHD_TASK",
        "BEGIN_SUSPEND_TASK",
        "END_SUSPEND_TASK",
        "BEGIN_STEAL_TASK",
        "END_STEAL_TASK",
        "FETCHED_TASK",
        "BEGIN_EXEC_TASK",
        "BEGIN_FINISH_TASK",
        "END_FINISH_TASK",
    ];

    /// An event's name, for messages.
    pub fn name(event: i32) -> &'static str {
        usize::try_from(event).ok().and_then(|n| NAMES.get(n)).copied().unwrap_or("(unknown event)")
    }
}
