//! Parts of a task's life that can be seen on its runtime.

use stat_layout::process_table::runtime;

use crate::identity::Identity;

/// Parts of a task's life that not every runtime shows. Where a runtime reports a part's start and end with one event, the time
/// between the two means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sight {
    /// From the call that creates it until it is queued, or begins. It is never seen for chunks of a taskloop.
    pub(super) creation: bool,
    /// From the end of its body to its end: the runtime's clean-up.
    pub(super) exit: bool,
}

impl Sight {
    /// The parts that can be seen of a process's tasks. `instrumented`: it contains OPARI's calls.
    pub(super) fn of(who: &Identity, instrumented: bool) -> Self {
        // OMPT has one callback for a creation, and one for an end; libgomp cleans up after its last call into this library,
        // and OPARI's calls end with the body. What remains is a runtime that embeds the library.
        Self { creation: !who.is_llvm(), exit: who.runtimes & !runtime::OWN == 0 && !instrumented }
    }
}
