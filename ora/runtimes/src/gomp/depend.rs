//! The dependences of a task, as gcc passes them: counts, addresses, and dependence objects.
#![allow(unsafe_code)] // reads what compiled code passes

use ompt_core::detail::{Dependence, DependenceKind, Detail};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet};
use ompt_core::graph::{Deferral, Node};
use ompt_core::task::Task;
use ompt_core::thread::Thread;
use std::marker::PhantomData;
use std::slice;
use system::warning;

/// Array sizes on the stack for dependences; the smaller size mostly suffices.
const FEW: usize = 4;
const MORE: usize = 32;

const NONE: Dependence = Dependence { variable: 0, kind: DependenceKind::Inout };

/// The dependences of a new task: the list that compiled code passes to libgomp.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Dependences<'call>(*const usize, PhantomData<&'call usize>);

impl Dependences<'_> {
    /// The list at this address.
    ///
    /// # Safety
    /// Compiled code passes the address to libgomp as that of a list of dependences, in a call that lasts as long as the result.
    pub(super) unsafe fn at(address: usize) -> Self {
        Self(address as *const usize, PhantomData)
    }

    /// True if the list is empty, as an iterator without values leaves it.
    pub(super) fn is_empty(self) -> bool {
        List::read(self).all == 0
    }
}

/// True if a tool has subscribed to dependences.
#[inline(always)]
pub(super) fn is_subscribed() -> bool {
    armed(EventSet::of(&[Event::Dependences, Event::TaskDependence]))
}

/// Reports the dependences of a new task and, if it may still have to wait for others, those that are not complete. The
/// returned tracking is to be ended with the task.
#[inline(never)]
pub(super) fn report(
    thread: &'static Thread,
    task: &'static Task,
    dependences: Dependences<'_>,
    deferral: Option<Deferral>,
) -> Option<&'static Node> {
    let list = List::read(dependences);
    if list.all == 0 {
        return None;
    }
    if armed(EventSet::of(&[Event::Dependences])) {
        report_all(thread, task, &list);
    }
    if armed(EventSet::of(&[Event::TaskDependence])) {
        return thread.report_predecessors(task, (0..list.all).map(|i| list.dependence(i)), deferral?);
    }
    None
}

fn report_all(thread: &'static Thread, task: &'static Task, list: &List<'_>) {
    if report_few::<FEW>(thread, task, list) || report_few::<MORE>(thread, task, list) {
        return;
    }
    // SAFETY: `malloc` takes any size (malloc(3)); null is handled below.
    let many: *mut Dependence = unsafe { libc::malloc(list.all * size_of::<Dependence>()) }.cast();
    if many.is_null() {
        warning::of_refused_memory();
        return;
    }
    for i in 0..list.all {
        // SAFETY: `i` is less than `list.all`: `many` has room for so many elements.
        unsafe { many.wrapping_add(i).write(NONE) };
    }
    // SAFETY: `list.all` elements were written just now; nothing else refers to `many` before it is freed.
    report_in(thread, task, list, unsafe { slice::from_raw_parts_mut(many, list.all) });
    // SAFETY: `many` came from `malloc` above, and `report_in` keeps no reference to it.
    unsafe { libc::free(many.cast()) };
}

/// Reports the dependences from an array of `PLACES`; false if there are more.
fn report_few<const PLACES: usize>(thread: &'static Thread, task: &'static Task, list: &List<'_>) -> bool {
    if list.all > PLACES {
        return false;
    }
    let mut few = [NONE; PLACES];
    few.get_mut(..list.all).into_iter().for_each(|places| report_in(thread, task, list, places));
    true
}

fn report_in(thread: &'static Thread, task: &'static Task, list: &List<'_>, places: &mut [Dependence]) {
    places.iter_mut().enumerate().for_each(|(i, place)| *place = list.dependence(i));
    thread.raise_with(Event::Dependences, &Detail::Dependences { task, list: places });
}

/// A dependence list (libgomp's `task.c`, `gomp_task_handle_depend`). gcc counts `out` among `inout`.
struct List<'call> {
    addresses: *const usize,
    list: PhantomData<&'call usize>,
    all: usize,
    inout: usize,
    mutexinoutset: usize,
    /// Number of `in` dependences; dependence objects follow them.
    input: usize,
}

impl<'call> List<'call> {
    fn read(Dependences(depend, list): Dependences<'call>) -> Self {
        // SAFETY: compiled code passes a list (`Dependences`) of two words at least, and five where the first is 0 (libgomp's
        // `gomp_task_handle_depend`): no `i` below is larger.
        let word = |i: usize| unsafe { depend.wrapping_add(i).read() };
        match word(0) {
            0 => {
                let (inout, mutexinoutset, input) = (word(2), word(3), word(4));
                Self { addresses: depend.wrapping_add(5), list, all: word(1), inout, mutexinoutset, input }
            }
            all => {
                let inout = word(1);
                let input = all.saturating_sub(inout);
                Self { addresses: depend.wrapping_add(2), list, all, inout, mutexinoutset: 0, input }
            }
        }
    }

    fn dependence(&self, i: usize) -> Dependence {
        // SAFETY: every caller counts `i` up to `all`; so many addresses follow the counts in the list that `read` was given.
        let address = unsafe { self.addresses.wrapping_add(i).read() };
        let kind = if i < self.inout {
            DependenceKind::Inout
        } else if i < self.inout + self.mutexinoutset {
            DependenceKind::Mutexinoutset
        } else if i < self.inout + self.mutexinoutset + self.input {
            DependenceKind::In
        } else {
            // SAFETY: addresses behind those of kind `in` are of objects `omp_depend_t` (libgomp's `gomp_task_handle_depend`):
            // two words, the variable's address and the kind.
            return Self::object(unsafe { *(address as *const [usize; 2]) });
        };
        Dependence { variable: address as u64, kind }
    }

    /// The numbers are those of `omp_depend_t` in gcc (`gomp-constants.h`, `GOMP_DEPEND_*`).
    fn object([address, kind]: [usize; 2]) -> Dependence {
        let kind = match kind {
            1 => DependenceKind::In,
            4 => DependenceKind::Mutexinoutset,
            5 => DependenceKind::Inoutset,
            _ => DependenceKind::Inout,
        };
        Dependence { variable: address as u64, kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(words: &[usize], expected: &[Dependence]) {
        // SAFETY: `words` is a list as gcc lays it out, with as many words as its counts say.
        let list = List::read(unsafe { Dependences::at(words.as_ptr().addr()) });
        assert!((0..list.all).map(|i| list.dependence(i)).eq(expected.iter().copied()), "{words:?}");
    }

    fn of(variable: u64, kind: DependenceKind) -> Dependence {
        Dependence { variable, kind }
    }

    #[test]
    fn both_layouts_and_dependence_objects_are_understood() {
        use DependenceKind::*;
        holds(&[3, 1, 100, 200, 300], &[of(100, Inout), of(200, In), of(300, In)]);
        let objects = [[500_usize, 1], [600, 5]];
        let object = |i: usize| objects[i].as_ptr() as usize;
        let words = [0, 5, 1, 1, 1, 100, 200, 300, object(0), object(1)];
        let expected = [of(100, Inout), of(200, Mutexinoutset), of(300, In), of(500, In), of(600, Inoutset)];
        holds(&words, &expected);
        holds(&[0, 0, 0, 0, 0], &[]);
    }
}
