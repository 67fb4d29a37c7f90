//! Search for a tool in the libraries of `OMP_TOOL_LIBRARIES`, one after the other (OpenMP 5.0, 4.2.2 and 6.19).
#![allow(unsafe_code)] // asks the linker why

use super::start_tool::{self, Found, START_TOOL};
use super::verbose::Log;
use crate::runtime_info::RuntimeInfo;
use std::ffi::{CStr, c_void};
use system::dso_pin;
use system::environment;
use system::linker::Held;

/// Longest file name that is tried, in bytes.
const LONGEST: usize = 4096;

/// The first tool in the libraries that accepts. Libraries without such a tool are closed again.
pub(super) fn find(runtime_info: &RuntimeInfo, log: &Log) -> Option<Found> {
    names(log).find_map(|name| start(name, runtime_info, log))
}

/// Passes the tools that accept, in all libraries, to `take`.
pub(super) fn find_all(runtime_info: &RuntimeInfo, log: &Log, take: &mut dyn FnMut(Found)) {
    names(log).filter_map(|name| start(name, runtime_info, log)).for_each(take);
}

/// The tool that LLVM's runtime tries last: it annotates programs for ThreadSanitizer, and declines without that.
pub(super) fn start_archer(runtime_info: &RuntimeInfo, log: &Log) -> Option<Found> {
    start(b"libarcher.so", runtime_info, log)
}

fn names(log: &Log) -> impl Iterator<Item = &'static [u8]> {
    let list = environment::variable(c"OMP_TOOL_LIBRARIES").map(CStr::to_bytes);
    match list {
        None => log.say(&[b"OMP_TOOL_LIBRARIES names no library"]),
        Some(_) if environment::is_secure() => {
            log.say(&[b"OMP_TOOL_LIBRARIES is ignored: the program has more rights than its user"]);
        }
        Some(list) => log.say(&[b"OMP_TOOL_LIBRARIES=", list]),
    }
    let list = list.filter(|_| !environment::is_secure()).unwrap_or_default();
    list.split(|byte| *byte == b':').filter(|name| !name.is_empty())
}

fn start(name: &[u8], runtime_info: &RuntimeInfo, log: &Log) -> Option<Found> {
    let mut path = [0; LONGEST];
    // One byte stays zero.
    let Some(room) = path.get_mut(..name.len()).filter(|_| name.len() < LONGEST) else {
        log.say(&[b"a name of more than 4095 bytes is ignored"]);
        return None;
    };
    room.copy_from_slice(name);
    let Some(library) = CStr::from_bytes_until_nul(&path).ok().and_then(Held::open) else {
        log.say(&[name, b" can't be opened: ", why()]);
        return None;
    };
    let address =
        library.symbol(START_TOOL).map(<*mut c_void>::cast_const).filter(|address| !start_tool::is_ours(*address));
    log.say(&[b"ompt_start_tool in ", name, if address.is_some() { b": there" } else { b": none" }]);
    let found = start_tool::start(address?, runtime_info, log)?;
    library.stays();
    dso_pin::pin(found.function as usize);
    Some(found)
}

/// The linker's message for its last failure.
fn why() -> &'static [u8] {
    // SAFETY: takes nothing (dlerror(3)).
    let words = unsafe { libc::dlerror() };
    if words.is_null() {
        return b"no reason given";
    }
    // SAFETY: not null, so a C string, which lives until the thread's next call of a function of dlfcn.h (dlerror(3)).
    unsafe { CStr::from_ptr(words) }.to_bytes()
}
