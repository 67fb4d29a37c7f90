//! Every entry point of libgomp that we stand in front of, with the wrapper that reports it and what it does in a process
//! without any OpenMP runtime. What is not here reports nothing, and programs call it directly.

#![allow(unsafe_code)] // exports the names that programs call

use super::entry::{Code, entry, slow};
use super::{barrier, lock, mutex, ordered, parallel, sequential, task, task_quick, task_wait, work};

/// `NAME: wrapper[constants], stand-in[constants];` (the constants are positions of arguments).
macro_rules! entries {
    (
        exported { $($name:ident: $wm:ident::$wf:ident $([$($wx:expr),*])?, $sf:ident $([$($sx:expr),*])?;)* }
        old { $($old:ident $symbol:literal: $om:ident::$of:ident $([$($ox:expr),*])?, $of2:ident;)* }
        inner { $($inner:ident $isymbol:literal $iversion:expr;)* }
    ) => {
        /// The functions of libgomp that we know, in the order of their slots.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        pub(super) enum Entry { $($name,)* $($old,)* $($inner,)* }

        /// Entries that have a slot: the exported ones, then the old versions.
        pub(super) const SLOTS: usize = EXPORTED + [$(stringify!($old)),*].len();
        pub(super) const EXPORTED: usize = [$(stringify!($name)),*].len();
        pub(super) const ENTRIES: usize = SLOTS + [$(stringify!($inner)),*].len();

        /// Symbol and, where it isn't the default one, version of each entry.
        pub(super) static SYMBOLS: [(&str, Option<&str>); ENTRIES] = [
            $((concat!(stringify!($name), "\0"), None),)*
            $((concat!($symbol, "\0"), Some("OMP_1.0\0")),)*
            $((concat!($isymbol, "\0"), $iversion),)*
        ];

        /// What reports each entry of a bank.
        pub(super) const fn wrappers<const B: usize>() -> [Code; SLOTS] {
            [
                $(Code($wm::$wf::<B, { Entry::$name as usize } $($(, { $wx })*)?> as *const ()),)*
                $(Code($om::$of::<B, { Entry::$old as usize } $($(, { $ox })*)?> as *const ()),)*
            ]
        }

        /// What each entry does when no libgomp is there.
        pub(super) static STAND_INS: [Code; SLOTS] = [
            $(Code(sequential::$sf $(::<$({ $sx }),*>)? as *const ()),)*
            $(Code(sequential::$of2 as *const ()),)*
        ];

        /// What slots hold until the real functions are known.
        pub(super) static UNBOUND: [Code; SLOTS] = [
            $(Code(slow::<{ Entry::$name as usize }> as *const ()),)*
            $(Code(slow::<{ Entry::$old as usize }> as *const ()),)*
        ];

        /// The exported names.
        pub(super) static EXPORTS: [Code; EXPORTED] = [$(Code($name as *const ())),*];

        $(entry!($name);)*
    };
}

