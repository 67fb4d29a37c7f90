//! loom models of one interface's sessions: `RUSTFLAGS="--cfg loom" cargo test -p ompt-core --lib --release`

use super::*;
use crate::event::Span;
use loom::sync::Arc;
use loom::sync::atomic::AtomicBool;
use loom::thread;

const OLD: usize = 1;
const NEW: usize = 2;

struct Session {
    subscription: Subscription,
    callback: Callback,
    ready: AtomicBool,
}

impl Session {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            subscription: Subscription::closed(),
            callback: Callback::none(),
            ready: AtomicBool::new(false),
        })
    }

    fn register(&self, callback: usize) {
        self.callback.set(callback);
        self.subscription.set(Span::PARALLEL.events());
    }

    fn stop(&self) {
        self.subscription.set(EventSet::NONE);
        self.callback.set(0);
    }
}

#[test]
fn an_event_of_an_old_session_never_calls_a_new_one() {
    loom::model(|| {
        let session = Session::new();
        let epoch = session.subscription.open();
        session.register(OLD);
        let event = {
            let session = session.clone();
            thread::spawn(move || session.callback.of_session(&session.subscription, epoch))
        };
        session.stop();
        session.subscription.open();
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
                let epoch = session.subscription.epoch();
                if session.callback.of_session(&session.subscription, epoch).is_some() {
                    assert!(session.ready.load(Relaxed));
                }
            })
        };
        session.subscription.open();
        session.ready.store(true, Relaxed);
        session.register(OLD);
        event.join().unwrap();
    });
}

#[test]
fn a_reader_that_sees_a_subscription_finds_its_callback_or_a_later_state() {
    loom::model(|| {
        let session = Session::new();
        let event = {
            let session = session.clone();
            thread::spawn(move || {
                let wanted = session.subscription.events() != EventSet::NONE;
                let epoch = session.subscription.epoch();
                wanted.then(|| session.callback.of_session(&session.subscription, epoch))
            })
        };
        session.subscription.open();
        session.register(OLD);
        assert_ne!(event.join().unwrap(), Some(None));
    });
}

#[test]
fn two_events_and_a_stop_end_with_no_callback() {
    loom::model(|| {
        let session = Session::new();
        let epoch = session.subscription.open();
        session.register(OLD);
        let event = {
            let session = session.clone();
            thread::spawn(move || {
                let first = session.callback.of_session(&session.subscription, epoch);
                let second = session.callback.of_session(&session.subscription, epoch);
                // A callback that was removed does not reappear.
                assert!(first.is_some() || second.is_none());
            })
        };
        session.stop();
        assert_eq!(session.callback.of_session(&session.subscription, epoch), None);
        event.join().unwrap();
    });
}
