//! Dispatch of an event on the calling thread to the callbacks of the tools that are subscribed to it.
//!
//! The model [begins](Thread::begin) a span, [ends](Thread::end) it, or [raises](Thread::raise) an event. Each
//! interface that is subscribed to the event [prepares](crate::callbacks) the call of its tool's callback. Everything
//! else that a callback needs (reader pin, errno, epoch) is in [`invoke`], for every interface.
//!
//! Sessions of an interface are numbered: a session's number is its epoch. The start of a span returns a [`Token`] that
//! identifies the sessions that could be notified of it. The end is reported to those sessions only. So no session gets
//! the end of a span that began before the session did, or while the session was paused.
//!
//! A collector may reply in a callback (`takes_answer`) that it doesn't need events that follow: see the module
//! `answer`.

mod table;

use crate::answer::{Answers, DECLINE};
use crate::callback_pin::CallbackPin;
use crate::detail::Detail;
use crate::event::{Event, EventSet, Span};
use crate::state::State;
use crate::subscription::{Subscriber, Subscription, Subscriptions};
use crate::thread::Thread;
use crate::tls;
use system::arch::stack_pointer;

pub use self::table::{Callbacks, Invoke};
pub use crate::interface::{INTERFACES, Interface, Token};

impl Thread {
    /// Raises a span's start event on this, the calling thread. The token is passed to the matching [`end`](Self::end).
    #[inline]
    pub fn begin(&'static self, span: Span) -> Token {
        if armed(span.events()) { self.begin_armed(span.begin, &Detail::None) } else { Token::NONE }
    }

    /// Raises the start event of a span that has several possible ends.
    #[inline]
    pub fn begin_one_of(&'static self, begin: Event) -> Token {
        if armed(begin.with_ends()) { self.begin_armed(begin, &Detail::None) } else { Token::NONE }
    }

    /// Raises a span's start event with particulars.
    #[inline]
    pub fn begin_with(&'static self, span: Span, detail: &Detail<'_>) -> Token {
        if armed(span.events()) { self.begin_armed(span.begin, detail) } else { Token::NONE }
    }

    /// Raises an event that doesn't start or end a span on this, the calling thread.
    #[inline]
    pub fn raise(&'static self, event: Event) {
        self.raise_with(event, &Detail::None);
    }

    /// Raises such an event with particulars.
    #[inline]
    pub fn raise_with(&'static self, event: Event, detail: &Detail<'_>) {
        if armed(EventSet::of(&[event])) {
            self.raise_armed(event, detail);
        }
    }

    /// Raises an event for one interface alone.
    pub fn raise_for(&'static self, interface: Interface, event: Event, detail: &Detail<'_>) -> Token {
        self.raise_to(subscriber(interface), event, detail)
    }

    /// Raises a span's start event for the OMPT interfaces only.
    pub(crate) fn begin_for_ompt(&'static self, span: Span) -> Token {
        let tokens = OMPT.map(|interface| self.begin_for(interface, span.begin, &Detail::None));
        tokens.into_iter().fold(Token::NONE, Token::or)
    }

    /// Raises a span's end event on this, the calling thread, for sessions that could be notified of its start.
    #[inline]
    pub fn end(&'static self, span: Span, token: Token) {
        self.end_with(span.end, token);
    }

    /// Raises `end` for the sessions that could be notified of its span's start.
    #[inline]
    pub fn end_with(&'static self, end: Event, token: Token) {
        self.end_in_detail(end, &Detail::None, token);
    }

    /// Raises a span's end event with particulars.
    #[inline]
    pub fn end_in_detail(&'static self, end: Event, detail: &Detail<'_>, token: Token) {
        if token != Token::NONE {
            self.end_armed(end, detail, token);
        }
    }

    /// Raises the start event of a span with several possible ends for all sessions except those that have declined it.
    #[inline(always)]
    pub(crate) fn begin_unless_declined(&'static self, begin: Event, declined: Token) -> Token {
        if declined == Token::NONE {
            self.begin_one_of(begin)
        } else if SUBSCRIPTIONS.sole().is_some() {
            declined
        } else {
            self.begin_for_others(begin, &Detail::None, declined)
        }
    }

    #[cold]
    fn begin_armed(&'static self, begin: Event, detail: &Detail<'_>) -> Token {
        match SUBSCRIPTIONS.sole() {
            // The only interface that is subscribed to anything is subscribed to this, or to the end.
            Some((callbacks, epoch)) if !self.activity.now().is_idle() => {
                callbacks.of(begin)(self, begin, detail, epoch)
            }
            _ => self.begin_for_all(begin, detail),
        }
    }

