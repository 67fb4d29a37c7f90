//! Functions that OPARI's instrumentation calls: `POMP2_*` for C and C++, and for Fortran, which passes everything by reference; and
//! `POMP_*`, the task functions of its predecessor.
//!
//! As long as there is nothing to do, each is a comparison and a return; functions with a result write 0. Otherwise it jumps to a function
//! of ours, with the address of the caller's frame as a sixth argument. (No call has more than five of its own, not counting the lengths of
//! Fortran's strings, which are not used.)
#![allow(unsafe_code)] // naked functions, which the program calls, and those that implement them

#[cfg(not(feature = "linked"))]
use super::call::Position;
use super::call::{Call, Signature, signature};
use super::mode::{MODE, Mode};
use super::names::{Entry, NAMES};
#[cfg(not(feature = "linked"))]
use super::regions_file;
use super::sites::Site;
use super::{constructs, legacy_tasks, mode, parallel, tasks, waits};
#[cfg(not(feature = "linked"))]
use ompt_core::tls;
#[cfg(not(feature = "linked"))]
use std::ptr;
use system::memory::Link;

macro_rules! exported {
    ($name:ident, $arguments:ident, $off:ident, $bits:ident, $body:path) => {
        system::flagged_entry! {
            #[doc = concat!("`", stringify!($name), "`, as OPARI's calls have it.")]
            ///
            /// # Safety
            /// The arguments are those that OPARI's instrumentation passes to it (`pomp2_lib.h`), as described at
            /// `Call`.
            #[unsafe(no_mangle)]
            #[allow(unreachable_pub)] // exported by its name, not by its path
            pub fn $name, $arguments, $off, MODE, mode::$bits, mode::NOTED, "ora_thread", 16, $body
        }
    };
}

/// `NAME(signature), Fortran's names (and how their arguments become C's): its action while its mode bits are 0, those mode bits,
/// its action otherwise;`
macro_rules! entries {
    ($($name:ident($signature:ident), $body:ident, [$($fortran:ident $arguments:ident),*]: $off:ident, $bits:ident, $act:path;)*) => {
        // A name for each function.
        const _: () = assert!([$(Entry::$name as usize),*].len() == NAMES.len());

        $(
            unsafe extern "C-unwind" fn $body(
                handle: *const Link<Site>, b: usize, c: usize, d: usize, e: usize, frame: usize,
            ) {
                // Code for the rarer modes would cost the usual mode registers.
                let Some(mode) = Mode::of_usual_call() else {
                    // SAFETY: reached only by the jump of `$name` or its Fortran names, with the arguments of this call, unchanged.
                    return unsafe {
                        unusual::<signature::$signature>(handle, b, c, d, e, frame, Entry::$name, $act)
                    };
                };
                let own = ();
                // SAFETY: reached only by the jump of `$name` or its Fortran names, which instrumented code calls with this signature
                // (`pomp2_lib.h`).
                let call = unsafe { Call::<signature::$signature>::new(&own, Entry::$name, handle, [b, c, d, e], frame, mode) };
                $act(call);
            }
            exported!($name, same, $off, $bits, $body);
            $(exported!($fortran, $arguments, $off, $bits, $body);)*
        )*
    };
}

