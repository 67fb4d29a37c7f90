//! Callbacks that a tool can register, and the runtime's answers.

use ompt_abi::v5::{ompt_callbacks_t, ompt_set_result_t};

/// Callback that a tool can register (`ompt_callbacks_t`, OpenMP 5.0, section 4.4.2). Each of them has a method of [`Tool`].
///
/// [`Tool`]: crate::Tool
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Callback {
    /// [`Tool::thread_begin`](crate::Tool::thread_begin)
    ThreadBegin,
    /// [`Tool::thread_end`](crate::Tool::thread_end)
    ThreadEnd,
    /// [`Tool::parallel_begin`](crate::Tool::parallel_begin)
    ParallelBegin,
    /// [`Tool::parallel_end`](crate::Tool::parallel_end)
    ParallelEnd,
    /// [`Tool::implicit_task`](crate::Tool::implicit_task)
    ImplicitTask,
    /// [`Tool::task_create`](crate::Tool::task_create)
    TaskCreate,
    /// [`Tool::task_schedule`](crate::Tool::task_schedule)
    TaskSchedule,
    /// [`Tool::dependences`](crate::Tool::dependences)
    Dependences,
    /// [`Tool::task_dependence`](crate::Tool::task_dependence)
    TaskDependence,
    /// [`Tool::work`](crate::Tool::work)
    Work,
    /// [`Tool::dispatch`](crate::Tool::dispatch)
    Dispatch,
    /// [`Tool::masked`](crate::Tool::masked)
    Masked,
    /// [`Tool::sync_region`](crate::Tool::sync_region)
    SyncRegion,
    /// [`Tool::sync_region_wait`](crate::Tool::sync_region_wait)
    SyncRegionWait,
    /// [`Tool::reduction`](crate::Tool::reduction)
    Reduction,
    /// [`Tool::lock_init`](crate::Tool::lock_init)
    LockInit,
    /// [`Tool::lock_destroy`](crate::Tool::lock_destroy)
    LockDestroy,
    /// [`Tool::mutex_acquire`](crate::Tool::mutex_acquire)
    MutexAcquire,
    /// [`Tool::mutex_acquired`](crate::Tool::mutex_acquired)
    MutexAcquired,
    /// [`Tool::mutex_released`](crate::Tool::mutex_released)
    MutexReleased,
    /// [`Tool::nest_lock`](crate::Tool::nest_lock)
    NestLock,
    /// [`Tool::flush`](crate::Tool::flush)
    Flush,
    /// [`Tool::cancel`](crate::Tool::cancel)
    Cancel,
    /// [`Tool::control_tool`](crate::Tool::control_tool)
    ControlTool,
    /// [`Tool::error`](crate::Tool::error)
    Error,
}

impl Callback {
    /// Number of the callback in C.
    pub(crate) fn number(self) -> ompt_callbacks_t {
        use ompt_callbacks_t::*;
        match self {
            Self::ThreadBegin => ompt_callback_thread_begin,
            Self::ThreadEnd => ompt_callback_thread_end,
            Self::ParallelBegin => ompt_callback_parallel_begin,
            Self::ParallelEnd => ompt_callback_parallel_end,
            Self::ImplicitTask => ompt_callback_implicit_task,
            Self::TaskCreate => ompt_callback_task_create,
            Self::TaskSchedule => ompt_callback_task_schedule,
            Self::Dependences => ompt_callback_dependences,
            Self::TaskDependence => ompt_callback_task_dependence,
            Self::Work => ompt_callback_work,
            Self::Dispatch => ompt_callback_dispatch,
            Self::Masked => ompt_callback_masked,
            Self::SyncRegion => ompt_callback_sync_region,
            Self::SyncRegionWait => ompt_callback_sync_region_wait,
            Self::Reduction => ompt_callback_reduction,
            Self::LockInit => ompt_callback_lock_init,
            Self::LockDestroy => ompt_callback_lock_destroy,
            Self::MutexAcquire => ompt_callback_mutex_acquire,
            Self::MutexAcquired => ompt_callback_mutex_acquired,
            Self::MutexReleased => ompt_callback_mutex_released,
            Self::NestLock => ompt_callback_nest_lock,
            Self::Flush => ompt_callback_flush,
            Self::Cancel => ompt_callback_cancel,
            Self::ControlTool => ompt_callback_control_tool,
            Self::Error => ompt_callback_error,
        }
    }
}

/// The runtime's answer to a registration (`ompt_set_result_t`, OpenMP 5.0, section 4.4.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SetResult {
    /// Refused: the runtime doesn't have the callback.
    Error,
    /// The event never happens.
    Never,
    /// The event may happen, but is never reported.
    Impossible,
    /// The event is sometimes reported.
    Sometimes,
    /// Like `Sometimes`, but the begin and end events are reported both or not at all.
    SometimesPaired,
    /// The event is reported each time that it happens.
    Always,
}

impl SetResult {
    /// Converts a number; an unknown number is an error.
    pub(crate) fn new(number: u32) -> Self {
        use ompt_set_result_t::*;
        let answers = [
            (ompt_set_never, Self::Never),
            (ompt_set_impossible, Self::Impossible),
            (ompt_set_sometimes, Self::Sometimes),
            (ompt_set_sometimes_paired, Self::SometimesPaired),
            (ompt_set_always, Self::Always),
        ];
        answers.into_iter().find(|(its, _)| *its as u32 == number).map_or(Self::Error, |(_, answer)| answer)
    }

    /// True if the callback may be called, either sometimes or always.
    pub fn is_reported(self) -> bool {
        matches!(self, Self::Sometimes | Self::SometimesPaired | Self::Always)
    }
}
