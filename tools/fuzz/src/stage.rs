//! What is expected: the reference's session, what every thread does, and which callbacks the next step brings.
//!
//! A step of the runtime is a script of cues: the thread's new situation, a begin, an end. The script runs up to the next cue
//! that reaches a callback, and goes on when that callback returns; so a callback may change what follows.

use crate::reference::{Here, Session, Supply, WaitId};
use std::collections::VecDeque;
use std::fmt::{self, Display, Formatter};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What happens in a step, in order.
#[derive(Clone, Copy, Debug)]
pub enum Cue {
    /// The thread is in another situation.
    Set(Here),
    /// A span begins, or an event without an end happens: who could hear it is kept in `token`.
    Begin {
        /// The event.
        event: usize,
        /// All events of the span.
        all: &'static [usize],
        /// Place for the token.
        token: usize,
    },
    /// A span ends, for whoever could hear its begin.
    End {
        /// The event.
        event: usize,
        /// Where its begin's token is.
        token: usize,
    },
}

/// A token that nobody reads.
pub const NOBODY: usize = 0;

/// Where a worker stands between regions' bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Not a worker, or not yet.
    Outside,
    /// In the pool.
    Pooled,
    /// In a region's body.
    Body,
    /// In a region's last barrier; its address and number.
    Barrier(usize, u64),
    /// As before, but on its own; the region's number.
    Left(u64),
}

/// One thread.
#[derive(Clone, Copy, Debug)]
pub struct Actor {
    /// What it does.
    pub here: Here,
    /// Where it stands as a worker.
    pub standing: Standing,
    /// It waits for another thread's steps.
    pub busy: bool,
    /// It is inside of a callback.
    pub called_back: bool,
}

/// Threads by number: the first one of the process, a worker, one that OpenMP doesn't know, one that was just made.
pub const ACTORS: usize = 4;
/// The worker.
pub const WORKER: usize = 1;
/// The thread of the program's own.
pub const OTHER: usize = 2;
/// The thread that was just made.
pub const FRESH: usize = 3;

/// How much has been done in all files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Files.
    pub files: u64,
    /// Steps of those files.
    pub steps: u64,
    /// Entries that were handled in the arrays that the files ask for.
    pub entries: u64,
    /// Entries in the arrays that ask after each step what can be asked.
    pub probes: u64,
    /// Callbacks that came.
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

/// Everything expected.
#[derive(Debug)]
pub struct Stage {
    /// What the process has to offer.
    pub supply: Supply,
    /// The session.
    pub session: Session,
    /// The threads.
    pub actors: [Actor; ACTORS],
    /// Whose turn it is.
    pub current: usize,
    /// What callbacks do, by number.
    pub programs: [Vec<u8>; crate::callbacks::CALLBACKS],
    /// What has been done so far.
    pub counts: Counts,
    /// How many more steps may be costly (see [`Stage::may_cost`]).
    pub costly: u8,
    /// The last region's id.
    pub last_region: u64,
    /// The largest task id that each thread has given.
    pub task_ids: Vec<u64>,
    scripts: Vec<Script>,
    tokens: Vec<Option<u64>>,
    barriers: Vec<(u64, u64)>,
}

impl Stage {
    /// An empty one; `initial` says whether the first thread is the process's.
    pub fn new(supply: Supply, initial: bool) -> Self {
        let actor = |initial| Actor {
            here: Here::serial(initial),
            standing: Standing::Outside,
            busy: false,
            called_back: false,
        };
        Self {
            supply,
            session: Session::default(),
            actors: [actor(initial), actor(false), actor(false), actor(false)],
            current: 0,
            programs: Default::default(),
            counts: Counts::default(),
            costly: 0,
            last_region: 0,
            task_ids: Vec::new(),
            scripts: Vec::new(),
            tokens: vec![None; 1 + 2 * ACTORS],
            barriers: Vec::new(),
        }
    }

    /// Whether one more step may take longer than a whole file does else: one that makes the library read the list of
    /// mappings, or a fork. Few files have a few.
    pub fn may_cost(&mut self) -> bool {
        let may = self.costly > 0;
        self.costly -= u8::from(may);
        may
    }

