//! Entries and slots: an exported name is one jump through its slot.
#![allow(unsafe_code)] // naked functions: what the program calls

use super::bank::{BANKS, Bank};
use super::find;
use super::table::{SLOTS, SYMBOLS};
use std::ffi::CStr;

/// The address of a function, whatever it takes and returns.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Code(pub(super) *const ());

// SAFETY: the pointer is never changed, and never read or written through as data: it is compared, copied and called.
unsafe impl Sync for Code {}

/// Symbol and, where it isn't the default one, version of an entry.
pub(super) fn symbol(entry: usize) -> Option<(&'static CStr, Option<&'static CStr>)> {
    let (name, version) = SYMBOLS.get(entry)?;
    let text = |text: &'static str| CStr::from_bytes_with_nul(text.as_bytes()).ok();
    Some((text(name)?, version.and_then(text)))
}

/// True for the names of OpenMP functions: gcc's code imports no others of its runtime.
pub(super) fn calls_openmp(name: &CStr) -> bool {
    let name = name.to_bytes();
    name.starts_with(b"GOMP_") || name.starts_with(b"omp_")
}

/// One exported entry of the first bank.
macro_rules! entry {
    ($name:ident) => {
        system::jump_through! {
            #[doc = concat!("libgomp's `", stringify!($name), "`: jumps through its slot.")]
            ///
            /// # Safety
            /// As the function of that name asks for.
            #[cfg_attr(not(feature = "linked"), unsafe(no_mangle))]
            #[allow(unreachable_pub, non_snake_case)] // exported by its name, not by its path
            pub fn $name, super::bank::BANKS, 8 * (Entry::$name as usize)
        }
    };
}
pub(super) use entry;

system::jump_table! {
    /// The entries of bank `B` that are not exported: programs are led to them by their relocations. One of [`STUB`] bytes for
    /// each slot.
    pub(super) fn stubs<const B: usize>, BANKS, B * size_of::<Bank>(), SLOTS, STUB
}

/// The distance of stubs.
pub(super) const STUB: usize = 8;

system::noting_jump_table! {
    /// What slots of bank `B` hold while calls are told: notes the call, then goes on to the wrapper. One of [`NOTE`] bytes for
    /// each slot.
    pub(super) fn notes<const B: usize>, "ora_thread", 16, BANKS, B * size_of::<Bank>() + Bank::WRAPPERS_OF_CALLS, SLOTS, NOTE
}

/// The distance of notes.
pub(super) const NOTE: usize = 64;

system::numbered! {
    /// What a slot holds until its real function is known: finds it, then goes on there with all arguments as they were.
    pub(super) fn slow<const E: usize>, resolve
}

system::resolver! {
    fn resolve, find::late
}
