//! Suppresses ThreadSanitizer's own text where `ora` prints its own: about each race, and about their number at the
//! end.
//!
//! It prints to a descriptor, stderr by default. Text that is not about races is let through. If the user has given
//! it a file (`log_path`), nothing is suppressed: its descriptor of the file can't be restored.
#![allow(unsafe_code)] // calls ThreadSanitizer, and makes system calls

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

use system::linker::Scope;

use crate::settings::settings;

type SetFile = unsafe extern "C" fn(*mut c_void);

/// The descriptor that ThreadSanitizer currently prints to, if it is ours; -1 if it is not.
static SILENCED: AtomicI32 = AtomicI32::new(-1);
/// Set once a report was let through: ThreadSanitizer's number of reports then refers to text that is shown.
static HAS_SHOWN: AtomicBool = AtomicBool::new(false);
/// Set once a report was suppressed.
static HAS_SILENCED: AtomicBool = AtomicBool::new(false);
/// Set once the process ends.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// `void __sanitizer_set_report_fd (void *)` (common_interface_defs.h).
fn set_file() -> Option<SetFile> {
    static FOUND: OnceLock<Option<SetFile>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let function = Scope::Default.symbol(c"__sanitizer_set_report_fd")?;
        // SAFETY: ThreadSanitizer's function, of this signature.
        Some(unsafe { transmute::<*mut c_void, SetFile>(function) })
    })
}

/// Looks the function up, which must not be done during a report. Returns false without it.
pub(crate) fn set_up() -> bool {
    let found = set_file().is_some();
    if found && !settings().raw {
        // SAFETY: the function may be called at any time before the process ends: this library is never unloaded.
        unsafe { libc::atexit(at_exit) };
    }
    found
}

/// The text of a race follows, which is replaced by ours.
pub(crate) fn begin_ours() {
    if !settings().raw {
        HAS_SILENCED.store(true, Relaxed);
        silence();
    }
}

/// The text of another report follows.
pub(crate) fn begin_other() {
    HAS_SHOWN.store(true, Relaxed);
    restore();
}

/// The text has been written.
pub(crate) fn end() {
    if IS_ENDING.load(Relaxed) { silence() } else { restore() }
}

/// ThreadSanitizer has printed the number of its reports.
pub(crate) fn finish() {
    IS_ENDING.store(false, Relaxed);
    restore();
}

/// The process ends. ThreadSanitizer's handler runs later, as it was registered earlier; it prints the number of
/// reports.
extern "C" fn at_exit() {
    if HAS_SILENCED.load(Relaxed) && !HAS_SHOWN.load(Relaxed) {
        IS_ENDING.store(true, Relaxed);
        silence();
    }
}

/// Redirects ThreadSanitizer's text to `/dev/null`. A report that is dropped instead would be made again at each
/// access.
fn silence() {
    if SILENCED.load(Relaxed) >= 0 {
        return;
    }
    // SAFETY: openat(2) with a C string and flags.
    let file = unsafe {
        libc::syscall(libc::SYS_openat, libc::AT_FDCWD, c"/dev/null".as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC)
    };
    if let (Ok(file), Ok(descriptor), Some(set_file)) = (c_int::try_from(file), usize::try_from(file), set_file()) {
        SILENCED.store(file, Relaxed);
        // SAFETY: `__sanitizer_set_report_fd` takes a descriptor in the place of a pointer.
        unsafe { set_file(std::ptr::without_provenance_mut(descriptor)) };
    }
}

/// Redirects it to stderr again.
fn restore() {
    let file = SILENCED.swap(-1, Relaxed);
    if let Some(set_file) = set_file().filter(|_| file >= 0) {
        // SAFETY: `__sanitizer_set_report_fd` takes a descriptor in the place of a pointer: stderr, as it was.
        unsafe { set_file(std::ptr::without_provenance_mut(2)) };
        // SAFETY: `silence` opened the descriptor, and ThreadSanitizer no longer uses it.
        unsafe { libc::syscall(libc::SYS_close, file) };
    }
}
