//! Exported names and their trampolines: each is one jump through a slot of the first runtime instance. Also the instances themselves.
#![allow(unsafe_code)] // naked functions: what the program calls

use super::adjusted::{self, Adjusted, COUNT, adjusted_entries};
use super::entry::Code;
use super::got_patch::UnboundCall;
use super::names::{EXPORTED, Entry, SLOTS, entries, uniform_entries};
use super::resolve;
use super::runtime::{REAL, RUNTIME_SIZE, Runtime, Runtimes, TRAMPOLINE};
use super::static_loops;
use system::call_arguments::Arguments;

/// All runtime instances of the process.
pub(super) static RUNTIMES: Runtimes = Runtimes {
    all: [
        Runtime::new(0, &UNBOUND, Code(trampolines_of_first as *const ())),
        Runtime::new(1, &UNBOUND, Code(trampolines::<1> as *const ())),
        Runtime::new(2, &UNBOUND, Code(trampolines::<2> as *const ())),
        Runtime::new(3, &UNBOUND, Code(trampolines::<3> as *const ())),
        Runtime::new(4, &UNBOUND, Code(trampolines::<4> as *const ())),
        Runtime::new(5, &UNBOUND, Code(trampolines::<5> as *const ())),
        Runtime::new(6, &UNBOUND, Code(trampolines::<6> as *const ())),
        Runtime::new(7, &UNBOUND, Code(trampolines::<7> as *const ())),
    ],
    exports: &EXPORTS,
};

system::jump_table! {
    /// Trampolines of the first instance, for objects whose relocations lead to it; [`TRAMPOLINE`] bytes for each slot.
    fn trampolines_of_first, RUNTIMES, 0, SLOTS, TRAMPOLINE
}

system::operand_jump_table! {
    /// Trampolines of instance `B`. For wrappers, they leave the address of the instance's word with the real function in a register.
    fn trampolines<const B: usize>, RUNTIMES, B * RUNTIME_SIZE, REAL, SLOTS, TRAMPOLINE
}

system::numbered! {
    /// Function in a slot until the real function is known: finds it, then jumps to it with all arguments unchanged.
    fn slow<const E: usize>, resolve
}

system::resolver! {
    fn resolve, late
}

/// Resolves the target of a call that came through an unbound slot.
extern "C" fn late(entry: usize, return_address: usize, first_argument: usize) -> Code {
    resolve::late(&RUNTIMES, UnboundCall { entry, return_address, first_argument })
}

system::numbered_table! {
    /// Trampolines of the routines with which a static loop in gcc's code begins.
    fn routines_of_loops, static_loops::ROUTINES, static_loops::TRAMPOLINE, observed
}

system::resolver! {
    fn observed, begin_loop
}

extern "C-unwind" fn begin_loop(routine: usize, return_address: usize, _first_argument: usize) -> Code {
    static_loops::called(routine, return_address)
}

/// Leads the calls with which static loops begin to their trampolines.
pub(super) fn lead_static_loops() {
    static_loops::lead(&RUNTIMES, Code(routines_of_loops as *const ()));
}

macro_rules! exports {
    (
        [
            reported { $({ $reported:ident $($a:tt)* })* }
            ompt_only { $({ $ompt_only:ident $($b:tt)* })* }
            $($old_group:ident { $({ $old:ident $($c:tt)* })* })*
        ]
        inner $inner:tt
    ) => {
        /// Functions in slots until the real functions are known.
        static UNBOUND: [Code; SLOTS] = [
            $(Code(slow::<{ Entry::$reported as usize }> as *const ()),)*
            $(Code(slow::<{ Entry::$ompt_only as usize }> as *const ()),)*
            $($(Code(slow::<{ Entry::$old as usize }> as *const ()),)*)*
        ];

        /// The exported names.
        static EXPORTS: [Code; EXPORTED] =
            [$(Code($reported as *const ()),)* $(Code($ompt_only as *const ()),)*];

        $(export!($reported);)*
        $(export!($ompt_only);)*
    };
}

/// Exported entry of the first instance.
macro_rules! export {
    ($name:ident) => {
        system::jump_through! {
            #[doc = concat!("libgomp's `", stringify!($name), "`: jumps through its slot.")]
            ///
            /// # Safety
            /// The requirements of the function of that name.
            #[cfg_attr(not(feature = "linked"), unsafe(no_mangle))]
            #[allow(unreachable_pub, non_snake_case)] // exported by its name, not by its path
            pub fn $name, RUNTIMES, 8 * (Entry::$name as usize)
        }
    };
}

entries!(exports);

/// Entries in front of the slots of calls whose arguments change: see `adjusted`.
macro_rules! in_front {
    ($($name:ident $starts:expr;)*) => {
        mod in_front {
            use super::{Adjusted, adjust};

            $(
                system::observed_call! {
                    #[allow(non_snake_case)] // libgomp's name
                    pub(super) fn $name, Adjusted::$name as usize, adjust
                }
            )*
        }

        /// These entries.
        static IN_FRONT: [Code; COUNT] = [$(Code(in_front::$name as *const ())),*];
    };
}

adjusted_entries!(in_front);

/// Reads settings by region, and leads calls through the entries in front if there are any settings. Called once, while the library is
/// being loaded.
pub(super) fn load_settings() {
    adjusted::load(RUNTIMES.first(), &IN_FRONT);
}

unsafe extern "C" fn adjust(words: *mut usize, number: usize) -> *const () {
    // SAFETY: an entry of `in_front` has called this; the positions that follow its name are those of its signature (libgomp_g.h).
    let arguments = unsafe { Arguments::new(words) };
    adjusted::adjust(RUNTIMES.first(), arguments, number)
}
