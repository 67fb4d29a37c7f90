//! The figures of a process's tasks, as input for the rules of `advice`.

use ::advice::tasks::{Construct, CutOff, Tasks};

use super::gains;
use super::snapshot::{Process, TasksRun};
use crate::advised;

pub(super) fn of(run: &TasksRun, process: &Process) -> Tasks {
    let alone = gains::alone(process).map(|longest| &longest.place);
    let construct = |construct: &super::construct::Construct| Construct {
        place: advised::place(&construct.place),
        executed: construct.execution.count,
        joined: gains::joined(process, construct).map(|joined| (joined.each, joined.saved_ns)),
        are_long: gains::are_long(construct),
        alone_ns: (alone == Some(&construct.place)).then_some(construct.alone_ns),
    };
    Tasks {
        wall_ns: run.wall_ns as f64,
        threads: process.threads.iter().filter(|thread| thread.executed > 0).count() as f64,
        runtime_kind: process.who.runtime_kind(None),
        created: process.sum(|thread| thread.created),
        cut_off: gains::cut_off(process).map(|cut| CutOff {
            level: cut.level,
            saved_tasks: cut.saved_tasks,
            saved_ns: cut.saved_ns,
        }),
        constructs: process.constructs.iter().map(construct).collect(),
    }
}
