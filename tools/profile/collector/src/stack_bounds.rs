//! Bounds of a thread's stack. Unsafe: queries of the C library.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ::system::maps::{OWN_MAPPINGS, any_mapping};

use crate::system::Descriptor;

/// Source of a thread's stack bounds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stack {
    /// The C library is queried.
    Asked,
    /// The thread is at its start, and its stack has this length.
    Long(usize),
    /// The stack stays the same: a forked child.
    AsBefore,
    /// The thread was interrupted with this stack pointer, long after its start.
    Interrupted(u64),
}

/// Lowest and highest address of a stack. All zero is valid and means unknown.
#[derive(Debug)]
pub(crate) struct StackBounds([AtomicU64; 2]);

impl StackBounds {
    /// Lowest and highest address.
    pub(crate) fn get(&self) -> (u64, u64) {
        let [low, high] = &self.0;
        (low.load(Relaxed), high.load(Relaxed))
    }

    /// Finds the bounds for the calling thread.
    pub(crate) fn find(&self, stack: Stack) {
        match stack {
            Stack::Asked => self.ask(),
            Stack::Long(length) => self.guess(length),
            Stack::AsBefore => {}
            Stack::Interrupted(sp) => self.look(sp),
        }
    }

    /// Finds the stack of the calling thread, which the C library has started: queries the C library, which may
    /// allocate.
    fn ask(&self) {
        let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
        // SAFETY: takes nothing (pthread_self(3)).
        let me = unsafe { libc::pthread_self() };
        // SAFETY: the calling thread is alive, and `attributes` has space for what is written
        // (pthread_getattr_np(3)).
        if unsafe { libc::pthread_getattr_np(me, attributes.as_mut_ptr()) } != 0 {
            return;
        }
        let (mut begin, mut length) = (ptr::null_mut::<c_void>(), 0_usize);
        // SAFETY: `pthread_getattr_np` has initialised `attributes`: it returned 0.
        unsafe { libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut begin, &raw mut length) };
        // SAFETY: `pthread_getattr_np` has initialised `attributes`, which are no longer used.
        unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
        self.set(begin.expose_provenance() as u64, length);
    }

    /// Guesses the stack of a thread at its start: the C library's own record of the thread is at the stack's upper
    /// end.
    fn guess(&self, length: usize) {
        // SAFETY: takes nothing (pthread_self(3)).
        let high = unsafe { libc::pthread_self() };
        self.set(high.saturating_sub(length as u64), length);
    }

    /// Uses the mapping that contains the stack pointer. Async-signal-safe: system calls. Out of line: only a handler, which has a
    /// stack of its own, has room for the text.
    #[inline(never)]
    fn look(&self, sp: u64) {
        let (mut text, mut found) = ([0; 2048], (0, 0));
        if let Some(maps) = Descriptor::read_only(OWN_MAPPINGS) {
            any_mapping(
                &mut text,
                |into| maps.read(into),
                |mapping| {
                    let is_it = (mapping.start..mapping.end).contains(&sp);
                    if is_it {
                        found = (mapping.start, mapping.end);
                    }
                    is_it
                },
            );
        }
        let [low, high] = &self.0;
        low.store(found.0, Relaxed);
        high.store(found.1, Relaxed);
    }

    fn set(&self, begin: u64, length: usize) {
        let [low, high] = &self.0;
        low.store(begin, Relaxed);
        high.store(begin + length as u64, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mapping_of_a_stack_pointer_holds_what_the_c_library_says() {
        let new = || StackBounds([AtomicU64::new(0), AtomicU64::new(0)]);
        let (asked, seen, local) = (new(), new(), 0);
        asked.find(Stack::Asked);
        let sp = ptr::from_ref(&local).expose_provenance() as u64;
        seen.find(Stack::Interrupted(sp));
        let ((low, high), (seen_low, seen_high)) = (asked.get(), seen.get());
        assert!((low..high).contains(&sp) && (seen_low..seen_high).contains(&sp));
        assert!(seen_high >= high, "{seen_high:x} {high:x}");
    }
}
