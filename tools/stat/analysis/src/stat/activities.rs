//! Names of activities, for people, and their order.

use stat_layout::stat::layout::Activity;

/// The order of activities in tables, by interest to a reader.
pub const ORDER: [Activity; 11] = [
    Activity::Work,
    Activity::Serial,
    Activity::ImplicitBarrier,
    Activity::ExplicitBarrier,
    Activity::TaskWait,
    Activity::Lock,
    Activity::Critical,
    Activity::Ordered,
    Activity::Atomic,
    Activity::RegionStart,
    Activity::Idle,
];

/// Name of an activity in the table.
pub fn label(activity: Activity) -> &'static str {
    match activity {
        Activity::Work => "work",
        Activity::Serial => "serial",
        Activity::ImplicitBarrier => "implicit barrier",
        Activity::ExplicitBarrier => "explicit barrier",
        Activity::Lock => "lock",
        Activity::Critical => "critical",
        Activity::Ordered => "ordered",
        Activity::Atomic => "atomic",
        Activity::Idle => "idle",
        Activity::TaskWait => "taskwait",
        Activity::RegionStart => "region start",
    }
}

/// Name of an activity in the head of a column.
pub(super) fn short_label(activity: Activity) -> &'static str {
    match activity {
        Activity::ImplicitBarrier => "impl.barrier",
        Activity::ExplicitBarrier => "expl.barrier",
        other => label(other),
    }
}
