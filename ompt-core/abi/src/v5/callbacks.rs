//! The numbers of the callbacks, and the answers to a registration.

/// Callbacks that a tool can register (OpenMP 5.0, 4.4.2). The signature of `ompt_callback_x` is `ompt_callback_x_t`,
/// unless its comment names another one.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_callbacks_t {
    /// A thread begins, before all its other events.
    ompt_callback_thread_begin = 1,
    /// A thread ends, after all its other events.
    ompt_callback_thread_end = 2,
    /// A task has encountered a parallel or teams construct; no implicit task has begun.
    ompt_callback_parallel_begin = 3,
    /// A parallel or teams region is over, and the task that encountered its construct continues.
    ompt_callback_parallel_end = 4,
    /// A task is created.
    ompt_callback_task_create = 5,
    /// A thread switches from one task to another.
    ompt_callback_task_schedule = 6,
    /// An implicit or initial task begins or ends.
    ompt_callback_implicit_task = 7,
    /// A target construct begins or ends.
    ompt_callback_target = 8,
    /// Memory of a device is allocated, copied or freed.
    ompt_callback_target_data_op = 9,
    /// A kernel is submitted to a device.
    ompt_callback_target_submit = 10,
    /// The program has called `omp_control_tool`.
    ompt_callback_control_tool = 11,
    /// A device is initialized.
    ompt_callback_device_initialize = 12,
    /// A device is finalized.
    ompt_callback_device_finalize = 13,
    /// Code has been loaded to a device.
    ompt_callback_device_load = 14,
    /// Code will be unloaded from a device.
    ompt_callback_device_unload = 15,
    /// A wait inside a synchronization region begins or ends: `ompt_callback_sync_region_t`.
    ompt_callback_sync_region_wait = 16,
    /// A mutex has been released: `ompt_callback_mutex_t`.
    ompt_callback_mutex_released = 17,
    /// A new task has dependences.
    ompt_callback_dependences = 18,
    /// A task depends on another one that is not complete.
    ompt_callback_task_dependence = 19,
    /// A work-sharing region begins or ends.
    ompt_callback_work = 20,
    /// 5.0's name of `ompt_callback_masked`.
    #[cfg(false)] // for the header only: no two variants of a Rust enum share a number
    ompt_callback_master = 21,
    /// A masked (master) region begins or ends.
    ompt_callback_masked = 21,
    /// Data is mapped to a device.
    ompt_callback_target_map = 22,
    /// A barrier, taskwait, taskgroup or reduction begins or ends.
    ompt_callback_sync_region = 23,
    /// A lock is initialized: `ompt_callback_mutex_acquire_t`.
    ompt_callback_lock_init = 24,
    /// A lock is destroyed: `ompt_callback_mutex_t`.
    ompt_callback_lock_destroy = 25,
    /// A thread requests a mutex.
    ompt_callback_mutex_acquire = 26,
    /// A thread has acquired a mutex: `ompt_callback_mutex_t`.
    ompt_callback_mutex_acquired = 27,
    /// The owner of a nestable lock sets it once more, or unsets it and still owns it.
    ompt_callback_nest_lock = 28,
    /// A flush has been executed.
    ompt_callback_flush = 29,
    /// A region is cancelled.
    ompt_callback_cancel = 30,
    /// The combination of a reduction's results begins or ends: `ompt_callback_sync_region_t`.
    ompt_callback_reduction = 31,
    /// A chunk or section of a work-sharing region begins.
    ompt_callback_dispatch = 32,
    /// 5.1: `ompt_callback_target` with the data words of its task and region.
    ompt_callback_target_emi = 33,
    /// 5.1: `ompt_callback_target_data_op` with data words, at its start and its end.
    ompt_callback_target_data_op_emi = 34,
    /// 5.1: `ompt_callback_target_submit` with data words, at its start and its end.
    ompt_callback_target_submit_emi = 35,
    /// 5.1: `ompt_callback_target_map` with data words.
    ompt_callback_target_map_emi = 36,
    /// 5.1: the program has executed an error directive.
    ompt_callback_error = 37,
}

/// Answer to a registration: how often the callback will be called (OpenMP 5.0, 4.4.4.2).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_set_result_t {
    /// The registration is refused: there is no such callback, or the tool is not attached.
    ompt_set_error = 0,
    /// The event never happens.
    ompt_set_never = 1,
    /// The event may happen, and is never reported.
    ompt_set_impossible = 2,
    /// The event is reported, but not at each occurrence.
    ompt_set_sometimes = 3,
    /// As `ompt_set_sometimes`, but for each occurrence both begin and end are reported, or neither.
    ompt_set_sometimes_paired = 4,
    /// The event is reported at each occurrence.
    ompt_set_always = 5,
}
