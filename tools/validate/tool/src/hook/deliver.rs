//! Passes a callback's event to the engine and its result back. Only one callback is processed at a time: the engine's
//! order is the order of events.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use validate_layout::event::Event;

use super::entry_points::{ENTRY_POINTS, EntryPoints};
use super::{process, registration, session};
use crate::answers::Answers;
use crate::constants::endpoint::BEGIN;
use crate::constants::task;
use crate::engine::EventContext;

thread_local! {
    /// The validator's number of this thread; 0 if it doesn't have one yet. Never reused, unlike the kernel's.
    static NUMBER: Cell<u64> = const { Cell::new(0) };
    /// True once the thread's place has been queried.
    static PLACE_QUERIED: Cell<bool> = const { Cell::new(false) };
    /// True while the thread is in a callback: events that the validator itself causes are ignored.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// The validator's number of this thread.
pub(super) fn thread() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(LAST.fetch_add(1, Relaxed) + 1);
        }
        number.get()
    })
}

fn ask(entry_points: &EntryPoints, during: &Event) -> Answers {
    if entry_points.llvm() {
        static ASKED: Once = Once::new();
        ASKED.call_once(|| registration::check_all(entry_points));
    }
    let mut answers = entry_points.ask(during);
    let member = matches!(during, Event::ImplicitTask { endpoint: BEGIN, flags, .. } if flags & task::IMPLICIT != 0);
    if member && !PLACE_QUERIED.replace(true) {
        answers.places = Some(entry_points.places());
    }
    answers
}

/// Processes one event. Returns the new value of the data word, if the event sets one.
pub(super) fn deliver(event: Event) -> Option<u64> {
    if INSIDE.replace(true) {
        return None;
    }
    process::notice_fork();
    let answers = ENTRY_POINTS.get().filter(|_| session::checks()).map(|entry_points| ask(entry_points, &event));
    let around = EventContext { thread: thread(), answers, ..EventContext::default() };
    let mark = session::with(|session| session.take(&event, around)).flatten();
    INSIDE.set(false);
    mark
}
