//! What a thread executes, inside of what: a stack of tasks, suspensions and creations, and where the time goes.
//!
//! At each event the time since the last one is charged to what is on top of the stack. So a task's execution has no
//! suspension in it, no creation, and no other task that ran meanwhile.

use super::books::{Books, Wait};
use super::layout::place;
use super::pool::{Created, Executed, Pool, Word};
use crate::roll::add;

/// What can be nested. One level of tasks takes two: the task, and the suspension in which the next one runs.
const FRAMES: usize = 1024;

#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Creation = 0,
    Execution = 1,
    Suspension = 2,
}

/// All zero is a frame, too.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: Kind,
    /// Of an execution: its creation is known.
    known: bool,
    taskloop: bool,
    children: u32,
    suspensions: u32,
    /// The task that is executed.
    id: u64,
    /// Time charged.
    own: u64,
    begun: u64,
    created: Created,
    suspension: u64,
    idle: u64,
    /// Of an execution: when its body was done; 0: it is not.
    finished: u64,
    /// Of a creation: where.
    place: u64,
}

const NOTHING: Frame = Frame {
    kind: Kind::Creation,
    known: false,
    taskloop: false,
    children: 0,
    suspensions: 0,
    id: 0,
    own: 0,
    begun: 0,
    created: Created { at: 0, place: 0, level: 0, instance: 0 },
    suspension: 0,
    idle: 0,
    finished: 0,
    place: place::UNKNOWN,
};

/// A thread's stack. All zero is an empty one.
#[derive(Debug)]
pub(super) struct Nesting {
    frames: [Frame; FRAMES],
    depth: usize,
    /// Frames that found no room.
    beyond: usize,
    /// Up to here, time has been charged.
    mark: u64,
    /// A task that was created to run at once, which comes next; 0: there is none.
    next: u64,
    next_created: Created,
    /// Nothing happened since this thread looked for a task.
    looking: bool,
}

impl Nesting {
    /// Nothing is executed any more.
    pub(super) fn clear(&mut self) {
        (self.depth, self.beyond, self.next, self.looking) = (0, 0, 0, false);
    }

    /// What the collector itself did until now is nobody's time.
    pub(super) fn resume(&mut self, at: u64) {
        self.mark = at;
    }

    /// BEGIN_CREATE_TASK.
    pub(super) fn begin_create(&mut self, at: u64) {
        self.charge(at);
        self.push(Frame { kind: Kind::Creation, begun: at, ..NOTHING });
    }

    /// The creation that has begun is at this place.
    pub(super) fn creating(&mut self, place: u64, taskloop: bool) {
        if self.beyond == 0
            && let Some(top) = self.top()
        {
            (top.place, top.taskloop) = (place, taskloop);
        }
    }

    /// END_CREATE_TASK_IMM or END_CREATE_TASK_DEL.
    pub(super) fn end_create(&mut self, books: &mut Books, pool: &Pool, at: u64, at_once: bool, ids: [u64; 2]) {
        let [id, parent] = ids;
        self.charge(at);
        let creation = self.pop(Kind::Creation);
        let level = self.give_birth(pool, books, parent);
        let frame = creation.unwrap_or(NOTHING);
        // A chunk of another taskloop, which this thread runs while it waits in its own.
        let foreign = frame.taskloop && self.current().is_some_and(|current| current.id != parent);
        let place = if foreign { place::CHUNK } else { frame.place };
        let mut created = Created { at, place, level, instance: 0 };
        created.instance = books.created(id, parent, created, frame.own, at_once);
        if at_once {
            (self.next, self.next_created) = (id, created);
        } else {
            announce(books, pool, id, created);
        }
    }

    /// The current task has one more child; that one's level.
    fn give_birth(&mut self, pool: &Pool, books: &mut Books, parent: u64) -> u16 {
        let Some(current) = self.current().filter(|current| current.id == parent) else { return 1 };
        current.children += 1;
        // Its creation may have ended by now.
        if !current.known
            && let Some(created) = told(pool, parent)
        {
            (current.known, current.created) = (true, created);
            books.started(created, current.begun, Wait::Early);
        }
        current.created.level.saturating_add(1)
    }

    /// BEGIN_EXEC_TASK.
    pub(super) fn begin_execution(&mut self, books: &mut Books, pool: &Pool, at: u64, id: u64) {
        let looked = at.saturating_sub(self.mark);
        let looking = self.looking;
        self.charge(at);
        let at_once = id != 0 && std::mem::take(&mut self.next) == id;
        let created = if at_once {
            books.started(self.next_created, at, Wait::None);
            Some(self.next_created)
        } else {
            if looking {
                books.slot().fetches.put(looked);
            }
            claim(books, pool, at, id)
        };
        let (known, created) = (created.is_some(), created.unwrap_or_default());
        if !self.push(Frame { kind: Kind::Execution, id, begun: at, known, created, ..NOTHING }) {
            books.count(|slot| &slot.too_deep);
        }
    }

    /// BEGIN_FINISH_TASK.
    pub(super) fn begin_finish(&mut self, at: u64) {
        self.charge(at);
        if self.beyond == 0 {
            self.unwind(Kind::Execution);
            if let Some(top) = self.top().filter(|top| top.kind == Kind::Execution) {
                // What is charged from here on is not execution.
                top.finished = at.max(1);
            }
        }
    }

