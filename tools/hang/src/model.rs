//! Threads of a process at one moment: stack, wait, team and held locks.

use std::time::Duration;

use symbols::{ConstructKind, Name};

/// All threads, in the order of their numbers in the system.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// The threads.
    pub threads: Vec<Thread>,
    /// True if the process was forked, and has started no program since.
    pub is_forked: bool,
}

impl Look {
    /// The thread with a number in the system.
    pub(crate) fn thread(&self, tid: u32) -> Option<&Thread> {
        self.threads.get(self.position(tid)?)
    }

    /// Index of the thread with a number in the system.
    pub(crate) fn position(&self, tid: u32) -> Option<usize> {
        self.threads.binary_search_by_key(&tid, |thread| thread.tid).ok()
    }
}

/// One thread.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// Number in the system.
    pub tid: u32,
    /// Name in the system.
    pub name: String,
    /// True if it is blocked in the kernel.
    pub asleep: bool,
    /// Time for which it has been asleep; `None` if it runs, or the kernel doesn't report it.
    pub asleep_for: Option<Duration>,
    /// Its time on a processor so far; `None` if the kernel doesn't report it.
    pub ran: Option<Ran>,
    /// Frames, the innermost first.
    pub stack: Vec<Frame>,
    /// True if the last frame is the thread's first one.
    pub whole: bool,
    /// Time for which it was stopped, if its registers could not be obtained otherwise.
    pub stopped: Option<Duration>,
    /// Its place in OpenMP's teams; `None` if not known.
    pub place: Option<Place>,
    /// Its wait.
    pub wait: Wait,
    /// Locks that it holds, as far as its code shows.
    pub holds: Vec<Held>,
    /// True if a function of the program is missing in the stack, which registers may show.
    pub has_hidden: bool,
    /// True if its registers, or a part of its code, could not be read within the bounds of all looks.
    pub is_cut: bool,
    /// True if it has made no progress between looks.
    pub is_settled: bool,
    /// The frame of a task that polls with `taskyield`, which does nothing on libgomp.
    pub polls: Option<usize>,
    /// Words in memory that change when the wait ends, such as a barrier's generation.
    pub witness: Vec<u8>,
}

/// Counts of the scheduler for a thread (`/proc/PID/task/TID/schedstat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// CPU time.
    pub cpu_ns: u64,
    /// Number of times that it got a processor.
    pub times: u64,
}

/// A frame of a stack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Address in the code: of the call, or of the current instruction.
    pub address: u64,
    /// Owner of the code.
    pub part: Part,
    /// Name of the exported function.
    pub export: Option<String>,
    /// Functions of the program at this address, the innermost inlined one first. Empty in other parts.
    pub names: Vec<Name>,
    /// File name of the object.
    pub object: String,
}

/// Owner of code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Part {
    /// The program, and libraries without special handling of threads.
    #[default]
    Program,
    /// An OpenMP runtime.
    Runtime,
    /// `libora.so` and its collectors.
    Interface,
    /// The C library, the dynamic linker, the kernel's page.
    System,
}

/// Place of a thread in OpenMP's teams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The teams that it is in, the innermost first.
    pub teams: Vec<Membership>,
}

/// Membership of a thread in a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Membership {
    /// Address of the team's record.
    pub team: u64,
    /// Number of threads in the team.
    pub size: u32,
    /// Number of the thread in the team.
    pub number: u32,
}

/// Object or event that a thread waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wait {
    /// It runs code of the program, or of the runtime outside a wait.
    #[default]
    Nothing,
    /// A worker without a region.
    Idle,
    /// A barrier.
    Barrier {
        /// Its kind.
        kind: Barrier,
        /// Its team; `None` if not known.
        team: Option<u64>,
    },
    /// A critical section, a lock or the like.
    Mutex(Resource),
    /// Its turn in an ordered or doacross loop.
    Turn(Turn),
    /// Tasks.
    Tasks(TaskWait),
    /// An event that a task polls for with `taskyield`.
    Taskyield,
    /// A wait in another entry of the runtime: the one that the program has called.
    Runtime(String),
    /// A wait outside OpenMP.
    Outside(Outside),
}

