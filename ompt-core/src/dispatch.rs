//! Dispatch of an event on the calling thread to the callbacks of the tools that are subscribed to it.
//!
//! The model [begins](Thread::begin) a span, [ends](Thread::end) it, or [raises](Thread::raise) an event. Each
//! interface that is subscribed to the event [prepares](crate::callbacks) the call of its tool's callback. Everything
//! else that a callback needs (reader pin, errno, epoch) is in [`invoke`], for every interface.
//!
//! Sessions of an interface are numbered: a session's number is its epoch. A span's begin returns a [`Token`] that
//! identifies the sessions which could be notified of it. The end is reported to those only. So no session gets the end
//! of a span that began before the session did, or while it had paused.

use crate::detail::Detail;
use crate::event::{Event, EventSet, Span};
use crate::state::State;
use crate::subscription::{Levels, Listener, Watcher};
use crate::thread::Thread;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use system::arch::stack_pointer;

pub use crate::interface::{FACES, Face, Token};

impl Thread {
    /// Raises a span's begin on this, the calling thread. The token belongs to the matching [`end`](Self::end).
    #[inline]
    pub fn begin(&'static self, span: Span) -> Token {
        if armed(span.events()) { self.begin_armed(span.begin, &Detail::None) } else { Token::NONE }
    }

    /// Raises the begin of a span that has several possible ends.
    #[inline]
    pub fn begin_one_of(&'static self, begin: Event) -> Token {
        if armed(begin.with_ends()) { self.begin_armed(begin, &Detail::None) } else { Token::NONE }
    }

    /// Raises a span's begin that has particulars.
    #[inline]
    pub fn begin_with(&'static self, span: Span, detail: &Detail<'_>) -> Token {
        if armed(span.events()) { self.begin_armed(span.begin, detail) } else { Token::NONE }
    }

    /// Raises an event that is no span on this, the calling thread.
    #[inline]
    pub fn raise(&'static self, event: Event) {
        self.raise_with(event, &Detail::None);
    }

    /// Raises an event that is no span and has particulars.
    #[inline]
    pub fn raise_with(&'static self, event: Event, detail: &Detail<'_>) {
        if armed(EventSet::of(&[event])) {
            self.raise_armed(event, detail);
        }
    }

    /// Raises an event for one interface alone.
    pub fn raise_for(&'static self, face: Face, event: Event, detail: &Detail<'_>) -> Token {
        self.raise_to(listener(face), event, detail)
    }

    /// Raises a span's end on this, the calling thread, for those that could be notified of its begin.
    #[inline]
    pub fn end(&'static self, span: Span, token: Token) {
        self.end_with(span.end, token);
    }

    /// Raises `end` for the sessions that could be notified of the begin of its span.
    #[inline]
    pub fn end_with(&'static self, end: Event, token: Token) {
        self.end_in_detail(end, &Detail::None, token);
    }

    /// Raises the end of a span, with particulars.
    #[inline]
    pub fn end_in_detail(&'static self, end: Event, detail: &Detail<'_>, token: Token) {
        if token != Token::NONE {
            self.end_armed(end, detail, token);
        }
    }

    #[cold]
    fn begin_armed(&'static self, begin: Event, detail: &Detail<'_>) -> Token {
        match LEVELS.sole() {
            // The only interface that is subscribed to anything is subscribed to this, or to the end.
            Some((callbacks, epoch)) if !self.now().is_idle() => callbacks.of(begin)(self, begin, detail, epoch),
            _ => self.begin_for_all(begin, detail),
        }
    }

