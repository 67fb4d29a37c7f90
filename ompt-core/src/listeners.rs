//! Who listens: for each face its sessions, what they want, and what delivers it.
#![allow(unsafe_code)] // what delivers is kept as a pointer

use crate::detail::Detail;
use crate::dispatch::Token;
use crate::event::{Event, EventSet};
use crate::thread::Thread;
use crate::watcher::Watcher;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering::*};

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

/// Hands one event of a session to a face's tool, by [`Thread::call_back`], and says whether it could hear it: then it hears
/// the end of the same span, too. `span`: the events of the span that begins; none for all others. For them only the tool's
/// callback counts.
pub type Deliver = fn(thread: &'static Thread, event: Event, detail: &Detail<'_>, epoch: u32, span: EventSet) -> Token;

/// What delivers each event, in a face of its own way: a function for each, so that none has to look which event it is.
#[derive(Debug)]
pub struct Deliveries {
    of: [Deliver; EVENTS],
    face: Face,
}

/// An event's number is less than this (a set of them is a word).
const EVENTS: usize = u64::BITS as usize;

impl Deliveries {
    /// The same for all events of a face.
    pub const fn all(face: Face, deliver: Deliver) -> Self {
        Self { of: [deliver; EVENTS], face }
    }

    /// Another one for this event.
    #[must_use]
    #[allow(clippy::indexing_slicing)] // the mask keeps it in bounds
    pub const fn with(mut self, event: Event, deliver: Deliver) -> Self {
        self.of[event as usize & (EVENTS - 1)] = deliver;
        self
    }

    #[inline(always)]
    #[allow(clippy::indexing_slicing)] // the mask keeps it in bounds
    pub(crate) fn of(&self, event: Event) -> Deliver {
        self.of[event as usize & (EVENTS - 1)]
    }

    /// Whose they are.
    #[inline(always)]
    pub(crate) fn face(&self) -> Face {
        self.face
    }
}

/// One face.
pub(crate) struct Listener {
    pub(crate) watcher: Watcher,
    pub(crate) deliveries: Installed,
}

pub(crate) static LISTENERS: [Listener; FACES] =
    [const { Listener { watcher: Watcher::closed(), deliveries: Installed::nothing() } }; FACES];

/// A face's deliveries: there are always some, so that no event has to ask.
pub(crate) struct Installed(AtomicPtr<Deliveries>);

impl Installed {
    const fn nothing() -> Self {
        static NOTHING: Deliveries = Deliveries::all(Face::Ora, |_, _, _, _, _| Token::NONE);
        Self(AtomicPtr::new(ptr::from_ref(&NOTHING).cast_mut()))
    }

    #[inline(always)]
    pub(crate) fn get(&self) -> &'static Deliveries {
        // SAFETY: made of references that are valid for ever, above and in `install`.
        unsafe { &*self.0.load(Acquire) }
    }
}

pub(crate) fn listener(face: Face) -> &'static Listener {
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
/// The deliveries of the only face that wants anything; null where there are more, or none. A hint, of the same time as the
/// above: whoever goes by it still has to ask the face.
static SOLE: AtomicPtr<Deliveries> = AtomicPtr::new(ptr::null_mut());
/// The epoch of that face's session, which is a hint, too.
static SOLE_EPOCH: AtomicU32 = AtomicU32::new(0);

/// Faces whose tool's own data may be gone: the process is exiting.
static SILENT: [AtomicBool; FACES] = [const { AtomicBool::new(false) }; FACES];

/// Says how a face's events are delivered. To be called while the library is being loaded, or before the face's first
/// session.
pub fn install(face: Face, deliveries: &'static Deliveries) {
    listener(face).deliveries.0.store(ptr::from_ref(deliveries).cast_mut(), Release);
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
        let wanted = || LISTENERS.each_ref().map(|listener| listener.watcher.wanted());
        let now = wanted();
        let somebody = |wants: &EventSet| *wants != EventSet::NONE;
        let mut listeners = LISTENERS.iter().zip(&now).filter(|(_, wants)| somebody(wants));
        let sole = match (listeners.next(), listeners.next()) {
            (Some((sole, _)), None) => Some(sole),
            _ => None,
        };
        SOLE_EPOCH.store(sole.map_or(0, |sole| sole.watcher.epoch()), SeqCst);
        SOLE.store(sole.map_or(ptr::null_mut(), |sole| ptr::from_ref(sole.deliveries.get()).cast_mut()), SeqCst);
        ARMED.store(now.iter().fold(EventSet::NONE, |all, wants| all.union(*wants)).bits(), SeqCst);
        // Two faces may do this at once: whoever stores last has seen both.
        if wanted() == now {
            break;
        }
    }
}

/// Whether somebody wants one of these events.
#[inline(always)]
pub fn armed(events: EventSet) -> bool {
    EventSet::from_bits(ARMED.load(Relaxed)).meets(events)
}

/// The deliveries of the face that alone wants anything, if there is one such, and the epoch of its session. The two words
/// are stored one after the other: without an epoch the hint says nothing, or the face would lose an event whenever another one
/// comes. With the epoch of another face's session this one has just come or gone itself.
#[inline(always)]
pub(crate) fn sole() -> Option<(&'static Deliveries, u32)> {
    // SAFETY: null, or made of a reference that is valid for ever, in `publish`. They are constants: there is nothing in them
    // that another thread could have written since.
    let face = unsafe { SOLE.load(Relaxed).as_ref() };
    let epoch = SOLE_EPOCH.load(Relaxed);
    face.filter(|_| epoch != 0).map(|face| (face, epoch))
}
