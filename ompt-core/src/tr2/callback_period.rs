//! Period in which the tool's callbacks are called.

use super::{call, callbacks};
use crate::dispatch::{self, Interface};
use crate::event::EventSet;
use std::sync::atomic::{AtomicBool, Ordering::*};

/// True from the time when a tool has accepted until its shutdown callback has been called.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Opens the period: the tool has accepted, and its registrations become the interface's subscription.
pub(super) fn open() {
    // Release: pairs with the swap in `shut_down`; publishes the session that has begun.
    OPEN.store(true, Release);
    dispatch::subscribe(Interface::Tr2, callbacks::wanted());
}

/// Ends the period with the tool's last callback, at the runtime's shutdown (TR2, 3.1, "Termination"). It is invoked
/// even inside a callback that ends the process.
pub fn shut_down() {
    // Acquire: pairs with the store in `open`; publishes the session that has begun. Release: with a later swap.
    if OPEN.swap(false, AcqRel) {
        dispatch::subscribe(Interface::Tr2, EventSet::NONE);
        call::shutdown(dispatch::subscription(Interface::Tr2).epoch());
        callbacks::clear();
    }
}

/// Ends the period without a callback.
pub(super) fn close() {
    // Release: pairs with the swap in `shut_down`.
    OPEN.store(false, Release);
    dispatch::subscribe(Interface::Tr2, EventSet::NONE);
    callbacks::clear();
}
