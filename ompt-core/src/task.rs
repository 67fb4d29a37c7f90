//! Tasks: who a thread's current task is, and who created it.
//!
//! A task's record lives wherever its host finds room; a thread points to the one it executes, so that a query finds id and
//! parent of the same task.

use crate::dispatch::Token;
use crate::event::{Event, EventSet};
use crate::slab::Zeroed;
use crate::state::State;
use crate::thread::Thread;
use std::sync::atomic::{AtomicU64, Ordering::*};

/// One task: explicit, implicit or initial.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Task {
    id: AtomicU64,
    parent: AtomicU64,
}

#[allow(unsafe_code)]
// SAFETY: atomics only, for which zero is a value.
unsafe impl Zeroed for Task {}

/// Ids are handed to threads in blocks, so that creating a task shares no cache line.
const BLOCK: u64 = 256;
static LAST_BLOCK: AtomicU64 = AtomicU64::new(0);

/// The three events around a creation.
const CREATION: EventSet =
    EventSet::of(&[Event::TaskCreateBegin, Event::TaskCreateEndImmediate, Event::TaskCreateEndDeferred]);

/// A creation that has begun.
#[derive(Clone, Copy, Debug)]
#[must_use = "a creation that began has to end"]
pub struct Creation {
    token: Token,
    now: u64,
}

impl Creation {
    /// The creation as words, for a host whose runtime keeps it. The first one is not 0.
    pub fn into_words(self) -> [u64; 6] {
        [1, self.token.bits(), self.now, 0, 0, 0]
    }

    /// The creation that [`into_words`](Self::into_words) came from; `None` for zeros.
    pub fn from_words([begun, token, now, ..]: [u64; 6]) -> Option<Self> {
        (begun != 0).then(|| Self { token: Token::from_bits(token), now })
    }
}

impl Task {
    /// The task's id, from 1.
    pub fn id(&self) -> u64 {
        self.id.load(Relaxed)
    }

    /// The id of the task that created it, or 0.
    pub fn parent(&self) -> u64 {
        self.parent.load(Relaxed)
    }
}

impl Thread {
    /// This, the calling thread, starts to create a task.
    pub fn begin_creation(&'static self) -> Creation {
        let now = self.switch_to(State::TaskCreate);
        Creation { token: self.begin_one_of(Event::TaskCreateBegin, CREATION), now }
    }

    /// The creation is done: the new task runs at once, or is queued. While that is told, the new task is the current one.
    pub fn end_creation(&'static self, task: &'static Task, immediate: bool, creation: Creation) {
        let end = if immediate { Event::TaskCreateEndImmediate } else { Event::TaskCreateEndDeferred };
        let current = self.current_task();
        self.set_current_task(Some(task));
        self.end_with(end, creation.token);
        self.set_current_task(current);
        self.resume(creation.now);
    }

    /// Gives a task that the current one creates its id and parent.
    pub fn name_task(&'static self, task: &Task) {
        task.parent.store(self.current_task().map_or(0, Task::id), Relaxed);
        task.id.store(self.next_task_id(), Relaxed);
    }

    /// The task becomes the thread's current one; the one before is returned.
    pub fn switch_task(&'static self, task: Option<&'static Task>) -> Option<&'static Task> {
        let before = self.current_task();
        self.set_current_task(task);
        before
    }

    fn next_task_id(&self) -> u64 {
        let next = self.task_ids().load(Relaxed);
        let next = if next.is_multiple_of(BLOCK) { LAST_BLOCK.fetch_add(1, Relaxed) * BLOCK } else { next };
        self.task_ids().store(next + 1, Relaxed);
        next + 1
    }
}
