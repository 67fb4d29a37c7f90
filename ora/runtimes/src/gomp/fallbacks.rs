//! Fallback functions for each entry, for processes without a libgomp.

use super::entry::Code;
use super::names::{SLOTS, entries, uniform_entries};
use super::sequential;

macro_rules! fallbacks {
    (
        [$($group:ident {
            $({ $name:ident $symbol:tt $arguments:tt $result:tt $wrapper:tt ($fallback:ident [$($constant:expr),*]) })*
        })*]
        inner $inner:tt
    ) => {
        /// Targets of calls in such a process.
        pub(super) static FALLBACKS: [Code; SLOTS] =
            [$($(Code(sequential::$fallback::<$({ $constant }),*> as *const ()),)*)*];
    };
}

entries!(fallbacks);
