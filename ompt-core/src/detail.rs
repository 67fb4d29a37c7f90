//! What an event is about, beyond what the record of its thread says.

use crate::interface::{Face, Token};
use crate::now::Now;
use crate::task::Task;
use std::cell::Cell;

/// The particulars of one event, on its way to the faces.
#[derive(Clone, Copy, Debug)]
pub enum Detail<'a> {
    /// The thread's record says it all.
    None,
    /// [`TaskCreate`](crate::event::Event::TaskCreate).
    Create {
        /// The new task.
        task: &'static Task,
        /// The address of its outlined function.
        function: usize,
        /// Whether it has dependences.
        depends: bool,
    },
    /// [`TaskSwitch`](crate::event::Event::TaskSwitch).
    Switch {
        /// The task that the thread has executed.
        prior: &'static Task,
        /// What has become of it.
        status: Status,
        /// The task that it executes now.
        next: &'static Task,
        /// The wait that a new task interrupts, or that goes on where a task is over.
        wait: Interrupted,
    },
    /// [`ImplicitTaskBegin`](crate::event::Event::ImplicitTaskBegin) and its end, of the initial task of a target region on the
    /// host.
    Target {
        /// The task that encountered the target region.
        encountering: &'static Task,
        /// The wait that the target region interrupts, or that goes on behind it.
        wait: Interrupted,
    },
    /// [`Dependences`](crate::event::Event::Dependences).
    Dependences {
        /// The task that has them.
        task: &'static Task,
        /// All of them.
        list: &'a [Dependence],
    },
    /// [`TaskDependence`](crate::event::Event::TaskDependence).
    TaskDependence {
        /// The task that is not complete.
        first: &'static Task,
        /// The one that depends on it.
        second: &'static Task,
    },
    /// [`WorkBegin`](crate::event::Event::WorkBegin) and [`WorkEnd`](crate::event::Event::WorkEnd).
    Work {
        /// The construct.
        kind: Work,
        /// Iterations or sections in all.
        count: u64,
    },
    /// [`Dispatch`](crate::event::Event::Dispatch).
    Dispatch {
        /// [`Work::Loop`], [`Work::Sections`] or [`Work::Taskloop`].
        kind: Work,
        /// The chunk's first logical iteration, from 0; the number of the section, from 1.
        first: u64,
        /// How many iterations the chunk has; 1 for a section.
        iterations: u64,
    },
    /// The mutex events, those of nestable locks, and those of a lock's life.
    Mutex {
        /// What it is.
        kind: Mutex,
        /// Which one it is.
        wait_id: u64,
        /// The hint that the program gave (`omp_sync_hint_t`); 0 for none.
        hint: u32,
    },
    /// [`Cancel`](crate::event::Event::Cancel).
    Cancel {
        /// The construct.
        construct: Cancelled,
        /// What happens to it.
        act: CancelAct,
    },
    /// [`Control`](crate::event::Event::Control).
    Control {
        /// What the tool is to do.
        command: u64,
        /// How.
        modifier: u64,
        /// The program's own argument.
        argument: usize,
        /// What the tool answers.
        answer: &'a Cell<i32>,
    },
}

/// A wait in which the thread executes a task: its state, and who could hear that it began.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted {
    pub(crate) now: Now,
    heard: Token,
}

impl Interrupted {
    /// The wait of this state, and who could be notified of its begin.
    pub(crate) fn new(now: Now, heard: Token) -> Self {
        Self { now, heard }
    }

    /// No wait.
    pub const NONE: Self = Self { now: Now::UNSEEN, heard: Token::NONE };

    /// The sessions that could be notified of the wait's begin.
    pub(crate) fn heard(&self) -> Token {
        self.heard
    }

    /// True if the interface could be notified of the wait's begin, in the session of this epoch.
    pub(crate) fn was_heard(&self, face: Face, epoch: u32) -> bool {
        epoch != 0 && self.heard.of_face(face) == epoch
    }
}

/// Why a thread stops to execute a task for now, or for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The task is done.
    Complete,
    /// It was cancelled.
    Cancel,
    /// It is suspended.
    Switch,
    /// Its body is done, its event is not fulfilled yet.
    Detach,
    /// Its event was fulfilled before its body was done.
    EarlyFulfil,
    /// Its event was fulfilled after its body was done.
    LateFulfil,
    /// A taskwait with dependences is over.
    TaskwaitComplete,
}

/// A dependence of a task: `ompt_dependence_t` (OpenMP 5.0, 4.4.4.21).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The address of the variable; the number of the iteration for doacross loops.
    pub variable: u64,
    /// How the task uses it.
    pub kind: DependenceKind,
}

/// How a task uses a variable that it depends on: `ompt_dependence_type_t` (OpenMP 5.0, 4.4.4.22).
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependenceKind {
    /// `in`
    In = 1,
    /// `out`
    Out,
    /// `inout`
    Inout,
    /// `mutexinoutset`
    Mutexinoutset,
    /// `source` of a doacross loop
    Source,
    /// `sink` of a doacross loop
    Sink,
    /// `inoutset`
    Inoutset,
}

/// Constructs that share work out.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A loop of which nobody has said how it is scheduled.
    Loop = 1,
    /// Sections.
    Sections,
    /// A single region that another thread executes. (The executor's is a [span](crate::event::Span::SINGLE) of its own.)
    SingleOther,
    /// A scope region.
    Scope,
    /// A taskloop.
    Taskloop,
    /// A loop with a static schedule.
    LoopStatic,
    /// A loop with a dynamic schedule.
    LoopDynamic,
    /// A loop with a guided schedule.
    LoopGuided,
}

impl Work {
    /// All of them, in the order of their numbers from 1.
    pub const ALL: [Self; 8] = [
        Self::Loop,
        Self::Sections,
        Self::SingleOther,
        Self::Scope,
        Self::Taskloop,
        Self::LoopStatic,
        Self::LoopDynamic,
        Self::LoopGuided,
    ];

    /// The construct of this number (`as u64`).
    pub fn from_number(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    /// Whether it is a work-sharing loop, however scheduled.
    pub const fn is_loop(self) -> bool {
        matches!(self, Self::Loop | Self::LoopStatic | Self::LoopDynamic | Self::LoopGuided)
    }
}

/// What excludes others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutex {
    /// A lock.
    Lock,
    /// A lock that is tested, not waited for.
    TestLock,
    /// A nestable lock.
    NestLock,
    /// A nestable lock that is tested, not waited for.
    TestNestLock,
    /// A critical section.
    Critical,
    /// An atomic update.
    Atomic,
    /// An ordered region.
    Ordered,
}

/// Constructs that can be cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// A parallel region.
    Parallel,
    /// Sections.
    Sections,
    /// A loop.
    Loop,
    /// A taskgroup.
    Taskgroup,
}

/// What happens to a construct that is cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelAct {
    /// The task has asked for it.
    Activated,
    /// The task has found out.
    Detected,
    /// A task that never ran is dropped.
    DiscardedTask,
}
