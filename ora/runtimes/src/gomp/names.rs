//! Table of libgomp's interposed entry points: names, signatures, the wrapper that reports each, and its behaviour in a process without any
//! OpenMP runtime. Functions that are not listed here report nothing, and programs call them directly. (The signatures are those of
//! libgomp_g.h and omp.h.)
//!
//! A user of the table expands it by a macro of its own: `entries!(macro)`, which gets all rows in one form. So the names of wrappers are
//! plain tokens here, and are resolved only in `wrappers.rs`.

/// A word among an entry's arguments: an integer or a pointer, in a register or on the stack. Also an entry's result, of which only the
/// bits of its type are significant, and none for `void`.
pub(super) type W = usize;

/// Passes the table to a macro.
///
/// `NAME(ARGUMENTS) -> RESULT: wrapper[constants], fallback[constants];` (most of the constants are positions of arguments).
macro_rules! entries {
    ($to:ident) => {
        uniform_entries! {
            $to
            // At the OMPT level these have other wrappers: their last constant, `OMPT`, selects them.
            by_level {
                GOMP_parallel(RegionFunction, W, W, W) -> W: parallel::call, parallel;
                GOMP_parallel_reductions(RegionFunction, W, W, W) -> W: parallel::call, parallel;
                GOMP_parallel_loop_static(RegionFunction, W, W, W, W, W, W, W): parallel::call_with_work, parallel_loop;
                GOMP_parallel_loop_dynamic(RegionFunction, W, W, W, W, W, W, W): parallel::call_with_work, parallel_loop;
                GOMP_parallel_loop_guided(RegionFunction, W, W, W, W, W, W, W): parallel::call_with_work, parallel_loop;
                GOMP_parallel_loop_runtime(RegionFunction, W, W, W, W, W, W): parallel::call_with_work, parallel_loop;
                GOMP_parallel_loop_nonmonotonic_dynamic(RegionFunction, W, W, W, W, W, W, W): parallel::call_with_work, parallel_loop;
                GOMP_parallel_loop_nonmonotonic_guided(RegionFunction, W, W, W, W, W, W, W): parallel::call_with_work, parallel_loop;
                GOMP_parallel_loop_nonmonotonic_runtime(RegionFunction, W, W, W, W, W, W): parallel::call_with_work, parallel_loop;
                GOMP_parallel_loop_maybe_nonmonotonic_runtime(RegionFunction, W, W, W, W, W, W): parallel::call_with_work, parallel_loop;
                GOMP_parallel_sections(RegionFunction, W, W, W, W): parallel::call_with_work, parallel_sections;
                GOMP_parallel_start(RegionFunction, W, W): parallel::start, nothing;
                GOMP_parallel_loop_static_start(RegionFunction, W, W, W, W, W, W): parallel::start, parallel_loop_start;
                GOMP_parallel_loop_dynamic_start(RegionFunction, W, W, W, W, W, W): parallel::start, parallel_loop_start;
                GOMP_parallel_loop_guided_start(RegionFunction, W, W, W, W, W, W): parallel::start, parallel_loop_start;
                GOMP_parallel_loop_runtime_start(RegionFunction, W, W, W, W, W): parallel::start, parallel_loop_start;
                GOMP_parallel_sections_start(RegionFunction, W, W, W): parallel::start, parallel_sections_start;
                GOMP_task(TaskFunction, W, W, W, W, W, W, W, W, W): task_fast::create, task;
                GOMP_target(i32, TargetFunction, W, W, W, W, W): target::old, target;
                GOMP_target_ext(i32, TargetFunction, W, W, W, W, W, W, RequestedTeams): target::region, target_ext;
            }
            exported {
                GOMP_parallel_end(): parallel::end, nothing;

                GOMP_barrier() -> W: barrier::explicit, nothing;
                GOMP_barrier_cancel() -> W: barrier::explicit, nothing;
                GOMP_loop_end() -> W: barrier::implicit, nothing;
                GOMP_loop_end_cancel() -> W: barrier::implicit, nothing;
                GOMP_sections_end() -> W: barrier::implicit, nothing;
                GOMP_sections_end_cancel() -> W: barrier::implicit, nothing;
                GOMP_workshare_task_reduction_unregister(bool): barrier::reductions, nothing;

                GOMP_loop_static_start(W, W, W, W, Bound, Bound) -> W: work::start[LOOP], loop_start[4];
                GOMP_loop_dynamic_start(W, W, W, W, Bound, Bound) -> W: work::start[LOOP], loop_start[4];
                GOMP_loop_guided_start(W, W, W, W, Bound, Bound) -> W: work::start[LOOP], loop_start[4];
                GOMP_loop_runtime_start(W, W, W, Bound, Bound) -> W: work::start[LOOP], loop_start[3];
                GOMP_loop_nonmonotonic_dynamic_start(W, W, W, W, Bound, Bound) -> W: work::start[LOOP], loop_start[4];
                GOMP_loop_nonmonotonic_guided_start(W, W, W, W, Bound, Bound) -> W: work::start[LOOP], loop_start[4];
                GOMP_loop_nonmonotonic_runtime_start(W, W, W, Bound, Bound) -> W: work::start[LOOP], loop_start[3];
                GOMP_loop_maybe_nonmonotonic_runtime_start(W, W, W, Bound, Bound) -> W: work::start[LOOP], loop_start[3];
                GOMP_loop_start(W, W, W, W, W, Bound, Bound, W, W) -> W: work::start[LOOP], loop_start[5];
                GOMP_loop_ull_static_start(W, W, W, W, W, Bound, Bound) -> W: work::start[ULL_LOOP], loop_ull_start[5];
                GOMP_loop_ull_dynamic_start(W, W, W, W, W, Bound, Bound) -> W: work::start[ULL_LOOP], loop_ull_start[5];
                GOMP_loop_ull_guided_start(W, W, W, W, W, Bound, Bound) -> W: work::start[ULL_LOOP], loop_ull_start[5];
                GOMP_loop_ull_runtime_start(W, W, W, W, Bound, Bound) -> W: work::start[ULL_LOOP], loop_ull_start[4];
                GOMP_loop_ull_nonmonotonic_dynamic_start(W, W, W, W, W, Bound, Bound) -> W: work::start[ULL_LOOP], loop_ull_start[5];
                GOMP_loop_ull_nonmonotonic_guided_start(W, W, W, W, W, Bound, Bound) -> W: work::start[ULL_LOOP], loop_ull_start[5];
                GOMP_loop_ull_nonmonotonic_runtime_start(W, W, W, W, Bound, Bound) -> W: work::start[ULL_LOOP], loop_ull_start[4];
                GOMP_loop_ull_maybe_nonmonotonic_runtime_start(W, W, W, W, Bound, Bound) -> W: work::start[ULL_LOOP], loop_ull_start[4];
                GOMP_loop_ull_start(W, W, W, W, W, W, Bound, Bound, W, W) -> W: work::start[ULL_LOOP], loop_ull_start[6];
                GOMP_sections_start(W) -> W: work::start[SECTIONS], sections_start;
                GOMP_sections2_start(W, W, W) -> W: work::start[SECTIONS], sections_start;
                GOMP_scope_start(W) -> W: work::start[SCOPE], nothing;
                GOMP_loop_doacross_static_start(Loops, Numbers, W, Bound, Bound) -> W: work::start[DOACROSS], doacross_start[3];
                GOMP_loop_doacross_dynamic_start(Loops, Numbers, W, Bound, Bound) -> W: work::start[DOACROSS], doacross_start[3];
                GOMP_loop_doacross_guided_start(Loops, Numbers, W, Bound, Bound) -> W: work::start[DOACROSS], doacross_start[3];
                GOMP_loop_doacross_runtime_start(Loops, Numbers, Bound, Bound) -> W: work::start[DOACROSS], doacross_start[2];
                GOMP_loop_doacross_start(Loops, Numbers, W, W, Bound, Bound, W, W) -> W: work::start[DOACROSS], doacross_start[4];
                GOMP_loop_ull_doacross_static_start(Loops, Numbers, W, Bound, Bound) -> W: work::start[DOACROSS], doacross_start[3];
                GOMP_loop_ull_doacross_dynamic_start(Loops, Numbers, W, Bound, Bound) -> W: work::start[DOACROSS], doacross_start[3];
                GOMP_loop_ull_doacross_guided_start(Loops, Numbers, W, Bound, Bound) -> W: work::start[DOACROSS], doacross_start[3];
                GOMP_loop_ull_doacross_runtime_start(Loops, Numbers, Bound, Bound) -> W: work::start[DOACROSS], doacross_start[2];
                GOMP_loop_ull_doacross_start(Loops, Numbers, W, W, Bound, Bound, W, W) -> W: work::start[DOACROSS], doacross_start[4];

                GOMP_loop_static_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_dynamic_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_guided_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_runtime_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_nonmonotonic_dynamic_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_nonmonotonic_guided_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_nonmonotonic_runtime_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_maybe_nonmonotonic_runtime_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_ull_static_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_ull_dynamic_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_ull_guided_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_ull_runtime_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_ull_nonmonotonic_dynamic_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_ull_nonmonotonic_guided_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_ull_nonmonotonic_runtime_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_loop_ull_maybe_nonmonotonic_runtime_next(Bound, Bound) -> W: work::next[LOOP], loop_next;
                GOMP_sections_next() -> W: work::next[SECTIONS], sections_next;

                GOMP_single_start() -> bool: work::single, one;
                GOMP_single_copy_start() -> W: work::single_copy_start, nothing;
                GOMP_single_copy_end(W): work::single_copy_end, nothing;

                GOMP_loop_ordered_static_start(W, W, W, W, Bound, Bound) -> W: ordered::start[0], loop_start[4];
                GOMP_loop_ordered_dynamic_start(W, W, W, W, Bound, Bound) -> W: ordered::start[0], loop_start[4];
                GOMP_loop_ordered_guided_start(W, W, W, W, Bound, Bound) -> W: ordered::start[0], loop_start[4];
                GOMP_loop_ordered_runtime_start(W, W, W, Bound, Bound) -> W: ordered::start[0], loop_start[3];
                GOMP_loop_ordered_start(W, W, W, W, W, Bound, Bound, W, W) -> W: ordered::start[0], loop_start[5];
                GOMP_loop_ull_ordered_static_start(W, W, W, W, W, Bound, Bound) -> W: ordered::start[1], loop_ull_start[5];
                GOMP_loop_ull_ordered_dynamic_start(W, W, W, W, W, Bound, Bound) -> W: ordered::start[1], loop_ull_start[5];
                GOMP_loop_ull_ordered_guided_start(W, W, W, W, W, Bound, Bound) -> W: ordered::start[1], loop_ull_start[5];
                GOMP_loop_ull_ordered_runtime_start(W, W, W, W, Bound, Bound) -> W: ordered::start[1], loop_ull_start[4];
                GOMP_loop_ull_ordered_start(W, W, W, W, W, W, Bound, Bound, W, W) -> W: ordered::start[1], loop_ull_start[6];
                GOMP_loop_ordered_static_next(Bound, Bound) -> W: ordered::next, loop_next;
                GOMP_loop_ordered_dynamic_next(Bound, Bound) -> W: ordered::next, loop_next;
                GOMP_loop_ordered_guided_next(Bound, Bound) -> W: ordered::next, loop_next;
                GOMP_loop_ordered_runtime_next(Bound, Bound) -> W: ordered::next, loop_next;
                GOMP_loop_ull_ordered_static_next(Bound, Bound) -> W: ordered::next, loop_next;
                GOMP_loop_ull_ordered_dynamic_next(Bound, Bound) -> W: ordered::next, loop_next;
                GOMP_loop_ull_ordered_guided_next(Bound, Bound) -> W: ordered::next, loop_next;
                GOMP_loop_ull_ordered_runtime_next(Bound, Bound) -> W: ordered::next, loop_next;
                GOMP_ordered_start(): ordered::enter, nothing;
                GOMP_ordered_end(): ordered::leave, nothing;

                GOMP_doacross_post(*const i64): doacross::post, nothing;
                GOMP_doacross_ull_post(*const i64): doacross::post, nothing;

                GOMP_critical_start(): mutex::critical_start, nothing;
                GOMP_critical_end(): mutex::critical_end, nothing;
                GOMP_critical_name_start(MutexWord): mutex::named_start, nothing;
                GOMP_atomic_start(): mutex::atomic_start, nothing;
                GOMP_atomic_end(): mutex::atomic_end, nothing;

                GOMP_taskloop(LoopFunction, W, W, W, W, W, W, W, W, W, W): task::create_loop, taskloop;
                GOMP_taskloop_ull(LoopFunction, W, W, W, W, W, W, W, W, W, W): task::create_loop, taskloop;
                GOMP_taskwait(): task_wait::children, nothing;
                GOMP_taskwait_depend(Dependences): task::dependences, nothing;
                GOMP_taskgroup_end(): task_wait::group, nothing;

                omp_set_lock(ToSet<{ Entry::omp_test_lock as usize }>): lock::set[Entry::omp_test_lock as usize, 0], nothing;
                omp_set_lock_(ToSet<{ Entry::omp_test_lock_ as usize }>): lock::set[Entry::omp_test_lock_ as usize, 0], nothing;
                omp_set_nest_lock(ToSet<{ Entry::omp_test_nest_lock as usize }>): lock::set[Entry::omp_test_nest_lock as usize, 1], nothing;
                omp_set_nest_lock_(ToSet<{ Entry::omp_test_nest_lock_ as usize }>): lock::set[Entry::omp_test_nest_lock_ as usize, 1], nothing;
            }
            // These take as many arguments as the nest has loops.
            variadic {
                GOMP_doacross_wait: doacross::wait, doacross::wait_in_other, nothing;
                GOMP_doacross_ull_wait: doacross::wait, doacross::wait_in_other, nothing;
            }
            // These are reported to OMPT tools only.
            ompt_only {
                GOMP_critical_name_end(W): mutex::named_end, nothing;
                GOMP_loop_end_nowait(): work::end_nowait, nothing;
                GOMP_sections_end_nowait(): work::end_nowait, nothing;
                GOMP_taskgroup_start(): task_wait::group_start, nothing;
                GOMP_cancel(i32, bool) -> bool: cancel::cancel, nothing;
                GOMP_cancellation_point(i32) -> bool: cancel::point, nothing;
                GOMP_teams_reg(LeagueFunction, W, W, W, W): teams::league, parallel;
                GOMP_teams4(W, W, W, bool) -> bool: teams::next, teams;
                GOMP_teams(W, W): teams::only, nothing;
                GOMP_target_data(i32, W, W, W, W, W): target_data::begin_old, nothing;
                GOMP_target_data_ext(i32, W, W, W, W): target_data::begin, nothing;
                GOMP_target_end_data(): target_data::end, nothing;
                GOMP_target_update(i32, W, W, W, W, W): target_data::update_old, nothing;
                GOMP_target_update_ext(i32, W, W, W, W, W, Dependences): target_data::update, nothing;
                GOMP_target_enter_exit_data(i32, W, W, W, W, W, Dependences): target_data::enter_or_exit, nothing;
                omp_target_alloc(W, i32) -> W: target_memory::allocate, target_alloc;
                omp_target_free(W, i32): target_memory::free, target_free;
                omp_target_memcpy(W, W, W, W, W, i32, i32) -> i32: target_memory::copy, target_memcpy;
                omp_target_memcpy_rect(W, W, W, i32, Volume, W, W, W, W, i32, i32) -> i32: target_memory::copy_rectangle, failure;
                omp_target_memcpy_async(W, W, W, W, W, i32, i32, i32, W) -> i32: target_memory::copy_async, target_memcpy;
                omp_target_memcpy_rect_async(W, W, W, i32, Volume, W, W, W, W, i32, i32, i32, W) -> i32: target_memory::copy_rectangle_async, failure;
                omp_target_memset(W, i32, W, i32) -> W: target_memory::fill, target_memset;
                omp_target_memset_async(W, i32, W, i32, i32, W) -> W: target_memory::fill_async, target_memset;
                omp_target_associate_ptr(W, W, W, W, i32) -> i32: target_memory::associate, failure;
                omp_target_disassociate_ptr(W, i32) -> i32: target_memory::disassociate, failure;
                GOMP_warning(Message, W): error::directive[0], nothing;
                GOMP_error(Message, W): error::directive[1], error;
                omp_fulfill_event(W): detach::fulfil, nothing;
                omp_fulfill_event_(W): detach::fulfil, nothing;
                omp_test_lock(ToTest) -> i32: lock::test[0], one;
                omp_test_lock_(ToTest) -> i32: lock::test[0], one;
                omp_test_nest_lock(ToTest) -> i32: lock::test[1], one;
                omp_test_nest_lock_(ToTest) -> i32: lock::test[1], one;
                omp_unset_lock(ToUnset): lock::unset, nothing;
                omp_unset_lock_(ToUnset): lock::unset, nothing;
                omp_unset_nest_lock(ToUnsetNest<{ Entry::omp_test_nest_lock as usize }>): lock::unset_nest[Entry::omp_test_nest_lock as usize], nothing;
                omp_unset_nest_lock_(ToUnsetNest<{ Entry::omp_test_nest_lock_ as usize }>): lock::unset_nest[Entry::omp_test_nest_lock_ as usize], nothing;
                omp_init_lock(W): lock::init[0], nothing;
                omp_init_lock_(W): lock::init[0], nothing;
                omp_init_nest_lock(W): lock::init[1], nothing;
                omp_init_nest_lock_(W): lock::init[1], nothing;
                omp_destroy_lock(W): lock::destroy[0], nothing;
                omp_destroy_lock_(W): lock::destroy[0], nothing;
                omp_destroy_nest_lock(W): lock::destroy[1], nothing;
                omp_destroy_nest_lock_(W): lock::destroy[1], nothing;
            }
            // Programs linked with libgomp before gcc 4.4 bind to these versions, whose locks differ, also in size.
            old {
                old_set_lock "omp_set_lock"(ToSet<{ Entry::old_test_lock as usize }>): lock::set[Entry::old_test_lock as usize, 0], nothing;
                old_set_lock_ "omp_set_lock_"(ToSet<{ Entry::old_test_lock_ as usize }>): lock::set[Entry::old_test_lock_ as usize, 0], nothing;
                old_set_nest_lock "omp_set_nest_lock"(ToSet<{ Entry::old_test_nest_lock as usize }>): lock::set[Entry::old_test_nest_lock as usize, 1], nothing;
                old_set_nest_lock_ "omp_set_nest_lock_"(ToSet<{ Entry::old_test_nest_lock_ as usize }>): lock::set[Entry::old_test_nest_lock_ as usize, 1], nothing;
            }
            old_ompt_only {
                old_test_lock "omp_test_lock"(ToTest) -> i32: lock::test[0], one;
                old_test_lock_ "omp_test_lock_"(ToTest) -> i32: lock::test[0], one;
                old_test_nest_lock "omp_test_nest_lock"(ToTest) -> i32: lock::test[1], one;
                old_test_nest_lock_ "omp_test_nest_lock_"(ToTest) -> i32: lock::test[1], one;
                old_unset_lock "omp_unset_lock"(ToUnset): lock::unset, nothing;
                old_unset_lock_ "omp_unset_lock_"(ToUnset): lock::unset, nothing;
                old_unset_nest_lock "omp_unset_nest_lock"(ToUnsetNest<{ Entry::old_test_nest_lock as usize }>): lock::unset_nest[Entry::old_test_nest_lock as usize], nothing;
                old_unset_nest_lock_ "omp_unset_nest_lock_"(ToUnsetNest<{ Entry::old_test_nest_lock_ as usize }>): lock::unset_nest[Entry::old_test_nest_lock_ as usize], nothing;
                old_init_lock "omp_init_lock"(W): lock::init[0], nothing;
                old_init_lock_ "omp_init_lock_"(W): lock::init[0], nothing;
                old_init_nest_lock "omp_init_nest_lock"(W): lock::init[1], nothing;
                old_init_nest_lock_ "omp_init_nest_lock_"(W): lock::init[1], nothing;
                old_destroy_lock "omp_destroy_lock"(W): lock::destroy[0], nothing;
                old_destroy_lock_ "omp_destroy_lock_"(W): lock::destroy[0], nothing;
                old_destroy_nest_lock "omp_destroy_nest_lock"(W): lock::destroy[1], nothing;
                old_destroy_nest_lock_ "omp_destroy_nest_lock_"(W): lock::destroy[1], nothing;
            }
            // These are called only by wrappers.
            inner {
                GOMP_taskgroup_reduction_register "GOMP_taskgroup_reduction_register" None;
                omp_get_thread_num "omp_get_thread_num" None;
                omp_get_max_threads "omp_get_max_threads" None;
                omp_get_level "omp_get_level" None;
                omp_get_num_threads "omp_get_num_threads" None;
                omp_get_cancellation "omp_get_cancellation" None;
                omp_get_team_num "omp_get_team_num" None;
                omp_get_num_teams "omp_get_num_teams" None;
                omp_get_max_teams "omp_get_max_teams" None;
                omp_get_num_devices "omp_get_num_devices" None;
                omp_get_initial_device "omp_get_initial_device" None;
                omp_get_default_device "omp_get_default_device" None;
                omp_get_schedule "omp_get_schedule" None;
            }
        }
    };
}
pub(super) use entries;

