//! Race test: threads change the session in no particular order. Only results that hold in every order are checked.
#![allow(unsafe_code)] // calls the library

use crate::buffer;
use ora::exports::__omp_collector_api;
use std::ffi::c_int;
use std::thread;

extern "C-unwind" fn nothing(_event: c_int) {}

/// Runs threads that make requests that change the session, each in a different order; no session is open at the end. With a million
/// rounds, some requests hit the moment at which another thread has just ended the session.
///
/// # Panics
/// If an answer is neither "done" nor "the session is in another state".
pub fn fight(threads: usize, rounds: usize) {
    thread::scope(|scope| {
        for number in 0..threads {
            scope.spawn(move || {
                // Linear congruential generator with Knuth's MMIX constants.
                let mut random = number as u64;
                for _ in 0..rounds {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let request = [0, 1, 2, 6, 7, 8, 0, 6].get((random >> 61) as usize).copied().unwrap_or(0);
                    ask(request);
                }
            });
        }
    });
    ask(6);
    assert_eq!(ask(6), SEQUENCE_ERR, "a session is open");
}

const SEQUENCE_ERR: i32 = 4;

/// Returns the answer to a request about FORK.
fn ask(request: i32) -> i32 {
    let mut array =
        if request == 1 { buffer::register(1, nothing as *const () as u64) } else { buffer::one(request, 4) };
    if request == 2 {
        array.splice(16..20, 1i32.to_ne_bytes());
    }
    // SAFETY: a well-formed array.
    let returned = unsafe { __omp_collector_api(array.as_mut_ptr().cast()) };
    let answer = array.get(8..).and_then(|rest| rest.first_chunk::<4>()).map_or(-1, |word| i32::from_ne_bytes(*word));
    assert!(returned == 0 && [0, SEQUENCE_ERR].contains(&answer), "request {request}: {returned}, {answer}");
    answer
}
