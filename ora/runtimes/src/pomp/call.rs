//! A call of instrumented code, as the functions behind the exported ones get it.
#![allow(unsafe_code)] // calls another library

use super::forward;
use super::mode::Mode;
use super::names::Entry;
use super::sites::Handle;

/// What a call says.
#[derive(Clone, Copy)]
pub(super) struct Call {
    /// The construct's handle.
    pub(super) handle: *const Handle,
    /// The other arguments; without meaning where there are fewer.
    pub(super) rest: [usize; 4],
    /// The stack pointer of whoever calls.
    pub(super) frame: usize,
    /// What calls do, when this one came.
    pub(super) mode: Mode,
}

impl Call {
    /// Where the argument behind the handle points to.
    pub(super) fn second(&self) -> usize {
        let [second, ..] = self.rest;
        second
    }

    /// Goes on to the other measurement library, if there is one.
    ///
    /// # Safety
    /// The call is the program's, or has values of the other library's in place of ours.
    #[inline(always)]
    pub(super) unsafe fn forward(&self, entry: Entry) {
        if self.mode.is_forwarded() {
            // SAFETY: the caller's promise.
            unsafe { self.forward_to(entry) }
        }
    }

    #[cold]
    unsafe fn forward_to(&self, entry: Entry) {
        let [b, c, d, e] = self.rest;
        if let Some(next) = forward::next(entry) {
            // SAFETY: the caller's promise.
            unsafe { next(self.handle as usize, b, c, d, e) };
        }
    }
}