/// Kind of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Barrier {
    /// At `barrier`.
    Explicit,
    /// At the end of a worksharing construct.
    Worksharing,
    /// At the end of a parallel region.
    RegionEnd,
    /// In `single` with `copyprivate`.
    CopyPrivate,
}

/// Something that one thread holds at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Resource {
    /// Its kind.
    pub kind: ResourceKind,
    /// Its address; `None`: not known.
    pub address: Option<u64>,
    /// Its name in the program, if it has one.
    pub name: Option<String>,
    /// The thread that holds it, if its memory shows that (the C library's locks).
    pub owner: Option<u32>,
}

/// Kind of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceKind {
    /// `critical`.
    Critical,
    /// `omp_lock_t`.
    Lock,
    /// `omp_nest_lock_t`.
    NestLock,
    /// `atomic` that is implemented with a lock.
    Atomic,
    /// A mutex of the C library.
    Mutex,
    /// A read-write lock of the C library, held by a writer.
    ReadWriteLock,
    /// The lock of Python's interpreter (GIL).
    Interpreter,
}

/// Kind of a wait for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// `ordered` in a loop.
    Ordered,
    /// `ordered depend(sink)`, `ordered doacross(sink)`.
    Doacross,
}

/// Kind of a wait for tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskWait {
    /// `taskwait`.
    Taskwait,
    /// The end of a `taskgroup`, or of a `taskloop`.
    Taskgroup,
    /// A dependence of an undeferred task, or of a `taskwait`.
    Dependence,
}

/// A wait outside of OpenMP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// Function that the program has called, or the system call.
    pub function: String,
    /// Origin of the event that ends the wait.
    pub by: WokenBy,
}

/// Origin of the event that ends a wait outside OpenMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WokenBy {
    /// The outside world: a file, a clock, a signal.
    World,
    /// Only a thread of the process.
    Threads,
    /// One thread: its end is waited for.
    EndOf(u32),
}

/// A resource that a thread holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The resource.
    pub resource: Resource,
    /// Number of the frame whose code releases it.
    pub frame: usize,
    /// Address of the call that releases it, or has entered it; `None` if not known.
    pub call: Option<u64>,
    /// The function with that call, which may be inlined in others.
    pub function: Option<String>,
    /// True if it does so on each path.
    pub is_certain: bool,
}

impl Frame {
    /// True for the C library's function that ends the process.
    pub fn is_exit(&self) -> bool {
        let ends = |name: &str| ["exit", "quick_exit", "__GI_exit"].contains(&name);
        self.part == Part::System && self.export.as_deref().is_some_and(ends)
    }
}

impl Thread {
    /// The innermost function of the program: number of the frame.
    pub fn program_frame(&self) -> Option<usize> {
        self.stack.iter().position(|frame| frame.part == Part::Program)
    }

    /// The frame of exit(), if the thread runs exit handlers.
    pub fn exit_frame(&self) -> Option<usize> {
        self.stack.iter().position(Frame::is_exit)
    }

    /// Number of the thread in its innermost team.
    pub fn number(&self) -> Option<u32> {
        Some(self.place.as_ref()?.teams.first()?.number)
    }

    /// Numbers of the thread in its teams, the innermost first.
    pub fn numbers(&self) -> Vec<u32> {
        self.place.iter().flat_map(|place| &place.teams).map(|own| own.number).collect()
    }

    /// True if it executes an explicit task, as far as its functions have names.
    pub fn executes_task(&self) -> bool {
        let constructs = self.stack.iter().flat_map(|frame| &frame.names).filter_map(|name| name.construct.as_ref());
        constructs.into_iter().any(|construct| construct.kind == ConstructKind::Task)
    }

    /// Membership in a team.
    pub fn membership(&self, team: u64) -> Option<&Membership> {
        self.place.as_ref()?.teams.iter().find(|own| own.team == team)
    }
}
