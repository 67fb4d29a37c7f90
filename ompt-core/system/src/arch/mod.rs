//! The processor: thread-local words in the initial-exec model, registers, and the numbers of its psABI. One folder for each
//! architecture; all of them offer the same names.

#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "x86_64")]
pub use x86_64::*;
