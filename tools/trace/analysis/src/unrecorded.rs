//! Waits that a trace doesn't have: in its figures they look like work.

use advice::RuntimeKind;
use trace_format::task_flag;

use crate::{Timeline, facts};

/// Kinds of events without which some waits, or the tasks that threads execute in them, are missing.
const NEEDED: [&str; 3] = ["sync", "tasks", "locks"];

impl Timeline {
    /// The waits that the program may have had and the trace doesn't have, for notes. `None` if there are none.
    pub(crate) fn unrecorded_waits(&self) -> Option<&'static str> {
        let events = &self.facts.events;
        if !events.is_empty() && NEEDED.iter().any(|name| !events.iter().any(|chosen| chosen == name)) {
            return Some("waits that --events has left out");
        }
        if self.has_doacross {
            return Some("waits for iterations of doacross loops");
        }
        // With LLVM's runtime, a taskwait precedes such a task.
        let waits = |flags: u16| flags & task_flag::UNDEFERRED != 0 && flags & task_flag::DEPENDENCES != 0;
        let is_gnu = facts::runtime_kind(&self.runtime) == RuntimeKind::Gnu;
        let is_one = || self.tasks.iter().any(|task| task.flags & task_flag::TASKWAIT == 0 && waits(task.flags));
        (is_gnu && is_one()).then_some("libgomp's waits for what undeferred tasks (`if(0)`) depend on")
    }
}
