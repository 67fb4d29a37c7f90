//! A tool: the trait that its author implements, the events that it gets, and the queries that it may make.

pub(crate) mod events;
pub(crate) mod runtime;

use crate::{Callback, SetResult, Word};
use events::*;
use runtime::Runtime;

/// Tool of OpenMP 5. [`export!`](crate::export!) makes it the tool of a library.
///
/// A method is called only for the callbacks in [`Tool::CALLBACKS`], on the thread that the event is about, before that thread continues.
/// The default implementations do nothing. Sections are those of OpenMP 5.0.
#[allow(unused_variables)] // parameters whose names are for readers
pub trait Tool: Send + Sync + Sized + 'static {
    /// Data word of each thread.
    type Thread: Word;
    /// Data word of each parallel or teams region.
    type Parallel: Word;
    /// Data word of each task.
    type Task: Word;

    /// Callbacks to register at the start.
    const CALLBACKS: &'static [Callback];

    /// Creates the tool when the runtime starts (section 4.2.2). `None` declines: the tool is not called again.
    ///
    /// A process has one instance. If a second OpenMP runtime in the process asks for the tool, it is declined without a call.
    fn start(runtime: Runtime<Self>) -> Option<Self>;

    /// Callbacks of [`Tool::CALLBACKS`] that this run needs, by default all of them. An event without a registered callback costs the
    /// program least.
    fn wanted(&self) -> Vec<Callback> {
        Self::CALLBACKS.to_vec()
    }

    /// Reports the runtime's answers to the registrations, in the order of [`Tool::wanted`] (section 4.6.1.3). Other
    /// callbacks may already run.
    fn registered(&self, answers: &[(Callback, SetResult)]) {}

    /// Ends the tool, after all other callbacks (section 4.2.4): usually when the process ends.
    fn finalize(&self) {}

    /// A thread starts, before all of its other events (section 4.5.2.1).
    fn thread_begin(&self, event: ThreadBegin<'_, Self>) {}

    /// A thread ends, after all of its other events (section 4.5.2.2).
    fn thread_end(&self, event: ThreadEnd<'_, Self>) {}

    /// A task has encountered a parallel or teams construct; no implicit task has started (section 4.5.2.3).
    fn parallel_begin(&self, event: ParallelBegin<'_, Self>) {}

    /// A parallel or teams region has ended, and the task that encountered its construct continues (section 4.5.2.4).
    fn parallel_end(&self, event: ParallelEnd<'_, Self>) {}

    /// An implicit or initial task starts or ends, on the thread that executes it (section 4.5.2.11).
    fn implicit_task(&self, event: ImplicitTask<'_, Self>) {}

    /// A task is created (section 4.5.2.7).
    fn task_create(&self, event: TaskCreate<'_, Self>) {}

    /// A thread leaves one task for another (section 4.5.2.10).
    fn task_schedule(&self, event: TaskSchedule<'_, Self>) {}

    /// A new task, or an iteration of a doacross loop, has dependences (section 4.5.2.8).
    fn dependences(&self, event: Dependences<'_, Self>) {}

    /// A task can't start before another one is complete (section 4.5.2.9).
    fn task_dependence(&self, event: TaskDependence<'_, Self>) {}

    /// A work-sharing region starts or ends (section 4.5.2.5).
    fn work(&self, event: Work<'_, Self>) {}

    /// A thread received a share of work (section 4.5.2.6).
    fn dispatch(&self, event: Dispatch<'_, Self>) {}

    /// A masked (5.0: master) region starts or ends, on the thread that executes it (section 4.5.2.12).
    fn masked(&self, event: Masked<'_, Self>) {}

    /// A synchronization region starts or ends: a barrier, taskwait or taskgroup (section 4.5.2.13).
    fn sync_region(&self, event: SyncRegion<'_, Self>) {}

    /// A wait inside a synchronization region starts or ends (section 4.5.2.13).
    fn sync_region_wait(&self, event: SyncRegion<'_, Self>) {}

    /// The combination of a reduction's results starts or ends (section 4.5.2.13).
    fn reduction(&self, event: SyncRegion<'_, Self>) {}

    /// A lock is initialized (section 4.5.2.14).
    fn lock_init(&self, event: MutexAcquire) {}

    /// A lock is destroyed (section 4.5.2.15).
    fn lock_destroy(&self, event: MutexEvent) {}

    /// A thread requests a mutex: a lock, critical section, atomic update or ordered region (section 4.5.2.14).
    fn mutex_acquire(&self, event: MutexAcquire) {}

    /// The calling thread has acquired the mutex (section 4.5.2.15).
    fn mutex_acquired(&self, event: MutexEvent) {}

    /// The calling thread has released the mutex (section 4.5.2.15).
    fn mutex_released(&self, event: MutexEvent) {}

    /// The owner of a nestable lock sets it again, or unsets it and still owns it (section 4.5.2.16).
    fn nest_lock(&self, event: NestLock) {}

    /// A flush was executed (section 4.5.2.17).
    fn flush(&self, event: Flush<'_, Self>) {}

    /// A region is cancelled, or a cancelled task is discarded (section 4.5.2.18).
    fn cancel(&self, event: Cancel<'_, Self>) {}

    /// The program has called `omp_control_tool` (section 4.5.2.29). The call returns the result; 0 means "done", 1 "ignored".
    fn control_tool(&self, event: ControlTool) -> i32 {
        1
    }

    /// 5.1: the program has executed an error directive.
    fn error(&self, event: ErrorDirective<'_>) {}
}
