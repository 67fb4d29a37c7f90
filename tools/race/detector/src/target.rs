//! Dependences of target regions on the host: libgomp waits for them inside the call, and OMPT doesn't report that. A region with
//! `nowait` has a deferred task, whose events and dependences OMPT reports.

use ompt_tool::DependenceKind;
use system::memory::Link;

use crate::own_memory;
use crate::task::{Task, flag};

/// Maximum number of dependences that are read.
const MAX_DEPENDENCES: usize = 64;

/// The target region that a thread's call is about to execute, if it has dependences: an included task.
#[derive(Debug, Default)]
pub(crate) struct Pending(Link<Task>);

impl Pending {
    /// Creates the included task of a target region that `parent` is about to execute, if the call has an array of dependences.
    pub(crate) fn expect(&self, parent: Option<&'static Task>, dependences: usize, codeptr: usize) {
        let Some(parent) = parent.filter(|_| dependences != 0) else { return };
        let task = Task::create(parent, flag::INCLUDED, codeptr);
        for_each(dependences, |variable, kind| task.note_dependence(parent, variable as u64, kind));
        if let Some(unused) = self.0.get() {
            unused.finish();
        }
        self.0.set(Some(task));
    }

    /// Starts the region in the calling context, ordered after its predecessors. Returns its task, if there is one.
    pub(crate) fn begin(&self) -> Option<&'static Task> {
        let task = self.0.take()?;
        task.acquire_dependences();
        Some(task)
    }
}

/// Ends the region in the calling context: its successors are ordered after it.
pub(crate) fn end(task: &'static Task) {
    task.release();
    task.finish();
}

/// Calls a function with the variable and the kind of each dependence (libgomp's task.c, `gomp_task_handle_depend`).
fn for_each(array: usize, mut note: impl FnMut(usize, DependenceKind)) {
    let word = |number: usize| own_memory::read::<1>(array + 8 * number).map_or(0, |[word]| word);
    let outs = |number, outs| if number < outs { DependenceKind::Inout } else { DependenceKind::In };
    let count = word(0);
    if count != 0 {
        return (0..count.min(MAX_DEPENDENCES)).for_each(|number| note(word(2 + number), outs(number, word(1))));
    }
    let (count, out, inside) = (word(1).min(MAX_DEPENDENCES), word(2) + word(3), word(4));
    (0..count.min(out + inside)).for_each(|number| note(word(5 + number), outs(number, out)));
    for number in out + inside..count {
        // An object of type `omp_depend_t`.
        let Some([variable, kind]) = own_memory::read(word(5 + number)) else { continue };
        note(variable, if kind == 1 { DependenceKind::In } else { DependenceKind::Inout });
    }
}
