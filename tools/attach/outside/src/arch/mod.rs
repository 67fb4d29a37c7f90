//! The processor: registers of a stopped thread, and the few instructions that run in the watched process. One file or folder for each
//! architecture; all of them offer the same names.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(not(target_arch = "aarch64"))]
mod by_framehop;
pub mod kept;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
mod other;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub use aarch64::*;
#[cfg(not(target_arch = "aarch64"))]
pub use by_framehop::*;
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
pub use other::*;
#[cfg(target_arch = "x86_64")]
pub use x86_64::*;
