//! The moment at which this library was loaded: before a program that starts under `ora trace` runs code of its own.
#![allow(unsafe_code)] // a function that the dynamic linker calls

use std::sync::OnceLock;

use system::environment;
use trace_format::variable;

use crate::{clock, schedstat, system_call};

/// The moment, and the thread's state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loaded {
    process: u32,
    /// By CLOCK_MONOTONIC.
    pub(crate) at_ns: u64,
    /// Time of the thread on processors, and ready without one.
    pub(crate) counts: [u64; 2],
}

static LOADED: OnceLock<Loaded> = OnceLock::new();

#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = note;

/// Settings are not read yet: a forked child reads its own.
extern "C" fn note() {
    if environment::variable(variable::FOLDER).is_some() {
        let (process, at_ns) = (system_call::process(), clock::monotonic_ns());
        let _ = LOADED.set(Loaded { process, at_ns, counts: schedstat::here() });
    }
}

/// The moment, if this process has loaded the library for a recording of its whole life: it is not a forked child.
pub(crate) fn here() -> Option<Loaded> {
    LOADED.get().copied().filter(|loaded| loaded.process == system_call::process())
}
