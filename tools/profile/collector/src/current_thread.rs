//! The calling thread's record. Unsafe: thread-local words.
//!
//! Two thread-local words hold the record's address and the session that it belongs to: a library that is attached several times has
//! several sessions. A signal handler also reads and writes them. So a thread that is about to take a record marks the first word,
//! with one instruction; a handler that finds the mark takes none.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::thread_record::Thread;

::system::thread_words!("ora_profiler_thread", 2);

/// Mark of a thread that is about to take a record: records have even addresses.
const TAKES: usize = 1;

/// Number of the session. Words of threads with another number belong to an earlier one.
static SESSION: AtomicUsize = AtomicUsize::new(1);

/// Starts another session, in which no thread has a record yet.
pub(crate) fn begin_session() {
    SESSION.fetch_add(1, Relaxed);
}

/// The calling thread's record. Async-signal-safe.
#[inline(always)]
pub(crate) fn me() -> Option<&'static Thread> {
    of_this_session(word::<0>())
}

#[inline(always)]
fn of_this_session(address: usize) -> Option<&'static Thread> {
    if address & TAKES != 0 || word::<1>() != SESSION.load(Relaxed) {
        return None;
    }
    // SAFETY: null, or a record's address that `set` has stored; records are never freed.
    unsafe { ptr::with_exposed_provenance::<Thread>(address).as_ref() }
}

/// Makes a record the calling thread's; `None` removes it.
pub(crate) fn set(thread: Option<&'static Thread>) {
    set_word::<1>(SESSION.load(Relaxed));
    set_word::<0>(thread.map_or(0, |thread| ptr::from_ref(thread).expose_provenance()));
}

/// The calling thread's record, or a new one from `take`, and whether it is new. Must not be called in a handler.
pub(crate) fn get_or(take: impl FnOnce() -> Option<&'static Thread>) -> Option<(&'static Thread, bool)> {
    let before = add_to_word::<0>(TAKES);
    let known = of_this_session(before);
    if before & TAKES != 0 || known.is_some() {
        add_to_word::<0>(TAKES.wrapping_neg());
        return known.map(|known| (known, false));
    }
    let taken = take();
    set(taken);
    taken.map(|taken| (taken, true))
}

/// Like [`get_or`], for a handler: `take` must be async-signal-safe. `None` also if the handler has interrupted [`get_or`].
pub(crate) fn get_or_in_handler(take: impl FnOnce() -> Option<&'static Thread>) -> Option<&'static Thread> {
    if word::<0>() & TAKES != 0 {
        return None;
    }
    me().or_else(|| {
        let taken = take()?;
        set(Some(taken));
        Some(taken)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads;

    #[test]
    fn a_handler_that_interrupts_the_taking_of_a_record_takes_none() {
        let record = threads::take().unwrap();
        let taken = get_or(|| {
            assert!(get_or_in_handler(|| unreachable!("the thread takes one")).is_none());
            Some(record)
        });
        assert!(taken.is_some_and(|(taken, is_new)| is_new && ptr::eq(taken, record)));
        let again = get_or(|| unreachable!("the thread has one"));
        assert!(again.is_some_and(|(again, is_new)| !is_new && ptr::eq(again, record)));
        assert!(get_or_in_handler(|| unreachable!("the thread has one")).is_some_and(|it| ptr::eq(it, record)));
        begin_session();
        assert!(me().is_none(), "that of an earlier session");
        let other = get_or_in_handler(threads::take);
        assert!(other.is_some_and(|other| me().is_some_and(|me| ptr::eq(me, other) && !ptr::eq(me, record))));
        set(None);
        record.give_back();
    }
}
