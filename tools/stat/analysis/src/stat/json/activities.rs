//! Objects with one value for each activity of a thread, or for each kind of wait.

use serde::Serialize;
use stat_layout::stat::layout::Activity;

/// Values by activity.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Activities"))]
pub(super) struct Activities<T> {
    /// In a region, in none of the waits, and in tasks that are run in one; also overhead that no event shows.
    work: T,
    /// Outside of regions.
    serial: T,
    /// At implicit barriers.
    implicit_barrier: T,
    /// At explicit barriers; on code by gcc without -g also at the end of a static loop or single.
    explicit_barrier: T,
    /// Waits for locks.
    lock: T,
    /// Waits for critical sections.
    critical: T,
    /// Waits for ordered sections.
    ordered: T,
    /// Waits for atomic updates.
    atomic: T,
    /// Without a region.
    idle: T,
    /// At a taskwait or the end of a taskgroup.
    taskwait: T,
    /// In the runtime, from the call that begins a region to the start of its body: also waits for workers that come late.
    region_start: T,
}

/// Values by kind of wait.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Waits"))]
pub(super) struct Waits<T> {
    /// At implicit barriers.
    implicit_barrier: T,
    /// At explicit barriers.
    explicit_barrier: T,
    /// For locks.
    lock: T,
    /// For critical sections.
    critical: T,
    /// For ordered sections.
    ordered: T,
    /// For atomic updates.
    atomic: T,
    /// At taskwaits or the ends of taskgroups.
    taskwait: T,
}

/// Builds the object from the value that `of` returns for each activity.
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
        region_start: of(Activity::RegionStart),
    }
}

/// Builds the object from the value that `of` returns for each kind of wait.
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
