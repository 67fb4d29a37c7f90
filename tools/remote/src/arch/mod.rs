//! The processor: registers of a stopped thread, and the few instructions that run in the watched process. One file for each
//! architecture; all of them offer the same names.

#[cfg(not(target_arch = "x86_64"))]
mod other;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(not(target_arch = "x86_64"))]
pub use other::*;
#[cfg(target_arch = "x86_64")]
pub use x86_64::*;
