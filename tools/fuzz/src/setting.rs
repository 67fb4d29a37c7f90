//! What is there before the first file is played: a runtime, its worker, and a thread of the program's own.
#![allow(unsafe_code)] // calls the embed host

use crate::actors::lend;
use crate::arena::Place;
use crate::buffer;
use crate::callbacks::callbacks;
use crate::calls::call;
use crate::reference::{EVENTS, Supply};
use crate::runtime;
use crate::stage::{self, Stage, WORKER, with};
use hosts::embed::entry::{ora_embed_parallel_begin, ora_embed_parallel_end, ora_embed_start};
use hosts::embed::types::{ORA_EMBED_VERSION, Runtime};
use ora::exports::__omp_collector_api;

/// The runtime of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// It tells everything that can be told.
    All,
    /// It tells of regions only; what libgomp could tell can be registered all the same.
    Regions,
}

/// To be called once, on the process's first thread.
///
/// # Panics
/// If the library does not take the runtime on.
pub fn set_up(features: Features) {
    let all = features == Features::All;
    // gcc inlines `master`; how libgomp looks for tasks can't be seen.
    let libgomp = |event| matches!(event, 1..=14 | 17..=25 | 28 | 29 | 33..=35);
    let events: [bool; EVENTS] = std::array::from_fn(|event| all && event > 0 || libgomp(event));
    let runtime = Runtime { version: ORA_EMBED_VERSION, features: if all { u32::MAX } else { 0 }, in_parallel: None };
    // SAFETY: a runtime's description.
    assert_eq!(unsafe { ora_embed_start(&raw const runtime) }, 0, "the runtime is taken on");
    // SAFETY: both take nothing.
    let initial = unsafe { libc::getpid() } == unsafe { libc::gettid() };
    let code = callbacks().code.clone();
    stage::set(Stage::new(Supply { events, tasks: true, code }, initial));
    call(&buffer::one(0, 0), Place::AtTheEnd);
    let last = count_regions();
    with(|stage| stage.last_region = last);
    lend(WORKER, &mut runtime::worker);
    call(&buffer::one(6, 0), Place::AtTheEnd);
}

/// The number of the last region.
fn count_regions() -> u64 {
    let mut array = buffer::one(4, 8);
    let region = ora_embed_parallel_begin();
    // SAFETY: a well-formed array.
    let returned = unsafe { __omp_collector_api(array.as_mut_ptr().cast()) };
    // SAFETY: the region has begun on this thread, without other members.
    unsafe { ora_embed_parallel_end(region) };
    let id = array.get(16..).and_then(|rest| rest.first_chunk::<8>()).copied().unwrap_or_default();
    assert_eq!(returned, 0);
    u64::from_ne_bytes(id)
}
