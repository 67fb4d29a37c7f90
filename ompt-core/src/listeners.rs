//! Who listens: for each face its sessions, what they want, and what delivers it.

use crate::detail::Detail;
use crate::dispatch::Token;
use crate::event::{Event, EventSet};
use crate::levels::{Levels, Listener};
use crate::thread::Thread;
use crate::watcher::Watcher;

pub use crate::levels::FACES;

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

static NOTHING: Deliveries = Deliveries::all(Face::Ora, |_, _, _, _, _| Token::NONE);

pub(crate) static LEVELS: Levels<Deliveries> = Levels::none(&NOTHING);

#[inline(always)]
pub(crate) fn listener(face: Face) -> &'static Listener<Deliveries> {
    let [ora, tr2, v5] = LEVELS.faces();
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

/// Says how a face's events are delivered. To be called while the library is being loaded, or before the face's first
/// session.
pub fn install(face: Face, deliveries: &'static Deliveries) {
    listener(face).install(deliveries);
}

/// What the face wants to hear of from now on.
pub fn want(face: Face, events: EventSet) {
    LEVELS.want(face as usize, || events);
}

/// The same, where several threads of the face's may say so at once: each asks when it is its turn.
pub(crate) fn want_as(face: Face, events: impl Fn() -> EventSet) {
    LEVELS.want(face as usize, events);
}

/// The process is exiting: no event is raised for the face any more, whatever is asked for.
pub fn silence(face: Face) {
    LEVELS.silence(face as usize);
}

/// To be called in a forked child, before anything of the above.
pub fn after_fork() {
    LEVELS.forget_turn();
}

/// Whether somebody wants one of these events.
#[inline(always)]
pub fn armed(events: EventSet) -> bool {
    LEVELS.armed(events)
}
