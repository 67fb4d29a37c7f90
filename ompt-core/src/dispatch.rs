//! From an event to those who asked for it.
//!
//! Each face has a set of wanted events and an epoch, the number of its session. A span's begin gives a [`Token`] that
//! says who could hear it; the end goes to those only, and only within the same session. So nobody ever gets the end of
//! something that began before he came, or while he had paused.

use crate::detail::Detail;
use crate::event::{Event, EventSet, Span};
use crate::state::State;
use crate::thread::Thread;
use crate::tls::stack_pointer;
use crate::watcher::{EPOCH_BITS, EPOCH_MASK, Watcher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};

/// The tool interfaces that can be attached, all at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// The Sun Collector API.
    Ora,
    /// OMPT of Technical Report 2.
    Tr2,
    /// OMPT of OpenMP 5.
    V5,
}

/// How many faces there are.
pub const FACES: usize = 3;

/// Hands one event of a session to a face's tool. False if that session is over or has no callback for the event.
pub type Deliver = fn(thread: &'static Thread, event: Event, detail: &Detail<'_>, epoch: u32) -> bool;

type Occurrence<'a> = (Event, &'a Detail<'a>);

struct Listener {
    watcher: Watcher,
    deliver: OnceLock<Deliver>,
}

static LISTENERS: [Listener; FACES] =
    [const { Listener { watcher: Watcher::closed(), deliver: OnceLock::new() } }; FACES];

fn listener(face: Face) -> &'static Listener {
    let [ora, tr2, v5] = &LISTENERS;
    match face {
        Face::Ora => ora,
        Face::Tr2 => tr2,
        Face::V5 => v5,
    }
}

/// The face's sessions.
#[inline]
pub fn watcher(face: Face) -> &'static Watcher {
    &listener(face).watcher
}

/// What all faces want together.
static ARMED: AtomicU64 = AtomicU64::new(0);

/// Faces whose tool's own data may be gone: the process is exiting.
static SILENT: [AtomicBool; FACES] = [const { AtomicBool::new(false) }; FACES];

/// Says how a face's events are delivered. To be called while the library is being loaded, or before the face's first
/// session.
#[inline(never)]
pub fn install(face: Face, deliver: Deliver) {
    let _ = listener(face).deliver.set(deliver);
}

/// What the face wants to hear of from now on.
pub fn want(face: Face, events: EventSet) {
    watcher(face).want(events);
    publish();
}

/// The process is exiting: no event is raised for the face any more, whatever is asked for.
pub fn silence(face: Face) {
    let [ora, tr2, v5] = &SILENT;
    let silent = match face {
        Face::Ora => ora,
        Face::Tr2 => tr2,
        Face::V5 => v5,
    };
    silent.store(true, SeqCst);
    publish();
}

fn publish() {
    loop {
        let silent = LISTENERS.iter().zip(&SILENT).filter(|(_, silent)| silent.load(SeqCst));
        silent.for_each(|(listener, _)| listener.watcher.want(EventSet::NONE));
        let union = || LISTENERS.iter().fold(EventSet::NONE, |all, l| all.union(l.watcher.wanted())).bits();
        let all = union();
        ARMED.store(all, SeqCst);
        // Two faces may do this at once: whoever stores last has seen both.
        if union() == all {
            break;
        }
    }
}

/// Whether somebody wants one of these events.
#[inline(always)]
pub fn armed(events: EventSet) -> bool {
    EventSet::from_bits(ARMED.load(Relaxed)).meets(events)
}

/// Who could hear a span's begin: the epoch of each face's session, or 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Token(u64);

impl Token {
    /// Nobody.
    pub const NONE: Self = Self(0);

    #[allow(clippy::cast_possible_truncation)] // takes the face's own bits
    fn epoch(self, face: Face) -> u32 {
        (self.0 >> (face as usize * EPOCH_BITS)) as u32 & EPOCH_MASK
    }

    /// The token without what that face could hear.
    pub(crate) fn without(self, face: Face) -> Self {
        Self(self.0 & !(u64::from(EPOCH_MASK) << (face as usize * EPOCH_BITS)))
    }

    fn with(self, face: Face, epoch: u32) -> Self {
        Self(self.0 | u64::from(epoch) << (face as usize * EPOCH_BITS))
    }

    /// The token as a word, to be kept elsewhere.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The token that [`bits`](Self::bits) came from.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

impl Thread {
    /// Raises a span's begin on this, the calling thread. The token belongs to the matching [`end`](Self::end).
    #[inline]
    pub fn begin(&'static self, span: Span) -> Token {
        self.begin_one_of(span.begin, span.events())
    }

    /// Raises the begin of a span that can end in several ways: `all` are its events, the begin included.
    #[inline]
    pub fn begin_one_of(&'static self, begin: Event, all: EventSet) -> Token {
        if armed(all) { self.begin_armed(begin, &Detail::None, all) } else { Token::NONE }
    }

