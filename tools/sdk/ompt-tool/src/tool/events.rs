//! Events: the arguments of the callbacks.
//!
//! `code` is the program's return address for the call of the runtime; 0 if it is unknown.

use super::Tool;
use crate::{
    CancelFlags, Data, DependenceKind, DispatchKind, Endpoint, MutexKind, ParallelFlags, Severity, SyncKind, TaskFlags,
    TaskStatus, ThreadKind, WorkKind,
};
use std::ffi::CStr;
use std::fmt;

/// Addresses of the stack frames that enclose the runtime's frames below a task (`ompt_frame_t`, OpenMP 5.0, section 4.4.4.27), copied when
/// the event occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Frame of the call into the task's code; 0 before that call.
    pub exit: usize,
    /// Frame of the task's call into the runtime; 0 while the task's code runs.
    pub enter: usize,
}

/// A thread starts.
#[non_exhaustive]
pub struct ThreadBegin<'a, T: Tool> {
    /// Kind of the thread.
    pub kind: ThreadKind,
    /// The thread's word.
    pub thread: Data<'a, T::Thread>,
}

/// A thread ends.
#[non_exhaustive]
pub struct ThreadEnd<'a, T: Tool> {
    /// The thread's word.
    pub thread: Data<'a, T::Thread>,
}

/// A parallel or teams region starts.
#[non_exhaustive]
pub struct ParallelBegin<'a, T: Tool> {
    /// Word of the task that encountered the construct.
    pub task: Data<'a, T::Task>,
    /// Frames of that task.
    pub frame: Frame,
    /// The region's word.
    pub parallel: Data<'a, T::Parallel>,
    /// Number of threads or teams that the construct requests.
    pub requested: u32,
    /// Flags of the region.
    pub flags: ParallelFlags,
    /// Return address of the call.
    pub code: usize,
}

/// A parallel or teams region ends.
#[non_exhaustive]
pub struct ParallelEnd<'a, T: Tool> {
    /// The region's word.
    pub parallel: Data<'a, T::Parallel>,
    /// Word of the task that encountered the construct.
    pub task: Data<'a, T::Task>,
    /// Flags of the region.
    pub flags: ParallelFlags,
    /// Return address of the call.
    pub code: usize,
}

/// An implicit or initial task starts or ends.
#[non_exhaustive]
pub struct ImplicitTask<'a, T: Tool> {
    /// Start or end.
    pub endpoint: Endpoint,
    /// Word of the region; it may be absent at the end.
    pub parallel: Data<'a, T::Parallel>,
    /// The task's word.
    pub task: Data<'a, T::Task>,
    /// Number of threads or teams of the region; 0 at the end.
    pub size: u32,
    /// The calling thread's number in its team.
    pub index: u32,
    /// Initial or implicit.
    pub flags: TaskFlags,
}

/// A task is created.
#[non_exhaustive]
pub struct TaskCreate<'a, T: Tool> {
    /// Word of the task that creates it; absent for an initial task.
    pub task: Data<'a, T::Task>,
    /// Frames of that task.
    pub frame: Frame,
    /// The new task's word.
    pub new_task: Data<'a, T::Task>,
    /// Flags of the new task.
    pub flags: TaskFlags,
    /// True if the new task has dependences.
    pub has_dependences: bool,
    /// Return address of the call.
    pub code: usize,
}

/// A thread leaves one task for another.
#[non_exhaustive]
pub struct TaskSchedule<'a, T: Tool> {
    /// Word of the task that the thread leaves.
    pub prior: Data<'a, T::Task>,
    /// Reason.
    pub status: TaskStatus,
    /// Word of the next task; absent if none follows.
    pub next: Data<'a, T::Task>,
}

/// One dependence of a task (`ompt_dependence_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// Address that tasks depend on, or the number of an iteration of a doacross loop.
    pub variable: u64,
    /// Kind of the dependence.
    pub kind: DependenceKind,
}

/// A new task, or an iteration of a doacross loop, has dependences.
#[non_exhaustive]
pub struct Dependences<'a, T: Tool> {
    /// The task's word.
    pub task: Data<'a, T::Task>,
    pub(crate) list: &'a [RawDependence],
}

/// A dependence with its kind as a number.
#[repr(C)]
pub(crate) struct RawDependence {
    pub(crate) variable: u64,
    pub(crate) kind: u32,
}
const _: () = assert!(size_of::<RawDependence>() == size_of::<ompt_abi::v5::ompt_dependence_t>());

impl<T: Tool> Dependences<'_, T> {
    /// The dependences.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Dependence> {
        self.list.iter().map(|it| Dependence { variable: it.variable, kind: it.kind.into() })
    }
}

/// A task can't start before another one is complete.
#[non_exhaustive]
pub struct TaskDependence<'a, T: Tool> {
    /// Word of the task that has to complete.
    pub before: Data<'a, T::Task>,
    /// Word of the task that has to wait.
    pub after: Data<'a, T::Task>,
}

/// A work-sharing region starts or ends.
#[non_exhaustive]
pub struct Work<'a, T: Tool> {
    /// Kind of the region.
    pub kind: WorkKind,
    /// Start or end.
    pub endpoint: Endpoint,
    /// Word of the parallel region.
    pub parallel: Data<'a, T::Parallel>,
    /// Word of the implicit task.
    pub task: Data<'a, T::Task>,
    /// Size of the work: iterations of a loop, number of sections.
    pub count: u64,
    /// Return address of the call.
    pub code: usize,
}

