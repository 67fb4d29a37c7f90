//! Flags that callbacks pass as an `int`.

use ompt_abi::v5::{ompt_cancel_flag_t, ompt_parallel_flag_t, ompt_task_flag_t};
use std::ffi::c_int;

/// Sets of flags, with a predicate for each flag.
macro_rules! flags {
    ($($(#[$doc:meta])* $set:ident: $c:ident { $($(#[$flag_doc:meta])* $predicate:ident = $flag:ident,)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $set(c_int);

        impl $set {
            pub(crate) const fn new(bits: c_int) -> Self {
                Self(bits)
            }

            /// Flags as C passes them.
            pub const fn bits(self) -> c_int {
                self.0
            }

            $($(#[$flag_doc])* pub const fn $predicate(self) -> bool {
                self.0 & $c::$flag.bits() != 0
            })*
        }
    )* };
}

flags! {
    /// Flags of a parallel or teams region (`ompt_parallel_flag_t`).
    ParallelFlags: ompt_parallel_flag_t {
        /// True if the program calls the region's code, at least on the thread that encountered the construct.
        is_invoked_by_program = ompt_parallel_invoker_program,
        /// True if the runtime calls the region's code.
        is_invoked_by_runtime = ompt_parallel_invoker_runtime,
        /// True for a league of teams (`teams`).
        is_league = ompt_parallel_league,
        /// True for a team of threads (`parallel`).
        is_team = ompt_parallel_team,
    }

    /// Flags of a task (`ompt_task_flag_t`).
    TaskFlags: ompt_task_flag_t {
        /// True for an initial task.
        is_initial = ompt_task_initial,
        /// True for an implicit task.
        is_implicit = ompt_task_implicit,
        /// True for an explicit task.
        is_explicit = ompt_task_explicit,
        /// True for a target task.
        is_target = ompt_task_target,
        /// 5.1: true for the task that represents a taskwait with dependences.
        is_taskwait = ompt_task_taskwait,
        /// True if the task that creates it waits for it.
        is_undeferred = ompt_task_undeferred,
        /// True for an untied task.
        is_untied = ompt_task_untied,
        /// True for a final task.
        is_final = ompt_task_final,
        /// True for a mergeable task.
        is_mergeable = ompt_task_mergeable,
        /// True for a merged task, which has the data of the task that encountered its construct.
        is_merged = ompt_task_merged,
    }

    /// Flags of a cancellation (`ompt_cancel_flag_t`): the construct, and the progress of the cancellation.
    CancelFlags: ompt_cancel_flag_t {
        /// True for a parallel region.
        is_parallel = ompt_cancel_parallel,
        /// True for sections.
        is_sections = ompt_cancel_sections,
        /// True for a loop.
        is_loop = ompt_cancel_loop,
        /// True for a taskgroup.
        is_taskgroup = ompt_cancel_taskgroup,
        /// True if the calling thread requests the cancellation.
        is_activated = ompt_cancel_activated,
        /// True if the calling thread notices the cancellation.
        is_detected = ompt_cancel_detected,
        /// True for a task that is discarded before it ran.
        is_discarded_task = ompt_cancel_discarded_task,
    }
}
