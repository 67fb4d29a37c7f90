//! From an event to those who asked for it.
//!
//! Each face has a set of wanted events and an epoch, the number of its session. A span's begin gives a [`Token`] that
//! says who could hear it; the end goes to those only, and only within the same session. So nobody ever gets the end of
//! something that began before he came, or while he had paused.

use crate::event::{Event, EventSet, Span};
use crate::state::State;
use crate::thread::Thread;
use crate::tls::stack_pointer;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};

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
pub type Deliver = fn(thread: &'static Thread, event: Event, epoch: u32) -> bool;

/// Epochs are kept in 21 bits, so that three fit in a token.
const EPOCH_BITS: usize = 21;
const EPOCH_MASK: u32 = (1 << EPOCH_BITS) - 1;

struct Watcher {
    /// Counted up at each start of a session; never 0 while one is open.
    epoch: AtomicU32,
    wanted: AtomicU64,
    deliver: OnceLock<Deliver>,
}

static WATCHERS: [Watcher; FACES] =
    [const { Watcher { epoch: AtomicU32::new(0), wanted: AtomicU64::new(0), deliver: OnceLock::new() } }; FACES];

fn watcher(face: Face) -> &'static Watcher {
    let [ora, tr2, v5] = &WATCHERS;
    match face {
        Face::Ora => ora,
        Face::Tr2 => tr2,
        Face::V5 => v5,
    }
}

/// What all faces want together.
static ARMED: AtomicU64 = AtomicU64::new(0);

/// Set once the process is exiting: tools' own data may be gone.
static SILENT: AtomicBool = AtomicBool::new(false);

/// Says how a face's events are delivered. To be called while the library is being loaded.
pub fn install(face: Face, deliver: Deliver) {
    let _ = watcher(face).deliver.set(deliver);
}

/// Opens a session and gives its epoch. The face's sessions are serialised by the face.
pub fn open_session(face: Face) -> u32 {
    let watcher = watcher(face);
    let epoch = watcher.epoch.load(Relaxed).wrapping_add(1) & EPOCH_MASK;
    let epoch = if epoch == 0 { 1 } else { epoch };
    // Release pairs with the load in `epoch`: who sees a callback of this session also sees its epoch.
    watcher.epoch.store(epoch, Release);
    epoch
}

/// The epoch of the face's newest session. Async-signal-safe.
#[inline]
pub fn epoch(face: Face) -> u32 {
    watcher(face).epoch.load(Acquire)
}

/// What the face wants to hear of from now on.
pub fn want(face: Face, events: EventSet) {
    watcher(face).wanted.store(events.bits(), SeqCst);
    publish();
}

/// The process is exiting: no event is raised any more, whatever is asked for.
pub fn silence() {
    SILENT.store(true, SeqCst);
    publish();
}

fn publish() {
    loop {
        if SILENT.load(SeqCst) {
            WATCHERS.iter().for_each(|w| w.wanted.store(0, SeqCst));
        }
        let union = || WATCHERS.iter().fold(0, |all, w| all | w.wanted.load(SeqCst));
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
    fn epoch(self, face: usize) -> u32 {
        (self.0 >> (face * EPOCH_BITS)) as u32 & EPOCH_MASK
    }

    fn with(self, face: usize, epoch: u32) -> Self {
        Self(self.0 | u64::from(epoch) << (face * EPOCH_BITS))
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
        if armed(all) { self.begin_armed(begin, all) } else { Token::NONE }
    }

    /// Raises an event that is no span on this, the calling thread.
    #[inline]
    pub fn raise(&'static self, event: Event) {
        self.begin_one_of(event, EventSet::of(&[event]));
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
            self.end_armed(end, token);
        }
    }

    #[cold]
    fn begin_armed(&'static self, begin: Event, all: EventSet) -> Token {
        if Self::state_in(self.now()) == State::Idle && !all.meets(Span::IDLE.events()) {
            self.work_unseen();
        }
        let mut token = Token::NONE;
        for (face, (watcher, mark)) in WATCHERS.iter().zip(self.callbacks()).enumerate() {
            let wanted = EventSet::from_bits(watcher.wanted.load(Acquire));
            if !wanted.meets(all) || calling_back(mark) {
                continue;
            }
            let epoch = watcher.epoch.load(Acquire);
            if !wanted.has(begin) || self.call_back(mark, watcher, begin, epoch) {
                token = token.with(face, epoch);
            }
        }
        token
    }

    #[cold]
    fn end_armed(&'static self, end: Event, token: Token) {
        for (face, (watcher, mark)) in WATCHERS.iter().zip(self.callbacks()).enumerate() {
            let epoch = token.epoch(face);
            let wanted = EventSet::from_bits(watcher.wanted.load(Acquire));
            if epoch != 0 && wanted.has(end) && !calling_back(mark) {
                self.call_back(mark, watcher, end, epoch);
            }
        }
    }

    #[inline(always)]
    fn call_back(&'static self, mark: &AtomicUsize, watcher: &Watcher, event: Event, epoch: u32) -> bool {
        let Some(deliver) = watcher.deliver.get() else { return false };
        mark.store(stack_pointer(), Relaxed);
        let done = deliver(self, event, epoch);
        mark.store(0, Relaxed);
        done
    }
}

/// Whether the thread is inside a callback of the face that the mark is for. A mark whose frame is gone (an exception, a
/// longjmp) counts no more.
pub(crate) fn calling_back(mark: &AtomicUsize) -> bool {
    mark.load(Relaxed) > stack_pointer()
}
