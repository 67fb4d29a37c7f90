//! The tool's callbacks: registered only inside `ompt_initialize` (TR2, 6.1.2), kept until the session is over.

use super::answers::{answer, companions, core_events};
use super::types::{ompt_event_t, ompt_tr2_set_result_t};
use crate::adapter;
use crate::dispatch::{Interface, subscription};
use crate::event::EventSet;
use crate::subscription::Callback;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use system::arch::thread_pointer;

/// Registered callbacks; the one for event `n` is at `n - 1`.
static CALLBACKS: [Callback; ompt_event_t::ALL.len()] = [const { Callback::none() }; ompt_event_t::ALL.len()];

/// The thread that is inside `ompt_initialize`, or 0.
static REGISTRAR: AtomicUsize = AtomicUsize::new(0);

/// Permission of the calling thread to register callbacks, until this is dropped (also by an exception out of the
/// tool).
pub(super) struct Registration(());

impl Registration {
    pub(super) fn open() -> Self {
        REGISTRAR.store(thread_pointer(), Relaxed);
        Self(())
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        REGISTRAR.store(0, Relaxed);
    }
}

/// Registers a callback by its address, or removes it (0).
pub(super) fn register(event: ompt_event_t, callback: usize) -> ompt_tr2_set_result_t {
    use ompt_tr2_set_result_t::*;
    if REGISTRAR.load(Relaxed) != thread_pointer() {
        return ompt_tr2_set_error;
    }
    let answer = answer(event, adapter::capabilities());
    if let Some(slot) = slot(event)
        && matches!(answer, ompt_tr2_set_sometimes | ompt_tr2_set_always)
    {
        slot.set(callback);
    }
    answer
}

/// The address of the event's callback, if it has one in the session of this epoch.
#[inline]
pub(super) fn of_session(event: ompt_event_t, epoch: u32) -> Option<usize> {
    slot(event)?.of_session(subscription(Interface::Tr2), epoch)
}

/// The address of the event's callback, if one is registered in the current session.
pub(super) fn registered(event: ompt_event_t) -> Option<usize> {
    of_session(event, subscription(Interface::Tr2).epoch())
}

/// The core events that all registered callbacks need: the interface's subscription.
pub(super) fn wanted() -> EventSet {
    let registered = ompt_event_t::ALL.into_iter().filter(|event| registered(*event).is_some());
    registered.fold(EventSet::NONE, |set, event| set.union(core_events(event)).union(companions(event)))
}

/// Removes all callbacks: the session is over.
pub(super) fn clear() {
    REGISTRAR.store(0, Relaxed);
    CALLBACKS.iter().for_each(|slot| slot.set(0));
}

#[inline]
fn slot(event: ompt_event_t) -> Option<&'static Callback> {
    CALLBACKS.get(event as usize - 1)
}
