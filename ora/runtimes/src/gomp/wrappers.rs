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
use super::names::{Entry, SLOTS, W, entries, uniform_entries};
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

/// Function for calls of an entry of the first instance, by the kind of its wrapper.
macro_rules! first {
    ($entry:ident $arguments:tt $result:tt (by_level $module:ident $wrapper:ident)) => {
        of_first!($entry $arguments $result $module $wrapper [false])
    };
    ($entry:ident $arguments:tt $result:tt (plain $module:ident $wrapper:ident $constants:tt)) => {
        of_first!($entry $arguments $result $module $wrapper $constants)
    };
    ($entry:ident () [] (variadic $module:ident $wrapper:ident $other_module:ident $other:ident)) => {
        Code($module::$wrapper::<{ Entry::$entry as usize }> as *const ())
    };
}

/// Function for calls of an entry of the first instance after the call site has been recorded.
macro_rules! recorded {
    ($entry:ident $arguments:tt $result:tt (by_level $module:ident $wrapper:ident)) => {
        of_first!($entry $arguments $result $module $wrapper [true])
    };
    ($entry:ident $arguments:tt $result:tt $wrapper:tt) => {
        WRAPPERS.first[Entry::$entry as usize]
    };
}

/// Functions for calls of an entry of another instance, by the kind of its wrapper.
macro_rules! other {
    ($arguments:tt $result:tt (by_level $module:ident $wrapper:ident)) => {
        OfOthers {
            plain: of_other!($arguments $result $module $wrapper [false]).plain,
            recording: of_other!($arguments $result $module $wrapper [true]).recording,
        }
    };
    ($arguments:tt $result:tt (plain $module:ident $wrapper:ident $constants:tt)) => {
        of_other!($arguments $result $module $wrapper $constants)
    };
    (() [] (variadic $of_first:ident $first:ident $module:ident $wrapper:ident)) => {
        handed_over!(pass_operand_with_stack_arguments, record_and_pass_operand_with_stack_arguments, $module::$wrapper)
    };
}

macro_rules! wrappers {
    (
        [$($group:ident { $({ $name:ident $symbol:tt $arguments:tt $result:tt $wrapper:tt $fallback:tt })* })*]
        inner $inner:tt
    ) => {
        /// The functions that report calls of each entry.
        pub(super) static WRAPPERS: Wrappers = Wrappers {
            first: [$($(first!($name $arguments $result $wrapper),)*)*],
            others: [$($(other!($arguments $result $wrapper),)*)*],
            recorders_of_first: Code(recorders as *const ()),
            create_worker: worker_end::CREATE,
        };

        /// The functions that report calls of the first instance's entries after the call site has been recorded.
        #[allow(clippy::indexing_slicing)] // computed while compiling
        static RECORDED: [Code; SLOTS] = [$($(recorded!($name $arguments $result $wrapper),)*)*];
    };
}

entries!(wrappers);

system::recording_jump_table! {
    /// Functions in slots of the first instance at the OMPT level: each records the call site, then continues to the wrapper; [`RECORDER`]
    /// bytes for each slot.
    fn recorders, "ora_thread", 16, RECORDED, 0, SLOTS, RECORDER
}
