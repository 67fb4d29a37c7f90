//! Every entry point of libgomp that we stand in front of, with the wrapper that reports it and what it does in a process
//! without any OpenMP runtime. What is not here reports nothing, and programs call it directly.

#![allow(unsafe_code)] // exports the names that programs call

use super::entry::{Code, entry, slow};
use super::work::{DOACROSS, LOOP, SCOPE, SECTIONS, ULL_LOOP};
use super::{
    barrier, cancel, detach, doacross, lock, mutex, ordered, parallel, sequential, target, task, task_quick, task_wait,
    teams, work,
};

/// `NAME: wrapper[constants], stand-in[constants];` (the constants are positions of arguments).
macro_rules! entries {
    (
        exported { $($name:ident: $wm:ident::$wf:ident $([$($wx:expr),*])?, $sf:ident $([$($sx:expr),*])?;)* }
        twins { $($twin:ident: $tm:ident::$tf:ident;)* }
        for_calls { $($more:ident: $mm:ident::$mf:ident $([$($mx:expr),*])?, $msf:ident;)* }
        old { $($old:ident $symbol:literal: $om:ident::$of:ident $([$($ox:expr),*])?, $of2:ident;)* }
        old_for_calls { $($omore:ident $osymbol:literal: $omm:ident::$omf:ident $([$($omx:expr),*])?, $omsf:ident;)* }
        inner { $($inner:ident $isymbol:literal $iversion:expr;)* }
    ) => {
        /// The functions of libgomp that we know, in the order of their slots.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        pub(super) enum Entry { $($name,)* $($more,)* $($old,)* $($omore,)* $($inner,)* }

        /// Entries that have a slot: the exported ones, then the old versions.
        pub(super) const SLOTS: usize = OLD_FOR_CALLS + [$(stringify!($omore)),*].len();
        pub(super) const EXPORTED: usize = FOR_CALLS + [$(stringify!($more)),*].len();
        pub(super) const ENTRIES: usize = SLOTS + [$(stringify!($inner)),*].len();
        const FOR_CALLS: usize = [$(stringify!($name)),*].len();
        const OLD_FOR_CALLS: usize = EXPORTED + [$(stringify!($old)),*].len();

        /// Symbol and, where it isn't the default one, version of each entry.
        pub(super) static SYMBOLS: [(&str, Option<&str>); ENTRIES] = [
            $((concat!(stringify!($name), "\0"), None),)*
            $((concat!(stringify!($more), "\0"), None),)*
            $((concat!($symbol, "\0"), Some("OMP_1.0\0")),)*
            $((concat!($osymbol, "\0"), Some("OMP_1.0\0")),)*
            $((concat!($isymbol, "\0"), $iversion),)*
        ];

        /// What reports each entry of a bank.
        pub(super) const fn wrappers<const B: usize>() -> [Code; SLOTS] {
            [
                $(Code($wm::$wf::<B, { Entry::$name as usize } $($(, { $wx })*)?> as *const ()),)*
                $(Code($mm::$mf::<B, { Entry::$more as usize } $($(, { $mx })*)?> as *const ()),)*
                $(Code($om::$of::<B, { Entry::$old as usize } $($(, { $ox })*)?> as *const ()),)*
                $(Code($omm::$omf::<B, { Entry::$omore as usize } $($(, { $omx })*)?> as *const ()),)*
            ]
        }

        /// As above, once calls are told, too.
        #[allow(clippy::indexing_slicing)] // computed while compiling
        pub(super) const fn wrappers_of_calls<const B: usize>() -> [Code; SLOTS] {
            let mut wrappers = wrappers::<B>();
            $(wrappers[Entry::$twin as usize] = Code($tm::$tf::<B, { Entry::$twin as usize }, true> as *const ());)*
            wrappers
        }

        /// What each entry does when no libgomp is there.
        pub(super) static STAND_INS: [Code; SLOTS] = [
            $(Code(sequential::$sf $(::<$({ $sx }),*>)? as *const ()),)*
            $(Code(sequential::$msf as *const ()),)*
            $(Code(sequential::$of2 as *const ()),)*
            $(Code(sequential::$omsf as *const ()),)*
        ];

        /// What slots hold until the real functions are known.
        pub(super) static UNBOUND: [Code; SLOTS] = [
            $(Code(slow::<{ Entry::$name as usize }> as *const ()),)*
            $(Code(slow::<{ Entry::$more as usize }> as *const ()),)*
            $(Code(slow::<{ Entry::$old as usize }> as *const ()),)*
            $(Code(slow::<{ Entry::$omore as usize }> as *const ()),)*
        ];

        /// The exported names.
        pub(super) static EXPORTS: [Code; EXPORTED] =
            [$(Code($name as *const ()),)* $(Code($more as *const ()),)*];

        $(entry!($name);)*
        $(entry!($more);)*
    };
}

