//! Threads that make requests inside real parallel regions of libgomp.
#![allow(unsafe_code)] // calls libgomp as compiled code does

use std::ffi::{c_int, c_uint, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::library::{Library, function};
use super::requester::{Offer, Requester};

const WORK: i32 = 2;
/// Number of calls that a thread makes between two barriers; also the number of barriers in a region.
const ROUNDS: usize = 64;

type Parallel = unsafe extern "C-unwind" fn(extern "C-unwind" fn(*mut c_void), *mut c_void, c_uint, c_uint);
type Plain = unsafe extern "C-unwind" fn();

/// Argument of the region's body.
struct Crew {
    requesters: Vec<Mutex<Requester>>,
    parallel: Parallel,
    barrier: Plain,
    critical_begin: Plain,
    critical_end: Plain,
    number: unsafe extern "C-unwind" fn() -> c_int,
    /// Number of the current region.
    region: AtomicU64,
    /// True if it is the last one.
    over: AtomicBool,
}

/// Runs one region after the other until a limit is reached.
///
/// # Panics
/// If an answer differs from the reference's.
pub(crate) fn run(library: Library, threads: usize, seed: u64) {
    let offer = Offer::of(library);
    let requester = |number| Mutex::new(Requester::new(library, &offer, seed + number as u64, false));
    let crew = (|| {
        Some(Crew {
            requesters: (0..threads.max(1)).map(requester).collect(),
            // SAFETY: the field has the type of `GOMP_parallel` (libgomp_g.h).
            parallel: unsafe { function(c"GOMP_parallel") }?,
            // SAFETY: the field has the type of `GOMP_barrier` (libgomp_g.h).
            barrier: unsafe { function(c"GOMP_barrier") }?,
            // SAFETY: the field has the type of `GOMP_critical_start` (libgomp_g.h).
            critical_begin: unsafe { function(c"GOMP_critical_start") }?,
            // SAFETY: the field has the type of `GOMP_critical_end` (libgomp_g.h).
            critical_end: unsafe { function(c"GOMP_critical_end") }?,
            // SAFETY: the field has the type of `omp_get_thread_num` (omp.h).
            number: unsafe { function(c"omp_get_thread_num") }?,
            region: AtomicU64::new(0),
            over: AtomicBool::new(false),
        })
    })();
    let crew = crew.expect("libgomp is loaded");
    let count = c_uint::try_from(crew.requesters.len()).unwrap_or(1);
    let mut last = 0;
    while !crew.over.load(Relaxed) {
        crew.region.store(0, Relaxed);
        // SAFETY: the body accesses its argument, which outlives the region.
        unsafe { (crew.parallel)(body, (&raw const crew).cast_mut().cast(), count, 0) };
        let region = crew.region.load(Relaxed);
        assert!(region > last, "region {region} comes after region {last}");
        last = region;
    }
}

/// Body of the region, executed by each thread of the team.
extern "C-unwind" fn body(crew: *mut c_void) {
    // SAFETY: the argument that `run` passes, which outlives the region.
    let crew = unsafe { &*crew.cast::<Crew>() };
    // SAFETY: a libgomp function without parameters.
    let number = unsafe { (crew.number)() };
    let requester =
        usize::try_from(number).ok().and_then(|number| crew.requesters.get(number)).expect("a team of this size");
    let mut requester = requester.lock().expect("nobody has failed");
    requester.query_state();
    let here = requester.here;
    assert!(here.state == WORK && here.region != 0 && here.task != 0, "{here:?}");
    assert_eq!(here.parent, (number == 0).then_some(0), "only the primary thread has a parent region: {here:?}");
    let others = crew.region.swap(here.region, Relaxed);
    assert!(others == 0 || others == here.region, "threads of one team are in regions {others} and {}", here.region);
    for _ in 0..ROUNDS {
        // SAFETY: all threads of the team reach it.
        unsafe { (crew.barrier)() };
        for _ in 0..4 {
            if !requester.make_calls(16) {
                crew.over.store(true, Relaxed);
            }
            // SAFETY: start and end are called in pairs.
            unsafe { (crew.critical_begin)() };
            requester.make_calls(1);
            // SAFETY: this thread is in the critical section that `critical_begin` entered.
            unsafe { (crew.critical_end)() };
        }
    }
}
