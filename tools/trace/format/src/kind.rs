//! Kinds of events.

/// Kinds of C's size, each with its number in a file.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $number:literal,)*) => {
        /// Kind of an event. `operand` and `word` are the other parts of an [`Event`](crate::Event).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $kind = $number,)*
        }

        impl Kind {
            /// All kinds, by number.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// The kind with this number; `None` for an unassigned number.
            pub fn of(number: u8) -> Option<Self> {
                match number {
                    $($number => Some(Self::$kind),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    /// A thread starts on the lane. `operand`: its kind (`ompt_thread_t`); `word`: its number in the kernel.
    ThreadBegin = 1,
    /// The thread ends.
    ThreadEnd = 2,
    /// A task encounters a parallel construct. `operand`: number of threads requested; `word`: the call's return
    /// address.
    RegionBegin = 3,
    /// Like [`Kind::RegionBegin`], for a teams construct.
    LeagueBegin = 4,
    /// The region is over for that task. `word`: the region's id.
    RegionEnd = 5,
    /// An implicit task starts. `operand`: the thread's number in the team; `word`: the region's id, 0 for an initial
    /// task.
    ImplicitBegin = 6,
    /// An implicit task ends. `operand` as at its start.
    ImplicitEnd = 7,
    /// A task is created. `operand`: flags ([`task_flag`](crate::task_flag)); `word`: the call's return address.
    TaskCreate = 8,
    /// The thread leaves its task. `operand`: the reason (`ompt_task_status_t`); `word`: id of the next task, 0 for an
    /// implicit one. If a task's event was fulfilled, or the wait of a taskwait with dependences is over: that task.
    TaskSchedule = 9,
    /// The task that the lane has created last, or that a preceding [`Kind::DependenceOf`] has named, has to wait for
    /// another one. `word`: id of that other task.
    Dependence = 10,
    /// Names the task of the next [`Kind::Dependence`].
    DependenceOf = 11,
    /// A taskgroup begins. `word`: the call's return address.
    GroupBegin = 12,
    /// The taskgroup ends.
    GroupEnd = 13,
    /// A wait begins. `operand`: its kind (`ompt_sync_region_t`); `word`: the call's return address.
    WaitBegin = 14,
    /// The wait ends. `operand` as at its start.
    WaitEnd = 15,
    /// The thread requests a mutex. `operand`: its kind (`ompt_mutex_t`); `word`: the call's return address.
    MutexAcquire = 16,
    /// The thread has the mutex. `word`: its wait id.
    MutexAcquired = 17,
    /// The thread has released the mutex. `word`: its wait id.
    MutexReleased = 18,
    /// A work-sharing region begins. `operand`: its kind (`ompt_work_t`); `word`: the call's return address.
    WorkBegin = 19,
    /// The work-sharing region ends. `word`: size of the work.
    WorkEnd = 20,
    /// A masked region begins. `word`: the call's return address.
    MaskedBegin = 21,
    /// The masked region ends.
    MaskedEnd = 22,
    /// A region or task is cancelled. `operand`: flags (`ompt_cancel_flag_t`); `word`: the call's return address.
    Cancel = 23,
    /// The program has called `omp_control_tool`. `word`: the command.
    Control = 24,
    /// Both clocks at one moment: the event's time, and in `word` CLOCK_MONOTONIC in nanoseconds.
    ClockPair = 25,
    /// The recorder was at work until now. `word`: duration, in ticks.
    Recorder = 26,
}

/// Flags of a task, in the operand of [`Kind::TaskCreate`].
pub mod task_flag {
    /// The task that creates it waits for it.
    pub const UNDEFERRED: u16 = 1;
    /// Untied.
    pub const UNTIED: u16 = 2;
    /// Final.
    pub const FINAL: u16 = 4;
    /// Mergeable.
    pub const MERGEABLE: u16 = 8;
    /// Merged: it has the data of the task that creates it.
    pub const MERGED: u16 = 16;
    /// It represents a taskwait with dependences.
    pub const TASKWAIT: u16 = 32;
    /// It has dependences.
    pub const DEPENDENCES: u16 = 64;
}
