//! Objects with one value for each activity of a thread, or for each kind of wait.

use serde::Serialize;
use stat_layout::stat::layout::Activity;

/// One value for each activity.
#[derive(Serialize)]
pub(super) struct Activities<T> {
    work: T,
    serial: T,
    implicit_barrier: T,
    explicit_barrier: T,
    lock: T,
    critical: T,
    ordered: T,
    atomic: T,
    idle: T,
    taskwait: T,
}

/// One value for each kind of wait.
#[derive(Serialize)]
pub(super) struct Waits<T> {
    implicit_barrier: T,
    explicit_barrier: T,
    lock: T,
    critical: T,
    ordered: T,
    atomic: T,
    taskwait: T,
}

/// Gets each value from `of`.
pub(super) fn activities<T>(of: impl Fn(Activity) -> T) -> Activities<T> {
    Activities {
        work: of(Activity::Work),
        serial: of(Activity::Serial),
        implicit_barrier: of(Activity::ImplicitBarrier),
        explicit_barrier: of(Activity::ExplicitBarrier),
        lock: of(Activity::Lock),
        critical: of(Activity::Critical),
        ordered: of(Activity::Ordered),
        atomic: of(Activity::Atomic),
        idle: of(Activity::Idle),
        taskwait: of(Activity::TaskWait),
    }
}

/// Gets each value from `of`.
pub(super) fn waits<T>(of: impl Fn(Activity) -> T) -> Waits<T> {
    Waits {
        implicit_barrier: of(Activity::ImplicitBarrier),
        explicit_barrier: of(Activity::ExplicitBarrier),
        lock: of(Activity::Lock),
        critical: of(Activity::Critical),
        ordered: of(Activity::Ordered),
        atomic: of(Activity::Atomic),
        taskwait: of(Activity::TaskWait),
    }
}
