//! Exported symbols of the tool interfaces; `ompt_start_tool` is in a crate of its own.
#![allow(unsafe_code)] // FFI boundary: a C caller's pointer

use crate::ompt;
use crate::request;
#[cfg(not(feature = "linked"))]
use crate::tau;
use crate::wire::Entries;
#[cfg(not(feature = "linked"))]
use ompt_core::{dispatch::Interface, quiescence::wait_for_quiescence, thread::Published, tls, v5::LateStart};
#[cfg(not(feature = "linked"))]
use runtimes::gomp;
use std::ffi::{c_int, c_void};
#[cfg(not(feature = "linked"))]
use std::{fs::File, os::fd::FromRawFd};

/// The Sun Collector API (white paper, "The Collector/OpenMP Runtime API"). Returns 0, even if entries have errors, or
/// -1 if the array is malformed.
///
/// Async-signal-safe for STATE, CURRENT_PRID, PARENT_PRID, TASK_ID and TASK_PID. May be called on any thread, also
/// inside a callback.
///
/// ```
/// use ora::codes::{ErrorCode, Request};
/// use ora::exports::__omp_collector_api;
///
/// // One entry (sz, r, ec, rsz), and the 0 after the last one.
/// let mut list = [16, Request::OMP_REQ_START as i32, 0, 0, 0];
/// // SAFETY: whole entries and a 0, which only this thread touches.
/// let returned = unsafe { __omp_collector_api(list.as_mut_ptr().cast()) };
/// assert_eq!((returned, list[2]), (0, ErrorCode::OMP_ERRCODE_OK as i32));
/// ```
///
/// # Safety
/// `arg` is null, or points to entries of `sz` bytes each, ended by an `int` 0, that no other thread touches meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn __omp_collector_api(arg: *mut c_void) -> c_int {
    // SAFETY: `arg` is null or an array of entries as `Entries::new` requires (by this function's `# Safety`).
    let entries = unsafe { Entries::new(arg) };
    c_int::from(entries.is_ok_and(request::serve)) - 1
}

/// TAU's name for the outlined function of the calling thread's innermost region or task; null if there is none. May be
/// called on any thread. Not async-signal-safe: the first call looks up a symbol.
#[cfg(not(feature = "linked"))]
#[unsafe(no_mangle)]
#[allow(non_snake_case)] // TAU's name
pub extern "C-unwind" fn Tau_get_gomp_proxy_address() -> *const c_void {
    tau::outlined_function()
}

/// The calling thread's words (`docs/reference/thread-words.md`), which exist as long as the process; null for a thread that ora has not
/// seen. Only this thread writes them; after its end, so does the thread that gets its record, which continues its counts.
/// Async-signal-safe: loads.
#[cfg(not(feature = "linked"))]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_thread_words() -> *const Published {
    tls::get().map_or(std::ptr::null(), |thread| std::ptr::from_ref(thread.activity.published()))
}

/// Words of the calling thread that a collector shares with the library in callbacks (`docs/reference/thread-words.md`). They exist as long
/// as the thread. Async-signal-safe: one load.
#[cfg(not(feature = "linked"))]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_callback_words() -> *const usize {
    tls::callback_words()
}

/// Waits until no other thread is inside a callback of the collector, whose session has been closed, for at most a tenth of a second. For
/// the commands' own collectors. Not async-signal-safe; not to be called in a callback.
#[cfg(not(feature = "linked"))]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_wait_for_callbacks() {
    wait_for_quiescence(Interface::Ora);
}

/// Reads the calls that gcc's code makes for constructs from a table, unless one has been read before. Takes the descriptor of its file.
/// For the commands' own collectors, before a session begins. Not async-signal-safe.
///
/// # Safety
/// Nobody else owns the descriptor.
#[cfg(not(feature = "linked"))]
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_read_call_sites(descriptor: c_int) {
    // SAFETY: an open descriptor of the caller's, who gives it away (by this function's `# Safety`).
    gomp::read_call_sites(unsafe { File::from_raw_fd(descriptor) });
}

