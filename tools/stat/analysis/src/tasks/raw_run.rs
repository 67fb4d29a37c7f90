//! Raw data of one run of `ora tasks`.

use std::rc::Rc;

use stat_layout::tasks::layout::{TaskInstance, TasksArea};
use stat_layout::ticks::Pace;
use symbols::Instrumented;

use crate::finished_run::FinishedRun;

/// The sources from which a run is read.
#[derive(Debug)]
pub struct RawRun<'a> {
    /// Shared memory of the collector.
    pub area: &'a TasksArea,
    /// Tasks that are recorded one by one.
    pub instances: &'a [TaskInstance],
    /// Pace of the collector's clock.
    pub pace: Pace,
    /// Exit status and times of the run.
    pub finished: FinishedRun,
    /// Names that the library wrote for instrumented code.
    pub instrumented: Rc<Instrumented>,
}
