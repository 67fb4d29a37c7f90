//! Wrappers of each entry, as functions: for the first runtime instance, and for the other ones.
#![allow(unsafe_code)] // naked functions, and functions that programs call

use super::arguments::{
    Bound, LeagueFunction, LoopFunction, Loops, Numbers, RegionFunction, TargetFunction, TaskFunction,
};
use super::call_data::{Dependences, Message, RequestedTeams, Volume};
use super::entry::Code;
use super::error;
use super::instance::{OfFirst, OfOther, PendingCall};
use super::lock_calls::{MutexWord, ToSet, ToTest, ToUnset, ToUnsetNest};
use super::names::{Entry, SLOTS, W, entries};
use super::runtime::{OfOthers, RECORDER, Wrappers};
use super::work::{DOACROSS, LOOP, SCOPE, SECTIONS, ULL_LOOP};
use super::worker_end;
use super::{
    barrier, cancel, detach, doacross, lock, mutex, ordered, parallel, target, target_data, target_memory, task,
    task_fast, task_wait, teams, work,
};

/// Result type of an entry: nothing if the table has none.
macro_rules! result {
    () => {
        ()
    };
    ($result:ty) => {
        $result
    };
}

/// Function for calls of an entry of the first instance.
macro_rules! of_first {
    ($entry:ident($($type:ty),*) [$($result:ty)?] $module:ident $wrapper:ident [$($constant:expr),*]) => {
        of_first!(
            @ [] [$($type),*] [a b c d e f g h i j k l m]
            $entry [result!($($result)?)] $module $wrapper [$($constant),*]
        )
    };
    (@ [$($name:ident: $type:ty,)*] [] [$($rest:ident)*]
        $entry:ident [$result:ty] $module:ident $wrapper:ident [$($constant:expr),*]) => {{
        unsafe extern "C-unwind" fn first($($name: $type),*) -> $result {
            let (frame, target) = ((), OfFirst::<{ Entry::$entry as usize }, ($($type,)*), $result>::new());
            // SAFETY: only the slot of this entry in the first instance leads here: the program calls the entry, which has this signature
            // (libgomp_g.h, omp.h), with these arguments.
            let call = unsafe { PendingCall::new(&frame, target, ($($name,)*)) };
            $module::$wrapper::<_ $(, { $constant })*>(call)
        }
        Code(first as *const ())
    }};
    (@ [$($done:tt)*] [$type:ty $(, $types:ty)*] [$name:ident $($names:ident)*] $($rest:tt)*) => {
        of_first!(@ [$($done)* $name: $type,] [$($types),*] [$($names)*] $($rest)*)
    };
}

/// Functions for calls of an entry of another instance, without and with a call-site record. The instance's trampoline leaves the address
/// of the instance's word that holds the real function in a register. `handed_over` passes it after five arguments, or after those on the
/// stack. The real function gets its arguments after the sixth from the stack, as many as the entry has.
macro_rules! of_other {
    (() $($rest:tt)*) => {
        of_other!(@ [] [a: W, b: W, c: W, d: W, e: W] $($rest)*)
    };
    (($a:ty) $($rest:tt)*) => {
        of_other!(@ [a: $a,] [b: W, c: W, d: W, e: W] $($rest)*)
    };
    (($a:ty, $b:ty) $($rest:tt)*) => {
        of_other!(@ [a: $a, b: $b,] [c: W, d: W, e: W] $($rest)*)
    };
    (($a:ty, $b:ty, $c:ty) $($rest:tt)*) => {
        of_other!(@ [a: $a, b: $b, c: $c,] [d: W, e: W] $($rest)*)
    };
    (($a:ty, $b:ty, $c:ty, $d:ty) $($rest:tt)*) => {
        of_other!(@ [a: $a, b: $b, c: $c, d: $d,] [e: W] $($rest)*)
    };
    (($a:ty, $b:ty, $c:ty, $d:ty, $e:ty) $($rest:tt)*) => {
        of_other!(@ [a: $a, b: $b, c: $c, d: $d, e: $e,] [] $($rest)*)
    };
    (($a:ty, $b:ty, $c:ty, $d:ty, $e:ty, $f:ty $(, $more:ty)*)
        [$($result:ty)?] $module:ident $wrapper:ident [$($constant:expr),*]) => {{
        unsafe extern "C-unwind" fn other(
            a: $a, b: $b, c: $c, d: $d, e: $e, f: $f, on_stack: *const W, word: usize,
        ) -> result!($($result)?) {
            let (frame, mut _on_stack) = ((), on_stack);
            let arguments = (a, b, c, d, e, f, $({
                // SAFETY: the program calls the entry with these arguments: those after the sixth are at `on_stack`, in words of their own
                // (psABI 3.2.3).
                unsafe { next::<$more>(&mut _on_stack) }
            },)*);
            // SAFETY: a trampoline of another instance leads here through `handed_over`, which passes the address that the trampoline has
            // left: that of its instance's word for this entry, whose signature this is (libgomp_g.h, omp.h).
            let target = unsafe { OfOther::<_, result!($($result)?)>::new(word) };
            // SAFETY: the program calls the entry with these arguments.
            let call = unsafe { PendingCall::new(&frame, target, arguments) };
            $module::$wrapper::<_ $(, { $constant })*>(call)
        }
        handed_over!(pass_operand_with_stack_arguments, record_and_pass_operand_with_stack_arguments, other)
    }};
    (@ [$($name:ident: $type:ty,)*] [$($spare:ident: $w:ty),*]
        [$($result:ty)?] $module:ident $wrapper:ident [$($constant:expr),*]) => {{
        unsafe extern "C-unwind" fn other($($name: $type,)* $(_: $w,)* word: usize) -> result!($($result)?) {
            let frame = ();
            // SAFETY: a trampoline of another instance leads here through `handed_over`, which passes the address that the trampoline has
            // left: that of its instance's word for this entry, whose signature this is (libgomp_g.h, omp.h).
            let target = unsafe { OfOther::<_, result!($($result)?)>::new(word) };
            // SAFETY: the program calls the entry with these arguments.
            let call = unsafe { PendingCall::new(&frame, target, ($($name,)*)) };
            $module::$wrapper::<_ $(, { $constant })*>(call)
        }
        handed_over!(pass_operand, record_and_pass_operand, other)
    }};
}

