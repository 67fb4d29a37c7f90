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

    /// The figures up to then.
    fn read(&self, so_far: &FinishedRun, resolvers: &mut Resolvers) -> Run {
        Run::read_live(self.area(), so_far, resolvers)
    }

    /// Constructs that OPARI has instrumented, as far as they are known.
    fn instrumented(&self) -> Rc<Instrumented> {
        Rc::default()
    }

    /// True if another `ora` counts, which has begun before this one did.
    fn is_borrowed(&self) -> bool {
        false
    }

    /// True if the figures have begun before this `ora` did, and not with the program.
    fn has_begun_earlier(&self) -> bool {
        false
    }

    /// The process that the user asked for; `None`: the first one.
    fn pid(&self) -> Option<u32>;

    /// True if nothing more is counted.
    fn is_over(&self) -> bool;

    /// True if the user can't leave before the end.
    fn is_own_program(&self) -> bool {
        false
    }

    /// The user wants to leave. A program of ours is interrupted, and its end is to be waited for.
    fn interrupt(&mut self) {}

    /// The command line, for the name of the process.
    fn words(&self) -> Vec<OsString>;

    /// Ends what was begun here: the final figures, and the exit status. Waits for the end of a program of ours.
    ///
    /// # Errors
    /// If the figures don't come, or the program could not be started.
    fn end(self: Box<Self>) -> Result<(Run, Exit)>;
}
