//! Switch of the handlers. Async-signal-safe.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

use crate::setting;

/// True while handlers write records.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Lets handlers write records.
pub(crate) fn open() {
    OPEN.store(true, Relaxed);
}

/// Stops handlers from writing records.
pub(crate) fn close() {
    // SeqCst: pairs with the load in `is_open`.
    OPEN.store(false, SeqCst);
}

/// Sets the switch in a forked child, whose only thread is the calling one. True if handlers wrote records before.
pub(crate) fn set_in_child(is_open: bool) -> bool {
    OPEN.swap(is_open, Relaxed)
}

/// True while records are written.
pub(crate) fn is_open() -> bool {
    // SeqCst: with the store of `in_handler` before, against the store in `close` and the loads after it (store buffering): this
    // thread sees the end, or the end waits for its handler.
    OPEN.load(SeqCst)
}

/// True if threads without a record are interrupted, and get one.
pub(crate) fn takes_in() -> bool {
    is_open() && setting::get().is_some_and(|setting| setting.attached)
}
