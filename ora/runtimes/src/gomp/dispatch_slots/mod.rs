//! Dispatch slots of one libgomp's entries: the targets of their calls. A slot first holds a resolver, then the real function, then a
//! wrapper, then a function that records the call site before the wrapper. While the libgomp is loaded a slot never moves back, in any
//! interleaving of binding, attaching and first use: a missed step would never be made up.

use crate::sync::{AtomicPtr, AtomicUsize, Ordering::*, fence};
use std::ptr::null_mut;

/// Targets of slots, and the conditions for them.
pub(super) trait Targets {
    /// Resolver of an entry's real function.
    fn unbound(&self, entry: usize) -> *mut ();
    /// Wrapper that reports the entry's calls to collectors. Not every entry has one.
    fn wrapper(&self, entry: usize) -> Option<*mut ()>;
    /// Wrapper that also records the call site, for OMPT tools.
    fn recorder(&self, entry: usize) -> *mut ();
    /// True if the entry ends a region or construct. Such entries are wrapped first, so that no thread is seen entering without being seen
    /// leaving.
    fn closes(&self, entry: usize) -> bool;
    /// The word that holds the entry's target instead of its slot, if a function was put in front of the target
    /// (`put_in_front`).
    fn original_target(&self, _entry: usize) -> Option<&AtomicPtr<()>> {
        None
    }
    /// Entries that wrappers call in addition to their own.
    fn needed(&self) -> &[usize];
    /// True while the first use of the runtime is awaited.
    fn is_use_awaited(&self) -> bool;
    /// True if a tool has attached.
    fn is_tracked(&self) -> bool;
    /// True if an OMPT tool has attached.
    fn reports_calls(&self) -> bool;
}

/// `S` slots, and the real functions of `E` entries: the last entries don't have a slot. The slots come first, because trampolines contain
/// their distance from the start. A slot is written by exchanges only, so that loom also orders concurrent writes.
#[repr(C)]
pub(super) struct Slots<const S: usize, const E: usize> {
    slots: [AtomicPtr<()>; S],
    real: [AtomicPtr<()>; E],
    /// Base address of the libgomp; 0: none.
    owner: AtomicUsize,
}

impl<const S: usize, const E: usize> Slots<S, E> {
    /// Slots that lead to resolvers.
    #[cfg(not(loom))]
    pub(super) const fn new(slots: [AtomicPtr<()>; S]) -> Self {
        Self { slots, real: [const { AtomicPtr::new(null_mut()) }; E], owner: AtomicUsize::new(0) }
    }

    #[cfg(loom)]
    fn new(slots: [AtomicPtr<()>; S]) -> Self {
        Self { slots, real: std::array::from_fn(|_| AtomicPtr::new(null_mut())), owner: AtomicUsize::new(0) }
    }

    /// Base address of the libgomp; 0: none.
    pub(super) fn owner(&self) -> usize {
        self.owner.load(Relaxed)
    }

    /// Real function of an entry, if it is known.
    pub(super) fn real(&self, entry: usize) -> Option<*mut ()> {
        // Acquire: pairs with the store in `know`.
        let real = self.real.get(entry)?.load(Acquire);
        (!real.is_null()).then_some(real)
    }

    /// Real function of the entry of a running wrapper. A slot leads to a wrapper only once the function is known, so the result is never
    /// null.
    #[inline(always)]
    pub(super) fn real_in_wrapper(&self, entry: usize) -> *mut () {
        self.real.get(entry).map_or(null_mut(), |real| real.load(Relaxed))
    }

    /// Current target of a call of the entry, unless it is still to be resolved.
    pub(super) fn target(&self, entry: usize, targets: &impl Targets) -> Option<*mut ()> {
        // Acquire: pairs with the exchanges of the slot in `lead`, `open`, `wrap` and `raise`; `real` is known after them.
        let target = self.place(entry, targets)?.load(Acquire);
        (target != targets.unbound(entry)).then_some(target)
    }

    /// The word with the target of an entry's calls.
    fn place<'a>(&'a self, entry: usize, targets: &'a impl Targets) -> Option<&'a AtomicPtr<()>> {
        targets.original_target(entry).or_else(|| self.slots.get(entry))
    }

    /// Leads the entry's calls to a function that continues to the target in the word `next`. Called while the library is being loaded,
    /// before a tool can attach.
    pub(super) fn put_in_front(&self, entry: usize, function: *mut (), next: &AtomicPtr<()>) {
        if let Some(slot) = self.slots.get(entry) {
            // Acquire and Release: as in `lead`.
            next.swap(slot.load(Acquire), AcqRel);
            slot.swap(function, AcqRel);
        }
    }

    /// Sets the entry's real function; null if there is none. Calls don't go there yet.
    pub(super) fn know(&self, entry: usize, real: *mut ()) {
        if let Some(place) = self.real.get(entry) {
            // Release: pairs with the loads in `real`, `open` and `wrap`.
            place.store(real, Release);
        }
    }

