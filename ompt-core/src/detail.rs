//! Particulars of an event, beyond the record of its thread.

use crate::device::{DataOperation, DeviceChange, Endpoint, Target};
use crate::interface::{Interface, Token};
use crate::packed_state::PackedState;
use crate::task::Task;
use std::cell::Cell;

/// The particulars of one event that is passed to the tool interfaces.
#[derive(Clone, Copy, Debug)]
pub enum Detail<'a> {
    /// No particulars: the thread's record has everything.
    None,
    /// [`TaskCreate`](crate::event::Event::TaskCreate).
    Create {
        /// The new task.
        task: &'static Task,
        /// The address of the new task's outlined function.
        function: usize,
        /// True if the new task has dependences.
        depends: bool,
    },
    /// [`TaskSwitch`](crate::event::Event::TaskSwitch).
    Switch {
        /// The task that the thread has executed.
        prior: &'static Task,
        /// The new status of that task.
        status: Status,
        /// The task that the thread executes from now on.
        next: &'static Task,
        /// The wait that a new task interrupts, or that continues when a task is over.
        wait: Interrupted,
    },
    /// [`ImplicitTaskBegin`](crate::event::Event::ImplicitTaskBegin) and its end, for the initial task of a target
    /// region or of a league's team, on the host device.
    Initial {
        /// The task that encountered the target region or the league.
        encountering: &'static Task,
        /// The wait that the region interrupts, or that continues after it.
        wait: Interrupted,
    },
    /// [`Dependences`](crate::event::Event::Dependences).
    Dependences {
        /// The task that has the dependences.
        task: &'static Task,
        /// All dependences of the task.
        list: &'a [Dependence],
    },
    /// [`TaskDependence`](crate::event::Event::TaskDependence).
    TaskDependence {
        /// The predecessor, which is not complete.
        first: &'static Task,
        /// The successor, which depends on it.
        second: &'static Task,
    },
    /// [`WorkBegin`](crate::event::Event::WorkBegin) and [`WorkEnd`](crate::event::Event::WorkEnd).
    Work {
        /// The kind of the construct.
        kind: Work,
        /// The total number of iterations or sections.
        count: u64,
    },
    /// [`Dispatch`](crate::event::Event::Dispatch).
    Dispatch {
        /// The kind of the construct: [`Work::Loop`], [`Work::Sections`] or [`Work::Taskloop`].
        kind: Work,
        /// The chunk's first logical iteration, from 0; or the number of the section, from 1.
        first: u64,
        /// The number of the chunk's iterations; 1 for a section.
        iterations: u64,
    },
    /// Mutex events, including those of nestable locks and of a lock's initialization and destruction.
    Mutex {
        /// The kind of the mutex.
        kind: Mutex,
        /// The wait id, which identifies the mutex.
        wait_id: u64,
        /// The hint that the program gave (`omp_sync_hint_t`); 0: none.
        hint: u32,
    },
    /// [`Cancel`](crate::event::Event::Cancel).
    Cancel {
        /// The kind of the cancelled construct.
        construct: Cancelled,
        /// The act: a request, its discovery, or a task that is dropped.
        act: CancelAct,
    },
    /// [`Device`](crate::event::Event::Device), for a target construct.
    Target {
        /// The construct.
        target: Target,
        /// Begin or end.
        endpoint: Endpoint,
    },
    /// [`Device`](crate::event::Event::Device), for an operation on memory of a device.
    DataOperation {
        /// The operation.
        data: DataOperation,
        /// Begin or end.
        endpoint: Endpoint,
    },
    /// [`Device`](crate::event::Event::Device), for the submission of a target region.
    Submit {
        /// The number of teams that the target region requests; 0: any number.
        teams: u32,
        /// Begin or end.
        endpoint: Endpoint,
    },
    /// [`Device`](crate::event::Event::Device), for a change of a device itself.
    DeviceChange {
        /// The number of the device.
        device: i32,
        /// The change.
        change: DeviceChange,
    },
    /// [`Error`](crate::event::Event::Error).
    Error {
        /// True if the program ends.
        is_fatal: bool,
        /// Address and length of the program's message; zeros if there is none.
        message: (usize, usize),
    },
    /// [`Control`](crate::event::Event::Control).
    Control {
        /// The command (`omp_control_tool_t`, or the first argument of `ompt_control`).
        command: u64,
        /// The modifier of the command.
        modifier: u64,
        /// The program's own argument.
        argument: usize,
        /// The tool's answer, which the callback's return value is stored in.
        answer: &'a Cell<i32>,
    },
}

