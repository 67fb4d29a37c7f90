//! Flags: numbers that are or-ed together into an `int` (OpenMP 5.0, 4.4.4).
#![allow(clippy::enum_clike_unportable_variant, reason = "x86-64 only; the size is checked below")]

use std::ffi::c_int;

/// Kind and properties of a task (OpenMP 5.0, 4.4.4.18).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_task_flag_t {
    /// An initial task.
    ompt_task_initial = 0x00000001,
    /// An implicit task.
    ompt_task_implicit = 0x00000002,
    /// An explicit task.
    ompt_task_explicit = 0x00000004,
    /// A target task.
    ompt_task_target = 0x00000008,
    /// 5.1: a taskwait with dependences, which is reported as a task.
    ompt_task_taskwait = 0x00000010,
    /// 6.0: the task is importing.
    ompt_task_importing = 0x02000000,
    /// 6.0: the task is exporting.
    ompt_task_exporting = 0x04000000,
    /// The task is undeferred: it is executed immediately.
    ompt_task_undeferred = 0x08000000,
    /// The task is untied.
    ompt_task_untied = 0x10000000,
    /// The task is final.
    ompt_task_final = 0x20000000,
    /// The task is mergeable.
    ompt_task_mergeable = 0x40000000,
    /// The task is merged: it shares the data environment of the task that encountered its construct.
    ompt_task_merged = 0x80000000,
}

/// Kind of a parallel or teams region, and the caller of its code (OpenMP 5.0, 4.4.4.21).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_parallel_flag_t {
    /// The program calls the region's code, at least on the thread that encountered the construct.
    ompt_parallel_invoker_program = 0x00000001,
    /// The runtime calls the region's code.
    ompt_parallel_invoker_runtime = 0x00000002,
    /// The region is executed by a league of teams.
    ompt_parallel_league = 0x40000000,
    /// The region is executed by a team of threads.
    ompt_parallel_team = 0x80000000,
}

/// Owner of a frame in `ompt_frame_t`, and the meaning of its address: one flag of each (OpenMP 5.0, 4.4.4.28).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_frame_flag_t {
    /// A frame of the runtime.
    ompt_frame_runtime = 0x00,
    /// A frame of the program.
    ompt_frame_application = 0x01,
    /// The address is the canonical frame address (DWARF).
    ompt_frame_cfa = 0x10,
    /// The address is the value of the frame pointer.
    ompt_frame_framepointer = 0x20,
    /// The address lies anywhere in the frame.
    ompt_frame_stackaddress = 0x30,
}

/// Construct that is cancelled, and the stage of the cancellation: one flag of each (OpenMP 5.0, 4.4.4.24).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_cancel_flag_t {
    /// A parallel region is cancelled.
    ompt_cancel_parallel = 0x01,
    /// A sections region is cancelled.
    ompt_cancel_sections = 0x02,
    /// A work-sharing loop is cancelled.
    ompt_cancel_loop = 0x04,
    /// A taskgroup is cancelled.
    ompt_cancel_taskgroup = 0x08,
    /// The task activates the cancellation.
    ompt_cancel_activated = 0x10,
    /// The task detects that the cancellation was activated.
    ompt_cancel_detected = 0x20,
    /// A task is discarded before it ran.
    ompt_cancel_discarded_task = 0x40,
}

/// Flags of a mapping of data to a device (OpenMP 5.0, 4.4.4.22).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_target_map_flag_t {
    /// Mapped by `map(to)`.
    ompt_target_map_flag_to = 0x01,
    /// Mapped by `map(from)`.
    ompt_target_map_flag_from = 0x02,
    /// Mapped by `map(alloc)`.
    ompt_target_map_flag_alloc = 0x04,
    /// Mapped by `map(release)`.
    ompt_target_map_flag_release = 0x08,
    /// Mapped by `map(delete)`.
    ompt_target_map_flag_delete = 0x10,
    /// Mapped without a clause of the program.
    ompt_target_map_flag_implicit = 0x20,
    /// 5.2: mapped with the modifier `always`.
    ompt_target_map_flag_always = 0x40,
    /// 5.2: mapped with the modifier `present`.
    ompt_target_map_flag_present = 0x80,
    /// 5.2: mapped with the modifier `close`.
    ompt_target_map_flag_close = 0x100,
    /// 5.2: the host and the device use the same memory for it.
    ompt_target_map_flag_shared = 0x200,
}

/// Kinds of events that a device's own tracing can record (OpenMP 5.0, 4.4.4.17).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_native_mon_flag_t {
    /// Explicit data transfers.
    ompt_native_data_motion_explicit = 0x01,
    /// Implicit data transfers.
    ompt_native_data_motion_implicit = 0x02,
    /// Invocations of kernels.
    ompt_native_kernel_invocation = 0x04,
    /// Executions of kernels.
    ompt_native_kernel_execution = 0x08,
    /// Activity of the device's driver.
    ompt_native_driver = 0x10,
    /// Activity of the device's runtime.
    ompt_native_runtime = 0x20,
    /// Overhead.
    ompt_native_overhead = 0x40,
    /// Idle time.
    ompt_native_idleness = 0x80,
}

impl ompt_task_flag_t {
    /// The flag as the `int` that callbacks pass: the topmost bit makes it negative.
    pub const fn bits(self) -> c_int {
        (self as u32).cast_signed()
    }
}

impl ompt_parallel_flag_t {
    /// The flag as the `int` that callbacks pass: the topmost bit makes it negative.
    pub const fn bits(self) -> c_int {
        (self as u32).cast_signed()
    }
}

impl ompt_frame_flag_t {
    /// The flag as the `int` of `ompt_frame_t`.
    pub const fn bits(self) -> c_int {
        (self as u32).cast_signed()
    }
}

impl ompt_cancel_flag_t {
    /// The flag as the `int` that the callback passes.
    pub const fn bits(self) -> c_int {
        (self as u32).cast_signed()
    }
}

// An enum of C's has the size of an `int`, also with the topmost bit.
const _: () = assert!(size_of::<ompt_task_flag_t>() == 4 && size_of::<ompt_parallel_flag_t>() == 4);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_bit_of_flags_makes_the_int_negative() {
        assert_eq!(ompt_task_flag_t::ompt_task_merged.bits(), c_int::MIN);
        let bits = ompt_parallel_flag_t::ompt_parallel_team.bits() | ompt_parallel_flag_t::ompt_parallel_league.bits();
        assert_eq!(bits, c_int::MIN | 0x4000_0000);
        assert_eq!(ompt_frame_flag_t::ompt_frame_cfa.bits(), 0x10);
        assert_eq!(ompt_cancel_flag_t::ompt_cancel_discarded_task.bits(), 0x40);
    }
}