    /// Raises a span's begin that needs to be told in detail.
    #[inline]
    pub fn begin_with(&'static self, span: Span, detail: &Detail<'_>) -> Token {
        let all = span.events();
        if armed(all) { self.begin_armed(span.begin, detail, all) } else { Token::NONE }
    }

    /// Raises an event that is no span on this, the calling thread.
    #[inline]
    pub fn raise(&'static self, event: Event) {
        self.begin_one_of(event, EventSet::of(&[event]));
    }

    /// Raises such an event that needs to be told in detail.
    #[inline]
    pub fn raise_with(&'static self, event: Event, detail: &Detail<'_>) {
        let all = EventSet::of(&[event]);
        if armed(all) {
            self.begin_armed(event, detail, all);
        }
    }

    /// Raises such an event for one face alone.
    pub fn raise_for(&'static self, face: Face, event: Event, detail: &Detail<'_>) -> Token {
        let [ora, tr2, v5] = self.callbacks();
        let mark = match face {
            Face::Ora => ora,
            Face::Tr2 => tr2,
            Face::V5 => v5,
        };
        let all = EventSet::of(&[event]);
        Token::NONE.with(face, self.tell_begin(listener(face), mark, (event, detail), all))
    }

    /// Raises a span's end on this, the calling thread, for those who could hear its begin.
    #[inline]
    pub fn end(&'static self, span: Span, token: Token) {
        self.end_with(span.end, token);
    }

    /// Raises `end` for those who could hear the begin of its span.
    #[inline]
    pub fn end_with(&'static self, end: Event, token: Token) {
        if token != Token::NONE {
            self.end_armed(end, &Detail::None, token);
        }
    }

    /// Raises such an end that needs to be told in detail.
    #[inline]
    pub fn end_in_detail(&'static self, end: Event, detail: &Detail<'_>, token: Token) {
        if token != Token::NONE {
            self.end_armed(end, detail, token);
        }
    }

    #[cold]
    fn begin_armed(&'static self, begin: Event, detail: &Detail<'_>, all: EventSet) -> Token {
        if Self::state_in(self.now()) == State::Idle && !all.meets(Span::IDLE.events()) {
            self.work_unseen();
        }
        let [ora, tr2, v5] = &LISTENERS;
        let [in_ora, in_tr2, in_v5] = self.callbacks();
        Token::NONE
            .with(Face::Ora, self.tell_begin(ora, in_ora, (begin, detail), all))
            .with(Face::Tr2, self.tell_begin(tr2, in_tr2, (begin, detail), all))
            .with(Face::V5, self.tell_begin(v5, in_v5, (begin, detail), all))
    }

    #[cold]
    fn end_armed(&'static self, end: Event, detail: &Detail<'_>, token: Token) {
        let [ora, tr2, v5] = &LISTENERS;
        let [in_ora, in_tr2, in_v5] = self.callbacks();
        self.tell_end(ora, in_ora, (end, detail), token.epoch(Face::Ora));
        self.tell_end(tr2, in_tr2, (end, detail), token.epoch(Face::Tr2));
        self.tell_end(v5, in_v5, (end, detail), token.epoch(Face::V5));
    }

    /// The epoch of the session that could hear the begin, or 0.
    #[inline(always)]
    fn tell_begin(&'static self, listener: &Listener, mark: &AtomicUsize, begin: Occurrence<'_>, all: EventSet) -> u32 {
        let wanted = listener.watcher.wanted();
        if !wanted.meets(all) || calling_back(mark) {
            return 0;
        }
        let epoch = listener.watcher.epoch();
        if !wanted.has(begin.0) || self.call_back(mark, listener, begin, epoch) { epoch } else { 0 }
    }

    #[inline(always)]
    fn tell_end(&'static self, listener: &Listener, mark: &AtomicUsize, end: Occurrence<'_>, epoch: u32) {
        if epoch != 0 && listener.watcher.wanted().has(end.0) && !calling_back(mark) {
            self.call_back(mark, listener, end, epoch);
        }
    }

    #[inline(always)]
    fn call_back(&'static self, mark: &AtomicUsize, listener: &Listener, event: Occurrence<'_>, epoch: u32) -> bool {
        let Some(deliver) = listener.deliver.get() else { return false };
        mark.store(stack_pointer(), Relaxed);
        let done = deliver(self, event.0, event.1, epoch);
        mark.store(0, Relaxed);
        done
    }
}

/// Whether the thread is inside a callback of the face that the mark is for. A mark whose frame is gone (an exception, a
/// longjmp) counts no more.
pub(crate) fn calling_back(mark: &AtomicUsize) -> bool {
    mark.load(Relaxed) > stack_pointer()
}
