//! Sources of figures.

use std::ffi::OsString;
use std::rc::Rc;

use anyhow::Result;
use stat_analysis::stat::{Resolvers, Run};
use stat_analysis::{Exit, FinishedRun};
use stat_layout::stat::layout::Area;
use symbols::Instrumented;

/// Origin of the figures: a process that was attached to, a program that was started, or the memory of another `ora`.
pub trait Source {
    /// The collector's memory.
    fn area(&self) -> &Area;

    /// The run up to now.
    fn so_far(&self) -> FinishedRun;

    /// Reads the figures up to that moment.
    fn read(&self, so_far: &FinishedRun, resolvers: &mut Resolvers) -> Run {
        Run::read_live(self.area(), so_far, resolvers)
    }

    /// Constructs that OPARI has instrumented, as far as they are known.
    fn instrumented(&self) -> Rc<Instrumented> {
        Rc::default()
    }

    /// True if another `ora` counts, which started before this one.
    fn is_borrowed(&self) -> bool {
        false
    }

    /// True if the figures start before this `ora` did, but after the program.
    fn has_begun_earlier(&self) -> bool {
        false
    }

    /// The process that the user requested; `None` for the first one.
    fn pid(&self) -> Option<u32>;

    /// True if counting has ended.
    fn is_over(&self) -> bool;

    /// True if the user can't leave before the end.
    fn is_own_program(&self) -> bool {
        false
    }

    /// Called when the user wants to leave. A program of ours is interrupted, and its end has to be waited for.
    fn interrupt(&mut self) {}

    /// Command line, for the name of the process.
    fn words(&self) -> Vec<OsString>;

    /// Ends the session or program that was started here; returns the final figures, and the exit status. Waits for the end of a program of
    /// ours.
    ///
    /// # Errors
    /// If the figures don't arrive, or the program could not be started.
    fn end(self: Box<Self>) -> Result<(Run, Exit)>;
}