/// Whether an entry is of interest only where calls are told.
pub(super) const fn is_for_calls(entry: usize) -> bool {
    entry >= FOR_CALLS && entry < EXPORTED || entry >= OLD_FOR_CALLS && entry < SLOTS
}

entries! {
    exported {
        GOMP_parallel: parallel::call[false], parallel;
        GOMP_parallel_reductions: parallel::call[false], parallel;
        GOMP_parallel_loop_static: parallel::call_with_work[false], parallel_loop;
        GOMP_parallel_loop_dynamic: parallel::call_with_work[false], parallel_loop;
        GOMP_parallel_loop_guided: parallel::call_with_work[false], parallel_loop;
        GOMP_parallel_loop_runtime: parallel::call_with_work[false], parallel_loop;
        GOMP_parallel_loop_nonmonotonic_dynamic: parallel::call_with_work[false], parallel_loop;
        GOMP_parallel_loop_nonmonotonic_guided: parallel::call_with_work[false], parallel_loop;
        GOMP_parallel_loop_nonmonotonic_runtime: parallel::call_with_work[false], parallel_loop;
        GOMP_parallel_loop_maybe_nonmonotonic_runtime: parallel::call_with_work[false], parallel_loop;
        GOMP_parallel_sections: parallel::call_with_work[false], parallel_sections;
        GOMP_parallel_start: parallel::start[false], nothing;
        GOMP_parallel_loop_static_start: parallel::start[false], parallel_loop_start;
        GOMP_parallel_loop_dynamic_start: parallel::start[false], parallel_loop_start;
        GOMP_parallel_loop_guided_start: parallel::start[false], parallel_loop_start;
        GOMP_parallel_loop_runtime_start: parallel::start[false], parallel_loop_start;
        GOMP_parallel_sections_start: parallel::start[false], parallel_sections_start;
        GOMP_parallel_end: parallel::end, nothing;

        GOMP_barrier: barrier::explicit, nothing;
        GOMP_barrier_cancel: barrier::explicit, nothing;
        GOMP_loop_end: barrier::implicit, nothing;
        GOMP_loop_end_cancel: barrier::implicit, nothing;
        GOMP_sections_end: barrier::implicit, nothing;
        GOMP_sections_end_cancel: barrier::implicit, nothing;
        GOMP_workshare_task_reduction_unregister: barrier::reductions, nothing;

        GOMP_loop_static_start: work::start[LOOP, 4], loop_start[4];
        GOMP_loop_dynamic_start: work::start[LOOP, 4], loop_start[4];
        GOMP_loop_guided_start: work::start[LOOP, 4], loop_start[4];
        GOMP_loop_runtime_start: work::start[LOOP, 3], loop_start[3];
        GOMP_loop_nonmonotonic_dynamic_start: work::start[LOOP, 4], loop_start[4];
        GOMP_loop_nonmonotonic_guided_start: work::start[LOOP, 4], loop_start[4];
        GOMP_loop_nonmonotonic_runtime_start: work::start[LOOP, 3], loop_start[3];
        GOMP_loop_maybe_nonmonotonic_runtime_start: work::start[LOOP, 3], loop_start[3];
        GOMP_loop_start: work::start_long[LOOP, 5], loop_start[5];
        GOMP_loop_ull_static_start: work::start_long[ULL_LOOP, 5], loop_ull_start[5];
        GOMP_loop_ull_dynamic_start: work::start_long[ULL_LOOP, 5], loop_ull_start[5];
        GOMP_loop_ull_guided_start: work::start_long[ULL_LOOP, 5], loop_ull_start[5];
        GOMP_loop_ull_runtime_start: work::start_long[ULL_LOOP, 4], loop_ull_start[4];
        GOMP_loop_ull_nonmonotonic_dynamic_start: work::start_long[ULL_LOOP, 5], loop_ull_start[5];
        GOMP_loop_ull_nonmonotonic_guided_start: work::start_long[ULL_LOOP, 5], loop_ull_start[5];
        GOMP_loop_ull_nonmonotonic_runtime_start: work::start_long[ULL_LOOP, 4], loop_ull_start[4];
        GOMP_loop_ull_maybe_nonmonotonic_runtime_start: work::start_long[ULL_LOOP, 4], loop_ull_start[4];
        GOMP_loop_ull_start: work::start_long[ULL_LOOP, 6], loop_ull_start[6];
        GOMP_sections_start: work::start[SECTIONS, 0], sections_start;
        GOMP_sections2_start: work::start[SECTIONS, 0], sections_start;
        GOMP_scope_start: work::start[SCOPE, 0], nothing;
        GOMP_loop_doacross_static_start: work::start[DOACROSS, 3], doacross_start[3];
        GOMP_loop_doacross_dynamic_start: work::start[DOACROSS, 3], doacross_start[3];
        GOMP_loop_doacross_guided_start: work::start[DOACROSS, 3], doacross_start[3];
        GOMP_loop_doacross_runtime_start: work::start[DOACROSS, 2], doacross_start[2];
        GOMP_loop_doacross_start: work::start_long[DOACROSS, 4], doacross_start[4];
        GOMP_loop_ull_doacross_static_start: work::start[DOACROSS, 3], doacross_start[3];
        GOMP_loop_ull_doacross_dynamic_start: work::start[DOACROSS, 3], doacross_start[3];
        GOMP_loop_ull_doacross_guided_start: work::start[DOACROSS, 3], doacross_start[3];
        GOMP_loop_ull_doacross_runtime_start: work::start[DOACROSS, 2], doacross_start[2];
        GOMP_loop_ull_doacross_start: work::start_long[DOACROSS, 4], doacross_start[4];

        GOMP_loop_static_next: work::next[LOOP], loop_next;
        GOMP_loop_dynamic_next: work::next[LOOP], loop_next;
        GOMP_loop_guided_next: work::next[LOOP], loop_next;
        GOMP_loop_runtime_next: work::next[LOOP], loop_next;
        GOMP_loop_nonmonotonic_dynamic_next: work::next[LOOP], loop_next;
        GOMP_loop_nonmonotonic_guided_next: work::next[LOOP], loop_next;
        GOMP_loop_nonmonotonic_runtime_next: work::next[LOOP], loop_next;
        GOMP_loop_maybe_nonmonotonic_runtime_next: work::next[LOOP], loop_next;
        GOMP_loop_ull_static_next: work::next[LOOP], loop_next;
        GOMP_loop_ull_dynamic_next: work::next[LOOP], loop_next;
        GOMP_loop_ull_guided_next: work::next[LOOP], loop_next;
        GOMP_loop_ull_runtime_next: work::next[LOOP], loop_next;
        GOMP_loop_ull_nonmonotonic_dynamic_next: work::next[LOOP], loop_next;
        GOMP_loop_ull_nonmonotonic_guided_next: work::next[LOOP], loop_next;
        GOMP_loop_ull_nonmonotonic_runtime_next: work::next[LOOP], loop_next;
        GOMP_loop_ull_maybe_nonmonotonic_runtime_next: work::next[LOOP], loop_next;
        GOMP_sections_next: work::next[SECTIONS], sections_next;

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

        GOMP_doacross_post: doacross::post, nothing;
        GOMP_doacross_wait: doacross::wait, nothing;
        GOMP_doacross_ull_post: doacross::post, nothing;
        GOMP_doacross_ull_wait: doacross::wait, nothing;

        GOMP_critical_start: mutex::critical_start, nothing;
        GOMP_critical_end: mutex::critical_end, nothing;
        GOMP_critical_name_start: mutex::named_start, nothing;
        GOMP_atomic_start: mutex::atomic_start, nothing;
        GOMP_atomic_end: mutex::atomic_end, nothing;

        GOMP_task: task_quick::create[false], task;
        GOMP_taskloop: task::create_loop, taskloop;
        GOMP_taskloop_ull: task::create_loop, taskloop;
        GOMP_taskwait: task_wait::children, nothing;
        GOMP_taskwait_depend: task_wait::dependences, nothing;
        GOMP_taskgroup_end: task_wait::group, nothing;

        GOMP_target: target::old[false], target;
        GOMP_target_ext: target::region[false], target_ext;

        omp_set_lock: lock::set[Entry::omp_test_lock as usize], nothing;
        omp_set_lock_: lock::set[Entry::omp_test_lock_ as usize], nothing;
        omp_set_nest_lock: lock::set[Entry::omp_test_nest_lock as usize], nothing;
        omp_set_nest_lock_: lock::set[Entry::omp_test_nest_lock_ as usize], nothing;
    }
    // Where calls are told, these have other wrappers than where they aren't: the constant `TOLD` says so.
    twins {
        GOMP_parallel: parallel::call;
        GOMP_parallel_reductions: parallel::call;
        GOMP_parallel_loop_static: parallel::call_with_work;
        GOMP_parallel_loop_dynamic: parallel::call_with_work;
        GOMP_parallel_loop_guided: parallel::call_with_work;
        GOMP_parallel_loop_runtime: parallel::call_with_work;
        GOMP_parallel_loop_nonmonotonic_dynamic: parallel::call_with_work;
        GOMP_parallel_loop_nonmonotonic_guided: parallel::call_with_work;
        GOMP_parallel_loop_nonmonotonic_runtime: parallel::call_with_work;
        GOMP_parallel_loop_maybe_nonmonotonic_runtime: parallel::call_with_work;
        GOMP_parallel_sections: parallel::call_with_work;
        GOMP_parallel_start: parallel::start;
        GOMP_parallel_loop_static_start: parallel::start;
        GOMP_parallel_loop_dynamic_start: parallel::start;
        GOMP_parallel_loop_guided_start: parallel::start;
        GOMP_parallel_loop_runtime_start: parallel::start;
        GOMP_parallel_sections_start: parallel::start;
        GOMP_task: task_quick::create;
        GOMP_target: target::old;
        GOMP_target_ext: target::region;
    }
    // Of interest only to tools that want to know of calls.
    for_calls {
        GOMP_critical_name_end: mutex::named_end, nothing;
        GOMP_loop_end_nowait: work::end_nowait, nothing;
        GOMP_sections_end_nowait: work::end_nowait, nothing;
        GOMP_taskgroup_start: task_wait::group_start, nothing;
        GOMP_cancel: cancel::cancel, nothing;
        GOMP_cancellation_point: cancel::point, nothing;
        GOMP_teams_reg: teams::league, parallel;
        omp_fulfill_event: detach::fulfil, nothing;
        omp_fulfill_event_: detach::fulfil, nothing;
        omp_test_lock: lock::test[0], one;
        omp_test_lock_: lock::test[0], one;
        omp_test_nest_lock: lock::test[1], one;
        omp_test_nest_lock_: lock::test[1], one;
        omp_unset_lock: lock::unset, nothing;
        omp_unset_lock_: lock::unset, nothing;
        omp_unset_nest_lock: lock::unset_nest[Entry::omp_test_nest_lock as usize], nothing;
        omp_unset_nest_lock_: lock::unset_nest[Entry::omp_test_nest_lock_ as usize], nothing;
        omp_init_lock: lock::init[0], nothing;
        omp_init_lock_: lock::init[0], nothing;
        omp_init_nest_lock: lock::init[1], nothing;
        omp_init_nest_lock_: lock::init[1], nothing;
        omp_destroy_lock: lock::destroy[0], nothing;
        omp_destroy_lock_: lock::destroy[0], nothing;
        omp_destroy_nest_lock: lock::destroy[1], nothing;
        omp_destroy_nest_lock_: lock::destroy[1], nothing;
    }
    // Programs linked with libgomp before gcc 4.4 bind to these versions: other locks, of other sizes.
    old {
        old_set_lock "omp_set_lock": lock::set[Entry::old_test_lock as usize], nothing;
        old_set_lock_ "omp_set_lock_": lock::set[Entry::old_test_lock_ as usize], nothing;
        old_set_nest_lock "omp_set_nest_lock": lock::set[Entry::old_test_nest_lock as usize], nothing;
        old_set_nest_lock_ "omp_set_nest_lock_": lock::set[Entry::old_test_nest_lock_ as usize], nothing;
    }
    old_for_calls {
        old_test_lock "omp_test_lock": lock::test[0], one;
        old_test_lock_ "omp_test_lock_": lock::test[0], one;
        old_test_nest_lock "omp_test_nest_lock": lock::test[1], one;
        old_test_nest_lock_ "omp_test_nest_lock_": lock::test[1], one;
        old_unset_lock "omp_unset_lock": lock::unset, nothing;
        old_unset_lock_ "omp_unset_lock_": lock::unset, nothing;
        old_unset_nest_lock "omp_unset_nest_lock": lock::unset_nest[Entry::old_test_nest_lock as usize], nothing;
        old_unset_nest_lock_ "omp_unset_nest_lock_": lock::unset_nest[Entry::old_test_nest_lock_ as usize], nothing;
        old_init_lock "omp_init_lock": lock::init[0], nothing;
        old_init_lock_ "omp_init_lock_": lock::init[0], nothing;
        old_init_nest_lock "omp_init_nest_lock": lock::init[1], nothing;
        old_init_nest_lock_ "omp_init_nest_lock_": lock::init[1], nothing;
        old_destroy_lock "omp_destroy_lock": lock::destroy[0], nothing;
        old_destroy_lock_ "omp_destroy_lock_": lock::destroy[0], nothing;
        old_destroy_nest_lock "omp_destroy_nest_lock": lock::destroy[1], nothing;
        old_destroy_nest_lock_ "omp_destroy_nest_lock_": lock::destroy[1], nothing;
    }
    // Called by wrappers only.
    inner {
        GOMP_taskgroup_reduction_register "GOMP_taskgroup_reduction_register" None;
        omp_get_thread_num "omp_get_thread_num" None;
        omp_get_max_threads "omp_get_max_threads" None;
        omp_get_level "omp_get_level" None;
        omp_get_num_threads "omp_get_num_threads" None;
        omp_get_cancellation "omp_get_cancellation" None;
        omp_get_num_devices "omp_get_num_devices" None;
        omp_get_default_device "omp_get_default_device" None;
        omp_get_schedule "omp_get_schedule" None;
    }
}