/// Passes the table's rows to a macro in one form: `{ NAME SYMBOL (ARGUMENTS) [RESULT] (WRAPPER) (FALLBACK [CONSTANTS]) }`. The symbol is `_` if
/// it is the name. The wrapper's first word is its kind: `by_level`, `plain` or `variadic`.
macro_rules! uniform_entries {
    (
        $to:ident
        by_level {
            $($by_level:ident($($by_level_argument:ty),*) $(-> $by_level_result:ty)?:
                $by_level_module:ident::$by_level_wrapper:ident, $by_level_fallback:ident;)*
        }
        exported {
            $($name:ident($($argument:ty),*) $(-> $result:ty)?:
                $module:ident::$wrapper:ident $([$($wrapper_constant:expr),*])?, $fallback:ident $([$($fallback_constant:expr),*])?;)*
        }
        variadic {
            $($variadic:ident: $variadic_module:ident::$variadic_wrapper:ident,
                $variadic_other_module:ident::$variadic_other_wrapper:ident, $variadic_fallback:ident;)*
        }
        ompt_only {
            $($ompt_only:ident($($ompt_only_argument:ty),*) $(-> $ompt_only_result:ty)?:
                $ompt_only_module:ident::$ompt_only_wrapper:ident $([$($ompt_only_constant:expr),*])?, $ompt_only_fallback:ident;)*
        }
        old {
            $($old:ident $old_symbol:literal($($old_argument:ty),*) $(-> $old_result:ty)?:
                $old_module:ident::$old_wrapper:ident $([$($old_constant:expr),*])?, $old_fallback:ident;)*
        }
        old_ompt_only {
            $($old_ompt_only:ident $old_ompt_only_symbol:literal($($old_ompt_only_argument:ty),*) $(-> $old_ompt_only_result:ty)?:
                $old_ompt_only_module:ident::$old_ompt_only_wrapper:ident $([$($old_ompt_only_constant:expr),*])?,
                $old_ompt_only_fallback:ident;)*
        }
        inner { $($inner:ident $inner_symbol:literal $inner_version:expr;)* }
    ) => {
        $to! {
            [
                reported {
                    $({ $by_level _ ($($by_level_argument),*) [$($by_level_result)?]
                        (by_level $by_level_module $by_level_wrapper) ($by_level_fallback []) })*
                    $({ $name _ ($($argument),*) [$($result)?]
                        (plain $module $wrapper [$($($wrapper_constant),*)?]) ($fallback [$($($fallback_constant),*)?]) })*
                    $({ $variadic _ () []
                        (variadic $variadic_module $variadic_wrapper $variadic_other_module $variadic_other_wrapper)
                        ($variadic_fallback []) })*
                }
                ompt_only {
                    $({ $ompt_only _ ($($ompt_only_argument),*) [$($ompt_only_result)?]
                        (plain $ompt_only_module $ompt_only_wrapper [$($($ompt_only_constant),*)?]) ($ompt_only_fallback []) })*
                }
                old {
                    $({ $old $old_symbol ($($old_argument),*) [$($old_result)?]
                        (plain $old_module $old_wrapper [$($($old_constant),*)?]) ($old_fallback []) })*
                }
                old_ompt_only {
                    $({ $old_ompt_only $old_ompt_only_symbol ($($old_ompt_only_argument),*) [$($old_ompt_only_result)?]
                        (plain $old_ompt_only_module $old_ompt_only_wrapper [$($($old_ompt_only_constant),*)?])
                        ($old_ompt_only_fallback []) })*
                }
            ]
            inner { $($inner $inner_symbol $inner_version;)* }
        }
    };
}
pub(super) use uniform_entries;