    #[cold]
    fn raise_armed(&'static self, event: Event, detail: &Detail<'_>) {
        match SUBSCRIPTIONS.sole() {
            Some((callbacks, epoch)) if !self.activity.now().is_idle() => {
                callbacks.of(event)(self, event, detail, epoch);
            }
            _ => self.raise_for_all(event, detail),
        }
    }

    #[cold]
    fn end_armed(&'static self, end: Event, detail: &Detail<'_>, token: Token) {
        if !armed(EventSet::of(&[end])) {
            return;
        }
        match SUBSCRIPTIONS.sole() {
            Some((callbacks, _)) => {
                let epoch = callbacks.epoch_in(token);
                if epoch != 0 {
                    callbacks.of(end)(self, end, detail, epoch);
                }
            }
            None => self.end_for_all(end, detail, token),
        }
    }

    #[inline(never)]
    fn begin_for_all(&'static self, begin: Event, detail: &Detail<'_>) -> Token {
        if self.activity.now().is_idle() {
            self.leave_pool(begin);
        }
        self.begin_for_others(begin, detail, Token::NONE)
    }

    /// Raises a start event for the interfaces whose sessions have not declined it. The result also contains those that
    /// have.
    #[inline(never)]
    fn begin_for_others(&'static self, begin: Event, detail: &Detail<'_>, declined: Token) -> Token {
        let others = Interface::ALL.into_iter().filter(|interface| declined.of_face(*interface) == 0);
        others.map(|interface| self.begin_for(interface, begin, detail)).fold(declined, Token::or)
    }

    #[inline(never)]
    fn raise_for_all(&'static self, event: Event, detail: &Detail<'_>) {
        if self.activity.now().is_idle() {
            self.leave_pool(event);
        }
        SUBSCRIPTIONS.interfaces().iter().for_each(|subscriber| _ = self.raise_to(subscriber, event, detail));
    }

    #[inline(never)]
    fn end_for_all(&'static self, end: Event, detail: &Detail<'_>, token: Token) {
        for interface in Interface::ALL {
            let (subscriber, epoch) = (subscriber(interface), token.of_face(interface));
            if epoch != 0 && subscriber.subscription.events().has(end) {
                subscriber.table().of(end)(self, end, detail, epoch);
            }
        }
    }

    #[inline(always)]
    fn begin_for(&'static self, interface: Interface, begin: Event, detail: &Detail<'_>) -> Token {
        let subscriber = subscriber(interface);
        let (wanted, epoch) = (subscriber.subscription.events(), subscriber.subscription.epoch());
        if wanted.has(begin) {
            subscriber.table().of(begin)(self, begin, detail, epoch)
        } else if wanted.intersects(begin.ends()) {
            end_alone(self, interface, begin, epoch)
        } else {
            Token::NONE
        }
    }

    #[inline(always)]
    fn raise_to(&'static self, subscriber: &Subscriber<Callbacks>, event: Event, detail: &Detail<'_>) -> Token {
        match subscriber.subscribed_epoch(event) {
            Some(epoch) => subscriber.table().of(event)(self, event, detail, epoch),
            None => Token::NONE,
        }
    }

    /// Reports that a thread has left the thread pool unseen: it raises an event of the program's code, although
    /// according to its last report it is in the pool.
    #[cold]
    fn leave_pool(&'static self, event: Event) {
        if !Span::IDLE.events().has(event) {
            self.work_unseen();
        }
    }

    /// Reports that a thread from the thread pool executes a region that was not reported.
    pub(crate) fn work_unseen(&'static self) {
        let idle = self.open_spans.take_idle();
        self.activity.set_state(State::Overhead);
        self.end(Span::IDLE, idle);
        self.activity.set_unseen();
    }
}

/// The OMPT interfaces.
const OMPT: [Interface; 2] = [Interface::Tr2, Interface::V5];

/// True if an OMPT tool is subscribed to the span's start or end.
pub(crate) fn ompt_wants(span: Span) -> bool {
    armed(span.events()) && OMPT.iter().any(|interface| subscription(*interface).events().intersects(span.events()))
}

