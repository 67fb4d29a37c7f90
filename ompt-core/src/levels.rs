//! What each face wants to hear of, and what that comes to for all of them: what an event looks at first.
//!
//! Faces change their minds on whatever threads, at once; events only read. Who has changed a face's mind finds it so from then
//! on, on its own thread at least: no event that it has asked for goes lost, none comes that it has asked no more for.
#![allow(unsafe_code)] // what delivers is kept as a pointer

use crate::event::{Event, EventSet};
use crate::watcher::Watcher;
use std::ptr;
use system::sync::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering::*, yield_now};

/// How many faces there are.
pub const FACES: usize = 3;

/// One face, with what delivers its events.
pub(crate) struct Listener<D: 'static> {
    pub(crate) watcher: Watcher,
    /// There is always something, so that no event has to ask.
    deliveries: AtomicPtr<D>,
}

/// All faces.
pub(crate) struct Levels<D: 'static> {
    /// What all faces want together.
    armed: AtomicU64,
    /// The deliveries of the only face that wants anything; null where there are more, or none. A hint, of the same time as the
    /// above: whoever goes by it still has to ask the face.
    sole: AtomicPtr<D>,
    /// The epoch of that face's session, which is a hint, too.
    sole_epoch: AtomicU32,
    faces: [Listener<D>; FACES],
    /// Faces whose tool's own data may be gone: the process is exiting.
    silent: [AtomicBool; FACES],
    /// Whether a thread is about to change what is above. One at a time: who has looked before another one has changed its mind
    /// must not write after it.
    changing: AtomicBool,
}

impl<D> Listener<D> {
    #[cfg(not(loom))]
    const fn closed(deliveries: &'static D) -> Self {
        Self { watcher: Watcher::closed(), deliveries: AtomicPtr::new(ptr::from_ref(deliveries).cast_mut()) }
    }

    #[cfg(loom)]
    fn closed(deliveries: &'static D) -> Self {
        Self { watcher: Watcher::closed(), deliveries: AtomicPtr::new(ptr::from_ref(deliveries).cast_mut()) }
    }

    /// What delivers its events.
    #[inline(always)]
    pub(crate) fn deliveries(&self) -> &'static D {
        // SAFETY: `closed` and `install` store only references that are valid for ever.
        // Acquire: pairs with the store in `install`; publishes the target's contents.
        unsafe { &*self.deliveries.load(Acquire) }
    }

    /// Says what delivers its events.
    pub(crate) fn install(&self, deliveries: &'static D) {
        // Release: pairs with the load in `deliveries`; publishes the target's contents.
        self.deliveries.store(ptr::from_ref(deliveries).cast_mut(), Release);
    }

    /// The session that hears of an event.
    #[inline(always)]
    pub(crate) fn hearing(&self, event: Event) -> Option<u32> {
        // In this order: see `watcher.rs`.
        let wanted = self.watcher.wanted();
        wanted.has(event).then(|| self.watcher.epoch())
    }
}

impl<D> Levels<D> {
    /// Nobody wants anything yet.
    #[cfg(not(loom))]
    pub(crate) const fn none(nothing: &'static D) -> Self {
        Self {
            armed: AtomicU64::new(0),
            sole: AtomicPtr::new(ptr::null_mut()),
            sole_epoch: AtomicU32::new(0),
            faces: [Listener::closed(nothing), Listener::closed(nothing), Listener::closed(nothing)],
            silent: [const { AtomicBool::new(false) }; FACES],
            changing: AtomicBool::new(false),
        }
    }

    #[cfg(loom)]
    fn none(nothing: &'static D) -> Self {
        Self {
            armed: AtomicU64::new(0),
            sole: AtomicPtr::new(ptr::null_mut()),
            sole_epoch: AtomicU32::new(0),
            faces: std::array::from_fn(|_| Listener::closed(nothing)),
            silent: std::array::from_fn(|_| AtomicBool::new(false)),
            changing: AtomicBool::new(false),
        }
    }

