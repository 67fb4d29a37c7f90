//! Set-up before the first file: a runtime, its worker, and a thread of the program.
#![allow(unsafe_code)] // calls the embed host

use crate::arena::Place;
use crate::buffer;
use crate::callbacks;
use crate::calls::call;
use crate::collector;
use crate::helper_threads::lend;
use crate::model::{self, Model, WORKER, with};
use crate::reference::{Capabilities, EVENTS};
use crate::runtime;
use ora::exports::__omp_collector_api;
use runtimes::embed::entry::{ora_embed_parallel_begin, ora_embed_parallel_end, ora_embed_start};
use runtimes::embed::types::{ORA_EMBED_VERSION, Runtime};
use std::env;
use std::ops::Range;

/// Capabilities of the runtime of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// The runtime reports everything that can be reported.
    All,
    /// The runtime reports regions only: no other event can be registered.
    Regions,
    /// The runtime reports nothing: the library is turned off.
    Off,
}

impl Features {
    /// Reads the environment: `ORA_FUZZ_PLAIN=1`, or the library's own `ORA_DISABLE=1`.
    pub fn of_environment() -> Self {
        match (env::var_os("ORA_DISABLE"), env::var_os("ORA_FUZZ_PLAIN")) {
            (Some(_), _) => Self::Off,
            (None, Some(_)) => Self::Regions,
            (None, None) => Self::All,
        }
    }
}

/// Keeps all threads of this process on the current core: only one of them has work at any time, and it takes much longer to wake a thread
/// on another core. Has no effect if the process has only one core.
pub fn stay_on_one_core() {
    // SAFETY: takes no arguments.
    let Ok(core) = usize::try_from(unsafe { libc::sched_getcpu() }) else { return };
    // SAFETY: a plain bit set, for which all zeros is valid.
    let mut cores: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the number of an existing core.
    unsafe { libc::CPU_SET(core, &mut cores) };
    // SAFETY: the set just created. If this fails, nothing changes.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const cores) };
}

/// Sets everything up. Must be called once, on the process's first thread.
///
/// # Panics
/// If the library does not accept the runtime.
pub fn set_up(features: Features) {
    let all = features == Features::All;
    let events: [bool; EVENTS] = std::array::from_fn(|event| all && event > 0 || matches!(event, 1 | 2));
    let runtime = Runtime { version: ORA_EMBED_VERSION, features: if all { u32::MAX } else { 0 }, in_parallel: None };
    if features == Features::Off {
        model::set(Model::new(Capabilities { events, tasks: false, code: code() }, initial()));
        with(|model| model.session.disabled = true);
        return;
    }
    // SAFETY: a valid description of a runtime.
    assert_eq!(unsafe { ora_embed_start(&raw const runtime) }, 0, "the runtime is taken on");
    model::set(Model::new(Capabilities { events, tasks: true, code: code() }, initial()));
    call(&buffer::one(0, 0), Place::AtTheEnd);
    let last = count_regions();
    with(|model| model.last_region = last);
    lend(WORKER, &mut runtime::worker);
    call(&buffer::one(6, 0), Place::AtTheEnd);
}

/// Ranges of code in this process, which has the callbacks from now on.
fn code() -> Vec<Range<u64>> {
    callbacks::prepare(collector::ALL).code.clone()
}

/// True on the process's first thread.
fn initial() -> bool {
    // SAFETY: takes no arguments.
    let process = unsafe { libc::getpid() };
    // SAFETY: takes no arguments.
    process == unsafe { libc::gettid() }
}

/// Number of the last region.
fn count_regions() -> u64 {
    let mut array = buffer::one(4, 8);
    let region = ora_embed_parallel_begin();
    // SAFETY: a well-formed array.
    let returned = unsafe { __omp_collector_api(array.as_mut_ptr().cast()) };
    // SAFETY: the region began on this thread, without other members.
    unsafe { ora_embed_parallel_end(region) };
    let id = array.get(16..).and_then(|rest| rest.first_chunk::<8>()).copied().unwrap_or_default();
    assert_eq!(returned, 0);
    u64::from_ne_bytes(id)
}
