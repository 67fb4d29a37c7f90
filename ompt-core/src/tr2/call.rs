//! Calls of the tool's callbacks, one function for each signature (TR2, appendix A.3). Each does nothing if the session
//! has no callback for the event. No lock is held.
#![allow(unsafe_code)] // calls the tool

use super::callbacks::of_session;
use super::types::*;
use crate::frame::Frame;
use std::ffi::c_void;

macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty => $value:expr),*) as $signature:ty;)*) => {
        $(
            $(#[$doc])*
            #[inline]
            pub(super) fn $name(event: ompt_event_t, epoch: u32, $($argument: $type),*) {
                let Some(address) = of_session(event, epoch) else { return };
                // SAFETY: the tool registered this address for `event`, whose callbacks have this signature (TR2,
                // appendix A.3).
                let callback = unsafe { std::mem::transmute::<usize, $signature>(address) };
                let Some(callback) = callback else { return };
                // SAFETY: the callback takes these arguments (TR2, appendix A.3); a frame is null or in a `'static`
                // record.
                unsafe { callback($($value),*) };
            }
        )*
    };
}

calls! {
    thread(id: u64 => id) as ompt_thread_callback_t;
    thread_type(kind: ompt_thread_type_t => kind, id: u64 => id) as ompt_thread_type_callback_t;
    wait(id: u64 => id) as ompt_wait_callback_t;
    parallel(region: u64 => region, task: u64 => task) as ompt_parallel_callback_t;
    new_workshare(region: u64 => region, task: u64 => task, function: usize => function as *mut c_void)
        as ompt_new_workshare_callback_t;
    new_parallel(
        task: u64 => task,
        frame: Option<&'static Frame> => frames(frame),
        region: u64 => region,
        requested: u32 => requested,
        function: usize => function as *mut c_void
    ) as ompt_new_parallel_callback_t;
    /// Calls back at the end of a task.
    task(id: u64 => id) as ompt_task_callback_t;
    /// Calls back for an initial task. The report has one argument; headers that tools were compiled with have the
    /// region and the task. So the task's id is passed as both.
    initial_task(id: u64 => id, again: u64 => again) as ompt_parallel_callback_t;
    task_switch(suspended: u64 => suspended, resumed: u64 => resumed) as ompt_task_switch_callback_t;
    new_task(
        parent: u64 => parent,
        frame: Option<&'static Frame> => frames(frame),
        new: u64 => new,
        function: usize => function as *mut c_void
    ) as ompt_new_task_callback_t;
    control(command: u64 => command, modifier: u64 => modifier) as ompt_control_callback_t;
    plain() as ompt_callback_t;
}

/// Calls back at the runtime's shutdown.
pub(super) fn shutdown(epoch: u32) {
    plain(ompt_event_t::ompt_event_runtime_shutdown, epoch);
}

/// A task's frames as the report lays them out: the first two words of the core's record.
pub(super) fn frames(frame: Option<&'static Frame>) -> *mut ompt_frame_t {
    frame.map_or(std::ptr::null_mut(), |frame| std::ptr::from_ref(frame).cast::<ompt_frame_t>().cast_mut())
}