/// Invokes the callback of an interface's tool on this, the calling thread, unless the thread is already inside a
/// callback of the same interface. No lock is held. Inlined into each function of a [table](Callbacks), where interface
/// and event are constants.
#[inline(always)]
pub fn invoke<F: FnOnce()>(
    interface: Interface,
    event: Event,
    thread: &'static Thread,
    epoch: u32,
    prepare: impl FnOnce() -> Option<F>,
) -> Token {
    let begins = event.ends() != EventSet::NONE;
    let pin = thread.callback.pin(interface);
    if !pin.set(stack_pointer()) {
        return Token::NONE;
    }
    let Some(call) = prepare() else {
        pin.forgo();
        return if begins { end_alone(thread, interface, event, epoch) } else { Token::NONE };
    };
    let errno = thread.callback.errno().get();
    call();
    thread.callback.errno().set(errno);
    let session = Token::of(interface, interface.only_epoch().unwrap_or(epoch));
    // The pin is still set: no event of a signal handler takes the answer.
    let answer = if takes_answer(interface, event) { tls::take_answer() } else { 0 };
    pin.release();
    if Answers::asks_for_counts(answer) {
        thread.answers.count(answer, epoch);
    }
    if matches!(event, Event::TaskCreateBegin) {
        thread.answers.set_creation(answer);
        return session;
    }
    if matches!(interface, Interface::Ora) && matches!(event, Event::ParallelBegin) {
        thread.answers.set_body(answer);
        return session;
    }
    if begins && answer & DECLINE == 0 { session } else { Token::NONE }
}

/// True for events in whose callback a collector may [answer](crate::answer): the starts of a region, of a creation, of an execution, and
/// of waits whose end may be declined.
const fn takes_answer(interface: Interface, event: Event) -> bool {
    use Event::{DependWaitBegin, ParallelBegin, RegionBarrierWaitBegin, TaskBegin, TaskCreateBegin, TaskWaitBegin};
    matches!(interface, Interface::Ora)
        && matches!(
            event,
            TaskWaitBegin | DependWaitBegin | ParallelBegin | RegionBarrierWaitBegin | TaskCreateBegin | TaskBegin
        )
}

/// The token of an interface without a callback for the start event: its session, if it is subscribed to an end.
#[cold]
#[inline(never)]
fn end_alone(thread: &'static Thread, interface: Interface, begin: Event, epoch: u32) -> Token {
    let wanted = subscription(interface).events();
    let end = wanted.intersects(begin.ends()) && !wanted.has(begin) && !is_inside(thread.callback.pin(interface));
    if end { Token::of(interface, interface.only_epoch().unwrap_or(epoch)) } else { Token::NONE }
}

/// True if the calling thread is inside a callback of the interface that owns the pin.
#[inline(always)]
pub(crate) fn is_inside(pin: &CallbackPin) -> bool {
    pin.is_inside(stack_pointer())
}

static NOTHING: Callbacks = Callbacks::none(Interface::Ora);

static SUBSCRIPTIONS: Subscriptions<Callbacks> = Subscriptions::none(&NOTHING);

#[inline(always)]
fn subscriber(interface: Interface) -> &'static Subscriber<Callbacks> {
    let [ora, tr2, v5] = SUBSCRIPTIONS.interfaces();
    match interface {
        Interface::Ora => ora,
        Interface::Tr2 => tr2,
        Interface::V5 => v5,
    }
}

/// The interface's sessions.
#[inline]
pub fn subscription(interface: Interface) -> &'static Subscription {
    &subscriber(interface).subscription
}

/// Sets an interface's dispatch table. Called while the library is being loaded, or before the interface's first
/// session.
pub fn install(interface: Interface, callbacks: &'static Callbacks) {
    subscriber(interface).install(callbacks);
}

/// Subscribes the interface to these events, and no others. Serialized with other threads by a lock; not
/// async-signal-safe.
pub fn subscribe(interface: Interface, events: EventSet) {
    SUBSCRIPTIONS.subscribe(interface as usize, || events);
}

/// [`subscribe`] for several threads of the interface's tool: `events` is evaluated while the caller has the lock.
pub(crate) fn subscribe_as(interface: Interface, events: impl Fn() -> EventSet) {
    SUBSCRIPTIONS.subscribe(interface as usize, events);
}

/// True if the interface's session of this epoch, which isn't 0, is the only one that is subscribed to anything.
#[inline(always)]
pub(crate) fn is_sole(interface: Interface, epoch: u32) -> bool {
    SUBSCRIPTIONS.is_sole(interface as usize, epoch)
}

/// Unsubscribes the interface for good when the process exits: no event is raised for it any more.
pub fn silence(interface: Interface) {
    SUBSCRIPTIONS.silence(interface as usize);
}

/// Releases the lock of subscriptions. Called in a forked child, before any other function of this module.
pub fn after_fork() {
    SUBSCRIPTIONS.forget_turn();
}

/// True if some interface is subscribed to one of these events.
#[inline(always)]
pub fn armed(events: EventSet) -> bool {
    SUBSCRIPTIONS.armed(events)
}

#[cfg(test)]
mod tests;
