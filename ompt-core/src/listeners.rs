//! Who listens: for each face its sessions, what they want, and what delivers it.
#![allow(unsafe_code)] // what delivers is kept as a pointer

use crate::detail::Detail;
use crate::event::{Event, EventSet};
use crate::thread::Thread;
use crate::watcher::Watcher;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering::*};

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

/// Hands one event of a session to a face's tool, by [`Thread::call_back`]. False if that can't be, the session is over, or it
/// has no callback for the event.
pub type Deliver = fn(thread: &'static Thread, event: Event, detail: &Detail<'_>, epoch: u32) -> bool;

/// What delivers each event, in a face of its own way: a function for each, so that none has to look which event it is.
#[derive(Debug)]
pub struct Deliveries([Deliver; EVENTS]);

/// An event's number is less than this (a set of them is a word).
const EVENTS: usize = u64::BITS as usize;

impl Deliveries {
    /// The same for all events.
    pub const fn all(deliver: Deliver) -> Self {
        Self([deliver; EVENTS])
    }

    /// Another one for this event.
    #[must_use]
    #[allow(clippy::indexing_slicing)] // the mask keeps it in bounds
    pub const fn with(mut self, event: Event, deliver: Deliver) -> Self {
        self.0[event as usize & (EVENTS - 1)] = deliver;
        self
    }

    #[inline(always)]
    #[allow(clippy::indexing_slicing)] // the mask keeps it in bounds
    pub(crate) fn of(&self, event: Event) -> Deliver {
        self.0[event as usize & (EVENTS - 1)]
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
        static NOTHING: Deliveries = Deliveries::all(|_, _, _, _| false);
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
/// The number of the only face that wants anything; [`FACES`] where there are more, or none. A hint, of the same time as the
/// above: whoever goes by it still has to ask the face.
static ONLY: AtomicUsize = AtomicUsize::new(FACES);

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
        let several = now.iter().filter(|wants| somebody(wants)).count() != 1;
        let only = if several { FACES } else { now.iter().position(somebody).unwrap_or(FACES) };
        ONLY.store(only, SeqCst);
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

/// The number of the face that alone wants anything, if there is one such.
#[inline(always)]
pub(crate) fn only() -> usize {
    ONLY.load(Relaxed)
}
