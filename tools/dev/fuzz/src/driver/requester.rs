//! A thread that makes requests, and compares the answers with the reference.
#![allow(unsafe_code)] // maps memory, calls the library

use std::cell::Cell;
use std::ptr::{self, null_mut};

use super::array::{self, Choice};
use super::counts;
use super::library::Library;
use super::random::Random;
use crate::reference::{Capabilities, EVENTS, Here, Layout, Session, WaitId, walk};

const PAGE: usize = 4096;
/// Bytes before an array that must not change; a guard page follows the array.
const AROUND: usize = 32;
const FILL: u8 = 0xa5;
/// Number of arrays between two updates of the counts.
const UPDATE_INTERVAL: u64 = 1024;

/// Thread that makes requests.
pub(crate) struct Requester {
    library: Library,
    random: Random,
    session: Session,
    capabilities: Capabilities,
    choice: Choice,
    /// State of the thread, for the reference.
    pub(crate) here: Here,
    end: usize,
    array: Vec<u8>,
    expected: Vec<u8>,
    arrays: u64,
    entries: u64,
}

/// Capabilities of the library here, queried once in the session that is opened for it.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    events: [bool; EVENTS],
    tasks: bool,
}

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

extern "C-unwind" fn on_event(event: i32) {
    assert!((1..36).contains(&event), "event {event}");
    assert!(!IN_CALLBACK.replace(true), "a callback in a callback");
    counts::callback();
    IN_CALLBACK.set(false);
}

fn callback() -> u64 {
    on_event as *const () as u64
}

impl Offer {
    /// Queries the capabilities, and opens a session that uses packed structs.
    pub(crate) fn of(library: Library) -> Self {
        assert_eq!(library.request(0, &[]), 0, "START");
        let mut events = [false; EVENTS];
        for (event, is_there) in events.iter_mut().enumerate().skip(1) {
            let number = i32::try_from(event).unwrap_or(0).to_ne_bytes();
            *is_there = library.request(1, &[number.as_slice(), &callback().to_ne_bytes()].concat()) == 0;
        }
        Self { events, tasks: library.request(9, &[0; 8]) == 0 }
    }
}

impl Requester {
    /// Creates the state of a thread. With several threads, the session stays open for all of them.
    pub(crate) fn new(library: Library, offer: &Offer, seed: u64, alone: bool) -> Self {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe { libc::mmap(null_mut(), 2 * PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        assert!(start != libc::MAP_FAILED, "no memory for arrays");
        let end = start.addr() + PAGE;
        // SAFETY: the second page of the new mapping.
        assert_eq!(unsafe { libc::mprotect(end as *mut _, PAGE, libc::PROT_NONE) }, 0);
        let address = callback();
        let session =
            Session { started: true, layout: Some(Layout::Packed), callbacks: [address; EVENTS], ..Session::default() };
        // The only address of code in the arrays; none of their other values can be one.
        let code = std::iter::once(address..address + 1).collect();
        Self {
            library,
            random: Random::new(seed),
            session,
            capabilities: Capabilities { events: offer.events, tasks: offer.tasks, code },
            choice: Choice { stops: alone, callback: address },
            here: Here::serial(false),
            end,
            array: Vec::with_capacity(PAGE),
            expected: Vec::with_capacity(PAGE),
            arrays: 0,
            entries: 0,
        }
    }

    /// Makes this many calls. Returns false once the limit has been reached.
    pub(crate) fn make_calls(&mut self, times: usize) -> bool {
        for _ in 0..times {
            self.ask_once();
        }
        if self.arrays < UPDATE_INTERVAL {
            return true;
        }
        counts::add(self.arrays, self.entries);
        (self.arrays, self.entries) = (0, 0);
        !counts::is_over()
    }

    fn ask_once(&mut self) {
        array::fill(&mut self.array, &mut self.random, self.choice);
        let length = self.array.len();
        // One array in 256 is at a misaligned address.
        let odd = self.random.next();
        let beside = if odd >> 56 == 0 { 1 + (odd & 1) as usize } else { 0 };
        let at = self.end - length - beside;
        // SAFETY: in the first page, as arrays are shorter than a page.
        unsafe { ptr::write_bytes((at - AROUND) as *mut u8, FILL, AROUND) };
        // SAFETY: in the first page, as arrays are shorter than a page; `self.array` is elsewhere.
        unsafe { ptr::copy_nonoverlapping(self.array.as_ptr(), at as *mut u8, length) };
        self.expected.clear();
        self.expected.extend(&self.array);
        let outcome = walk(&mut self.expected, at, &mut self.session, &self.here, &self.capabilities);
        // SAFETY: an array that satisfies the contract, or an address that is refused.
        let returned = unsafe { (self.library.api)(at as *mut _) };
        // SAFETY: the bytes just written, to which no reference exists.
        let got = unsafe { std::slice::from_raw_parts((at - AROUND) as *const u8, AROUND + length) };
        let (around, got) = got.split_at(AROUND);
        assert!(
            returned == outcome.returned && got == self.expected && around.iter().all(|byte| *byte == FILL),
            "returned {returned}, not {}\nin   {:02x?}\nout  {got:02x?}\nnot  {:02x?}\n{:?}",
            outcome.returned,
            self.array,
            self.expected,
            (self.here, &self.session)
        );
        self.arrays += 1;
        self.entries += outcome.entries;
    }

    /// Queries the thread's state from the library in an open session.
    pub(crate) fn query_state(&mut self) {
        let mut array = [0u32; 5 * 8 + 1];
        for (entry, request) in array.chunks_exact_mut(8).zip([3, 4, 5, 9, 10]) {
            entry.copy_from_slice(&[32, request, 0, 0, 0, 0, 0, 0]);
        }
        // SAFETY: a well-formed array.
        assert_eq!(unsafe { (self.library.api)(array.as_mut_ptr().cast()) }, 0);
        let [state, region, parent, task, creator, ..] = array.chunks_exact(8).collect::<Vec<_>>()[..] else { return };
        let word = |entry: &[u32]| match entry {
            [_, _, 0, _, low, high, ..] => Some(u64::from(*low) | u64::from(*high) << 32),
            _ => None,
        };
        let told = state.get(4).copied().unwrap_or(0).cast_signed();
        self.here = Here {
            state: told,
            wait: WaitId::Known(0),
            region: word(region).unwrap_or(0),
            parent: word(parent),
            task: word(task).unwrap_or(0),
            creator: word(creator).unwrap_or(0),
        };
    }
}

impl Drop for Requester {
    fn drop(&mut self) {
        counts::add(self.arrays, self.entries);
        // SAFETY: the two pages that only this requester uses.
        unsafe { libc::munmap((self.end - PAGE) as *mut _, 2 * PAGE) };
    }
}
