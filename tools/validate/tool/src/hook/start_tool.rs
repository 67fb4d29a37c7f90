//! Entry for the runtime: `ompt_start_tool`, `initialize` and `finalize`. Unsafe: the runtime's pointers.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::ptr;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

use validate_layout::event::Callback;
use validate_layout::process_table::flag;

use super::code_map::CodeMap;
use super::entry_points::{ENTRY_POINTS, EntryPoints, Lookup};
use super::raw::Data;
use super::session::{self, Session};
use super::{callback_table, process, registration};
use crate::engine::Engine;

/// `ompt_start_tool_result_t`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct StartToolResult {
    initialize: unsafe extern "C-unwind" fn(Option<Lookup>, c_int, *mut Data) -> c_int,
    finalize: unsafe extern "C-unwind" fn(*mut Data),
    tool_data: Data,
}

/// The only result; the runtime may write its last word.
static mut RESULT: StartToolResult = StartToolResult { initialize, finalize, tool_data: 0 };
/// Name of the runtime that called `ompt_start_tool` last.
static RUNTIME: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The runtime's first call (OpenMP 5.0, 4.2.1). Returns null if `ora validate` has not requested checks, and for a
/// second runtime.
#[unsafe(no_mangle)]
pub(crate) extern "C-unwind" fn ompt_start_tool(_version: c_uint, runtime: *const c_char) -> *mut StartToolResult {
    if process::table().is_none() {
        return ptr::null_mut();
    }
    if process::is_checked() {
        session::with(|session| session.process().raise(flag::SECOND));
        return ptr::null_mut();
    }
    let name = if runtime.is_null() {
        c""
    } else {
        // SAFETY: not null, so it is the C string that the runtime passes to `ompt_start_tool` (OpenMP 5.0, 4.2.1).
        unsafe { CStr::from_ptr(runtime) }
    };
    *RUNTIME.lock().unwrap_or_else(PoisonError::into_inner) = name.to_bytes().to_vec();
    &raw mut RESULT
}

/// `ompt_initialize_t` (OpenMP 5.0, 4.5.1.1): registers all callbacks. A result other than 0 keeps the tool active.
unsafe extern "C-unwind" fn initialize(lookup: Option<Lookup>, _device: c_int, _tool: *mut Data) -> c_int {
    let runtime = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let llvm = runtime.starts_with(b"LLVM") || runtime.starts_with(b"Intel");
    let (Some(lookup), Some(process)) = (lookup, process::enter(&runtime)) else { return 0 };
    process.raise(flag::INITIALIZED | if llvm { flag::LLVM } else { 0 });
    // SAFETY: `lookup` is the runtime's: it was passed to the tool's `initialize` (OpenMP 5.0, 4.5.1.1).
    let entry_points = *ENTRY_POINTS.get_or_init(|| unsafe { EntryPoints::find(lookup, llvm) });
    let code = CodeMap::of(entry_points.address());
    let mut engine = Engine::new(llvm, &process.counts);
    if let Some(release) = process::release() {
        engine = engine.held_to(release);
    }
    session::begin(Session::new(Some(engine), process, process::trace(), code));
    session::with(|session| {
        session.engine(|engine| {
            engine.looked_up(&entry_points.missing());
            engine.enumerated_states(&entry_points.states());
            engine.enumerated_mutexes(&entry_points.mutexes());
        })
    });
    for callback in Callback::ALL {
        let answer = registration::register(&entry_points, callback, callback_table::function(callback));
        if let Some(kept) = process.answers.get(callback as usize) {
            kept.store(u32::try_from(answer + 1).unwrap_or_default(), Relaxed);
        }
        session::with(|session| session.engine(|engine| engine.registered(callback, answer)));
        if !llvm {
            registration::check(&entry_points, callback);
        }
    }
    1
}

/// `ompt_finalize_t` (OpenMP 5.0, 4.5.1.2).
unsafe extern "C-unwind" fn finalize(_tool: *mut Data) {
    process::notice_fork();
    session::with(Session::finalize);
}