macro_rules! names {
    (
        [
            reported { $({ $reported:ident $($a:tt)* })* }
            ompt_only { $({ $ompt_only:ident $($b:tt)* })* }
            old { $({ $old:ident $old_symbol:literal $($c:tt)* })* }
            old_ompt_only { $({ $old_ompt_only:ident $old_ompt_only_symbol:literal $($d:tt)* })* }
        ]
        inner { $($inner:ident $inner_symbol:literal $inner_version:expr;)* }
    ) => {
        /// The functions of libgomp that are known here, in the order of their slots.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(super) enum Entry { $($reported,)* $($ompt_only,)* $($old,)* $($old_ompt_only,)* $($inner,)* }

        /// Entries that have a slot: the exported ones, then the old versions.
        pub(super) const SLOTS: usize = OLD_OMPT_ONLY + [$(stringify!($old_ompt_only)),*].len();
        pub(super) const EXPORTED: usize = OMPT_ONLY + [$(stringify!($ompt_only)),*].len();
        pub(super) const ENTRIES: usize = SLOTS + [$(stringify!($inner)),*].len();
        const OMPT_ONLY: usize = [$(stringify!($reported)),*].len();
        const OLD_OMPT_ONLY: usize = EXPORTED + [$(stringify!($old)),*].len();

        /// Symbol of each entry, and its version unless that is the default one.
        pub(super) static SYMBOLS: [(&str, Option<&str>); ENTRIES] = [
            $((concat!(stringify!($reported), "\0"), None),)*
            $((concat!(stringify!($ompt_only), "\0"), None),)*
            $((concat!($old_symbol, "\0"), Some("OMP_1.0\0")),)*
            $((concat!($old_ompt_only_symbol, "\0"), Some("OMP_1.0\0")),)*
            $((concat!($inner_symbol, "\0"), $inner_version),)*
        ];
    };
}

entries!(names);

/// True for an entry that is reported to OMPT tools only.
pub(super) const fn is_ompt_only(entry: usize) -> bool {
    entry >= OMPT_ONLY && entry < EXPORTED || entry >= OLD_OMPT_ONLY && entry < SLOTS
}