/// A thread received a share of work.
#[non_exhaustive]
pub struct Dispatch<'a, T: Tool> {
    /// Word of the parallel region.
    pub parallel: Data<'a, T::Parallel>,
    /// Word of the implicit task.
    pub task: Data<'a, T::Task>,
    /// Kind of the share.
    pub kind: DispatchKind,
    /// The share, as far as this library supports its kind.
    pub share: Share,
}

/// A share of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Share {
    /// Number of an iteration.
    Iteration(u64),
    /// Address in the code of a section.
    Section(usize),
    /// 5.2: iterations of a loop, by number.
    Chunk {
        /// First iteration.
        start: u64,
        /// Number of iterations.
        iterations: u64,
    },
    /// Share of another kind.
    Other,
}

/// A masked region starts or ends.
#[non_exhaustive]
pub struct Masked<'a, T: Tool> {
    /// Start or end.
    pub endpoint: Endpoint,
    /// Word of the parallel region.
    pub parallel: Data<'a, T::Parallel>,
    /// Word of the task that executes the region.
    pub task: Data<'a, T::Task>,
    /// Return address of the call.
    pub code: usize,
}

/// A synchronization region, a wait in one, or a reduction starts or ends.
#[non_exhaustive]
pub struct SyncRegion<'a, T: Tool> {
    /// Kind of the region.
    pub kind: SyncKind,
    /// Start or end.
    pub endpoint: Endpoint,
    /// Word of the parallel region; absent at the end of the barrier that ends it.
    pub parallel: Data<'a, T::Parallel>,
    /// Word of the task that waits.
    pub task: Data<'a, T::Task>,
    /// Return address of the call.
    pub code: usize,
}

/// A mutex is requested, or a lock is initialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MutexAcquire {
    /// Kind of the mutex.
    pub kind: MutexKind,
    /// The program's hint (`omp_sync_hint_t`).
    pub hint: u32,
    /// Implementation that the runtime has chosen, as [`Runtime::mutex_implementations`](crate::Runtime) lists them.
    pub implementation: u32,
    /// Id of the mutex.
    pub wait_id: u64,
    /// Return address of the call.
    pub code: usize,
}

/// A mutex was acquired or released, or a lock is destroyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MutexEvent {
    /// Kind of the mutex.
    pub kind: MutexKind,
    /// Id of the mutex.
    pub wait_id: u64,
    /// Return address of the call.
    pub code: usize,
}

/// The owner of a nestable lock sets it again (start), or unsets it and still owns it (end).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NestLock {
    /// Start or end.
    pub endpoint: Endpoint,
    /// Id of the lock.
    pub wait_id: u64,
    /// Return address of the call.
    pub code: usize,
}

/// A flush was executed.
#[non_exhaustive]
pub struct Flush<'a, T: Tool> {
    /// The calling thread's word.
    pub thread: Data<'a, T::Thread>,
    /// Return address of the call.
    pub code: usize,
}

/// A region is cancelled.
#[non_exhaustive]
pub struct Cancel<'a, T: Tool> {
    /// Word of the task that encounters the cancellation.
    pub task: Data<'a, T::Task>,
    /// Construct and progress.
    pub flags: CancelFlags,
    /// Return address of the call.
    pub code: usize,
}

/// The program has called `omp_control_tool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ControlTool {
    /// Command: 1 starts, 2 pauses, 3 flushes, 4 ends; commands from 64 on are defined by the tool.
    pub command: u64,
    /// Modifier defined by the tool; 0 if the program passes none.
    pub modifier: u64,
    /// Address whose meaning the tool defines; 0 if the program passes none.
    pub argument: usize,
    /// Return address of the call.
    pub code: usize,
}

/// The program has executed an error directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorDirective<'a> {
    /// Severity.
    pub severity: Severity,
    /// The program's message, if it has one.
    pub message: Option<&'a CStr>,
    /// Return address of the call.
    pub code: usize,
}

/// Shows the public fields of events. A derived `Debug` would require one of the tool.
macro_rules! shown {
    ($($event:ident { $($field:ident),* })*) => { $(
        impl<T: Tool> fmt::Debug for $event<'_, T> {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.debug_struct(stringify!($event))$(.field(stringify!($field), &self.$field))*.finish_non_exhaustive()
            }
        }
    )* };
}

shown! {
    ThreadBegin { kind, thread }
    ThreadEnd { thread }
    ParallelBegin { task, frame, parallel, requested, flags, code }
    ParallelEnd { parallel, task, flags, code }
    ImplicitTask { endpoint, parallel, task, size, index, flags }
    TaskCreate { task, frame, new_task, flags, has_dependences, code }
    TaskSchedule { prior, status, next }
    Dependences { task }
    TaskDependence { before, after }
    Work { kind, endpoint, parallel, task, count, code }
    Dispatch { parallel, task, kind, share }
    Masked { endpoint, parallel, task, code }
    SyncRegion { kind, endpoint, parallel, task, code }
    Flush { thread, code }
    Cancel { task, flags, code }
}