/// Starts a tool of OpenMP 5 while the program runs, by its `ompt_start_tool`. The answer is 0, or 1 if the tool has declined, or 2 if
/// the process has had another one. For the commands' own recorder, on a thread of its own. The tool may remove its callbacks, and
/// register them again: it is never finalized before the process ends. Not async-signal-safe.
///
/// # Safety
/// `start_tool` is an `ompt_start_tool` (OpenMP 5.0, 4.2.1).
#[cfg(not(feature = "linked"))]
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_start_tool_late(start_tool: *const c_void) -> c_int {
    match ompt::start_late(start_tool) {
        LateStart::Attached => 0,
        LateStart::Declined => 1,
        LateStart::Taken => 2,
    }
}

/// Waits until no other thread is inside a callback of such a tool, which has removed its callbacks, for at most a tenth of a second. Not
/// async-signal-safe; not to be called in a callback.
#[cfg(not(feature = "linked"))]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_wait_for_tool() {
    wait_for_quiescence(Interface::V5);
}

/// Reports a call of `ompt_control` to the tool of TR2 (report, 7), and to the next definition of the function, if
/// there is one. Without a tool nothing happens. May be called on any thread; not async-signal-safe, as it calls the
/// tool.
///
/// Commands: 1 starts or resumes monitoring, 2 pauses it, 3 flushes what is buffered, 4 ends it for good; from 64 on
/// they are the tool's own. The tool gives `modifier` its meaning.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ompt_control(command: u64, modifier: u64) {
    ompt::control(command, modifier);
}

/// Fortran's binding of [`ompt_control`].
///
/// # Safety
/// Both point to an `integer*8`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ompt_control_(command: *const u64, modifier: *const u64) {
    // SAFETY: `command` points to an `integer*8` of the program (by this function's `# Safety`).
    let command = unsafe { command.read() };
    // SAFETY: `modifier` points to an `integer*8` of the program (by this function's `# Safety`).
    ompt::control(command, unsafe { modifier.read() });
}

system::record_and_jump! {
    /// Reports the program's call to the tool of OpenMP 5 (OpenMP 5.0, 3.8.1). Records the call site, which is
    /// reported.
    ///
    /// Returns -2 if no tool is attached, -1 if the tool has no callback for it, or else the callback's result: 0 for
    /// success, 1 for an ignored command, a number from 64 on for the tool's own. Where the process has a runtime that
    /// implements the function and no tool is attached here, that runtime answers. May be called on any thread; not
    /// async-signal-safe, as it calls the tool.
    ///
    /// # Safety
    /// The tool gives `arg` its meaning.
    #[unsafe(no_mangle)]
    pub fn omp_control_tool(command: c_int, modifier: c_int, arg: *mut c_void) -> c_int, "ora_thread", 16, control_tool
}

system::record_and_jump! {
    /// Fortran's binding of [`omp_control_tool`], which has no third argument there.
    ///
    /// # Safety
    /// Both point to an `integer` of default kind.
    #[unsafe(no_mangle)]
    pub fn omp_control_tool_(command: *const c_int, modifier: *const c_int) -> c_int, "ora_thread", 16, control_tool_by_fortran
}

unsafe extern "C-unwind" fn control_tool_by_fortran(command: *const c_int, modifier: *const c_int) -> c_int {
    // SAFETY: the program's call of `omp_control_tool_`, whose `# Safety` requires that `command` points to an integer.
    let command = unsafe { command.read() };
    // SAFETY: likewise for `modifier`.
    ompt::control_tool(command, unsafe { modifier.read() }, std::ptr::null_mut())
}

extern "C-unwind" fn control_tool(command: c_int, modifier: c_int, arg: *mut c_void) -> c_int {
    ompt::control_tool(command, modifier, arg)
}
