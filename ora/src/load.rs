//! What happens once when the library is loaded: environment, hosts, fork handlers.
#![allow(unsafe_code)] // a constructor of the shared object

use crate::{lock, ompt, session};
use ompt_core::{dispatch, host, thread, v5};
use runtimes::{embed, gomp, ompt as ompt_host, pomp};
use std::ffi::CStr;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Once, OnceLock};
use system::linker::Scope;
use system::warning::Warning;
use system::{environment, warning};

static LOADED: Once = Once::new();

/// Runs at the first call only: the dynamic linker's, or the first START's, whichever comes first (a preloaded collector's
/// constructor may run before ours).
pub(crate) fn once() {
    LOADED.call_once(load);
}

fn load() {
    if setting(c"ORA_QUIET", ["0", "1"]) {
        warning::silence();
    }
    let disabled = setting(c"ORA_DISABLE", ["0", "1"]);
    let late = setting(c"ORA_IBAR", ["early", "late"]);
    v5::door::open(ompt::start_tool);
    if disabled {
        session::disable();
    } else {
        thread::set_up();
        session::set_up();
        ompt::set_up();
        gomp::set_late(late);
        let _ = host::install(&gomp::Gomp);
        let _ = host::install(&pomp::Pomp);
        embed::load();
        if v5::has_rival() {
            ompt_host::come_first(v5::door::ask as *const ());
            ompt_host::install();
        }
        lock::set_up(after_fork_in_child);
    }
    gomp::load(|| pomp::is_alone() || embed::version().is_some());
    pomp::load();
    if !disabled {
        pomp::write_regions();
    }
    if !disabled && ompt::expects_tool() {
        gomp::await_routines();
        ompt::look();
    }
    let _ = single_threaded();
}

/// Whether a variable has the second of its two values, and not the first, which is its default. One that is neither is named on
/// stderr and ignored.
fn setting(name: &CStr, [default, other]: [&str; 2]) -> bool {
    let Some(value) = environment::value(name).map(CStr::to_bytes) else { return false };
    if value != default.as_bytes() && value != other.as_bytes() {
        let name = name.to_bytes();
        let [first, second] = [default, other].map(str::as_bytes);
        Warning::new().say(&[b"ora: ", name, b"=", value, b" is ignored: it can be ", first, b" or ", second, b"\n"]);
    }
    value == other.as_bytes()
}

/// Whether the C library says that the process has one thread. One without that knowledge (before glibc 2.32) says nothing.
pub(crate) fn is_single_threaded() -> bool {
    // SAFETY: null, or the C library's variable, a char.
    unsafe { single_threaded().as_ref() }.is_some_and(|flag| flag.load(Relaxed) != 0)
}

/// Where the C library says so. Asked for while the library is being loaded: later the linker may be busy with constructors.
fn single_threaded() -> *const AtomicU8 {
    static PLACE: OnceLock<usize> = OnceLock::new();
    let find = || Scope::Default.symbol(c"__libc_single_threaded").map_or(0, |found| found as usize);
    *PLACE.get_or_init(find) as *const AtomicU8
}

/// The session goes on in the child, with the forking thread alone.
unsafe extern "C" fn after_fork_in_child() {
    dispatch::after_fork();
    thread::after_fork();
    ompt::after_fork();
    // SAFETY: the forking thread holds the lock since before the fork.
    unsafe { lock::after_fork() };
}

extern "C" fn constructor() {
    once();
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;
