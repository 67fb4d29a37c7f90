//! Each callback's number with the function that handles it. Unsafe: all functions are cast to the type that
//! `ompt_set_callback` takes.
#![allow(unsafe_code)]

use std::mem::transmute;

use validate_layout::event::Callback;

use super::callbacks as on;
use super::entry_points::Function;

/// The function to register for a callback.
pub(super) fn function(of: Callback) -> Function {
    let address = match of {
        Callback::ThreadBegin => on::thread_begin as *const (),
        Callback::ThreadEnd => on::thread_end as *const (),
        Callback::ParallelBegin => on::parallel_begin as *const (),
        Callback::ParallelEnd => on::parallel_end as *const (),
        Callback::TaskCreate => on::task_create as *const (),
        Callback::TaskSchedule => on::task_schedule as *const (),
        Callback::ImplicitTask => on::implicit_task as *const (),
        Callback::ControlTool => on::control_tool as *const (),
        Callback::SyncRegionWait => on::sync_region_wait as *const (),
        Callback::MutexReleased => on::mutex_released as *const (),
        Callback::Dependences => on::dependences as *const (),
        Callback::TaskDependence => on::task_dependence as *const (),
        Callback::Work => on::work as *const (),
        Callback::Masked => on::masked as *const (),
        Callback::SyncRegion => on::sync_region as *const (),
        Callback::LockInit => on::lock_init as *const (),
        Callback::LockDestroy => on::lock_destroy as *const (),
        Callback::MutexAcquire => on::mutex_acquire as *const (),
        Callback::MutexAcquired => on::mutex_acquired as *const (),
        Callback::NestLock => on::nest_lock as *const (),
        Callback::Flush => on::flush as *const (),
        Callback::Cancel => on::cancel as *const (),
        Callback::Reduction => on::reduction as *const (),
        Callback::Dispatch => on::dispatch as *const (),
        Callback::Error => on::error as *const (),
    };
    // SAFETY: the address of a function. Its caller casts it back to the signature that belongs to its number.
    unsafe { transmute::<*const (), Function>(address) }
}
