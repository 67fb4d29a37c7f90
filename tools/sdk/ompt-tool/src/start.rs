//! Start and end of a tool (OpenMP 5.0, sections 4.2.1 to 4.2.4).
#![allow(unsafe_code)] // what the runtime passes and keeps

use crate::installed::{Installed, StartResult, call, contain, report};
use crate::tool::runtime::{EntryPoints, Runtime};
use crate::{Callback, SetResult, trampolines};
use ompt_abi::v5::{ompt_data_t, ompt_function_lookup_t, ompt_start_tool_result_t};
use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Versions of OpenMP and of the runtime that last requested the tool, kept from `ompt_start_tool` to the initializer.
static VERSIONS: Mutex<(c_uint, String)> = Mutex::new((0, String::new()));

/// `ompt_start_tool` of a tool, under a name that no other library's definition precedes. Returns null if the tool has started for another
/// runtime of this process.
///
/// # Safety
/// `runtime_version` is null or a C string.
pub unsafe extern "C-unwind" fn start_tool<T: Installed>(
    omp_version: c_uint,
    runtime_version: *const c_char,
) -> *mut ompt_start_tool_result_t {
    let state = T::state();
    if state.tool.get().is_some() {
        return ptr::null_mut();
    }
    // SAFETY: not null, so a C string (by this function's `# Safety`).
    let version = if runtime_version.is_null() { c"" } else { unsafe { CStr::from_ptr(runtime_version) } };
    *versions() = (omp_version, version.to_string_lossy().into_owned());
    let result = || ompt_start_tool_result_t {
        initialize: Some(initialize::<T>),
        finalize: Some(finalize::<T>),
        tool_data: ompt_data_t::NONE,
    };
    state.result.get_or_init(|| StartResult(UnsafeCell::new(result()))).0.get()
}

fn versions() -> MutexGuard<'static, (c_uint, String)> {
    VERSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Initializer that the runtime calls (`ompt_initialize_t`).
///
/// # Safety
/// Called by the runtime, with its lookup function.
unsafe extern "C-unwind" fn initialize<T: Installed>(
    lookup: ompt_function_lookup_t,
    _initial_device: c_int,
    _tool_data: *mut ompt_data_t,
) -> c_int {
    contain::<T, _>("its start", || {
        let state = T::state();
        let (omp_version, runtime_version) = versions().clone();
        // SAFETY: the runtime's lookup function (by this function's `# Safety`).
        let found = unsafe { EntryPoints::find(omp_version, runtime_version, lookup) };
        // Another runtime has started the tool, or the tool has declined: it is not asked again.
        if state.entries.set(found).is_err() {
            return 0;
        }
        let Some(entries) = state.entries.get() else { return 0 };
        let Some(tool) = T::start(Runtime::new(entries)) else { return 0 };
        let tool = state.tool.get_or_init(|| tool);
        let answers = register::<T>(entries, &tool.wanted());
        tool.registered(&answers);
        1
    })
    .unwrap_or(0)
}

fn register<T: Installed>(entries: &EntryPoints, wanted: &[Callback]) -> Vec<(Callback, SetResult)> {
    let Some(set) = entries.set_callback else {
        report::<T>(&"the runtime has no ompt_set_callback");
        return Vec::new();
    };
    let answer = |callback: &Callback| {
        // SAFETY: the runtime's entry point, and a function of the signature that belongs to the callback.
        let number = unsafe { set(callback.number(), trampolines::of::<T>(*callback)) };
        (*callback, SetResult::new(number.cast_unsigned()))
    };
    wanted.iter().map(answer).collect()
}

/// Removes all callbacks of a tool that has started. A thread may still be in one of them. The tool stays attached: [`resume`] registers
/// the callbacks that it wants at that time ([`crate::Tool::wanted`]). Any thread may call both functions at any time before
/// [`crate::Tool::finalize`].
pub fn pause<T: Installed>() {
    let Some(set) = T::state().entries.get().and_then(|entries| entries.set_callback) else { return };
    for callback in T::CALLBACKS {
        // SAFETY: the runtime's entry point; null removes a callback (OpenMP 5.0, section 4.6.1.3).
        unsafe { set(callback.number(), None) };
    }
}

/// Registers the callbacks of a tool again after [`pause`]. Returns false if the tool has not started.
pub fn resume<T: Installed>() -> bool {
    let state = T::state();
    let Some((entries, tool)) = state.entries.get().zip(state.tool.get()) else { return false };
    let answers = register::<T>(entries, &tool.wanted());
    tool.registered(&answers);
    true
}

/// Finalizer that the runtime calls (`ompt_finalize_t`).
///
/// # Safety
/// Called by the runtime.
unsafe extern "C-unwind" fn finalize<T: Installed>(_tool_data: *mut ompt_data_t) {
    call::<T, _>("finalize", (), T::finalize);
}
