//! What one run leaves behind.

use std::rc::Rc;

use ora_collectors::tasks::layout::{Area, Instance};
use ora_collectors::ticks::Pace;
use report::names::Instrumented;

use crate::launch::Course;

/// What is to be read.
#[derive(Debug)]
pub(super) struct Left<'a> {
    /// What the collector shares.
    pub(super) area: &'a Area,
    /// Tasks that are kept one by one.
    pub(super) instances: &'a [Instance],
    /// The clock's.
    pub(super) pace: Pace,
    /// How the run went.
    pub(super) course: Course,
    /// What the library wrote of instrumented code.
    pub(super) instrumented: Rc<Instrumented>,
}
