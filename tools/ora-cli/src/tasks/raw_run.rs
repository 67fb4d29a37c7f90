//! Raw data of one run of `ora tasks`.

use std::rc::Rc;

use ora_collectors::tasks::layout::{Area, Instance};
use ora_collectors::ticks::Pace;
use report::names::Instrumented;

use crate::launch::FinishedRun;

/// The sources from which a run is read.
#[derive(Debug)]
pub(super) struct RawRun<'a> {
    /// Shared memory of the collector.
    pub(super) area: &'a Area,
    /// Tasks that are kept one by one.
    pub(super) instances: &'a [Instance],
    /// Pace of the collector's clock.
    pub(super) pace: Pace,
    /// Exit status and times of the run.
    pub(super) finished: FinishedRun,
    /// Names that the library wrote for instrumented code.
    pub(super) instrumented: Rc<Instrumented>,
}
