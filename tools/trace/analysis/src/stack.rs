//! Open slices of a thread, the outermost first.

use crate::held::Held;
use crate::{Slice, Thread, What};

/// An open slice.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Index of the slice among the thread's slices.
    slice: usize,
    /// Key of the task that the thread executes in it; 0: none has started.
    task: u64,
    /// Index of the wait that it is or is inside of, without a task between them.
    wait: Option<usize>,
    /// Number of barriers that an implicit task has reached.
    barriers: u32,
}

/// Open slices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    /// Those that nest. Mutexes are not among them: a thread may hold very many, and release them in any order.
    open: Vec<Open>,
    held: Held,
}

impl Stack {
    /// Starts a slice, and returns its index among the thread's slices. `key`: of the task that starts with it; 0 if none does.
    pub(crate) fn push(&mut self, thread: &mut Thread, slice: Slice, key: u64) -> usize {
        let index = thread.slices.len();
        let depth = self.innermost(thread).map_or(0, |around| around.depth.saturating_add(1));
        thread.slices.push(Slice { depth, end_ns: u64::MAX, ..slice });
        if matches!(slice.what, What::Mutex(_)) {
            self.held.acquire(slice.id, index);
        } else {
            let (task, wait) = self.open.last().map_or((0, None), |outer| (outer.task, outer.wait));
            let wait = match slice.what {
                What::Wait(_) => Some(index),
                What::Task | What::Implicit | What::Before => None,
                _ => wait,
            };
            self.open.push(Open { slice: index, task: if key == 0 { task } else { key }, wait, barriers: 0 });
        }
        index
    }

    /// Ends the innermost slice that `is_it` accepts, and those inside it. `None` if there is none.
    pub(crate) fn pop(&mut self, thread: &mut Thread, now_ns: u64, is_it: impl Fn(&Slice) -> bool) -> Option<Slice> {
        let found = self.open.iter().rposition(|open| thread.slices.get(open.slice).is_some_and(&is_it))?;
        let slice = self.open.get(found)?.slice;
        self.close_after(thread, now_ns, found);
        thread.slices.get(slice).copied()
    }

    /// Ends the innermost slice if it is a wait for a mutex and the thread does something else: it was a test of a lock that wasn't
    /// free. Such a test does not report its end, and is not a wait.
    pub(crate) fn end_test(&mut self, thread: &mut Thread) {
        let slice = self.last().and_then(|last| thread.slices.get_mut(last));
        if let Some(slice) = slice.filter(|slice| matches!(slice.what, What::MutexWait(_))) {
            slice.end_ns = slice.begin_ns;
            self.open.pop();
        }
    }

    /// Ends the slices inside the innermost one that `is_it` accepts, or all if there is none.
    pub(crate) fn pop_down_to(&mut self, thread: &mut Thread, now_ns: u64, is_it: impl Fn(&Slice) -> bool) {
        let found = self.open.iter().rposition(|open| thread.slices.get(open.slice).is_some_and(&is_it));
        self.close_after(thread, now_ns, found.map_or(0, |found| found + 1));
    }

    /// Ends the open slices from a position on. Mutexes inside them are still held.
    fn close_after(&mut self, thread: &mut Thread, now_ns: u64, position: usize) {
        let Some(first) = self.open.get(position) else { return };
        for mutex in self.held.outlive(first.slice) {
            if let Some(slice) = thread.slices.get_mut(mutex) {
                slice.is_apart = true;
            }
        }
        while self.open.len() > position {
            let Some(open) = self.open.pop() else { return };
            let Some(slice) = thread.slices.get_mut(open.slice) else { continue };
            slice.end_ns = now_ns;
            if slice.what == What::Task {
                let length_ns = slice.length_ns();
                self.count_busy(thread, length_ns);
            }
        }
    }

    /// Adds the time of a task to the wait that it was executed in.
    fn count_busy(&self, thread: &mut Thread, length_ns: u64) {
        let wait = self.open.last().and_then(|open| thread.slices.get_mut(open.wait?));
        wait.into_iter().for_each(|wait| wait.busy_ns = wait.busy_ns.saturating_add(length_ns));
    }

    /// Releases a mutex.
    pub(crate) fn release(&mut self, thread: &mut Thread, now_ns: u64, wait_id: u64) {
        let last = self.last();
        let Some(index) = self.held.release(wait_id) else { return };
        let is_inner = last == Some(index);
        if let Some(slice) = thread.slices.get_mut(index) {
            (slice.end_ns, slice.is_apart) = (now_ns, !is_inner);
        }
    }

    /// Ends all slices.
    pub(crate) fn close(&mut self, thread: &mut Thread, now_ns: u64) {
        self.close_after(thread, now_ns, 0);
        for slice in self.held.release_all() {
            if let Some(slice) = thread.slices.get_mut(slice) {
                slice.end_ns = now_ns;
            }
        }
    }

    /// True if a slice that `is_it` accepts is open.
    pub(crate) fn has(&self, thread: &Thread, is_it: impl Fn(&Slice) -> bool) -> bool {
        self.open.iter().any(|open| thread.slices.get(open.slice).is_some_and(&is_it))
    }

    /// True if the thread waits, and does nothing else within that wait.
    pub(crate) fn is_waiting(&self) -> bool {
        self.open.last().is_some_and(|open| open.wait.is_some())
    }

    /// True if no slice is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.last().is_none()
    }

    /// Ids of the open regions.
    pub(crate) fn regions<'s>(&'s self, thread: &'s Thread) -> impl Iterator<Item = u64> + 's {
        let open = self.open.iter().filter_map(|open| thread.slices.get(open.slice));
        open.filter(|slice| slice.what == What::Region).map(|slice| slice.id)
    }

    /// The innermost open slice.
    pub(crate) fn innermost<'t>(&self, thread: &'t Thread) -> Option<&'t Slice> {
        thread.slices.get(self.last()?)
    }

    /// Index of the innermost open slice.
    fn last(&self) -> Option<usize> {
        self.open.last().map(|open| open.slice).max(self.held.innermost())
    }

    /// Key of the task that the thread executes.
    pub(crate) fn task(&self) -> Option<u64> {
        self.open.last().map(|open| open.task).filter(|key| *key != 0)
    }

    /// Region of the innermost implicit task, and the number of the barrier that it reaches.
    pub(crate) fn next_barrier(&mut self, thread: &Thread) -> Option<(u64, u32)> {
        for open in self.open.iter_mut().rev() {
            let slice = thread.slices.get(open.slice)?;
            if slice.what == What::Implicit {
                open.barriers += 1;
                return Some((slice.id, open.barriers));
            }
        }
        None
    }
}