entries! {
    exported {
        GOMP_parallel: parallel::call, parallel;
        GOMP_parallel_reductions: parallel::call, parallel;
        GOMP_parallel_loop_static: parallel::call_with_work, parallel_loop;
        GOMP_parallel_loop_dynamic: parallel::call_with_work, parallel_loop;
        GOMP_parallel_loop_guided: parallel::call_with_work, parallel_loop;
        GOMP_parallel_loop_runtime: parallel::call_with_work, parallel_loop;
        GOMP_parallel_loop_nonmonotonic_dynamic: parallel::call_with_work, parallel_loop;
        GOMP_parallel_loop_nonmonotonic_guided: parallel::call_with_work, parallel_loop;
        GOMP_parallel_loop_nonmonotonic_runtime: parallel::call_with_work, parallel_loop;
        GOMP_parallel_loop_maybe_nonmonotonic_runtime: parallel::call_with_work, parallel_loop;
        GOMP_parallel_sections: parallel::call_with_work, parallel_sections;
        GOMP_parallel_start: parallel::start, nothing;
        GOMP_parallel_loop_static_start: parallel::start, parallel_loop_start;
        GOMP_parallel_loop_dynamic_start: parallel::start, parallel_loop_start;
        GOMP_parallel_loop_guided_start: parallel::start, parallel_loop_start;
        GOMP_parallel_loop_runtime_start: parallel::start, parallel_loop_start;
        GOMP_parallel_sections_start: parallel::start, parallel_sections_start;
        GOMP_parallel_end: parallel::end, nothing;

        GOMP_barrier: barrier::explicit, nothing;
        GOMP_barrier_cancel: barrier::explicit, nothing;
        GOMP_loop_end: barrier::implicit, nothing;
        GOMP_loop_end_cancel: barrier::implicit, nothing;
        GOMP_sections_end: barrier::implicit, nothing;
        GOMP_sections_end_cancel: barrier::implicit, nothing;

        GOMP_loop_static_start: work::start, loop_start[4];
        GOMP_loop_dynamic_start: work::start, loop_start[4];
        GOMP_loop_guided_start: work::start, loop_start[4];
        GOMP_loop_runtime_start: work::start, loop_start[3];
        GOMP_loop_nonmonotonic_dynamic_start: work::start, loop_start[4];
        GOMP_loop_nonmonotonic_guided_start: work::start, loop_start[4];
        GOMP_loop_nonmonotonic_runtime_start: work::start, loop_start[3];
        GOMP_loop_maybe_nonmonotonic_runtime_start: work::start, loop_start[3];
        GOMP_loop_start: work::start_long, loop_start[5];
        GOMP_loop_ull_static_start: work::start_long, loop_ull_start[5];
        GOMP_loop_ull_dynamic_start: work::start_long, loop_ull_start[5];
        GOMP_loop_ull_guided_start: work::start_long, loop_ull_start[5];
        GOMP_loop_ull_runtime_start: work::start_long, loop_ull_start[4];
        GOMP_loop_ull_nonmonotonic_dynamic_start: work::start_long, loop_ull_start[5];
        GOMP_loop_ull_nonmonotonic_guided_start: work::start_long, loop_ull_start[5];
        GOMP_loop_ull_nonmonotonic_runtime_start: work::start_long, loop_ull_start[4];
        GOMP_loop_ull_maybe_nonmonotonic_runtime_start: work::start_long, loop_ull_start[4];
        GOMP_loop_ull_start: work::start_long, loop_ull_start[6];
        GOMP_sections_start: work::start, sections_start;
        GOMP_sections2_start: work::start, sections_start;
        GOMP_scope_start: work::start, nothing;
        GOMP_loop_doacross_static_start: work::start, doacross_start[3];
        GOMP_loop_doacross_dynamic_start: work::start, doacross_start[3];
        GOMP_loop_doacross_guided_start: work::start, doacross_start[3];
        GOMP_loop_doacross_runtime_start: work::start, doacross_start[2];
        GOMP_loop_doacross_start: work::start_long, doacross_start[4];
        GOMP_loop_ull_doacross_static_start: work::start, doacross_start[3];
        GOMP_loop_ull_doacross_dynamic_start: work::start, doacross_start[3];
        GOMP_loop_ull_doacross_guided_start: work::start, doacross_start[3];
        GOMP_loop_ull_doacross_runtime_start: work::start, doacross_start[2];
        GOMP_loop_ull_doacross_start: work::start_long, doacross_start[4];

        GOMP_loop_static_next: work::next, loop_next;
        GOMP_loop_dynamic_next: work::next, loop_next;
        GOMP_loop_guided_next: work::next, loop_next;
        GOMP_loop_runtime_next: work::next, loop_next;
        GOMP_loop_nonmonotonic_dynamic_next: work::next, loop_next;
        GOMP_loop_nonmonotonic_guided_next: work::next, loop_next;
        GOMP_loop_nonmonotonic_runtime_next: work::next, loop_next;
        GOMP_loop_maybe_nonmonotonic_runtime_next: work::next, loop_next;
        GOMP_loop_ull_static_next: work::next, loop_next;
        GOMP_loop_ull_dynamic_next: work::next, loop_next;
        GOMP_loop_ull_guided_next: work::next, loop_next;
        GOMP_loop_ull_runtime_next: work::next, loop_next;
        GOMP_loop_ull_nonmonotonic_dynamic_next: work::next, loop_next;
        GOMP_loop_ull_nonmonotonic_guided_next: work::next, loop_next;
        GOMP_loop_ull_nonmonotonic_runtime_next: work::next, loop_next;
        GOMP_loop_ull_maybe_nonmonotonic_runtime_next: work::next, loop_next;
        GOMP_sections_next: work::next, sections_next;

        GOMP_single_start: work::single, one;
        GOMP_single_copy_start: work::single_copy_start, nothing;
        GOMP_single_copy_end: work::single_copy_end, nothing;

        GOMP_loop_ordered_static_start: ordered::start[0, 4], loop_start[4];
        GOMP_loop_ordered_dynamic_start: ordered::start[0, 4], loop_start[4];
        GOMP_loop_ordered_guided_start: ordered::start[0, 4], loop_start[4];
        GOMP_loop_ordered_runtime_start: ordered::start[0, 3], loop_start[3];
        GOMP_loop_ordered_start: ordered::start[0, 5], loop_start[5];
        GOMP_loop_ull_ordered_static_start: ordered::start[1, 5], loop_ull_start[5];
        GOMP_loop_ull_ordered_dynamic_start: ordered::start[1, 5], loop_ull_start[5];
        GOMP_loop_ull_ordered_guided_start: ordered::start[1, 5], loop_ull_start[5];
        GOMP_loop_ull_ordered_runtime_start: ordered::start[1, 4], loop_ull_start[4];
        GOMP_loop_ull_ordered_start: ordered::start[1, 6], loop_ull_start[6];
        GOMP_loop_ordered_static_next: ordered::next, loop_next;
        GOMP_loop_ordered_dynamic_next: ordered::next, loop_next;
        GOMP_loop_ordered_guided_next: ordered::next, loop_next;
        GOMP_loop_ordered_runtime_next: ordered::next, loop_next;
        GOMP_loop_ull_ordered_static_next: ordered::next, loop_next;
        GOMP_loop_ull_ordered_dynamic_next: ordered::next, loop_next;
        GOMP_loop_ull_ordered_guided_next: ordered::next, loop_next;
        GOMP_loop_ull_ordered_runtime_next: ordered::next, loop_next;
        GOMP_ordered_start: ordered::enter, nothing;
        GOMP_ordered_end: ordered::leave, nothing;

        GOMP_critical_start: mutex::critical_start, nothing;
        GOMP_critical_end: mutex::critical_end, nothing;
        GOMP_critical_name_start: mutex::named_start, nothing;
        GOMP_atomic_start: mutex::atomic_start, nothing;
        GOMP_atomic_end: mutex::atomic_end, nothing;

        GOMP_task: task_quick::create, task;
        GOMP_taskloop: task::create_loop, taskloop;
        GOMP_taskloop_ull: task::create_loop, taskloop;
        GOMP_taskwait: task_wait::children, nothing;
        GOMP_taskwait_depend: task_wait::children, nothing;
        GOMP_taskgroup_end: task_wait::group, nothing;

        omp_set_lock: lock::set[Entry::omp_test_lock as usize], nothing;
        omp_set_lock_: lock::set[Entry::omp_test_lock_ as usize], nothing;
        omp_set_nest_lock: lock::set[Entry::omp_test_nest_lock as usize], nothing;
        omp_set_nest_lock_: lock::set[Entry::omp_test_nest_lock_ as usize], nothing;
    }
    // Programs linked with libgomp before gcc 4.4 bind to these versions: other locks, of other sizes.
    old {
        old_set_lock "omp_set_lock": lock::set[Entry::old_test_lock as usize], nothing;
        old_set_lock_ "omp_set_lock_": lock::set[Entry::old_test_lock_ as usize], nothing;
        old_set_nest_lock "omp_set_nest_lock": lock::set[Entry::old_test_nest_lock as usize], nothing;
        old_set_nest_lock_ "omp_set_nest_lock_": lock::set[Entry::old_test_nest_lock_ as usize], nothing;
    }
    // Called by wrappers only.
    inner {
        omp_test_lock "omp_test_lock" None;
        omp_test_lock_ "omp_test_lock_" None;
        omp_test_nest_lock "omp_test_nest_lock" None;
        omp_test_nest_lock_ "omp_test_nest_lock_" None;
        old_test_lock "omp_test_lock" Some("OMP_1.0\0");
        old_test_lock_ "omp_test_lock_" Some("OMP_1.0\0");
        old_test_nest_lock "omp_test_nest_lock" Some("OMP_1.0\0");
        old_test_nest_lock_ "omp_test_nest_lock_" Some("OMP_1.0\0");
        GOMP_taskgroup_start "GOMP_taskgroup_start" None;
        omp_get_level "omp_get_level" None;
        omp_get_num_threads "omp_get_num_threads" None;
        omp_get_cancellation "omp_get_cancellation" None;
    }
}
