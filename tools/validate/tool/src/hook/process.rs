//! Settings from the environment, and this process's entry in the process table. Unsafe: system calls.
#![allow(unsafe_code)]

use std::ffi::{CStr, OsStr, c_char};
use std::fs::{self, File, OpenOptions};
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::Release};

use validate_layout::process_table::{Process, ProcessTable, flag};
use validate_layout::release;
use validate_layout::shared_table;

use super::code_map::CodeMap;
use super::session::{self, Session};

unsafe extern "C" {
    fn secure_getenv(name: *const c_char) -> *const c_char;
}

/// The process that the session belongs to; a forked child needs another session.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// The process whose runtime is checked.
static CHECKED: AtomicU32 = AtomicU32::new(0);

/// Reads an environment variable; `None` if the program runs with another user's rights.
fn variable(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: a C string; runtimes look for tools before the program can change its environment.
    let value = unsafe { secure_getenv(name.as_ptr()) };
    // SAFETY: the environment's strings end in a zero byte.
    (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) })
}

/// The process table that `ora` has created for this run.
pub(super) fn table() -> Option<&'static ProcessTable> {
    static BOOK: OnceLock<Option<&ProcessTable>> = OnceLock::new();
    let open = || {
        let path = OsStr::from_bytes(variable(c"ORA_VALIDATE_FILE")?.to_bytes());
        shared_table::of_file(&OpenOptions::new().read(true).write(true).open(path).ok()?)
    };
    *BOOK.get_or_init(open)
}

/// The release that the runtime is checked against, if any.
pub(super) fn release() -> Option<release::Release> {
    release::Release::named(variable(c"ORA_VALIDATE_SPEC")?.to_str().ok()?)
}

/// The file for the trace of events, if a trace is requested.
pub(super) fn trace() -> Option<File> {
    let path = OsStr::from_bytes(variable(c"ORA_VALIDATE_TRACE")?.to_bytes());
    OpenOptions::new().create(true).append(true).open(path).ok()
}

/// Claims an entry of the process table for this process, whose runtime is about to be checked.
pub(super) fn enter(runtime: &[u8]) -> Option<&'static Process> {
    OWNER.store(std::process::id(), Relaxed);
    CHECKED.store(std::process::id(), Relaxed);
    claim(runtime)
}

fn claim(runtime: &[u8]) -> Option<&'static Process> {
    let process = table()?.claim()?;
    process.runtime.set(runtime);
    process.command.set(&fs::read("/proc/thread-self/cmdline").unwrap_or_default());
    // Release: pairs with the load in `ProcessTable::processes`, of another process; publishes the runtime and the command.
    process.pid.store(std::process::id(), Release);
    Some(process)
}

/// True if a runtime of this process itself is checked.
pub(super) fn is_checked() -> bool {
    CHECKED.load(Relaxed) == std::process::id()
}

/// Detects a fork. Called before each event, since a runtime's own fork handlers may raise some. A forked child has
/// only one of the threads: the state of the others is useless, and another thread may have held the lock. Until its
/// runtime is initialized again, its events are counted, and not checked.
pub(super) fn notice_fork() {
    let (owner, own) = (OWNER.load(Relaxed), std::process::id());
    if owner == own || OWNER.compare_exchange(owner, own, Relaxed, Relaxed).is_err() {
        return;
    }
    if let Some(process) = claim(b"") {
        process.raise(flag::FORKED);
        session::begin(Session::new(None, process, None, CodeMap::default()));
    }
}
