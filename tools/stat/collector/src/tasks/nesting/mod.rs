//! Stack of the tasks, suspensions and creations that a thread is in, and the time that is charged to each.
//!
//! Each event charges the time since the previous one to the top of the stack. So a task's execution contains no
//! suspension, no creation, and no other task that ran meanwhile.

use ora_client::Words;

use super::frames::{Frame, Frames, Kind, NOTHING};
use super::handover::{announce, claim, settle, take_created};
use super::pool::{Created, Executed, Pool};
use super::thread_sums::{Creation, ThreadSums, Wait};
use stat_layout::loaded::place;
use stat_layout::process_table::add;

mod at_once;

pub(super) use at_once::Begun;

/// Placeholder for the id of an undeferred task, which concerns only its creator: others need the id only if it
/// creates tasks itself.
const UNNAMED: u64 = u64::MAX;

/// The meaning of the last event for the time since then.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Since {
    /// Nothing.
    Other = 0,
    /// This thread looked for a task.
    Looking = 1,
}

/// A thread's stack. All zero is an empty stack.
#[derive(Debug)]
pub(super) struct Nesting {
    frames: Frames,
    /// Time up to which everything has been charged.
    mark: u64,
    /// An undeferred task that was created and comes next; 0 if there is none. [`UNNAMED`]: its id was not requested.
    next: u64,
    next_created: Created,
    /// The last creation, if its frame did not fit.
    beyond: Frame,
    since: Since,
    /// The thread's words in the library; `None` where there are none.
    words: Option<&'static Words>,
    /// The library's count of waits for nothing, as far as they have been counted here.
    waits: u64,
    /// Regions that it has forked inside a task, and has not joined: tasks created there do not belong to that task.
    inner: u32,
}

impl Nesting {
    /// A thread with these words begins: nothing is executed.
    pub(super) fn begin(&mut self, words: Option<&'static Words>) {
        self.frames.clear();
        (self.next, self.since, self.inner) = (0, Since::Other, 0);
        (self.words, self.waits) = (words, words.map_or(0, Words::waits));
    }

    /// Skips time that the collector itself took after the last event, which is charged to no task.
    pub(super) fn skip(&mut self, took: u64) {
        self.mark += took;
    }

    /// Time up to which everything has been charged.
    #[inline(always)]
    pub(super) fn charged_until(&self) -> u64 {
        self.mark
    }

    /// True while a task is executed or created right now.
    #[inline(always)]
    pub(super) fn is_busy(&mut self) -> bool {
        self.frames.top().is_some_and(|top| matches!(top.kind, Kind::Execution | Kind::Creation))
    }

    /// True if an undeferred task that was created comes next.
    #[inline(always)]
    pub(super) fn runs_next(&self) -> bool {
        self.next != 0
    }

    /// The time at which the creation of that task had ended.
    #[inline(always)]
    pub(super) fn next_created_at(&self) -> u64 {
        self.next_created.at
    }

    /// FORK.
    pub(super) fn fork(&mut self) {
        self.inner = if self.frames.current().is_some() { self.inner + 1 } else { 0 };
    }

    /// JOIN.
    pub(super) fn join(&mut self) {
        self.inner = self.inner.saturating_sub(1);
    }

    /// BEGIN_CREATE_TASK. `id` returns the current task's id.
    pub(super) fn begin_create(&mut self, sums: &ThreadSums, at: u64, id: impl FnOnce() -> u64) {
        self.charge(at);
        let is_its = self.inner == 0;
        let current = self.frames.current().filter(|_| is_its).map_or((0, 0), |current| {
            if current.id == UNNAMED {
                current.id = id();
            }
            (current.id, current.created.level)
        });
        sums.creating(current.0, current.1.saturating_add(1));
        if !self.frames.push(Frame { kind: Kind::Creation, begun: at, ..NOTHING }) {
            self.beyond = Frame { kind: Kind::Creation, begun: at, ..NOTHING };
        }
    }

    /// Sets the place of the creation that has begun.
    pub(super) fn creating(&mut self, place: u64, taskloop: bool) {
        let overflown = self.frames.overflown();
        let creation = if overflown { Some(&mut self.beyond) } else { self.frames.top() };
        if let Some(creation) = creation {
            (creation.place, creation.taskloop) = (place, taskloop);
        }
    }

    /// END_CREATE_TASK_IMM or END_CREATE_TASK_DEL. `ids` returns the ids of the new task and its parent.
    pub(super) fn end_create(
        &mut self,
        sums: &mut ThreadSums,
        pool: &Pool,
        at: u64,
        at_once: bool,
        ids: impl FnOnce() -> [u64; 2],
    ) {
        self.charge(at);
        let overflown = self.frames.overflown();
        let otherwise = if overflown { &self.beyond } else { &NOTHING };
        let &Frame { place, taskloop, own, begun, .. } = self.frames.pop(Kind::Creation).unwrap_or(otherwise);
        let by_current = place >= place::FIRST_ADDRESS && !taskloop && !overflown && self.inner == 0;
        let (id, parent) = if at_once && by_current && sums.trusts_stack && !sums.wants_instances() {
            (UNNAMED, None)
        } else {
            let [id, parent] = ids();
            (id, Some(parent))
        };
        let level = self.give_birth(pool, sums, parent);
        if !at_once {
            self.note_queued();
        }
        let took = if overflown { at.saturating_sub(begun) } else { own };
        // A chunk of another taskloop, which this thread runs while it waits in its own.
        let foreign = taskloop && self.frames.current().is_some_and(|current| Some(current.id) != parent);
        let place = if foreign { place::CHUNK } else { place };
        let created = Created { at, place, level, instance: 0 };
        let is_chunk = taskloop || place == place::CHUNK;
        let instance = sums.created(id, parent.unwrap_or(0), created, Creation { took, at_once, is_chunk });
        if at_once {
            self.next = id;
            self.next_created = Created { at, place, level, instance };
        } else {
            announce(sums, pool, id, Created { instance, ..created });
        }
    }

