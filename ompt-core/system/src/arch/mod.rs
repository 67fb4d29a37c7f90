//! The processor: thread-local words in the initial-exec model, registers, and the numbers of its psABI. One folder for
//! each architecture; all of them offer the same names.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
compile_error!("ora runs on x86-64 Linux with glibc only");

#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "x86_64")]
pub use x86_64::*;