    /// All faces, in the order of their numbers.
    #[inline(always)]
    pub(crate) fn faces(&self) -> &[Listener<D>; FACES] {
        &self.faces
    }

    /// Whether somebody wants one of these events.
    #[inline(always)]
    pub(crate) fn armed(&self, events: EventSet) -> bool {
        EventSet::from_bits(self.armed.load(Relaxed)).meets(events)
    }

    /// The deliveries of the face that alone wants anything, if there is one such, and the epoch of its session. The two words
    /// are stored one after the other: without an epoch the hint says nothing, or the face would lose an event whenever another
    /// one comes. With the epoch of another face's session this one has just come or gone itself.
    #[inline(always)]
    pub(crate) fn sole(&self) -> Option<(&'static D, u32)> {
        // SAFETY: null, or made of a reference that is valid for ever, in `publish`. They are constants: there is nothing in them
        // that another thread could have written since.
        let face = unsafe { self.sole.load(Relaxed).as_ref() };
        // Acquire: pairs with the store in `publish`: a caller that goes by this session finds no callback of the one before.
        let epoch = self.sole_epoch.load(Acquire);
        face.filter(|_| epoch != 0).map(|face| (face, epoch))
    }

    /// The face of this number wants these events from now on. They are asked for when it is its turn.
    pub(crate) fn want(&self, face: usize, events: impl Fn() -> EventSet) {
        self.change(face, |face, silent| {
            face.watcher.want(if silent.load(Relaxed) { EventSet::NONE } else { events() })
        });
    }

    /// The face of this number wants nothing any more, whatever is asked for.
    pub(crate) fn silence(&self, face: usize) {
        self.change(face, |face, silent| {
            silent.store(true, Relaxed);
            face.watcher.want(EventSet::NONE);
        });
    }

    /// A forked child: whoever was about to change something is not here.
    pub(crate) fn forget_turn(&self) {
        // Release: pairs with the compare-exchange in `wait_for_turn`.
        self.changing.store(false, Release);
    }

    fn change(&self, face: usize, change: impl Fn(&Listener<D>, &AtomicBool)) {
        self.wait_for_turn();
        if let Some((face, silent)) = self.faces.get(face).zip(self.silent.get(face)) {
            change(face, silent);
        }
        self.publish();
        // Release: pairs with the compare-exchange in `wait_for_turn`; the next one sees what this one wants.
        self.changing.store(false, Release);
    }

    /// Not for ever: a thread may be stopped in the middle.
    fn wait_for_turn(&self) {
        for _ in 0..1 << 20 {
            // Acquire: pairs with the stores in `change` and `forget_turn`; publishes what the last one wants.
            if self.changing.compare_exchange(false, true, Acquire, Relaxed).is_ok() {
                return;
            }
            yield_now();
        }
    }

    fn publish(&self) {
        loop {
            let wanted = || self.faces.each_ref().map(|face| face.watcher.wanted());
            let now = wanted();
            let mut listeners = self.faces.iter().zip(&now).filter(|(_, wants)| **wants != EventSet::NONE);
            let sole = match (listeners.next(), listeners.next()) {
                (Some((sole, _)), None) => Some(sole),
                _ => None,
            };
            // SeqCst: pairs with the load in `sole`, which reads the epoch with Acquire; publishes what the session cleared
            // before. `sole` and `armed` are hints, read Relaxed; their stores stand before the second look at `wanted` below.
            self.sole_epoch.store(sole.map_or(0, |sole| sole.watcher.epoch()), SeqCst);
            let deliveries = sole.map_or(ptr::null_mut(), |sole| ptr::from_ref(sole.deliveries()).cast_mut());
            self.sole.store(deliveries, SeqCst);
            self.armed.store(now.iter().fold(EventSet::NONE, |all, wants| all.union(*wants)).bits(), SeqCst);
            // Where somebody has waited in vain, two threads may do this at once: whoever stores last has seen both.
            if wanted() == now {
                break;
            }
        }
    }
}

#[cfg(all(test, loom))]
mod models;
