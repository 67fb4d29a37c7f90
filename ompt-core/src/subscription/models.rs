//! loom models of subscriptions of two interfaces: `RUSTFLAGS="--cfg loom" cargo test -p ompt-core --lib --release`

use super::*;
use crate::event::Span;
use loom::sync::Arc;
use loom::thread;

/// The number of each interface, which replaces its dispatch table.
static INTERFACE: [usize; INTERFACES] = [0, 1, 2];

const ONE: usize = 0;
const OTHER: usize = 1;

/// The span that is raised for each interface.
const SPANS: [Span; 2] = [Span::PARALLEL, Span::LOCK_WAIT];

/// The subscription of each interface; the other one's includes the first one's.
const WANTS: [EventSet; 2] = [SPANS[ONE].events(), SPANS[ONE].events().union(SPANS[OTHER].events())];

/// Callbacks of an interface's sessions, of the old and of the new one.
const OLD: usize = 0x10;
const NEW: usize = 0x20;

/// Two interfaces with a callback each.
struct Interfaces {
    subscriptions: Subscriptions<usize>,
    callbacks: [Callback; 2],
}

impl Interfaces {
    /// Both interfaces have a session; those in `wanting` are subscribed to their events.
    fn with(wanting: &[usize]) -> Self {
        let subscriptions = Subscriptions::none(&INTERFACE[0]);
        subscriptions.interfaces().iter().zip(&INTERFACE).for_each(|(interface, number)| interface.install(number));
        let interfaces = Self { subscriptions, callbacks: [Callback::none(), Callback::none()] };
        for interface in [ONE, OTHER] {
            interfaces.subscriptions.interfaces()[interface].subscription.open();
            interfaces.callbacks[interface].set(OLD + interface);
        }
        wanting.iter().for_each(|interface| interfaces.resume(*interface));
        interfaces
    }

    fn resume(&self, interface: usize) {
        self.subscriptions.subscribe(interface, || WANTS[interface]);
    }

    fn pause(&self, interface: usize) {
        self.subscriptions.subscribe(interface, || EventSet::NONE);
    }

    /// The calls STOP, START and REGISTER of an interface.
    fn begin_next_session(&self, interface: usize) {
        self.pause(interface);
        self.callbacks[interface].set(0);
        self.subscriptions.interfaces()[interface].subscription.open();
        self.callbacks[interface].set(NEW + interface);
        self.resume(interface);
    }

    /// The callback that the span's start invokes for this interface, and the session that gets the end. The steps are
    /// those of `Thread::begin_armed` and the functions that it calls.
    fn begin(&self, interface: usize) -> Option<(usize, u32)> {
        if !self.subscriptions.armed(SPANS[interface].events()) {
            return None;
        }
        let (number, epoch) = match self.subscriptions.sole() {
            Some((number, epoch)) => (*number, epoch),
            None => (interface, self.subscriptions.interfaces()[interface].subscribed_epoch(SPANS[interface].begin)?),
        };
        let callback = (number == interface).then(|| self.deliver(interface, epoch)).flatten()?;
        Some((callback, epoch))
    }

    /// The callback that the span's end invokes, if the session of that epoch was notified of the start.
    fn end(&self, interface: usize, epoch: u32) -> Option<usize> {
        if !self.subscriptions.armed(EventSet::of(&[SPANS[interface].end])) {
            return None;
        }
        match self.subscriptions.sole() {
            Some((number, _)) => (*number == interface).then(|| self.deliver(interface, epoch)).flatten(),
            None => self.subscriptions.interfaces()[interface]
                .subscribed_epoch(SPANS[interface].end)
                .and_then(|_| self.deliver(interface, epoch)),
        }
    }

    fn deliver(&self, interface: usize, epoch: u32) -> Option<usize> {
        self.callbacks[interface].of_session(&self.subscriptions.interfaces()[interface].subscription, epoch)
    }

    fn gets_begin(&self, interface: usize) -> bool {
        self.begin(interface).is_some()
    }
}

