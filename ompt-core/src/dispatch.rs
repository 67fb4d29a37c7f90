//! From an event to those who asked for it.
//!
//! Each face has a set of wanted events and an epoch, the number of its session. A span's begin gives a [`Token`] that
//! says who could hear it; the end goes to those only, and only within the same session. So nobody ever gets the end of
//! something that began before he came, or while he had paused.

use crate::detail::Detail;
use crate::event::{Event, EventSet, Span};
use crate::thread::Thread;
use crate::watcher::{EPOCH_BITS, EPOCH_MASK};
use std::sync::atomic::{AtomicUsize, Ordering::*};
use system::arch::stack_pointer;

pub(crate) use crate::listeners::want_as;
pub use crate::listeners::{Deliver, Deliveries, FACES, Face, after_fork, armed, install, silence, want, watcher};
use crate::listeners::{LEVELS, listener};

type Listener = crate::levels::Listener<Deliveries>;
type Occurrence<'a> = (Event, &'a Detail<'a>);

/// Who could hear a span's begin: the epoch of each face's session, or 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Token(u64);

impl Token {
    /// Nobody.
    pub const NONE: Self = Self(0);

    /// The token without what that face could hear.
    pub(crate) fn without(self, face: Face) -> Self {
        Self(self.0 & !(u64::from(EPOCH_MASK) << (face as usize * EPOCH_BITS)))
    }

    /// That face can hear it, in the session of this epoch.
    #[inline(always)]
    pub const fn of(face: Face, epoch: u32) -> Self {
        Self((epoch as u64) << (face as usize * EPOCH_BITS))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What the face of this number could hear.
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation)] // takes the face's own bits
    fn of_number(self, face: usize) -> u32 {
        (self.0 >> (face * EPOCH_BITS)) as u32 & EPOCH_MASK
    }

    /// What that face could hear.
    pub(crate) fn of_face(self, face: Face) -> u32 {
        self.of_number(face as usize)
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
        self.raise_with(event, &Detail::None);
    }

    /// Raises such an event that needs to be told in detail.
    #[inline]
    pub fn raise_with(&'static self, event: Event, detail: &Detail<'_>) {
        if armed(EventSet::of(&[event])) {
            self.raise_armed(event, detail);
        }
    }

    /// Raises such an event for one face alone.
    pub fn raise_for(&'static self, face: Face, event: Event, detail: &Detail<'_>) -> Token {
        self.tell_begin(face, (event, detail), EventSet::of(&[event]))
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
        match LEVELS.sole() {
            // Who alone wants anything wants this, or the end.
            Some((face, epoch)) if !self.now().is_idle() => face.of(begin)(self, begin, detail, epoch, all),
            _ => self.begin_for_all(begin, detail, all),
        }
    }

    #[cold]
    fn raise_armed(&'static self, event: Event, detail: &Detail<'_>) {
        match LEVELS.sole() {
            Some((face, epoch)) if !self.now().is_idle() => {
                face.of(event)(self, event, detail, epoch, EventSet::NONE);
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
            Some((face, _)) => {
                let epoch = token.of_number(face.face() as usize);
                if epoch != 0 {
                    face.of(end)(self, end, detail, epoch, EventSet::NONE);
                }
            }
            None => self.end_for_all(end, detail, token),
        }
    }

    #[inline(never)]
    fn begin_for_all(&'static self, begin: Event, detail: &Detail<'_>, all: EventSet) -> Token {
        self.leave_pool(all);
        let told = |face| self.tell_begin(face, (begin, detail), all);
        [Face::Ora, Face::Tr2, Face::V5].into_iter().map(told).fold(Token::NONE, Token::or)
    }

    #[inline(never)]
    fn raise_for_all(&'static self, event: Event, detail: &Detail<'_>) {
        self.leave_pool(EventSet::of(&[event]));
        LEVELS.faces().iter().for_each(|listener| self.tell(listener, (event, detail)));
    }

    #[inline(never)]
    fn end_for_all(&'static self, end: Event, detail: &Detail<'_>, token: Token) {
        let all = LEVELS.faces().iter().enumerate();
        all.for_each(|(face, listener)| self.tell_end(listener, (end, detail), token.of_number(face)));
    }

    /// A thread in the pool, as far as was told, raises an event of the program's code: it has left the pool unseen.
    #[inline(always)]
    fn leave_pool(&'static self, events: EventSet) {
        if self.now().is_idle() && !events.meets(Span::IDLE.events()) {
            self.work_unseen();
        }
    }

    #[inline(always)]
    fn tell(&'static self, listener: &Listener, event: Occurrence<'_>) {
        if let Some(epoch) = listener.hearing(event.0) {
            self.deliver(listener, event, epoch);
        }
    }

    #[inline(always)]
    fn tell_begin(&'static self, face: Face, begin: Occurrence<'_>, all: EventSet) -> Token {
        let listener = listener(face);
        let (wanted, epoch) = (listener.watcher.wanted(), listener.watcher.epoch());
        if wanted.has(begin.0) {
            self.deliver(listener, begin, epoch)
        } else if wanted.meets(all) {
            self.without_callback(face, begin.0, epoch, all)
        } else {
            Token::NONE
        }
    }

    #[inline(always)]
    fn tell_end(&'static self, listener: &Listener, end: Occurrence<'_>, epoch: u32) {
        if epoch != 0 && listener.watcher.wanted().has(end.0) {
            self.deliver(listener, end, epoch);
        }
    }

    #[inline(always)]
    fn deliver(&'static self, listener: &Listener, event: Occurrence<'_>, epoch: u32) -> Token {
        listener.deliveries().of(event.0)(self, event.0, event.1, epoch, EventSet::NONE)
    }

    /// What a face without a callback for a begin could hear: an end, if that is all that it wants.
    #[cold]
    #[inline(never)]
    pub fn without_callback(&'static self, face: Face, begin: Event, epoch: u32, span: EventSet) -> Token {
        let wanted = watcher(face).wanted();
        let end = wanted.meets(span) && !wanted.has(begin) && !calling_back(self.mark(face));
        if end { Token::of(face, epoch) } else { Token::NONE }
    }

    #[inline(always)]
    fn mark(&'static self, face: Face) -> &'static AtomicUsize {
        let [ora, tr2, v5] = self.callbacks();
        match face {
            Face::Ora => ora,
            Face::Tr2 => tr2,
            Face::V5 => v5,
        }
    }

    /// Calls a face's tool on this, the calling thread; `None` where that is inside of a callback of the face already, false
    /// where `prepare` finds no callback. It only looks around: errno is kept around the call that it prepares. Inlined into
    /// each [`Deliver`]: an event goes to the tool by as few calls as can be.
    #[inline(always)]
    pub fn call_back<F: FnOnce()>(&'static self, face: Face, prepare: impl FnOnce() -> Option<F>) -> Option<bool> {
        let (mark, stack) = (self.mark(face), stack_pointer());
        if mark.load(Relaxed) > stack {
            return None;
        }
        // Before the callback is looked up: see `settle`.
        mark.store(stack, Relaxed);
        let Some(call) = prepare() else {
            mark.store(0, Relaxed);
            return Some(false);
        };
        let errno = self.errno_now();
        call();
        mark.store(0, Relaxed);
        self.set_errno(errno);
        Some(true)
    }
}

/// Whether the thread is inside a callback of the face that the mark is for. A mark whose frame is gone (an exception, a
/// longjmp) counts no more.
#[inline(always)]
pub(crate) fn calling_back(mark: &AtomicUsize) -> bool {
    mark.load(Relaxed) > stack_pointer()
}
