//! Session of a parent to which the library was attached, in a forked child: it has to be closed there.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ora_client::Client;

use crate::client;

static IS_INHERITED: AtomicBool = AtomicBool::new(false);

/// True in a forked child that has such a session.
pub(crate) fn is_open() -> bool {
    IS_INHERITED.load(Relaxed)
}

/// Records, in a forked child, whether it has such a session.
pub(crate) fn set(is_inherited: bool) {
    IS_INHERITED.store(is_inherited, Relaxed);
}

/// Closes the session that this forked child has inherited, which belongs to the parent.
#[cold]
pub(crate) fn leave() {
    if IS_INHERITED.swap(false, Relaxed) {
        client::get().into_iter().for_each(Client::stop);
    }
}
