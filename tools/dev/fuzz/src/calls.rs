//! Calls by the collector, whose results are compared with the reference.
#![allow(unsafe_code)] // calls the library

use crate::arena::{Arena, Place};
use crate::buffer;
use crate::callbacks::callbacks;
use crate::model::with;
use crate::reference::{Sparse, walk};
use ora::exports::__omp_collector_api;
use std::cell::Cell;
use std::sync::{LazyLock, OnceLock};

thread_local! {
    /// Number of this thread in [`Model::threads`](crate::model::Model::threads).
    pub(crate) static THREAD: Cell<usize> = const { Cell::new(0) };
}

fn arena() -> &'static Arena {
    static ARENA: OnceLock<Arena> = OnceLock::new();
    ARENA.get_or_init(Arena::default)
}

fn api(at: usize) -> i32 {
    // SAFETY: an array that satisfies the contract, or an address that is refused.
    unsafe { __omp_collector_api(at as *mut _) }
}

/// Makes a call with an array, and compares all results.
pub(crate) fn call(array: &[u8], place: Place) {
    let entries = compare(array, place);
    with(|model| model.counts.entries += entries);
}

/// Makes the call, compares the results, and returns the number of entries that were handled.
fn compare(array: &[u8], place: Place) -> u64 {
    let at = arena().put(array, place);
    let mut expected = array.to_vec();
    let outcome = with(|model| {
        let here = model.here();
        walk(&mut expected, at, &mut model.session, &here, &model.capabilities)
    });
    let returned = api(at);
    let (got, around) = arena().get(at, array.len());
    assert!(!around, "bytes around the array were written\nin   {array:02x?}\nout  {got:02x?}");
    for place in outcome.unseen {
        let id = got.get(place..).and_then(|rest| rest.first_chunk::<8>()).copied().unwrap_or_default();
        expected.splice(place..place + 8, id);
        with(|model| {
            if model.here().wait == crate::reference::WaitId::Unseen {
                model.record_id(u64::from_ne_bytes(id));
            } else {
                assert_eq!(model.here().wait, crate::reference::WaitId::Known(u64::from_ne_bytes(id)));
            }
        });
    }
    let same = returned == outcome.returned && got == expected;
    assert!(
        same,
        "returned {returned}, not {}\nin   {array:02x?}\nout  {got:02x?}\nnot  {expected:02x?}\n{:?}",
        outcome.returned,
        with(|model| (model.current, model.here(), model.session.clone()))
    );
    outcome.entries
}

/// Makes a call with a long array, in pieces.
pub(crate) fn call_long(pieces: Vec<(usize, Vec<u8>)>) {
    let at = arena().put_long(&pieces);
    let mut expected = Sparse(pieces);
    let outcome = with(|model| {
        let here = model.here();
        walk(&mut expected, at, &mut model.session, &here, &model.capabilities)
    });
    with(|model| model.counts.entries += outcome.entries);
    let returned = api(at);
    let got = arena().get_long(&expected.0);
    if outcome.unseen.is_empty() {
        assert_eq!((returned, got), (outcome.returned, expected.0));
    }
}

/// Makes a call without an array, or with an array at an address that is refused before any access.
pub(crate) fn call_nowhere(beyond: usize) {
    let at = if beyond == 0 { 0 } else { arena().untouchable(beyond) };
    assert_eq!(api(at), -1);
}

/// Runs `what` while the process can't open files: only loaded objects are then known to be code.
pub(crate) fn without_files(what: impl FnOnce()) {
    let limit = |to: u64, most: u64| libc::rlimit { rlim_cur: to, rlim_max: most };
    let mut before = limit(0, 0);
    // SAFETY: `before` is valid for writes.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut before) } == 0;
    let none = limit(0, before.rlim_max);
    // SAFETY: a limit that is no larger than before.
    assert!(known && unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const none) } == 0);
    let all = with(|model| std::mem::replace(&mut model.capabilities.code, callbacks().loaded.clone()));
    what();
    with(|model| model.capabilities.code = all);
    // SAFETY: the original limit.
    assert!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const before) } == 0);
}

/// Makes all queries, and compares the answers.
pub(crate) fn probe() {
    static PROBE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut array = Vec::new();
        for (request, room) in [(3, 16), (4, 8), (5, 8), (9, 8), (10, 8)] {
            array.truncate(array.len().saturating_sub(4));
            array.extend(buffer::one(request, room));
        }
        array
    });
    let entries = compare(&PROBE, Place::AtTheEnd);
    with(|model| model.counts.probes += entries);
}
