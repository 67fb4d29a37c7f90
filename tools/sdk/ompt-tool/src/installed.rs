//! The only instance of a tool in a process, and the calls into it, which stop panics.
#![allow(unsafe_code)] // memory that the runtime has the address of

use crate::tool::Tool;
use crate::tool::runtime::EntryPoints;
use ompt_abi::v5::ompt_start_tool_result_t;
use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt::Display;
use std::io::{Write, stderr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::*};

/// Tool that a library exports.
pub trait Installed: Tool {
    /// Its only instance, and the state that belongs to it.
    fn state() -> &'static State<Self>;
}

/// Instance of a tool, and the words whose address the runtime has.
pub struct State<T: 'static> {
    pub(crate) tool: OnceLock<T>,
    pub(crate) entries: OnceLock<EntryPoints>,
    /// True once the tool has panicked: it is no longer called.
    ended: AtomicBool,
    pub(crate) result: OnceLock<StartResult>,
}

/// Result of `ompt_start_tool`, which the runtime may write to.
pub(crate) struct StartResult(pub(crate) UnsafeCell<ompt_start_tool_result_t>);

// SAFETY: the tool only passes the address on; only the runtime reads and writes the value.
unsafe impl Send for StartResult {}
// SAFETY: a shared reference only gives access to the address; only the runtime reads and writes through it.
unsafe impl Sync for StartResult {}

impl<T> State<T> {
    /// Creates the state of a tool that has not started.
    #[allow(clippy::new_without_default)] // for the macro's static only
    pub const fn new() -> Self {
        Self { tool: OnceLock::new(), entries: OnceLock::new(), ended: AtomicBool::new(false), result: OnceLock::new() }
    }
}

/// Calls the tool, if it has started and not panicked. Returns `otherwise` if that is not so, or if it panics now.
pub(crate) fn call<T: Installed, R>(what: &str, otherwise: R, body: impl FnOnce(&'static T) -> R) -> R {
    let state = T::state();
    match state.tool.get() {
        // Relaxed: a thread that sees the flag late calls the tool once more, as if it had arrived earlier.
        Some(tool) if !state.ended.load(Relaxed) => contain::<T, R>(what, || body(tool)).unwrap_or(otherwise),
        _ => otherwise,
    }
}

/// Runs a part of the tool. A panic is reported, and ends the tool.
///
/// `AssertUnwindSafe` is harmless: after a panic the tool is not entered again, and threads that are already in it share only `Sync` data
/// with each other.
pub(crate) fn contain<T: Installed, R>(what: &str, body: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => Some(result),
        Err(payload) => {
            T::state().ended.store(true, Relaxed);
            report::<T>(&format_args!("it has panicked in {what} and is called no more"));
            discard(payload);
            None
        }
    }
}

/// Writes a line to stderr, if possible.
pub(crate) fn report<T>(line: &dyn Display) {
    let _ = writeln!(stderr(), "tool {}: {line}", std::any::type_name::<T>());
}

/// Forgets the payload of a panic: its destructor is code of the tool, and could panic.
fn discard(payload: Box<dyn Any + Send>) {
    std::mem::forget(payload);
}