/// A call in a rarer mode.
///
/// # Safety
/// Instrumented code called the exported function of `entry`'s name, which has the signature `S` (`pomp2_lib.h`), with these
/// arguments. `frame` is its stack pointer at the call, which has not returned.
#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)] // those of the call
unsafe fn unusual<S: Signature>(
    handle: *const Link<Site>,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    frame: usize,
    entry: Entry,
    act: fn(Call<'_, S>),
) {
    // The action may make an earlier call the current one.
    #[cfg(not(feature = "linked"))]
    let returns = tls::call().return_address;
    let (own, mode) = ((), Mode::of_call());
    // SAFETY: by this function's `# Safety`.
    act(unsafe { Call::new(&own, entry, handle, [b, c, d, e], frame, mode) });
    // The construct is known now.
    #[cfg(not(feature = "linked"))]
    if mode.is_written() {
        let handle = if S::HAS_HANDLE { handle } else { ptr::null() };
        // SAFETY: the handle of the same call, which has not returned.
        regions_file::write_once(unsafe { Position::of(entry, handle, returns) });
    }
}

entries! {
    POMP2_Parallel_fork(Fork), fork, [pomp2_parallel_fork_ if_and_threads]: fourth, ANYBODY, parallel::fork;
    POMP2_Parallel_join(Value), join, [pomp2_parallel_join_ second]: nothing, TASKS, parallel::join;
    POMP2_Parallel_begin(Handle), parallel_begin, [pomp2_parallel_begin_ same]: nothing, TASKS, parallel::begin;
    POMP2_Parallel_end(Handle), parallel_end, [pomp2_parallel_end_ same]: nothing, TASKS, parallel::end;

    POMP2_For_enter(Named), for_enter, [pomp2_for_enter_ same, pomp2_do_enter_ same]: nothing, ANYBODY, constructs::loop_enter;
    POMP2_For_exit(Handle), for_exit, [pomp2_for_exit_ same, pomp2_do_exit_ same]: nothing, ANYBODY, constructs::loop_exit;
    // OPARI 2.0.7 does not pass the string of `parallel sections` in Fortran.
    POMP2_Sections_enter(Named), sections_enter, [pomp2_sections_enter_ no_string]: nothing, ANYBODY, constructs::sections_enter;
    POMP2_Sections_exit(Handle), sections_exit, [pomp2_sections_exit_ same]: nothing, ALONE_ONLY, constructs::sections_exit;
    POMP2_Section_begin(Named), section_begin, [pomp2_section_begin_ same]: nothing, ANYBODY, constructs::nothing_named;
    POMP2_Section_end(Handle), section_end, [pomp2_section_end_ same]: nothing, ALONE_ONLY, constructs::nothing;
    POMP2_Workshare_enter(Named), workshare_enter, [pomp2_workshare_enter_ same]: nothing, ANYBODY, constructs::workshare_enter;
    POMP2_Workshare_exit(Handle), workshare_exit, [pomp2_workshare_exit_ same]: nothing, ALONE_ONLY, constructs::nothing;
    POMP2_Single_enter(Named), single_enter, [pomp2_single_enter_ same]: nothing, ANYBODY, constructs::single_enter;
    POMP2_Single_begin(Handle), single_begin, [pomp2_single_begin_ same]: nothing, ALONE_ONLY, constructs::single_begin;
    POMP2_Single_end(Handle), single_end, [pomp2_single_end_ same]: nothing, ANYBODY, constructs::single_end;
    POMP2_Single_exit(Handle), single_exit, [pomp2_single_exit_ same]: nothing, ALONE_ONLY, constructs::single_exit;
    POMP2_Master_begin(Named), master_begin, [pomp2_master_begin_ same]: nothing, ANYBODY, constructs::master_begin;
    POMP2_Master_end(Handle), master_end, [pomp2_master_end_ same]: nothing, ANYBODY, constructs::master_end;

    POMP2_Critical_enter(Named), critical_enter, [pomp2_critical_enter_ same]: nothing, ALONE_ONLY, waits::critical_enter;
    POMP2_Critical_begin(Handle), critical_begin, [pomp2_critical_begin_ same]: nothing, ALONE_ONLY, waits::critical_begin;
    POMP2_Critical_end(Handle), critical_end, [pomp2_critical_end_ same]: nothing, ALONE_ONLY, constructs::nothing;
    POMP2_Critical_exit(Handle), critical_exit, [pomp2_critical_exit_ same]: nothing, ALONE_ONLY, waits::critical_exit;
    POMP2_Ordered_enter(Named), ordered_enter, [pomp2_ordered_enter_ same]: nothing, ALONE_ONLY, waits::ordered_enter;
    POMP2_Ordered_begin(Handle), ordered_begin, [pomp2_ordered_begin_ same]: nothing, ALONE_ONLY, waits::ordered_begin;
    POMP2_Ordered_end(Handle), ordered_end, [pomp2_ordered_end_ same]: nothing, ALONE_ONLY, waits::ordered_end;
    POMP2_Ordered_exit(Handle), ordered_exit, [pomp2_ordered_exit_ same]: nothing, ALONE_ONLY, waits::ordered_exit;
    POMP2_Atomic_enter(Named), atomic_enter, [pomp2_atomic_enter_ same]: nothing, ANYBODY, waits::atomic_enter;
    POMP2_Atomic_exit(Handle), atomic_exit, [pomp2_atomic_exit_ same]: nothing, ANYBODY, waits::atomic_exit;
    POMP2_Flush_enter(Named), flush_enter, [pomp2_flush_enter_ same]: nothing, ALONE_ONLY, constructs::nothing_named;
    POMP2_Flush_exit(Handle), flush_exit, [pomp2_flush_exit_ same]: nothing, ALONE_ONLY, constructs::nothing;
    POMP2_Barrier_enter(NamedPlace), barrier_enter, [pomp2_barrier_enter_ same]: second, TASKS, waits::barrier_enter;
    POMP2_Barrier_exit(Value), barrier_exit, [pomp2_barrier_exit_ second]: nothing, TASKS, waits::barrier_exit;
    POMP2_Implicit_barrier_enter(Place), implicit_enter, [pomp2_implicit_barrier_enter_ same]: second, ANYBODY, waits::implicit_enter;
    POMP2_Implicit_barrier_exit(Value), implicit_exit, [pomp2_implicit_barrier_exit_ second]: nothing, ANYBODY, waits::implicit_exit;
    POMP2_Taskwait_begin(NamedPlace), taskwait_begin, [pomp2_taskwait_begin_ same]: second, TASKS, waits::taskwait_begin;
    POMP2_Taskwait_end(Value), taskwait_end, [pomp2_taskwait_end_ second]: nothing, TASKS, waits::taskwait_end;

    POMP2_Task_create_begin(Create), create_begin, [pomp2_task_create_begin_ if_clause]: second_and_third, TASKS, tasks::create_begin;
    POMP2_Task_create_end(Value), create_end, [pomp2_task_create_end_ second]: nothing, TASKS, tasks::create_end;
    POMP2_Task_begin(Value), task_begin, [pomp2_task_begin_ second]: nothing, TASKS, tasks::begin;
    POMP2_Task_end(Handle), task_end, [pomp2_task_end_ same]: nothing, TASKS, tasks::end;
    POMP2_Untied_task_create_begin(Create), untied_create_begin, [pomp2_untied_task_create_begin_ if_clause]: second_and_third, TASKS, tasks::untied_create_begin;
    POMP2_Untied_task_create_end(Value), untied_create_end, [pomp2_untied_task_create_end_ second]: nothing, TASKS, tasks::create_end;
    POMP2_Untied_task_begin(Value), untied_begin, [pomp2_untied_task_begin_ second]: nothing, TASKS, tasks::begin;
    POMP2_Untied_task_end(Handle), untied_end, [pomp2_untied_task_end_ same]: nothing, TASKS, tasks::end;

    POMP2_Assign_handle(Named), assign_handle, [pomp2_assign_handle_ same]: nothing, ALONE_ONLY, constructs::nothing_named;
    POMP2_USER_Assign_handle(Named), user_assign_handle, [pomp2_user_assign_handle_ same]: nothing, ALONE_ONLY, constructs::nothing_named;
    POMP2_Begin(Named), user_begin, [pomp2_begin_ same]: nothing, ALONE_ONLY, constructs::nothing_named;
    POMP2_End(Handle), user_end, [pomp2_end_ same]: nothing, ALONE_ONLY, constructs::nothing;
    POMP2_Init(Nothing), init, [pomp2_init_ same]: nothing, ALONE_ONLY, constructs::nothing;
    POMP2_Finalize(Nothing), finalize, [pomp2_finalize_ same]: nothing, ALONE_ONLY, constructs::nothing;
    POMP2_On(Nothing), on, [pomp2_on_ same]: nothing, ALONE_ONLY, constructs::nothing;
    POMP2_Off(Nothing), switch_off, [pomp2_off_ same]: nothing, ALONE_ONLY, constructs::nothing;
}

/// The task functions of Lorenz et al.: `name: the function that implements it;`
macro_rules! legacy {
    ($($(#[$doc:meta])* $name:ident: $body:path;)*) => {
        $(
            system::flagged_jump_with_frame! {
                $(#[$doc])*
                ///
                /// # Safety
                /// Only to be called in the way instrumented code does.
                #[unsafe(no_mangle)]
                #[allow(unreachable_pub)] // exported by its name, not by its path
                pub fn $name, MODE, mode::NOTED, "ora_thread", 16, $body
            }
        )*
    };
}

legacy! {
    /// The current task starts to create a task.
    POMP_Task_create_begin: legacy_tasks::create_begin;
    /// The current task has created a task.
    POMP_Task_create_end: legacy_tasks::create_end;
    /// Begins a task that the task with the value `creator` has created. Returns the new task's value.
    POMP_Task_begin: legacy_tasks::task_begin;
    /// Ends the thread's current task.
    POMP_Task_end: legacy_tasks::task_end;
    /// The current task starts to wait for its child tasks.
    POMP_Taskwait_begin: legacy_tasks::taskwait_begin;
    /// The current task continues after the wait.
    POMP_Taskwait_end: legacy_tasks::taskwait_end;
    /// Returns the value of the thread's current task, at any time.
    POMP_Get_current_task: legacy_tasks::current;
    /// The thread executes the task with that value again.
    POMP_Set_current_task: legacy_tasks::set_current;
}
