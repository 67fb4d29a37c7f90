//! How a runtime finds the validator, and tells it of its beginning and end. Unsafe: the runtime's pointers.
#![allow(unsafe_code)]

use std::env;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::fs::OpenOptions;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::entry_points::{ENTRY_POINTS, EntryPoints, Lookup};
use super::raw::Data;
use super::session::{self, Session};
use super::{code_map, table};
use crate::engine::Engine;
use crate::event::Callback;

/// `ompt_start_tool_result_t`
#[repr(C)]
#[derive(Debug)]
pub(crate) struct StartToolResult {
    initialize: unsafe extern "C-unwind" fn(Option<Lookup>, c_int, *mut Data) -> c_int,
    finalize: unsafe extern "C-unwind" fn(*mut Data),
    tool_data: Data,
}

/// The one result; the runtime may write its last word.
static mut RESULT: StartToolResult = StartToolResult { initialize, finalize, tool_data: 0 };

/// Whether the runtime has said that it is libomp.
static LLVM: AtomicBool = AtomicBool::new(false);

/// The runtime's first call (OpenMP 5.0, 4.2.1). Null where nobody wants to know.
#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn ompt_start_tool(_version: c_uint, runtime: *const c_char) -> *mut StartToolResult {
    if env::var_os("ORA_VALIDATE_TRACE").is_none() {
        return std::ptr::null_mut();
    }
    // SAFETY: the runtime gives a string, or null.
    let runtime = (!runtime.is_null()).then(|| unsafe { CStr::from_ptr(runtime) }).unwrap_or_default();
    LLVM.store(runtime.to_bytes().starts_with(b"LLVM"), Relaxed);
    &raw mut RESULT
}

/// OpenMP 5.0, 4.5.1.1. Not 0: the tool stays.
unsafe extern "C-unwind" fn initialize(lookup: Option<Lookup>, _device: c_int, _tool: *mut Data) -> c_int {
    let Some(lookup) = lookup else { return 0 };
    // SAFETY: the runtime's own function.
    let entry_points = unsafe { EntryPoints::find(lookup, LLVM.load(Relaxed)) };
    code_map::runtime_is(entry_points.address() + 1);
    let trace =
        env::var_os("ORA_VALIDATE_TRACE").and_then(|path| OpenOptions::new().create(true).append(true).open(path).ok());
    let entry_points = *ENTRY_POINTS.get_or_init(|| entry_points);
    let mut engine = Engine::new(entry_points.llvm());
    engine.looked_up(&entry_points.missing());
    engine.enumerated_states(&entry_points.states());
    engine.enumerated_mutexes(&entry_points.mutexes());
    session::begin(Session::new(engine, trace));
    for callback in Callback::ALL {
        let answer = entry_points.set_callback(callback as c_int, Some(table::function(callback)));
        session::with(|session| session.engine().registered(callback, answer));
    }
    1
}

/// OpenMP 5.0, 4.5.1.2
unsafe extern "C-unwind" fn finalize(_tool: *mut Data) {
    session::with(Session::finalize);
}
