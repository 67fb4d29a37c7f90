//! A tool's session against the events of other threads, without a lock: which events it wants, and which callback belongs
//! to which session.
//!
//! Sessions are numbered (epochs). Whoever changes a session does it under a lock of the face's; events only read. An event
//! takes the epoch first, then the callback, then looks at the epoch again: if it is still the same, the callback belongs to
//! that session, since a session clears its callbacks at its end and the next one counts the epoch up before it sets any.

use crate::event::EventSet;
use system::sync::{AtomicU32, AtomicU64, AtomicUsize, Ordering::*, const_unless_loom};

/// Epochs are kept in so many bits, so that those of three faces fit in one word.
pub(crate) const EPOCH_BITS: usize = 21;
pub(crate) const EPOCH_MASK: u32 = (1 << EPOCH_BITS) - 1;

/// One face's newest session: its number, and the events it wants.
#[derive(Debug)]
pub struct Watcher {
    /// Counted up at each start of a session; never 0 while one is open.
    epoch: AtomicU32,
    wanted: AtomicU64,
}

/// One callback of a session, by its address.
#[derive(Debug)]
pub struct Callback(AtomicUsize);

impl Watcher {
    const_unless_loom! {
        /// No session yet.
        pub closed => Self { epoch: AtomicU32::new(0), wanted: AtomicU64::new(0) }
    }

    /// Opens the next session and gives its epoch. The one before must have ended.
    pub fn open(&self) -> u32 {
        let epoch = self.epoch.load(Relaxed).wrapping_add(1) & EPOCH_MASK;
        let epoch = if epoch == 0 { 1 } else { epoch };
        // Published by the callbacks that are set after it. Release: pairs with the load in `epoch`: a reader that sees this
        // session finds no callback of the one before.
        self.epoch.store(epoch, Release);
        epoch
    }

    /// The epoch of the newest session. Async-signal-safe.
    #[inline]
    pub fn epoch(&self) -> u32 {
        // Acquire: pairs with the store in `open`.
        self.epoch.load(Acquire)
    }

    /// Says what the session wants from now on.
    pub fn want(&self, events: EventSet) {
        // SeqCst: pairs with the load in `wanted`; publishes the callbacks that were set before. Comes before the second look
        // in `Levels::publish`.
        self.wanted.store(events.bits(), SeqCst);
    }

    /// What the session wants. Async-signal-safe.
    #[inline]
    pub fn wanted(&self) -> EventSet {
        // Acquire: pairs with the store in `want`.
        EventSet::from_bits(self.wanted.load(Acquire))
    }
}

impl Callback {
    const_unless_loom! {
        /// No callback.
        pub none => Self(AtomicUsize::new(0))
    }

    /// Sets the callback, or takes it back (0).
    pub fn set(&self, address: usize) {
        // Release: pairs with the loads in `get` and `of_session`: what the tool wrote before it registered is seen in the
        // callback, and so is the epoch of its session.
        self.0.store(address, Release);
    }

    /// The callback's address, whichever session it belongs to.
    #[inline]
    pub fn get(&self) -> Option<usize> {
        // Acquire: pairs with the store in `set`.
        let address = self.0.load(Acquire);
        (address != 0).then_some(address)
    }

    /// The callback's address, if it belongs to session `epoch` of `watcher`.
    #[inline]
    pub fn of_session(&self, watcher: &Watcher, epoch: u32) -> Option<usize> {
        // Acquire: pairs with the store in `set`; the epoch is read after it.
        let address = self.0.load(Acquire);
        (address != 0 && watcher.epoch() == epoch).then_some(address)
    }
}

/// `RUSTFLAGS="--cfg loom" cargo test -p ompt-core --release`
#[cfg(all(test, loom))]
mod models {
    use super::*;
    use crate::event::Span;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicBool;
    use loom::thread;

    const OLD: usize = 1;
    const NEW: usize = 2;

    struct Session {
        watcher: Watcher,
        callback: Callback,
        ready: AtomicBool,
    }

    impl Session {
        fn new() -> Arc<Self> {
            Arc::new(Self { watcher: Watcher::closed(), callback: Callback::none(), ready: AtomicBool::new(false) })
        }

        fn register(&self, callback: usize) {
            self.callback.set(callback);
            self.watcher.want(Span::PARALLEL.events());
        }

        fn stop(&self) {
            self.watcher.want(EventSet::NONE);
            self.callback.set(0);
        }
    }

    #[test]
    fn an_event_of_an_old_session_never_calls_a_new_one() {
        loom::model(|| {
            let session = Session::new();
            let epoch = session.watcher.open();
            session.register(OLD);
            let event = {
                let session = session.clone();
                thread::spawn(move || session.callback.of_session(&session.watcher, epoch))
            };
            session.stop();
            session.watcher.open();
            session.register(NEW);
            assert_ne!(event.join().unwrap(), Some(NEW));
        });
    }

    #[test]
    fn a_callback_sees_what_was_written_before_it_was_registered() {
        loom::model(|| {
            let session = Session::new();
            let event = {
                let session = session.clone();
                thread::spawn(move || {
                    let epoch = session.watcher.epoch();
                    if session.callback.of_session(&session.watcher, epoch).is_some() {
                        assert!(session.ready.load(Relaxed));
                    }
                })
            };
            session.watcher.open();
            session.ready.store(true, Relaxed);
            session.register(OLD);
            event.join().unwrap();
        });
    }

    #[test]
    fn who_sees_that_an_event_is_wanted_finds_its_callback_or_a_later_state() {
        loom::model(|| {
            let session = Session::new();
            let event = {
                let session = session.clone();
                thread::spawn(move || {
                    let wanted = session.watcher.wanted() != EventSet::NONE;
                    let epoch = session.watcher.epoch();
                    wanted.then(|| session.callback.of_session(&session.watcher, epoch))
                })
            };
            session.watcher.open();
            session.register(OLD);
            assert_ne!(event.join().unwrap(), Some(None));
        });
    }

    #[test]
    fn two_events_and_a_stop_end_with_no_callback() {
        loom::model(|| {
            let session = Session::new();
            let epoch = session.watcher.open();
            session.register(OLD);
            let event = {
                let session = session.clone();
                thread::spawn(move || {
                    let first = session.callback.of_session(&session.watcher, epoch);
                    let second = session.callback.of_session(&session.watcher, epoch);
                    // Once gone, it does not come back.
                    assert!(first.is_some() || second.is_none());
                })
            };
            session.stop();
            assert_eq!(session.callback.of_session(&session.watcher, epoch), None);
            event.join().unwrap();
        });
    }
}
