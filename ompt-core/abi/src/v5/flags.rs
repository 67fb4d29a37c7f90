//! Flags: numbers that are or-ed together into an `int` (OpenMP 5.0, section 4.4.4).
#![allow(clippy::enum_clike_unportable_variant, reason = "x86-64 only; the size is checked below")]

use std::ffi::c_int;

/// What a task is.
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
    /// 5.1: the task that a taskwait with dependences stands for.
    ompt_task_taskwait = 0x00000010,
    /// Executed at once.
    ompt_task_undeferred = 0x08000000,
    /// Untied.
    ompt_task_untied = 0x10000000,
    /// Final.
    ompt_task_final = 0x20000000,
    /// May be merged.
    ompt_task_mergeable = 0x40000000,
    /// Was merged: it has the data of the task that met its construct.
    ompt_task_merged = 0x80000000,
}

/// What a parallel or teams region is, and who calls its code.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_parallel_flag_t {
    /// The program calls the code of the region, at least on the thread that met the construct.
    ompt_parallel_invoker_program = 0x00000001,
    /// The runtime calls it.
    ompt_parallel_invoker_runtime = 0x00000002,
    /// A league of teams.
    ompt_parallel_league = 0x40000000,
    /// A team of threads.
    ompt_parallel_team = 0x80000000,
}

/// Whose frame a pointer of `ompt_frame_t` is in, and what in the frame it points to: one of each.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_frame_flag_t {
    /// A frame of the runtime.
    ompt_frame_runtime = 0x00,
    /// A frame of the program.
    ompt_frame_application = 0x01,
    /// The canonical frame address.
    ompt_frame_cfa = 0x10,
    /// The frame pointer.
    ompt_frame_framepointer = 0x20,
    /// Some address inside of the frame.
    ompt_frame_stackaddress = 0x30,
}

/// What is cancelled, and how far that has come.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_cancel_flag_t {
    /// A parallel region.
    ompt_cancel_parallel = 0x01,
    /// Sections.
    ompt_cancel_sections = 0x02,
    /// A loop.
    ompt_cancel_loop = 0x04,
    /// A taskgroup.
    ompt_cancel_taskgroup = 0x08,
    /// The calling thread asks for it.
    ompt_cancel_activated = 0x10,
    /// The calling thread sees that somebody asked for it.
    ompt_cancel_detected = 0x20,
    /// A task is dropped before it ran.
    ompt_cancel_discarded_task = 0x40,
}

/// How data is mapped to a device.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_target_map_flag_t {
    /// `map(to)`.
    ompt_target_map_flag_to = 0x01,
    /// `map(from)`.
    ompt_target_map_flag_from = 0x02,
    /// `map(alloc)`.
    ompt_target_map_flag_alloc = 0x04,
    /// `map(release)`.
    ompt_target_map_flag_release = 0x08,
    /// `map(delete)`.
    ompt_target_map_flag_delete = 0x10,
    /// No clause of the program asks for it.
    ompt_target_map_flag_implicit = 0x20,
}

/// What a device's own trace may hold.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ompt_native_mon_flag_t {
    /// Copies that the program asks for.
    ompt_native_data_motion_explicit = 0x01,
    /// Copies that it doesn't ask for.
    ompt_native_data_motion_implicit = 0x02,
    /// Calls of kernels.
    ompt_native_kernel_invocation = 0x04,
    /// Kernels that run.
    ompt_native_kernel_execution = 0x08,
    /// The device's driver.
    ompt_native_driver = 0x10,
    /// The device's runtime.
    ompt_native_runtime = 0x20,
    /// Time that is lost.
    ompt_native_overhead = 0x40,
    /// Time without work.
    ompt_native_idleness = 0x80,
}

impl ompt_task_flag_t {
    /// As the `int` that callbacks pass: the topmost bit makes it negative.
    pub const fn bits(self) -> c_int {
        (self as u32).cast_signed()
    }
}

impl ompt_parallel_flag_t {
    /// As the `int` that callbacks pass: the topmost bit makes it negative.
    pub const fn bits(self) -> c_int {
        (self as u32).cast_signed()
    }
}

impl ompt_frame_flag_t {
    /// As the `int` of `ompt_frame_t`.
    pub const fn bits(self) -> c_int {
        (self as u32).cast_signed()
    }
}

impl ompt_cancel_flag_t {
    /// As the `int` that the callback passes.
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
