//! Data words and records that tools and runtimes share (OpenMP 5.0, 4.4.4).
#![allow(non_upper_case_globals)] // as C spells them

use super::ompt_dependence_type_t;
use std::ffi::{c_int, c_void};

/// Identifier that is unique while the program runs; 0 (`ompt_id_none`): none (OpenMP 5.0, 4.4.4.3).
pub type ompt_id_t = u64;
/// Time of a device, in the device's own unit; 0 (`ompt_time_none`): none (OpenMP 5.0, 4.4.4.6).
pub type ompt_device_time_t = u64;
/// Position in a buffer of trace records (OpenMP 5.0, 4.4.4.8).
pub type ompt_buffer_cursor_t = u64;
/// Identifier of a hardware unit of a device; 0 (`ompt_hwid_none`): none (OpenMP 5.0, 4.4.4.25).
pub type ompt_hwid_t = u64;
/// Identifier of the mutex or region that a thread waits for; 0 (`ompt_wait_id_none`): none (OpenMP 5.0, 4.4.4.29).
pub type ompt_wait_id_t = u64;
/// Device that can be traced; opaque to tools (OpenMP 5.0, 4.4.4.5).
pub type ompt_device_t = c_void;
/// Buffer of trace records; opaque to tools (OpenMP 5.0, 4.4.4.7).
pub type ompt_buffer_t = c_void;

// Plain `u64`: cbindgen passes over a constant whose type is an alias.
/// No id.
pub const ompt_id_none: u64 = 0;
/// No time.
pub const ompt_time_none: u64 = 0;
/// No hardware unit.
pub const ompt_hwid_none: u64 = 0;
/// No wait id.
pub const ompt_wait_id_none: u64 = 0;
/// No address.
pub const ompt_addr_none: c_int = !0;
/// No mutex implementation: the number from which an enumeration of the implementations starts.
pub const ompt_mutex_impl_none: c_int = 0;
/// A mutex whose waiters spin.
pub const ompt_mutex_impl_spin: c_int = 1;
/// A mutex whose waiters queue.
pub const ompt_mutex_impl_queue: c_int = 2;
/// A mutex that is tried by hardware transactions first (speculative).
pub const ompt_mutex_impl_speculative: c_int = 3;

/// Data word of the tool that the runtime keeps with a thread, parallel region or task. It is 0 (`ompt_data_none`)
/// until the tool writes it (OpenMP 5.0, 4.4.4.4).
#[repr(C)]
#[derive(Clone, Copy)]
pub union ompt_data_t {
    /// The word as an integer.
    pub value: u64,
    /// The word as a pointer.
    pub ptr: *mut c_void,
}

impl ompt_data_t {
    /// C's `ompt_data_none`.
    pub const NONE: Self = Self { value: 0 };
}

/// Frames of a task on the stack of its thread (OpenMP 5.0, 4.4.4.27).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_frame_t {
    /// The runtime's frame that called the task's code; null until then.
    pub exit_frame: ompt_data_t,
    /// The frame of the call by which the task's code entered the runtime; null while the code runs.
    pub enter_frame: ompt_data_t,
    /// Flags of `exit_frame`: two of `ompt_frame_flag_t`, one of each group, or-ed together.
    pub exit_frame_flags: c_int,
    /// Flags of `enter_frame`: two of `ompt_frame_flag_t`, one of each group, or-ed together.
    pub enter_frame_flags: c_int,
}
const _: () = assert!(size_of::<ompt_frame_t>() == 24 && align_of::<ompt_frame_t>() == 8);

/// One dependence of a task, or of an iteration of a doacross loop (OpenMP 5.0, 4.4.4.9).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ompt_dependence_t {
    /// The address of the variable; for a doacross loop, the number of the iteration.
    pub variable: ompt_data_t,
    /// The kind of the dependence.
    pub dependence_type: ompt_dependence_type_t,
}
const _: () = assert!(size_of::<ompt_dependence_t>() == 16);

/// 6.0: part of an array of several dimensions, as it is copied to or from a device (OpenMP 6.0, 33.32).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ompt_subvolume_t {
    /// The array.
    pub base: *const c_void,
    /// Size of an element, in bytes.
    pub size: u64,
    /// Number of dimensions; each array below has as many elements.
    pub num_dims: u64,
    /// Size of the part in each dimension, in elements.
    pub volume: *const u64,
    /// Its offset in each dimension, in elements.
    pub offsets: *const u64,
    /// Size of the array in each dimension, in elements.
    pub dimensions: *const u64,
}

/// Chunk of a loop: `ompt_callback_dispatch` passes its address (OpenMP 5.2).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ompt_dispatch_chunk_t {
    /// The first logical iteration of the chunk, from 0.
    pub start: u64,
    /// The number of iterations in the chunk.
    pub iterations: u64,
}