    #[cold]
    fn raise_armed(&'static self, event: Event, detail: &Detail<'_>) {
        match LEVELS.sole() {
            Some((callbacks, epoch)) if !self.now().is_idle() => {
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
        match LEVELS.sole() {
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
        if self.now().is_idle() {
            self.leave_pool(begin);
        }
        let begin_for = |face| self.begin_for(face, begin, detail);
        Face::ALL.into_iter().map(begin_for).fold(Token::NONE, Token::or)
    }

    #[inline(never)]
    fn raise_for_all(&'static self, event: Event, detail: &Detail<'_>) {
        if self.now().is_idle() {
            self.leave_pool(event);
        }
        LEVELS.faces().iter().for_each(|listener| _ = self.raise_to(listener, event, detail));
    }

    #[inline(never)]
    fn end_for_all(&'static self, end: Event, detail: &Detail<'_>, token: Token) {
        Face::ALL.into_iter().for_each(|face| {
            let (listener, epoch) = (listener(face), token.of_face(face));
            if epoch != 0 && listener.watcher.wanted().has(end) {
                listener.deliveries().of(end)(self, end, detail, epoch);
            }
        });
    }

    #[inline(always)]
    fn begin_for(&'static self, face: Face, begin: Event, detail: &Detail<'_>) -> Token {
        let listener = listener(face);
        let (wanted, epoch) = (listener.watcher.wanted(), listener.watcher.epoch());
        if wanted.has(begin) {
            listener.deliveries().of(begin)(self, begin, detail, epoch)
        } else if wanted.meets(begin.ends()) {
            end_alone(self, face, begin, epoch)
        } else {
            Token::NONE
        }
    }

    #[inline(always)]
    fn raise_to(&'static self, listener: &Listener<Callbacks>, event: Event, detail: &Detail<'_>) -> Token {
        match listener.hearing(event) {
            Some(epoch) => listener.deliveries().of(event)(self, event, detail, epoch),
            None => Token::NONE,
        }
    }

    /// Reports that a thread has left the thread pool unseen: it raises an event of the program's code, although its
    /// last report says that it is in the pool.
    #[cold]
    fn leave_pool(&'static self, event: Event) {
        if !Span::IDLE.events().has(event) {
            self.work_unseen();
        }
    }

    /// Reports that a thread in the thread pool executes a region of which nothing is known.
    pub(crate) fn work_unseen(&'static self) {
        let idle = Token::from_bits(self.idle.swap(0, Relaxed));
        self.set_state(State::Overhead);
        self.end(Span::IDLE, idle);
        self.set_unseen();
    }
}

/// Dispatches one event on the calling thread, by [`invoke`]. Returns the session that could be notified of the begin of a span.
pub type Invoke = fn(thread: &'static Thread, event: Event, detail: &Detail<'_>, epoch: u32) -> Token;

/// Dispatch table of an interface: one function for each event, so that none has to test which event it is.
#[derive(Debug)]
pub struct Callbacks {
    of: [Invoke; Event::COUNT],
    /// The place of the interface's epoch in a token.
    shift: usize,
}

impl Callbacks {
    /// The table of an interface that has no callbacks.
    pub const fn none(face: Face) -> Self {
        Self { of: [|_, _, _, _| Token::NONE; Event::COUNT], shift: face.shift() }
    }

    /// The table with that event's function.
    #[must_use]
    #[allow(clippy::indexing_slicing)] // the mask keeps it in bounds
    pub const fn with(mut self, event: Event, invoke: Invoke) -> Self {
        self.of[event as usize & (Event::COUNT - 1)] = invoke;
        self
    }

    /// The function of that event.
    #[inline(always)]
    #[allow(clippy::indexing_slicing)] // the mask keeps it in bounds
    fn of(&self, event: Event) -> Invoke {
        self.of[event as usize & (Event::COUNT - 1)]
    }

    /// The interface's epoch in that token.
    #[inline(always)]
    fn epoch_in(&self, token: Token) -> u32 {
        token.at(self.shift)
    }
}

/// A [`Callbacks`] table: for each event the expression that prepares the call of the tool's callback, of the type
/// `Option<impl FnOnce()>`, from thread, detail and epoch. `None` where the tool has registered no callback. An expression only
/// reads, since errno is not kept around it.
#[macro_export]
macro_rules! callbacks {
    ($face:expr, |$thread:pat_param, $detail:pat_param, $epoch:pat_param|: $($event:ident => $prepare:expr;)*) => {
        $crate::dispatch::Callbacks::none($face)$(.with($crate::event::Event::$event, |thread, _, detail, epoch| {
            let ($thread, $detail, $epoch) = (thread, detail, epoch);
            $crate::dispatch::invoke($face, $crate::event::Event::$event, thread, epoch, || $prepare)
        }))*
    };
}

/// Calls an interface's tool back on this, the calling thread, unless the thread is inside a callback of the same
/// interface already. No lock is held. Inlined into each function of a [table](Callbacks), where interface and event
/// are constants.
#[inline(always)]
pub fn invoke<F: FnOnce()>(
    face: Face,
    event: Event,
    thread: &'static Thread,
    epoch: u32,
    prepare: impl FnOnce() -> Option<F>,
) -> Token {
    let begins = event.ends() != EventSet::NONE;
    let (pin, stack) = (thread.pin(face), stack_pointer());
    if pin.load(Relaxed) > stack {
        return Token::NONE;
    }
    // Before the callback is looked up: see the module `settle`.
    pin.store(stack, Relaxed);
    let Some(call) = prepare() else {
        pin.store(0, Relaxed);
        return if begins { end_alone(thread, face, event, epoch) } else { Token::NONE };
    };
    let errno = thread.errno().get();
    call();
    pin.store(0, Relaxed);
    thread.errno().set(errno);
    if begins { Token::of(face, face.only_epoch().unwrap_or(epoch)) } else { Token::NONE }
}

/// The token of an interface that has no callback for a begin: its session, if it is subscribed to an end.
#[cold]
#[inline(never)]
fn end_alone(thread: &'static Thread, face: Face, begin: Event, epoch: u32) -> Token {
    let wanted = watcher(face).wanted();
    let end = wanted.meets(begin.ends()) && !wanted.has(begin) && !is_inside(thread.pin(face));
    if end { Token::of(face, face.only_epoch().unwrap_or(epoch)) } else { Token::NONE }
}

/// True if the calling thread is inside a callback of the interface that the pin is for: the pin is the stack address of the frame
/// that calls back, or 0. One whose frame is gone (an exception, a longjmp) counts no more.
#[inline(always)]
pub(crate) fn is_inside(pin: &AtomicUsize) -> bool {
    pin.load(Relaxed) > stack_pointer()
}

static NOTHING: Callbacks = Callbacks::none(Face::Ora);

static LEVELS: Levels<Callbacks> = Levels::none(&NOTHING);

#[inline(always)]
fn listener(face: Face) -> &'static Listener<Callbacks> {
    let [ora, tr2, v5] = LEVELS.faces();
    match face {
        Face::Ora => ora,
        Face::Tr2 => tr2,
        Face::V5 => v5,
    }
}

/// The interface's sessions.
#[inline]
pub fn watcher(face: Face) -> &'static Watcher {
    &listener(face).watcher
}

/// Sets an interface's dispatch table. To be called while the library is being loaded, or before the interface's first session.
pub fn install(face: Face, callbacks: &'static Callbacks) {
    listener(face).install(callbacks);
}

/// Subscribes the interface to these events, and no others. Takes turns with other threads; not async-signal-safe.
pub fn want(face: Face, events: EventSet) {
    LEVELS.want(face as usize, || events);
}

/// [`want`] for several threads of the interface's tool at once: `events` is evaluated when it is the caller's turn.
pub(crate) fn want_as(face: Face, events: impl Fn() -> EventSet) {
    LEVELS.want(face as usize, events);
}

/// Unsubscribes the interface for good, since the process is exiting: no event is raised for it any more.
pub fn silence(face: Face) {
    LEVELS.silence(face as usize);
}

/// Releases the lock of subscriptions. To be called in a forked child, before any other function of this module.
pub fn after_fork() {
    LEVELS.forget_turn();
}

/// True if some interface is subscribed to one of these events.
#[inline(always)]
pub fn armed(events: EventSet) -> bool {
    LEVELS.armed(events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::here;
    use system::errno::Errno;

    const BEGIN: Event = Event::ParallelBegin;
    const END: Event = Event::ParallelEnd;

    /// Runs in a frame of its own, like code in a callback.
    #[inline(never)]
    fn inside(face: Face) -> bool {
        is_inside(here().unwrap().pin(face))
    }

    #[inline(never)]
    fn notified(face: Face) -> Token {
        invoke(face, BEGIN, here().unwrap(), 7, || Some(|| ()))
    }

    #[test]
    fn a_callback_runs_pinned_and_leaves_errno_as_it_was() {
        let thread = here().unwrap();
        let before = Errno::save();
        thread.errno().set(libc::EAGAIN);
        let call = || {
            assert!(inside(Face::Ora) && !inside(Face::Tr2));
            thread.errno().set(libc::EINVAL);
        };
        assert_eq!(invoke(Face::Ora, BEGIN, thread, 7, || Some(call)), Token::of(Face::Ora, 7));
        assert_eq!((thread.errno().get(), inside(Face::Ora)), (libc::EAGAIN, false));
        before.restore();
    }

    #[test]
    fn the_pin_is_set_before_the_callback_is_looked_up_and_goes_where_there_is_none() {
        let thread = here().unwrap();
        let none = || {
            assert!(inside(Face::Ora));
            None::<fn()>
        };
        assert_eq!(invoke(Face::Ora, BEGIN, thread, 7, none), Token::NONE);
        assert_eq!(thread.pin(Face::Ora).load(Relaxed), 0);
    }

    #[test]
    fn inside_of_a_callback_only_other_interfaces_are_notified() {
        let thread = here().unwrap();
        let call = || assert_eq!([Face::Ora, Face::Tr2].map(notified), [Token::NONE, Token::of(Face::Tr2, 7)]);
        assert_eq!(invoke(Face::Ora, END, thread, 7, || Some(call)), Token::NONE);
        assert_eq!(notified(Face::Ora), Token::of(Face::Ora, 7));
    }
}
