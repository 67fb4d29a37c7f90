//! Registration of the callbacks, and the check that the runtime has kept them.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::entry_points::{EntryPoints, Function};
use super::session;
use validate_layout::event::{CALLBACKS, Callback};

/// Address of the function that was registered for each callback; 0 if there is none yet.
static REGISTERED: [AtomicUsize; CALLBACKS] = [const { AtomicUsize::new(0) }; CALLBACKS];

/// Registers a callback's function; returns the runtime's answer.
pub(super) fn register(entry_points: &EntryPoints, callback: Callback, function: Function) -> i32 {
    if let Some(registered) = REGISTERED.get(callback as usize) {
        registered.store(function as usize, Relaxed);
    }
    entry_points.set_callback(callback as i32, Some(function))
}

/// Checks that `ompt_get_callback` returns what was registered for each callback. libomp does so only after
/// `initialize` has returned.
pub(super) fn check_all(entry_points: &EntryPoints) {
    Callback::ALL.into_iter().for_each(|callback| check(entry_points, callback));
}

/// Checks that `ompt_get_callback` returns what was registered.
pub(super) fn check(entry_points: &EntryPoints, callback: Callback) {
    let (there, found) = entry_points.get_callback(callback as i32);
    let registered = REGISTERED.get(callback as usize).map(|registered| registered.load(Relaxed));
    let same = found.map(|found| found as usize) == registered;
    session::with(|session| session.engine(|engine| engine.got_back(callback, there == 1 && same)));
}
