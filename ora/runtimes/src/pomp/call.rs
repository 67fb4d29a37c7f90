//! A call of instrumented code, as the functions behind the exported ones get it.
#![allow(unsafe_code)] // calls another library

use super::forward;
use super::mode::Mode;
use super::names::Entry;
use super::sites::Handle;

/// Arguments of one call of a `POMP2_*` function, and the mode in which it came.
///
/// A function that takes an [`Entry`] and a `Call` relies on this: instrumented code passed these arguments to the exported
/// function of that name, as declared in `headers/opari2/pomp2_lib.h`. So
/// - the handle is null or the address of a variable of the program, aligned, 0 at first and written only by the library behind
///   the call;
/// - a string is null, or ends with two asterisks or a zero byte;
/// - a place for a task's value (`POMP2_Task_handle *`) is 8 bytes of the caller's, aligned, and used by no other thread during
///   the call.
///
/// Functions without arguments (`POMP2_Init`, `POMP2_Finalize`, `POMP2_On`, `POMP2_Off`) leave the handle undefined.
#[derive(Clone, Copy)]
pub(super) struct Call {
    /// The construct's handle.
    pub(super) handle: *const Handle,
    /// The other arguments; without meaning where there are fewer.
    pub(super) rest: [usize; 4],
    /// The caller's stack pointer.
    pub(super) frame: usize,
    /// The mode of calls at the time of this one.
    pub(super) mode: Mode,
}

impl Call {
    /// The address that the argument behind the handle holds.
    pub(super) fn second(&self) -> usize {
        let [second, ..] = self.rest;
        second
    }

    /// Calls the same function of the other measurement library, if there is one.
    ///
    /// # Safety
    /// The arguments are those that the program passed to `entry`, or have values of the other library's in place of ours.
    #[inline(always)]
    pub(super) unsafe fn forward(&self, entry: Entry) {
        if self.mode.is_forwarded() {
            // SAFETY: `entry` gets the program's arguments (by this function's `# Safety`).
            unsafe { self.forward_to(entry) }
        }
    }

    /// # Safety
    /// As [`forward`](Self::forward).
    #[cold]
    unsafe fn forward_to(&self, entry: Entry) {
        let [b, c, d, e] = self.rest;
        if let Some(next) = forward::next(entry) {
            // SAFETY: the other library's function of `entry`'s name gets the program's arguments (this function's `# Safety`);
            // registers beyond its arity are not read (System V ABI for x86-64, 3.2.3).
            unsafe { next(self.handle as usize, b, c, d, e) };
        }
    }
}
