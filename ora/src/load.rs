//! Initialization of the library: environment, runtime adapters, fork handlers.
#![allow(unsafe_code)] // a constructor of the shared object

use crate::{lock, ompt, session};
use ompt_core::{adapter, dispatch, thread, v5};
use runtimes::{embed, gomp, ompt as ompt_adapter, pomp};
use std::ffi::CStr;
use std::sync::Once;
use system::warning::Warning;
use system::{environment, objects, single_thread, warning};

static LOADED: Once = Once::new();

/// Initializes the library, at the first call only: the dynamic linker's, or the first START's. (A preloaded
/// collector's constructor may run before this library's.)
pub(crate) fn once() {
    LOADED.call_once(load);
}

fn load() {
    if setting(c"ORA_QUIET", ["0", "1"]) {
        warning::silence();
    }
    let disabled = setting(c"ORA_DISABLE", ["0", "1"]);
    let late = setting(c"ORA_IBAR", ["early", "late"]);
    if setting(c"ORA_TR2_THREAD_IDS", ["unique", "reused"]) {
        thread::reuse_ids();
    }
    ompt::set_release(release());
    v5::start_tool_export::set_answer(ompt::start_tool);
    if disabled {
        session::disable();
    } else {
        thread::set_up();
        session::set_up();
        ompt::set_up();
        gomp::set_late(late);
        gomp::adjust();
        gomp::load_call_sites();
        let _ = adapter::install(&gomp::Gomp);
        let _ = adapter::install(&pomp::Pomp);
        embed::load();
        if v5::has_foreign_runtime() {
            ompt_adapter::come_first(v5::start_tool_export::ask as *const ());
            ompt_adapter::install();
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
    single_thread::load();
}

/// True if a variable has the second of its two values; the first one is its default. Any other value is reported on
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

/// Index of the release that `ORA_OMPT` names; 0, the newest one, for any other value.
fn release() -> usize {
    let Some(value) = environment::value(c"ORA_OMPT").map(CStr::to_bytes) else { return 0 };
    let known = ompt::RELEASES.iter().position(|(release, _)| release.as_bytes() == value);
    if known.is_none() {
        Warning::new().say(&[b"ora: ORA_OMPT=", value, b" is ignored: it can be 6.0, 5.2, 5.1 or 5.0\n"]);
    }
    known.unwrap_or(0)
}

/// Continues the session in the child, which has only the forking thread.
unsafe extern "C" fn after_fork_in_child() {
    objects::after_fork_in_child();
    dispatch::after_fork();
    thread::after_fork();
    ompt::after_fork();
    // SAFETY: the handler `lock::before_fork` has taken the lock on the forking thread, which is this one, the child's
    // only thread.
    unsafe { lock::after_fork() };
}

extern "C" fn constructor() {
    once();
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;