    /// This is a forked child: it has the forking thread alone.
    pub fn be_alone(&mut self) {
        let [_, worker, other, _] = &mut self.actors;
        (worker.busy, other.busy) = (true, true);
    }

    /// Forgets what only one file is about.
    pub fn reset(&mut self) {
        self.counts.files += 1;
        assert!(self.scripts.is_empty() && self.current == 0);
        self.tokens.truncate(1 + 2 * ACTORS);
        self.programs.iter_mut().for_each(Vec::clear);
        self.barriers.clear();
        self.task_ids.clear();
    }

    /// The thread whose turn it is.
    ///
    /// # Panics
    /// Never: there is one.
    pub fn actor(&mut self) -> &mut Actor {
        self.actors.get_mut(self.current).expect("a thread has its turn")
    }

    /// What the calling thread does.
    pub fn here(&mut self) -> Here {
        self.actor().here
    }

    /// A place for a token.
    pub fn token(&mut self) -> usize {
        self.tokens.push(None);
        self.tokens.len() - 1
    }

    /// The place for the token of the current worker's idle span.
    pub fn idle_token(&self) -> usize {
        1 + self.current
    }

    /// The place for the token of the current worker's last barrier.
    pub fn last_barrier_token(&self) -> usize {
        1 + ACTORS + self.current
    }

    /// A step begins.
    pub fn open(&mut self, cues: Vec<Cue>) {
        self.scripts.push(Script { cues: cues.into(), awaited: None });
        self.advance();
    }

    /// The step is over: nothing may be left.
    ///
    /// # Panics
    /// If a callback is missing.
    pub fn close(&mut self) {
        let script = self.scripts.pop().expect("a step is open");
        assert!(script.awaited.is_none(), "the callback for {:?} did not come", script.awaited);
    }

    /// A callback has come: the address that was registered for it, if it was due.
    pub fn due(&mut self, event: i32) -> Option<u64> {
        self.counts.callbacks += 1;
        let awaited = self.scripts.last_mut()?.awaited.take()?;
        (usize::try_from(event) == Ok(awaited.1)).then_some(awaited.0)
    }

    /// Goes on to the next cue that reaches a callback.
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
        let hears = !self.actor().called_back;
        match cue {
            Cue::Set(here) => {
                self.actor().here = self.with_barrier(here);
                None
            }
            Cue::Begin { event, all, token } => {
                let heard = hears && all.iter().any(|event| self.session.hears(*event) != 0);
                if let Some(place) = self.tokens.get_mut(token) {
                    *place = heard.then_some(self.session.number);
                }
                Some((self.session.hears(event), event)).filter(|(address, _)| heard && *address != 0)
            }
            Cue::End { event, token } => {
                let heard = hears && self.tokens.get(token) == Some(&Some(self.session.number));
                Some((self.session.hears(event), event)).filter(|(address, _)| heard && *address != 0)
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

    /// The id of the barrier that the thread waits in has been seen.
    ///
    /// # Panics
    /// If it is the id of another region's barrier.
    pub fn learn(&mut self, id: u64) {
        let region = self.here().region;
        let other = self.barriers.iter().find(|(_, other)| *other == id);
        assert!(id != 0 && other.is_none(), "barrier {id:#x} is {region}'s, and was {other:?}");
        self.barriers.push((region, id));
        for at in 0..ACTORS {
            if let Some(here) = self.actors.get(at).map(|actor| self.with_barrier(actor.here))
                && let Some(actor) = self.actors.get_mut(at)
            {
                actor.here = here;
            }
        }
    }

    /// The region is over: workers that left its body on their own are in the pool.
    pub fn end_region(&mut self, region: u64) {
        for actor in &mut self.actors {
            if actor.standing == Standing::Left(region) {
                actor.here = Here { state: 5, wait: WaitId::Known(0), region: 0, parent: None, ..actor.here };
            }
        }
    }
}

static STAGE: Mutex<Option<Stage>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<Stage>> {
    STAGE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks at the stage. Not held while anything real is called.
///
/// # Panics
/// If nothing has been set up.
pub fn with<R>(look: impl FnOnce(&mut Stage) -> R) -> R {
    look(lock().as_mut().expect("the stage is set"))
}

/// Sets the stage.
pub fn set(stage: Stage) {
    *lock() = Some(stage);
}