    /// Adds a child to the current task and returns the child's level. `parent`: the task that must be the current
    /// one for that.
    fn give_birth(&mut self, pool: &Pool, sums: &mut ThreadSums, parent: Option<u64>) -> u32 {
        let is_parent = |current: &&mut Frame| parent.is_none_or(|parent| current.id == parent);
        let Some(current) = self.frames.current().filter(is_parent) else { return 1 };
        current.children += 1;
        // Its creation may have ended meanwhile.
        if !current.known
            && let Some(created) = take_created(pool, current.id)
        {
            (current.known, current.created) = (true, created);
            sums.started(created, current.begun, Wait::Early);
        }
        current.created.level.saturating_add(1)
    }

    /// BEGIN_EXEC_TASK. `id` returns the task's id. Returns false if the task's creation has not ended, and nothing
    /// is known about it.
    pub(super) fn begin_execution(
        &mut self,
        sums: &mut ThreadSums,
        pool: &Pool,
        at: u64,
        id: impl FnOnce() -> u64,
    ) -> bool {
        let looked = at.saturating_sub(self.mark);
        let looking = self.since == Since::Looking;
        self.charge(at);
        let next = std::mem::take(&mut self.next);
        let id = if next == UNNAMED { UNNAMED } else { id() };
        let created = if id != 0 && next == id {
            sums.started(self.next_created, at, Wait::None);
            Some(self.next_created)
        } else {
            let created = claim(sums, pool, at, id);
            if looking && let Some(created) = created {
                // It was not there before it was created: until then, the thread may have done anything.
                sums.slot().fetches.put(looked.min(at.saturating_sub(created.at)));
            }
            created
        };
        let (known, created) = (created.is_some(), created.unwrap_or_default());
        if !self.frames.push(Frame { kind: Kind::Execution, id, begun: at, known, created, ..NOTHING }) {
            sums.too_deep(known.then_some(created));
        }
        known
    }

    /// The task that begins, about whose creation nothing is known, was created by this one, which is still in that
    /// creation.
    pub(super) fn born_of(&mut self, sums: &mut ThreadSums, parent: u64) {
        if !self.frames.overflown()
            && let Some(top) = self.frames.top()
        {
            top.created.level = sums.level_below(parent);
        }
    }

    /// BEGIN_FINISH_TASK.
    pub(super) fn begin_finish(&mut self, at: u64) {
        self.charge(at);
        if !self.frames.overflown() {
            self.frames.unwind(Kind::Execution);
            if let Some(top) = self.frames.top().filter(|top| top.kind == Kind::Execution) {
                // Time charged from here on is not execution.
                top.finished = at.max(1);
            }
        }
    }

    /// END_FINISH_TASK.
    #[inline(never)]
    pub(super) fn end_finish(&mut self, sums: &mut ThreadSums, pool: &Pool, at: u64) {
        self.charge(at);
        self.since = Since::Looking;
        let Some(frame) = self.frames.pop(Kind::Execution) else { return };
        let cleanup = (frame.finished != 0).then(|| at.saturating_sub(frame.finished));
        let &Frame { id, begun, own: execution, suspension, children, idle, known, .. } = frame;
        let (created, suspended, queued, cell) = (frame.created, frame.suspensions > 0, frame.queued, frame.cell);
        if queued {
            self.note_queued();
        }
        sums.served(execution);
        let alone = sums.alone(execution, at);
        let executed = Executed { execution, suspension, children, executor: sums.executor() };
        if let Some(cell) = cell {
            cell.sampling.executed(execution);
        }
        if let Some(created) = known.then_some(created).or_else(|| settle(sums, pool, id, begun, executed)) {
            let cell = cell.or_else(|| sums.cell(created.place));
            sums.executed(created, executed, suspended, Some((cleanup, idle, alone)), cell);
        }
    }

    /// BEGIN_SUSPEND_TASK.
    pub(super) fn begin_suspension(&mut self, at: u64) {
        self.charge(at);
        self.frames.push(Frame { kind: Kind::Suspension, begun: at, ..NOTHING });
        self.since = Since::Looking;
    }

    /// END_SUSPEND_TASK.
    pub(super) fn end_suspension(&mut self, sums: &ThreadSums, at: u64) {
        self.charge(at);
        let Some(&Frame { own, begun, .. }) = self.frames.pop(Kind::Suspension) else { return };
        add(&sums.slot().idle, own);
        if let Some(task) = self.frames.top().filter(|top| top.kind == Kind::Execution) {
            task.suspensions += 1;
            task.suspension += at.saturating_sub(begun);
            task.idle += own;
        }
    }

    /// A task was queued in the current one, or inside it in an undeferred one.
    #[inline(always)]
    fn note_queued(&mut self) {
        if let Some(current) = self.frames.current() {
            current.queued = true;
        }
    }

    /// Counts the current task's waits for nothing since the last event.
    #[inline(always)]
    fn count_waits(&mut self) {
        let waits = self.words.map_or(0, Words::waits);
        if waits != self.waits
            && let Some(task) = self.frames.top()
        {
            task.suspensions = task.suspensions.saturating_add(1);
        }
        self.waits = waits;
    }

    #[inline(always)]
    fn charge(&mut self, at: u64) {
        self.count_waits();
        let took = at.saturating_sub(self.mark);
        self.mark = at;
        self.since = Since::Other;
        if let Some(top) = self.frames.top()
            && top.finished == 0
        {
            top.own += took;
        }
    }
}

#[cfg(test)]
mod tests;