/// Runs both concurrently, then checks the interfaces afterwards. Each of the two runs once on the thread that loom
/// starts with: only then can the other one's reads come late.
fn at_once(interfaces: fn() -> Interfaces, one: fn(&Interfaces), other: fn(&Interfaces), afterwards: fn(&Interfaces)) {
    for (first, second) in [(one, other), (other, one)] {
        // With more than two preemptions some models would take minutes.
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(move || {
            let interfaces = Arc::new(interfaces());
            let thread = {
                let interfaces = interfaces.clone();
                thread::spawn(move || second(&interfaces))
            };
            first(&interfaces);
            thread.join().unwrap();
            afterwards(&interfaces);
        });
    }
}

fn nothing(_: &Interfaces) {}

fn no_subscription() -> Interfaces {
    Interfaces::with(&[])
}

fn one() -> Interfaces {
    Interfaces::with(&[ONE])
}

fn both() -> Interfaces {
    Interfaces::with(&[ONE, OTHER])
}

#[test]
fn a_new_subscription_gets_the_next_event_whatever_other_interfaces_do() {
    let want_one = |it: &Interfaces| {
        it.resume(ONE);
        assert!(it.gets_begin(ONE));
    };
    let want_other = |it: &Interfaces| {
        it.resume(OTHER);
        assert!(it.gets_begin(OTHER));
    };
    at_once(no_subscription, want_one, want_other, |it| assert!(it.gets_begin(ONE) && it.gets_begin(OTHER)));
}

#[test]
fn an_ended_subscription_gets_no_event_whatever_other_interfaces_do() {
    let pause = |it: &Interfaces| {
        it.pause(ONE);
        assert!(!it.gets_begin(ONE));
    };
    at_once(both, pause, |it| it.pause(OTHER), |it| assert!(!it.subscriptions.armed(EventSet::from_bits(u64::MAX))));
    at_once(one, pause, |it| it.resume(OTHER), |it| assert!(it.gets_begin(OTHER) && !it.gets_begin(ONE)));
}

#[test]
fn a_lasting_subscription_loses_no_event_when_another_one_comes_or_goes() {
    let events = |it: &Interfaces| assert!(it.gets_begin(ONE));
    at_once(one, events, |it| it.resume(OTHER), nothing);
    at_once(both, events, |it| it.pause(OTHER), nothing);
}

#[test]
fn a_silenced_interface_gets_nothing_whatever_is_asked_for_meanwhile() {
    let silence = |it: &Interfaces| {
        it.subscriptions.silence(ONE);
        assert!(!it.gets_begin(ONE));
    };
    let silent = |it: &Interfaces| assert!(!it.gets_begin(ONE));
    at_once(one, silence, |it| it.resume(ONE), silent);
    at_once(both, silence, |it| it.pause(OTHER), silent);
    at_once(one, silence, |it| it.resume(OTHER), silent);
}

#[test]
fn an_end_goes_to_the_session_that_was_notified_of_its_begin() {
    let span = |it: &Interfaces| {
        let begun = it.begin(ONE);
        let ended = begun.and_then(|(_, epoch)| it.end(ONE, epoch));
        assert!(ended.is_none() || ended == begun.map(|(callback, _)| callback));
    };
    at_once(one, span, |it| it.begin_next_session(ONE), nothing);
    at_once(both, span, |it| it.begin_next_session(ONE), nothing);
}

#[test]
fn two_threads_that_subscribe_one_interface_lose_nothing() {
    /// A tool that registers on several threads at the same time.
    struct Tool {
        subscriptions: Subscriptions<usize>,
        registered: AtomicU64,
    }
    fn register(it: &Tool, span: Span) {
        it.registered.fetch_or(span.events().bits(), SeqCst);
        it.subscriptions.subscribe(ONE, || EventSet::from_bits(it.registered.load(SeqCst)));
        assert!(
            it.subscriptions.armed(span.events())
                && it.subscriptions.interfaces()[ONE].subscribed_epoch(span.begin).is_some()
        );
    }
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let tool = Arc::new(Tool { subscriptions: Subscriptions::none(&INTERFACE[0]), registered: AtomicU64::new(0) });
        let thread = {
            let tool = tool.clone();
            thread::spawn(move || register(&tool, SPANS[0]))
        };
        register(&tool, SPANS[1]);
        thread.join().unwrap();
        assert!(tool.subscriptions.armed(SPANS[0].events()) && tool.subscriptions.armed(SPANS[1].events()));
    });
}
