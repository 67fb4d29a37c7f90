//! Addresses of functions of any signature.
#![allow(unsafe_code)] // pointers that don't point to data

/// Address of a function of any signature.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Code(pub *const ());

// SAFETY: the pointer is never changed, and no data is read or written through it: it is compared, copied and called.
unsafe impl Sync for Code {}

// SAFETY: as for `Sync`: the address means the same on every thread.
unsafe impl Send for Code {}
