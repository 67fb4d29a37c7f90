//! Properties of the session: any sequence of calls, compared with a slow reference implementation. A process has only
//! one session, so there is a single test; every case begins with STOP.
#![allow(unsafe_code)] // calls the exported function
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // a test all the same

use fuzz::reference::{Capabilities, EVENTS, Here, Session, walk_vec};
use ora::exports::__omp_collector_api;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

extern "C-unwind" fn first(_: i32) {}
extern "C-unwind" fn second(event: i32) {
    std::hint::black_box(event);
}

/// The events and tasks of libgomp: no master regions. It steals no tasks, but still accepts the request.
fn capabilities() -> Capabilities {
    let mut events = [true; EVENTS];
    [0, 15, 16, 26, 27].into_iter().for_each(|event| events[event] = false);
    let code = [first as *const () as u64, second as *const () as u64].map(|at| at..at + 1).to_vec();
    Capabilities { events, tasks: true, code }
}

/// A pointer in either position, in none, or a word that is not an address of code.
fn pointers() -> impl Strategy<Value = [u8; 12]> {
    static DATA: u64 = 7;
    let word = prop::sample::select(vec![
        first as *const () as u64,
        second as *const () as u64,
        0,
        1,
        (&raw const DATA).addr() as u64,
    ]);
    (word, prop::bool::ANY, any::<bool>()).prop_map(|(word, padded, rubbish)| {
        let mut bytes = if rubbish { [0xee; 12] } else { [0; 12] };
        let at = if padded { 4 } else { 0 };
        bytes[at..at + 8].copy_from_slice(&word.to_ne_bytes());
        bytes
    })
}

fn entry() -> impl Strategy<Value = Vec<u8>> {
    let request = prop_oneof![8 => 0i32..11, 1 => 11i32..100, 4 => Just(1)];
    let event = prop_oneof![8 => 0i32..37, 1 => prop::sample::select(vec![-1, 256, 257, 4095, 4096, 4097, i32::MIN])];
    (request, 0usize..9, event, pointers(), any::<i32>()).prop_map(|(request, words, event, pointers, rubbish)| {
        let size = 16 + 4 * words;
        let head = [i32::try_from(size).unwrap(), request, rubbish, !rubbish];
        let mut bytes = head.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<_>>();
        bytes.extend(event.to_ne_bytes());
        bytes.extend(pointers);
        bytes.resize(size, 0x5a);
        bytes
    })
}

fn call(array: &mut [u8]) -> i32 {
    let mut words = array.chunks_exact(4).map(|b| i32::from_ne_bytes(b.try_into().unwrap())).collect::<Vec<_>>();
    // SAFETY: whole entries and a zero.
    let returned = unsafe { __omp_collector_api(words.as_mut_ptr().cast()) };
    array.iter_mut().zip(words.iter().flat_map(|word| word.to_ne_bytes())).for_each(|(old, new)| *old = new);
    returned
}

#[test]
fn any_sequence_of_calls_is_answered_as_the_reference_says() {
    let calls = prop::collection::vec(prop::collection::vec(entry(), 0..5), 1..12);
    let mut runner = TestRunner::new(Config { cases: 400, ..Config::default() });
    let capabilities = capabilities();
    // This test's thread is not the process's first one.
    let here = Here::serial(false);
    let done = runner.run(&calls, |calls| {
        let mut session = Session::default();
        call(&mut [[16, 6, 0, 0, 0].map(i32::to_ne_bytes).concat()].concat());
        for entries in calls {
            let mut given = entries.concat();
            given.extend([0; 4]);
            let mut expected = given.clone();
            let wanted = walk_vec(&mut expected, &mut session, &here, &capabilities);
            prop_assert_eq!(call(&mut given), wanted);
            prop_assert_eq!(given, expected);
        }
        Ok(())
    });
    done.unwrap();
}