    /// Sets the real function and leads calls there, unless the first use of the runtime is awaited.
    pub(super) fn bind(&self, entry: usize, real: *mut (), targets: &impl Targets) {
        self.know(entry, real);
        if !targets.is_use_awaited() {
            self.lead(entry, real, targets);
        }
    }

    /// Leads calls of the entry to the function.
    pub(super) fn lead(&self, entry: usize, function: *mut (), targets: &impl Targets) {
        if let Some(slot) = self.place(entry, targets) {
            // Release: pairs with the load in `target`, and with a call's load of the slot (`exports.rs`): publishes `real`.
            // Acquire: see `raise`.
            slot.swap(function, AcqRel);
        }
    }

    /// Opens the slots after the runtime's first use: calls of all bound entries whose slots are still closed go to their real
    /// functions, or to wrappers.
    pub(super) fn open(&self, targets: &impl Targets) {
        // Dekker handshake with the fence in `wrap`, on the thread of a tool that attaches meanwhile: either that thread sees that the
        // runtime has been used, or its tool is seen here.
        fence(SeqCst);
        if targets.is_tracked() {
            self.wrap(targets);
        }
        for (entry, (slot, real)) in self.slots.iter().zip(&self.real).enumerate() {
            let slot = targets.original_target(entry).unwrap_or(slot);
            // Acquire: pairs with the store in `know`.
            let real = real.load(Acquire);
            if !real.is_null() {
                // A wrapper that was stored meanwhile stays. Release: pairs with the load in `target` and with calls, as in `lead`.
                let _ = slot.compare_exchange(targets.unbound(entry), real, AcqRel, Relaxed);
            }
        }
    }

    /// Closes the slots: the next call of any entry is resolved again.
    pub(super) fn close(&self, targets: &impl Targets) {
        for (entry, slot) in self.slots.iter().enumerate() {
            let slot = targets.original_target(entry).unwrap_or(slot);
            // Release: pairs with the load in `target`. It publishes nothing: calls go to the resolver now.
            slot.swap(targets.unbound(entry), AcqRel);
        }
    }

    /// Marks the entries of the libgomp at this base as bound. A tool that attached meanwhile had nothing to wrap.
    pub(super) fn serve(&self, owner: usize, targets: &impl Targets) {
        self.owner.store(owner, Relaxed);
        // Dekker handshake with the fence in `wrap`: either that thread sees the owner, or its tool is seen here.
        fence(SeqCst);
        if targets.is_tracked() {
            self.wrap(targets);
        }
    }

    /// Forgets an unloaded libgomp. The objects whose calls came here were unloaded with it.
    pub(super) fn forget(&self, targets: &impl Targets) {
        self.close(targets);
        self.owner.store(0, Relaxed);
    }

    /// Leads calls to wrappers from now on, if the runtime has been used. Does nothing unless all functions that wrappers call in addition
    /// to their own are known.
    pub(super) fn wrap(&self, targets: &impl Targets) {
        // Pairs with the fences in `open` and `serve`, and in `Attached::attach_for_calls`.
        fence(SeqCst);
        if targets.is_use_awaited()
            || self.owner() == 0
            || targets.needed().iter().any(|entry| self.real(*entry).is_none())
        {
            return;
        }
        let calls = targets.reports_calls();
        for closing in [true, false] {
            for (entry, (slot, real)) in self.slots.iter().zip(&self.real).enumerate() {
                // Acquire: pairs with the store in `know`.
                let real = real.load(Acquire);
                if targets.closes(entry) != closing || real.is_null() {
                    continue;
                }
                let slot = targets.original_target(entry).unwrap_or(slot);
                if calls {
                    // Release: pairs with the load in `target` and with calls, as in `lead`: publishes what `needed` lists.
                    slot.swap(targets.recorder(entry), AcqRel);
                } else if let Some(wrapper) = targets.wrapper(entry) {
                    raise(slot, real, wrapper, targets.recorder(entry));
                }
            }
        }
    }
}

/// Leads calls to the wrapper, unless another thread has stored `recorder` meanwhile, for an OMPT tool that attached later.
fn raise(slot: &AtomicPtr<()>, real: *mut (), wrapper: *mut (), recorder: *mut ()) {
    let mut now = real;
    while now != recorder {
        // Release: pairs with the load in `target` and with calls, as in `lead`: publishes what `needed` lists. Acquire: pairs with the
        // Release of the exchange that it replaces, so that a call that sees this one also sees what that one published.
        match slot.compare_exchange(now, wrapper, AcqRel, Relaxed) {
            Ok(_) => break,
            Err(other) => now = other,
        }
    }
}

#[cfg(all(test, loom))]
mod models;
