//! The time in which the tool's callbacks are called.

use super::{call, callbacks};
use crate::dispatch::{self, Face};
use crate::event::EventSet;
use std::sync::atomic::{AtomicBool, Ordering::*};

/// A tool has said yes, and has not been told of the end.
static OPEN: AtomicBool = AtomicBool::new(false);

/// The tool has said yes: what it has registered is wanted from now on.
pub(super) fn open() {
    // Release: pairs with the swap in `shut_down`; publishes the session that has begun.
    OPEN.store(true, Release);
    dispatch::want(Face::Tr2, callbacks::wanted());
}

/// The runtime ends: the last that the tool hears (TR2, 3.1, "Termination"). It hears of it also from inside of a callback
/// that ends the process.
pub fn shut_down() {
    // Acquire: pairs with the store in `open`; publishes the session that has begun. Release: with a later swap.
    if OPEN.swap(false, AcqRel) {
        dispatch::want(Face::Tr2, EventSet::NONE);
        call::shutdown(dispatch::watcher(Face::Tr2).epoch());
        callbacks::clear();
    }
}

/// Ends that time without a word to the tool.
pub(super) fn close() {
    // Release: pairs with the swap in `shut_down`.
    OPEN.store(false, Release);
    dispatch::want(Face::Tr2, EventSet::NONE);
    callbacks::clear();
}