    /// END_FINISH_TASK.
    pub(super) fn end_finish(&mut self, books: &mut Books, pool: &Pool, at: u64) {
        self.charge(at);
        self.looking = true;
        let Some(frame) = self.pop(Kind::Execution) else { return };
        let cleanup = if frame.finished == 0 { 0 } else { at.saturating_sub(frame.finished) };
        let execution = frame.own;
        books.served(execution);
        let executor = books.executor();
        let executed = Executed { execution, suspension: frame.suspension, children: frame.children, executor };
        let suspended = frame.suspensions > 0;
        if let Some(created) = frame.known.then_some(frame.created).or_else(|| settle(books, pool, &frame, executed)) {
            books.executed(created, executed, suspended);
            books.ended(created, cleanup, frame.idle);
        }
    }

    /// BEGIN_SUSPEND_TASK.
    pub(super) fn begin_suspension(&mut self, at: u64) {
        self.charge(at);
        self.push(Frame { kind: Kind::Suspension, begun: at, ..NOTHING });
        self.looking = true;
    }

    /// END_SUSPEND_TASK.
    pub(super) fn end_suspension(&mut self, books: &Books, at: u64) {
        self.charge(at);
        let Some(frame) = self.pop(Kind::Suspension) else { return };
        add(&books.slot().idle, frame.own);
        if let Some(task) = self.top().filter(|top| top.kind == Kind::Execution) {
            task.suspensions += 1;
            task.suspension += at.saturating_sub(frame.begun);
            task.idle += frame.own;
        }
    }

    fn charge(&mut self, at: u64) {
        let took = at.saturating_sub(self.mark);
        self.mark = at;
        self.looking = false;
        if let Some(top) = self.top()
            && top.finished == 0
        {
            top.own += took;
        }
    }

    fn top(&mut self) -> Option<&mut Frame> {
        self.frames.get_mut(self.depth.checked_sub(1)?)
    }

    /// The explicit task that is being executed.
    fn current(&mut self) -> Option<&mut Frame> {
        let frames = self.frames.get_mut(..self.depth)?;
        frames.iter_mut().rev().find(|frame| frame.kind == Kind::Execution)
    }

    fn push(&mut self, frame: Frame) -> bool {
        match self.frames.get_mut(self.depth).filter(|_| self.beyond == 0) {
            Some(free) => {
                *free = frame;
                self.depth += 1;
                true
            }
            None => {
                self.beyond += 1;
                false
            }
        }
    }

    /// Drops what was left open (a jump went past it) inside of the innermost frame of this kind.
    fn unwind(&mut self, kind: Kind) -> bool {
        let open = self.frames.get(..self.depth).unwrap_or_default();
        match open.iter().rposition(|frame| frame.kind == kind) {
            Some(found) => {
                self.depth = found + 1;
                true
            }
            None => false,
        }
    }

    fn pop(&mut self, kind: Kind) -> Option<Frame> {
        if self.beyond > 0 {
            self.beyond -= 1;
            return None;
        }
        if !self.unwind(kind) {
            return None;
        }
        self.depth -= 1;
        self.frames.get(self.depth).copied()
    }
}

/// The creating thread's word.
fn announce(books: &mut Books, pool: &Pool, id: u64, created: Created) {
    let mut over = None;
    let kept = pool.update(id, |word| match word {
        Some(Word::Started) => Some(Word::Told(created)),
        Some(Word::Executed(executed)) => {
            over = Some(executed);
            None
        }
        _ => Some(Word::Created(created)),
    });
    if !kept {
        books.count(|slot| &slot.forgotten);
    }
    if let Some(executed) = over {
        books.started(created, created.at, Wait::Early);
        books.executed(created, executed, executed.suspension > 0);
    }
}

/// The executing thread asks for the creating thread's word, or leaves its own.
fn claim(books: &mut Books, pool: &Pool, at: u64, id: u64) -> Option<Created> {
    let mut found = None;
    pool.update(id, |word| match word {
        Some(Word::Created(created)) => {
            found = Some(created);
            None
        }
        None => Some(Word::Started),
        // The same id once more: nobody knows how.
        other => other,
    });
    let created = found?;
    let wait = at.checked_sub(created.at).map_or(Wait::Negative, Wait::Took);
    books.started(created, at, wait);
    Some(created)
}

/// What the creating thread said since the execution began.
fn told(pool: &Pool, id: u64) -> Option<Created> {
    let mut found = None;
    pool.update(id, |word| match word {
        Some(Word::Told(created)) => {
            found = Some(created);
            None
        }
        other => other,
    });
    found
}

/// At the end of an execution whose creation was unknown at its begin: takes the creating thread's word, or leaves the result.
fn settle(books: &mut Books, pool: &Pool, frame: &Frame, executed: Executed) -> Option<Created> {
    let mut found = None;
    let mut left = false;
    pool.update(frame.id, |word| match word {
        Some(Word::Told(created)) => {
            found = Some(created);
            None
        }
        Some(Word::Started) => {
            left = true;
            Some(Word::Executed(executed))
        }
        other => other,
    });
    match found {
        Some(created) => books.started(created, frame.begun, Wait::Early),
        None if !left => books.count(|slot| &slot.forgotten),
        None => {}
    }
    found
}
