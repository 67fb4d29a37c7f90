//! Counts of a process's events.

/// Numbers of events, as far as they were recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events of all kinds, apart from the recorder's own.
    pub events: u64,
    /// Parallel regions begun.
    pub regions: u64,
    /// Leagues of teams begun.
    pub leagues: u64,
    /// Implicit tasks begun, without initial ones.
    pub implicit_tasks: u64,
    /// Explicit tasks created, without those that represent a taskwait.
    pub tasks_created: u64,
    /// Explicit tasks that ended.
    pub tasks_executed: u64,
    /// Dependences between tasks.
    pub dependences: u64,
    /// Waits at barriers that the program has asked for.
    pub explicit_barriers: u64,
    /// Waits at all other barriers.
    pub implicit_barriers: u64,
    /// Waits at taskwaits.
    pub taskwaits: u64,
    /// Waits at the ends of taskgroups.
    pub taskgroups: u64,
    /// Locks acquired.
    pub locks: u64,
    /// Critical sections entered.
    pub criticals: u64,
    /// Atomic updates entered.
    pub atomics: u64,
    /// Ordered regions entered.
    pub ordered: u64,
    /// Events of a kind that this version doesn't know.
    pub unknown: u64,
    /// Threads left out: those without any event, past the first [`crate::MAX_EVENTLESS_THREADS`].
    pub threads_left_out: u64,
}

impl Counts {
    /// Counts with their names, in the usual order.
    pub fn named(&self) -> [(&'static str, u64); 14] {
        [
            ("parallel regions", self.regions),
            ("leagues of teams", self.leagues),
            ("implicit tasks", self.implicit_tasks),
            ("tasks created", self.tasks_created),
            ("tasks executed", self.tasks_executed),
            ("dependences", self.dependences),
            ("implicit barriers", self.implicit_barriers),
            ("explicit barriers", self.explicit_barriers),
            ("taskwaits", self.taskwaits),
            ("taskgroups", self.taskgroups),
            ("locks", self.locks),
            ("critical sections", self.criticals),
            ("atomic updates", self.atomics),
            ("ordered regions", self.ordered),
        ]
    }
}
