#![doc = include_str!("../README.md")]
//!
//! # Data words
//!
//! The runtime keeps one 64-bit word for the tool with each thread, each parallel region and each task. [`Tool::Thread`],
//! [`Tool::Parallel`] and [`Tool::Task`] give the words types: `()` for no data, `u64`, or `Option<&'static T>` for a record of the tool.
//! [`Word`] explains why that is sound, and [`Pool`] provides reusable records.
//!
//! # Threads, signals, panics
//!
//! Callbacks run on the program's threads, many of them in parallel, so a tool is [`Sync`] and its methods take `&self`. OpenMP forbids
//! OpenMP constructs and routines in callbacks (OpenMP 5.0, section 4.2.3). On libgomp with `libora.so` they work anyway, without events
//! for the tool; other runtimes may crash or hang. A callback may allocate and lock, but a lock that is held while the program's code runs
//! can deadlock.
//!
//! A panic never unwinds into the runtime. A panic in a callback is caught, reported on stderr, and ends the tool: none of its methods is
//! called any more, not even [`Tool::finalize`], and the program continues. A panic in [`Tool::start`] declines. (With `panic = "abort"` in
//! the tool's profile, a panic ends the process.)
//!
//! Queries of [`Runtime`] that are documented as "async-signal-safe" may be made in a signal handler, on every thread.
//!
//! # Not covered
//!
//! Callbacks about target devices, and the tracing interface of devices.

mod callback;
mod flags;
mod installed;
mod kinds;
mod pool;
mod start;
#[cfg(test)]
mod tests;
mod tool;
mod trampolines;
mod word;

pub use callback::{Callback, SetResult};
pub use flags::{CancelFlags, ParallelFlags, TaskFlags};
pub use kinds::{
    DependenceKind, DispatchKind, Endpoint, MutexKind, Severity, State, SyncKind, TaskStatus, ThreadKind, WorkKind,
};
pub use pool::{Pool, lock_or_give_up};
pub use start::{pause, resume, start_tool};
pub use tool::Tool;
pub use tool::events::*;
pub use tool::runtime::{Level, ParallelInfo, Runtime, TaskInfo};
pub use word::{Data, Word};

/// For [`export!`] only.
#[doc(hidden)]
pub mod private {
    pub use crate::installed::{Installed, State};
    pub use ompt_abi::v5::ompt_start_tool_result_t;
    pub use std::ffi::{c_char, c_uint};
}

/// Makes a type that implements [`Tool`] the tool of this library: defines `ompt_start_tool` (OpenMP 5.0, section 4.2.1).
///
/// Use it once in a `cdylib`, or in a program that should contain a tool. A process has one instance of the tool, which is never dropped,
/// because threads may still be in a callback when the process ends.
#[macro_export]
macro_rules! export {
    ($tool:ty) => {
        impl $crate::private::Installed for $tool {
            fn state() -> &'static $crate::private::State<Self> {
                static STATE: $crate::private::State<$tool> = $crate::private::State::new();
                &STATE
            }
        }

        /// Called by the OpenMP runtime to find the tool (OpenMP 5.0, section 4.2.1).
        ///
        /// # Safety
        /// `runtime_version` is null or a C string.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn ompt_start_tool(
            omp_version: $crate::private::c_uint,
            runtime_version: *const $crate::private::c_char,
        ) -> *mut $crate::private::ompt_start_tool_result_t {
            // SAFETY: `runtime_version` is null or a C string (by this function's `# Safety`).
            unsafe { $crate::start_tool::<$tool>(omp_version, runtime_version) }
        }
    };
}
