//! Mutex implementations that tools can enumerate (OpenMP 5.0, 4.6.1.2).

use super::types::ompt_mutex_impl_none;
use crate::detail::Mutex;
use std::ffi::{CStr, c_int, c_uint};

/// Waiters spin for a while, then block in the kernel. Its number differs from those of common headers, which denote
/// other implementations.
const SPIN_THEN_BLOCK: c_int = 4;
/// Waiters proceed in turn.
const TURNS: c_int = 5;

const ALL: [(c_int, &CStr); 2] =
    [(SPIN_THEN_BLOCK, c"ora_mutex_impl_spin_then_block"), (TURNS, c"ora_mutex_impl_turns")];

/// The implementation of a mutex of this kind.
pub(super) const fn of(kind: Mutex) -> c_uint {
    match kind {
        Mutex::Ordered => TURNS.cast_unsigned(),
        _ => SPIN_THEN_BLOCK.cast_unsigned(),
    }
}

/// Number and name of the implementation after this one. The list starts after `ompt_mutex_impl_none`.
pub(super) fn after(current: c_int) -> Option<(c_int, &'static CStr)> {
    let mut all = ALL.into_iter();
    if current != ompt_mutex_impl_none {
        all.find(|(number, _)| *number == current)?;
    }
    all.next()
}

#[cfg(test)]
#[allow(clippy::disallowed_types, clippy::disallowed_macros)] // no program's thread runs this
mod tests {
    use super::*;

    #[test]
    fn every_mutex_has_an_implementation_that_is_listed() {
        let mut listed = Vec::new();
        let mut current = ompt_mutex_impl_none;
        while let Some((next, _)) = after(current) {
            listed.push(next.cast_unsigned());
            current = next;
        }
        for kind in [Mutex::Lock, Mutex::TestNestLock, Mutex::Critical, Mutex::Atomic, Mutex::Ordered] {
            assert!(listed.contains(&of(kind)), "{kind:?}");
        }
        assert_eq!(after(99), None);
    }
}
