//! Threads, resources and waits in words.

use crate::model::{Barrier, Resource, ResourceKind, TaskWait, Thread, Turn, Wait};

/// A thread's name: its number in its team, and that of the system.
pub fn label(thread: &Thread) -> String {
    match thread.number() {
        Some(number) => format!("thread {number} ({})", thread.tid),
        None => format!("thread {}", thread.tid),
    }
}

/// A resource in words.
pub fn resource(resource: &Resource) -> String {
    let named = |kind: &str| match (&resource.name, resource.address) {
        (Some(name), _) => format!("{kind} {name}"),
        (None, Some(address)) => format!("{kind} {address:#x}"),
        (None, None) => format!("a {kind}"),
    };
    match resource.kind {
        ResourceKind::Critical if resource.address == Some(crate::construct::ONLY) => {
            "the unnamed critical section".to_owned()
        }
        ResourceKind::Critical => named("critical section"),
        ResourceKind::Lock => named("lock"),
        ResourceKind::NestLock => named("nestable lock"),
        ResourceKind::Atomic => "the lock of atomic updates".to_owned(),
        ResourceKind::Mutex => named("mutex"),
        ResourceKind::ReadWriteLock => named("read-write lock"),
        ResourceKind::Interpreter => "Python's interpreter (GIL)".to_owned(),
    }
}

/// A thread's wait in words, to be appended to its name.
pub fn wait(thread: &Thread) -> String {
    match &thread.wait {
        Wait::Nothing if thread.asleep => "sleeps now and then".to_owned(),
        Wait::Nothing => "runs".to_owned(),
        Wait::Idle if thread.asleep => "has no work (a worker of the pool)".to_owned(),
        Wait::Idle => "has no work, and runs: it spins (a worker of the pool)".to_owned(),
        Wait::Barrier { kind, .. } => format!("waits {}", barrier(*kind)),
        Wait::Mutex(wanted) => format!("waits for {}", resource(wanted)),
        Wait::Turn(Turn::Ordered) => "waits for its turn in an ordered loop".to_owned(),
        Wait::Turn(Turn::Doacross) => "waits for an iteration that it depends on (doacross)".to_owned(),
        Wait::Tasks(TaskWait::Taskwait) => "waits for its child tasks (taskwait)".to_owned(),
        Wait::Tasks(TaskWait::Taskgroup) => "waits for the tasks of a taskgroup".to_owned(),
        Wait::Tasks(TaskWait::Dependence) => "waits for tasks that it depends on".to_owned(),
        Wait::Taskyield => "polls with `taskyield` in a task".to_owned(),
        Wait::Runtime(entry) if entry.is_empty() => "waits in the OpenMP runtime".to_owned(),
        Wait::Runtime(entry) => format!("waits in {entry}"),
        Wait::Outside(outside) => format!("waits outside of OpenMP, in {}()", outside.function),
    }
}

fn barrier(kind: Barrier) -> &'static str {
    match kind {
        Barrier::Explicit => "at a barrier",
        Barrier::Worksharing => "at the barrier of a worksharing construct",
        Barrier::RegionEnd => "at the end of its parallel region",
        Barrier::CopyPrivate => "in single copyprivate",
    }
}
