//! Expected state: the reference's session, the state of every thread, and the callbacks of the next step.
//!
//! A step of the runtime is a list of cues: the thread's new state, a begin, an end. The list is processed up to the next cue that reaches
//! a callback, and continues when that callback returns. So a callback may change the effects of later cues.

use crate::reference::{Capabilities, Here, Session, WaitId};
use std::collections::VecDeque;
use std::fmt::{self, Display, Formatter};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A part of a step, in order.
#[derive(Clone, Copy, Debug)]
pub enum Cue {
    /// The thread has a new state.
    Set(Here),
    /// A span begins, or an event without an end occurs. Its current subscription is kept in `token`.
    Begin {
        /// Number of the event.
        event: usize,
        /// All events of the span.
        all: &'static [usize],
        /// Index of the token.
        token: usize,
    },
    /// A span ends, for the subscription that was valid when it began.
    End {
        /// Number of the event.
        event: usize,
        /// Index of the begin cue's token.
        token: usize,
    },
}

/// Token that is never read.
pub const NEVER_READ: usize = 0;

/// Position of a worker between the bodies of regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The thread is not a worker, or not yet.
    Outside,
    /// The worker is in the pool of threads.
    Pooled,
    /// The worker is in a region's body.
    Body,
    /// The worker is in a region's last barrier, with the address of the region's record and the region's number.
    Barrier(usize, u64),
    /// The worker has left a region's last barrier by itself; the region's number.
    Left(u64),
}

/// State of one thread.
#[derive(Clone, Copy, Debug)]
pub struct ThreadModel {
    /// State of the thread for the reference.
    pub here: Here,
    /// Position as a worker.
    pub standing: Standing,
    /// True while it waits for another thread's steps.
    pub busy: bool,
    /// True while it is inside a callback.
    pub called_back: bool,
}

/// Number of threads: the initial thread, a worker, a thread without OpenMP, a new thread.
pub const THREADS: usize = 4;
/// Index of the worker.
pub const WORKER: usize = 1;
/// Index of the program's own thread.
pub const OTHER: usize = 2;
/// Index of the new thread.
pub const FRESH: usize = 3;

/// Totals over all files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Number of files.
    pub files: u64,
    /// Number of steps of those files.
    pub steps: u64,
    /// Number of entries that were handled in the files' own arrays.
    pub entries: u64,
    /// Number of entries in the queries after each step.
    pub probes: u64,
    /// Number of callbacks.
    pub callbacks: u64,
}

impl Display for Counts {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Self { files, steps, entries, probes, callbacks } = self;
        write!(f, "{files} files: {steps} steps, {entries} entries, {probes} entries of probes, {callbacks} callbacks")
    }
}

#[derive(Debug)]
struct Script {
    cues: VecDeque<Cue>,
    awaited: Option<(u64, usize)>,
}

/// The whole expected state.
#[derive(Debug)]
pub struct Model {
    /// Capabilities of the process.
    pub capabilities: Capabilities,
    /// State of the session.
    pub session: Session,
    /// States of the threads.
    pub threads: [ThreadModel; THREADS],
    /// Index of the running thread.
    pub current: usize,
    /// Programs of the callbacks, by number.
    pub programs: [Vec<u8>; crate::callbacks::CALLBACKS],
    /// Totals so far.
    pub counts: Counts,
    /// Number of further steps that may be costly (see [`Model::may_cost`]).
    pub costly: u8,
    /// Number of the last region.
    pub last_region: u64,
    /// Largest task id that each thread has assigned.
    pub task_ids: Vec<u64>,
    scripts: Vec<Script>,
    tokens: Vec<Option<u64>>,
    barriers: Vec<(u64, u64)>,
}

impl Model {
    /// Creates the initial state; `initial` is true if the first thread is the process's.
    pub fn new(capabilities: Capabilities, initial: bool) -> Self {
        let thread = |initial| ThreadModel {
            here: Here::serial(initial),
            standing: Standing::Outside,
            busy: false,
            called_back: false,
        };
        Self {
            capabilities,
            session: Session::default(),
            threads: [thread(initial), thread(false), thread(false), thread(false)],
            current: 0,
            programs: Default::default(),
            counts: Counts::default(),
            costly: 0,
            last_region: 0,
            task_ids: Vec::new(),
            scripts: Vec::new(),
            tokens: vec![None; 1 + 2 * THREADS],
            barriers: Vec::new(),
        }
    }

    /// True if another step may be costly, which uses up the file's budget: a step that makes the library read the list of mappings, or a
    /// fork. Few files have a budget.
    pub fn may_cost(&mut self) -> bool {
        let may = self.costly > 0;
        self.costly -= u8::from(may);
        may
    }

    /// Reduces the state to that of a forked child, in which only the forking thread exists.
    pub fn be_alone(&mut self) {
        let [_, worker, other, _] = &mut self.threads;
        (worker.busy, other.busy) = (true, true);
    }

