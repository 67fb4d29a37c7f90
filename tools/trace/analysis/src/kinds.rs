//! Names for the numbers that events have from OMPT.

/// Number of a task's status (`ompt_task_status_t`).
pub(crate) mod status {
    pub(crate) const COMPLETE: u16 = 1;
    pub(crate) const CANCEL: u16 = 3;
    pub(crate) const DETACH: u16 = 4;
    pub(crate) const EARLY_FULFILL: u16 = 5;
    pub(crate) const LATE_FULFILL: u16 = 6;
    pub(crate) const TASKWAIT_COMPLETE: u16 = 8;
}

/// `ompt_sync_region_taskwait`
pub(crate) const TASKWAIT: u8 = 5;
/// `ompt_sync_region_taskgroup`
pub(crate) const TASKGROUP: u8 = 6;
/// `ompt_sync_region_barrier_implicit_parallel`
pub(crate) const REGION_END: u8 = 9;
/// A wait for the predecessors of a task that is not deferred, or of a taskwait with dependences. OMPT has no kind for it.
pub(crate) const DEPENDENCES: u8 = u8::MAX;

/// Name of a kind of wait (`ompt_sync_region_t`).
pub(crate) fn wait(kind: u8) -> &'static str {
    match kind {
        1 => "barrier",
        2 | 8 | REGION_END => "implicit barrier",
        3 => "explicit barrier",
        4 => "runtime's barrier",
        TASKWAIT => "taskwait",
        TASKGROUP => "taskgroup",
        7 => "reduction",
        10 => "teams barrier",
        DEPENDENCES => "wait for dependences",
        _ => "wait",
    }
}

/// True for a kind of wait in which a whole team takes part.
pub(crate) fn is_barrier(kind: u8) -> bool {
    matches!(kind, 1..=4 | 8..=10)
}

/// Name of a kind of mutex (`ompt_mutex_t`).
pub(crate) fn mutex(kind: u8) -> &'static str {
    match kind {
        1 => "lock",
        2 => "test lock",
        3 => "nest lock",
        4 => "test nest lock",
        5 => "critical",
        6 => "atomic",
        7 => "ordered",
        _ => "mutex",
    }
}

/// Name of a kind of work (`ompt_work_t`).
pub(crate) fn work(kind: u8) -> &'static str {
    match kind {
        1 | 10..=13 => "loop",
        2 => "sections",
        3 => "single",
        4 => "single (other)",
        5 => "workshare",
        6 => "distribute",
        7 => "taskloop",
        8 => "scope",
        _ => "work",
    }
}