/// Code that passes the word on to a function, without and with a call-site record.
macro_rules! handed_over {
    ($plain:ident, $recording:ident, $to:path) => {{
        system::$plain!(handed_over, $to);
        system::$recording!(recorded, "ora_thread", 16, $to);
        OfOthers { plain: Code(handed_over as *const ()), recording: Code(recorded as *const ()) }
    }};
}

/// The next argument on the stack.
///
/// # Safety
/// There is one, of type `T`, or its word is in the caller's frame: code of older compilers passes fewer arguments to `GOMP_task`, whose
/// flags say how many.
#[inline(always)]
unsafe fn next<T: Copy>(on_stack: &mut *const W) -> T {
    // SAFETY: by this function's `# Safety` there is a `T` in a word of its own (psABI 3.2.3), or a word of a mapped frame, whose value is
    // an integer in any case.
    let argument = unsafe { on_stack.cast::<T>().read() };
    *on_stack = on_stack.wrapping_add(1);
    argument
}

macro_rules! wrappers {
    (
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
        inner { $($rest:tt)* }
    ) => {
        /// The functions that report calls of each entry.
        pub(super) static WRAPPERS: Wrappers = Wrappers {
            first: [
                $(of_first!($by_level($($by_level_argument),*) [$($by_level_result)?] $by_level_module $by_level_wrapper [false]),)*
                $(of_first!($name($($argument),*) [$($result)?] $module $wrapper [$($($wrapper_constant),*)?]),)*
                $(Code($variadic_module::$variadic_wrapper::<{ Entry::$variadic as usize }> as *const ()),)*
                $(of_first!($ompt_only($($ompt_only_argument),*)
                    [$($ompt_only_result)?] $ompt_only_module $ompt_only_wrapper [$($($ompt_only_constant),*)?]),)*
                $(of_first!($old($($old_argument),*) [$($old_result)?] $old_module $old_wrapper [$($($old_constant),*)?]),)*
                $(of_first!($old_ompt_only($($old_ompt_only_argument),*)
                    [$($old_ompt_only_result)?] $old_ompt_only_module $old_ompt_only_wrapper [$($($old_ompt_only_constant),*)?]),)*
            ],
            others: [
                $(OfOthers {
                    plain: of_other!(($($by_level_argument),*) [$($by_level_result)?] $by_level_module $by_level_wrapper [false]).plain,
                    recording: of_other!(($($by_level_argument),*)
                        [$($by_level_result)?] $by_level_module $by_level_wrapper [true]).recording,
                },)*
                $(of_other!(($($argument),*) [$($result)?] $module $wrapper [$($($wrapper_constant),*)?]),)*
                $(handed_over!(pass_operand_with_stack_arguments, record_and_pass_operand_with_stack_arguments,
                    $variadic_other_module::$variadic_other_wrapper),)*
                $(of_other!(($($ompt_only_argument),*)
                    [$($ompt_only_result)?] $ompt_only_module $ompt_only_wrapper [$($($ompt_only_constant),*)?]),)*
                $(of_other!(($($old_argument),*) [$($old_result)?] $old_module $old_wrapper [$($($old_constant),*)?]),)*
                $(of_other!(($($old_ompt_only_argument),*)
                    [$($old_ompt_only_result)?] $old_ompt_only_module $old_ompt_only_wrapper [$($($old_ompt_only_constant),*)?]),)*
            ],
            recorders_of_first: Code(recorders as *const ()),
            create_worker: worker_end::CREATE,
        };

        /// The functions that report calls of the first instance's entries after the call site has been recorded.
        #[allow(clippy::indexing_slicing)] // computed while compiling
        static RECORDED: [Code; SLOTS] = {
            let mut wrappers = WRAPPERS.first;
            $(wrappers[Entry::$by_level as usize] = of_first!($by_level($($by_level_argument),*)
                [$($by_level_result)?] $by_level_module $by_level_wrapper [true]);)*
            wrappers
        };
    };
}

entries!(wrappers);

system::recording_jump_table! {
    /// Functions in slots of the first instance at the OMPT level: each records the call site, then continues to the wrapper; [`RECORDER`]
    /// bytes for each slot.
    fn recorders, "ora_thread", 16, RECORDED, 0, SLOTS, RECORDER
}
