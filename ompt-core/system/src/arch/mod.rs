//! The processor: thread-local words in the initial-exec model, registers, calls in machine code, and the numbers of its
//! psABI. One folder for each architecture; all of them offer the same names.

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
compile_error!("ora runs on Linux with glibc only");

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!(
    "ora has no folder for this processor in ompt-core/system/src/arch: docs/internals/processors.md has what belongs there"
);

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod decoded;
pub mod instructions;
#[cfg(target_arch = "x86_64")]
mod x86_64;
mod zero_block;

#[cfg(target_arch = "aarch64")]
pub use aarch64::*;
pub use decoded::{Epilogue, Target, Word};
#[cfg(target_arch = "x86_64")]
pub use x86_64::*;
pub use zero_block::ZERO_BLOCK;
#[cfg(not(target_arch = "x86_64"))]
pub use zero_block::is_zero_block;
