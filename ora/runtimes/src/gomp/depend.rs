//! The dependences of a task, as gcc passes them: counts, addresses, and dependence objects.

use super::call_data::{Dependences, List};
use ompt_core::detail::{Dependence, DependenceKind, Detail};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet};
use ompt_core::graph::{Deferral, Node};
use ompt_core::task::Task;
use ompt_core::thread::Thread;
use system::memory::Scratch;

/// Sizes of arrays on the stack for dependences; the smaller one usually suffices.
const SMALL_ARRAY: usize = 4;
const MORE: usize = 32;

const NONE: Dependence = Dependence { variable: 0, kind: DependenceKind::Inout };

/// True if a tool has subscribed to dependences.
#[inline(always)]
pub(super) fn is_subscribed() -> bool {
    armed(EventSet::of(&[Event::Dependences, Event::TaskDependence]))
}

/// Reports the dependences of a new task and, if it may still have to wait for other tasks, those of them that are not
/// complete. The returned tracking must be ended together with the task.
#[inline(never)]
pub(super) fn report(
    thread: &'static Thread,
    task: &'static Task,
    dependences: Dependences<'_>,
    deferral: Option<Deferral>,
) -> Option<&'static Node> {
    let list = dependences.read();
    if list.len() == 0 {
        return None;
    }
    if armed(EventSet::of(&[Event::Dependences])) {
        report_all(thread, task, &list);
    }
    if armed(EventSet::of(&[Event::TaskDependence])) {
        return thread.tasks().report_predecessors(task, (0..list.len()).map(|i| list.dependence(i)), deferral?);
    }
    None
}

fn report_all(thread: &'static Thread, task: &'static Task, list: &List<'_>) {
    if report_few::<SMALL_ARRAY>(thread, task, list) || report_few::<MORE>(thread, task, list) {
        return;
    }
    let memory = Scratch::of(list.len() * size_of::<Dependence>());
    if let Some(many) = memory.as_ref().and_then(|memory| memory.array(list.len(), NONE)) {
        report_in(thread, task, list, many);
    }
}

/// Reports the dependences from an array of `PLACES` elements; false if there are more.
fn report_few<const PLACES: usize>(thread: &'static Thread, task: &'static Task, list: &List<'_>) -> bool {
    if list.len() > PLACES {
        return false;
    }
    let mut few = [NONE; PLACES];
    few.get_mut(..list.len()).into_iter().for_each(|places| report_in(thread, task, list, places));
    true
}

fn report_in(thread: &'static Thread, task: &'static Task, list: &List<'_>, places: &mut [Dependence]) {
    places.iter_mut().enumerate().for_each(|(i, place)| *place = list.dependence(i));
    thread.raise_with(Event::Dependences, &Detail::Dependences { task, list: places });
}
