//! Words and records that tools and runtimes share (OpenMP 5.0, section 4.4.4).
#![allow(non_upper_case_globals)] // as C spells them

use super::ompt_dependence_type_t;
use std::ffi::{c_int, c_void};

/// Names something for as long as the program runs; 0 is nothing.
pub type ompt_id_t = u64;
/// A point in a device's time.
pub type ompt_device_time_t = u64;
/// A place in a buffer of trace records.
pub type ompt_buffer_cursor_t = u64;
/// Names a part of a device.
pub type ompt_hwid_t = u64;
/// Says what a thread waits for; 0 is nothing.
pub type ompt_wait_id_t = u64;
/// A device that can be traced: what only the runtime looks into.
pub type ompt_device_t = c_void;
/// Trace records.
pub type ompt_buffer_t = c_void;

// Plain `u64`: cbindgen passes over a constant whose type is an alias.
/// No id.
pub const ompt_id_none: u64 = 0;
/// No point in time.
pub const ompt_time_none: u64 = 0;
/// No part of a device.
pub const ompt_hwid_none: u64 = 0;
/// No wait id.
pub const ompt_wait_id_none: u64 = 0;
/// No address.
pub const ompt_addr_none: c_int = !0;
/// Not a mutex implementation: what an enumeration of them starts from.
pub const ompt_mutex_impl_none: c_int = 0;
/// A mutex whose waiters spin.
pub const ompt_mutex_impl_spin: c_int = 1;
/// A mutex whose waiters queue up.
pub const ompt_mutex_impl_queue: c_int = 2;
/// A mutex that is tried by hardware transactions first.
pub const ompt_mutex_impl_speculative: c_int = 3;

/// A word of the tool's that the runtime keeps with a thread, a parallel region or a task. It is `ompt_data_none` until
/// the tool writes it.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ompt_data_t {
    /// The word as a number.
    pub value: u64,
    /// The word as an address.
    pub ptr: *mut c_void,
}

impl ompt_data_t {
    /// C's `ompt_data_none`.
    pub const NONE: Self = Self { value: 0 };
}

/// Where a task's frames begin and end on the stack.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_frame_t {
    /// The frame that called the task's code; null until then.
    pub exit_frame: ompt_data_t,
    /// The frame of the call that took the task's code into the runtime; null while the code runs.
    pub enter_frame: ompt_data_t,
    /// What `exit_frame` is: `ompt_frame_flag_t`, or-ed together.
    pub exit_frame_flags: c_int,
    /// What `enter_frame` is.
    pub enter_frame_flags: c_int,
}
const _: () = assert!(size_of::<ompt_frame_t>() == 24 && align_of::<ompt_frame_t>() == 8);

/// One dependence of a task.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_dependence_t {
    /// The address that tasks meet at; of a doacross loop, an iteration's number.
    pub variable: ompt_data_t,
    /// Its kind.
    pub dependence_type: ompt_dependence_type_t,
}
const _: () = assert!(size_of::<ompt_dependence_t>() == 16);

/// 5.2: a chunk of a loop, as `ompt_callback_dispatch` points to it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ompt_dispatch_chunk_t {
    /// The number of the first iteration.
    pub start: u64,
    /// How many there are.
    pub iterations: u64,
}