    /// Resets the state that belongs to one file.
    pub fn reset(&mut self) {
        self.counts.files += 1;
        assert!(self.scripts.is_empty() && self.current == 0);
        self.tokens.truncate(1 + 2 * THREADS);
        self.programs.iter_mut().for_each(Vec::clear);
        self.barriers.clear();
        self.task_ids.clear();
    }

    /// Running thread.
    ///
    /// # Panics
    /// Never: there always is a running thread.
    pub fn thread(&mut self) -> &mut ThreadModel {
        self.threads.get_mut(self.current).expect("a thread has its turn")
    }

    /// State of the running thread for the reference.
    pub fn here(&mut self) -> Here {
        self.thread().here
    }

    /// Allocates a token.
    pub fn token(&mut self) -> usize {
        self.tokens.push(None);
        self.tokens.len() - 1
    }

    /// Index of the token of the current worker's idle span.
    pub fn idle_token(&self) -> usize {
        1 + self.current
    }

    /// Index of the token of the current worker's last barrier.
    pub fn last_barrier_token(&self) -> usize {
        1 + THREADS + self.current
    }

    /// Starts a step.
    pub fn open(&mut self, cues: Vec<Cue>) {
        self.scripts.push(Script { cues: cues.into(), awaited: None });
        self.advance();
    }

    /// Ends the step. All cues must have been processed.
    ///
    /// # Panics
    /// If a callback is missing.
    pub fn close(&mut self) {
        let script = self.scripts.pop().expect("a step is open");
        assert!(script.awaited.is_none(), "the callback for {:?} did not come", script.awaited);
    }

    /// Takes the callback that is due; returns the address that was registered for it.
    pub fn due(&mut self, event: i32) -> Option<u64> {
        self.counts.callbacks += 1;
        let awaited = self.scripts.last_mut()?.awaited.take()?;
        (usize::try_from(event) == Ok(awaited.1)).then_some(awaited.0)
    }

    /// Advances to the next cue that reaches a callback.
    pub fn advance(&mut self) {
        while let Some(cue) = self.scripts.last_mut().and_then(|script| script.cues.pop_front()) {
            let awaited = self.follow(cue);
            if let Some(script) = self.scripts.last_mut()
                && awaited.is_some()
            {
                script.awaited = awaited;
                return;
            }
        }
    }

    fn follow(&mut self, cue: Cue) -> Option<(u64, usize)> {
        let hears = !self.thread().called_back;
        match cue {
            Cue::Set(here) => {
                self.thread().here = self.with_barrier(here);
                None
            }
            Cue::Begin { event, all, token } => {
                let heard = hears && all.iter().any(|event| self.session.callback_of(*event) != 0);
                if let Some(place) = self.tokens.get_mut(token) {
                    *place = heard.then_some(self.session.number);
                }
                Some((self.session.callback_of(event), event)).filter(|(address, _)| heard && *address != 0)
            }
            Cue::End { event, token } => {
                let heard = hears && self.tokens.get(token) == Some(&Some(self.session.number));
                Some((self.session.callback_of(event), event)).filter(|(address, _)| heard && *address != 0)
            }
        }
    }

    fn with_barrier(&self, here: Here) -> Here {
        let known = self.barriers.iter().find(|(region, _)| *region == here.region);
        match (here.wait, known) {
            (WaitId::Unseen, Some((_, id))) => Here { wait: WaitId::Known(*id), ..here },
            _ => here,
        }
    }

    /// Records the id of the barrier that the thread waits in.
    ///
    /// # Panics
    /// If another region's barrier has this id.
    pub fn record_id(&mut self, id: u64) {
        let region = self.here().region;
        let other = self.barriers.iter().find(|(_, other)| *other == id);
        assert!(id != 0 && other.is_none(), "barrier {id:#x} is {region}'s, and was {other:?}");
        self.barriers.push((region, id));
        for at in 0..THREADS {
            if let Some(here) = self.threads.get(at).map(|thread| self.with_barrier(thread.here))
                && let Some(thread) = self.threads.get_mut(at)
            {
                thread.here = here;
            }
        }
    }

    /// Ends a region: workers that left its body by themselves are in the pool.
    pub fn end_region(&mut self, region: u64) {
        for thread in &mut self.threads {
            if thread.standing == Standing::Left(region) {
                thread.here = Here { state: 5, wait: WaitId::Known(0), region: 0, parent: None, ..thread.here };
            }
        }
    }
}

static STAGE: Mutex<Option<Model>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<Model>> {
    STAGE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `look` with the expected state. The state is not locked while the library is called.
///
/// # Panics
/// If the state has not been set.
pub fn with<R>(look: impl FnOnce(&mut Model) -> R) -> R {
    look(lock().as_mut().expect("the model is set"))
}

/// Sets the expected state.
pub fn set(model: Model) {
    *lock() = Some(model);
}