/// A wait in which the thread executes a task: the thread's packed state, and the sessions that were notified of the
/// wait's start.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted {
    pub(crate) now: PackedState,
    notified: Token,
}

impl Interrupted {
    /// The wait with this state, of whose start these sessions could be notified.
    pub(crate) fn new(now: PackedState, notified: Token) -> Self {
        Self { now, notified }
    }

    /// No wait.
    pub const NONE: Self = Self { now: PackedState::UNSEEN, notified: Token::NONE };

    /// The sessions that could be notified of the wait's start.
    pub(crate) fn notified(&self) -> Token {
        self.notified
    }

    /// True if the interface could be notified of the wait's start, in the session of this epoch.
    pub(crate) fn was_notified(&self, interface: Interface, epoch: u32) -> bool {
        epoch != 0 && self.notified.of_face(interface) == epoch
    }
}

/// Reason for which a thread suspends or ends the execution of a task (`ompt_task_status_t`; OpenMP 5.0, 4.4.4.19).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The task is complete.
    Complete,
    /// The task ended because it was cancelled.
    Cancel,
    /// The task is suspended at a task scheduling point.
    Switch,
    /// The task's body is complete, but its detach event is not fulfilled yet.
    Detach,
    /// The detach event was fulfilled before the task's body was complete.
    EarlyFulfil,
    /// The detach event was fulfilled after the task's body was complete.
    LateFulfil,
    /// A taskwait with dependences is over.
    TaskwaitComplete,
}

/// A dependence of a task: `ompt_dependence_t` (OpenMP 5.0, 4.4.4.9).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The address of the variable; the number of the iteration for doacross loops.
    pub variable: u64,
    /// The way in which the task uses the variable.
    pub kind: DependenceKind,
}

/// The way in which a task uses a variable that it depends on: `ompt_dependence_type_t` (OpenMP 5.0, 4.4.4.23).
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

/// Constructs that divide work among threads or tasks.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A loop whose schedule is not known.
    Loop = 1,
    /// Sections.
    Sections,
    /// A single region that another thread executes. (The executor's is a [span](crate::event::Span::SINGLE) of its
    /// own.)
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
    /// A distribute region.
    Distribute,
}

impl Work {
    /// All kinds, in the order of their numbers from 1.
    pub const ALL: [Self; 9] = [
        Self::Loop,
        Self::Sections,
        Self::SingleOther,
        Self::Scope,
        Self::Taskloop,
        Self::LoopStatic,
        Self::LoopDynamic,
        Self::LoopGuided,
        Self::Distribute,
    ];

    /// The construct of this number (`as u64`); `None` for any other number.
    pub fn from_number(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
    }

    /// True for a work-sharing loop of any schedule.
    pub const fn is_loop(self) -> bool {
        matches!(self, Self::Loop | Self::LoopStatic | Self::LoopDynamic | Self::LoopGuided)
    }
}

/// Kinds of mutual exclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutex {
    /// A lock.
    Lock,
    /// A lock that is tested (`omp_test_lock`), not waited for.
    TestLock,
    /// A nestable lock.
    NestLock,
    /// A nestable lock that is tested (`omp_test_nest_lock`), not waited for.
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

/// Act of a cancellation (`ompt_cancel_flag_t`; OpenMP 5.0, 4.4.4.24).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelAct {
    /// The task has activated the cancellation.
    Activated,
    /// The task has detected the cancellation at a cancellation point.
    Detected,
    /// A task that never ran is discarded.
    DiscardedTask,
}
