//! The slots of one libgomp's entries: where their calls go. A slot leads to what finds the real function, then to that
//! function, then to a wrapper, then to what notes the call before. It never goes back as long as the libgomp is there,
//! whichever threads bind, attach tools, and use the runtime for the first time at once: what is missed once is missed for ever.

use crate::sync::{AtomicPtr, AtomicUsize, Ordering::*, fence};
use std::ptr::null_mut;

/// What slots can lead to, and when.
pub(super) trait Ways {
    /// What finds the real function of an entry.
    fn unbound(&self, entry: usize) -> *mut ();
    /// What reports its calls, where calls are not told: not every entry has that.
    fn wrapper(&self, entry: usize) -> Option<*mut ()>;
    /// What reports them where calls are told.
    fn note(&self, entry: usize) -> *mut ();
    /// Whether it closes something. Such entries are reported first, so that nobody is seen entering what he is not seen leaving.
    fn closes(&self, entry: usize) -> bool;
    /// The entries that wrappers call, besides their own.
    fn needed(&self) -> &[usize];
    /// Whether the first use of the runtime is still awaited.
    fn is_use_awaited(&self) -> bool;
    /// Whether a tool has attached.
    fn is_tracked(&self) -> bool;
    /// Whether one has that wants to know of calls.
    fn tells_calls(&self) -> bool;
}

/// `S` slots, and the real functions of `E` entries: the last ones have no slot. The slots come first: entries know their
/// distance from the start. A slot is written by exchanges only: what threads write at once then has one order for models, too.
#[repr(C)]
pub(super) struct Slots<const S: usize, const E: usize> {
    slots: [AtomicPtr<()>; S],
    real: [AtomicPtr<()>; E],
    /// Where the libgomp lies; 0 for none.
    owner: AtomicUsize,
}

impl<const S: usize, const E: usize> Slots<S, E> {
    /// Slots that lead to what finds the real functions.
    #[cfg(not(loom))]
    pub(super) const fn new(slots: [AtomicPtr<()>; S]) -> Self {
        Self { slots, real: [const { AtomicPtr::new(null_mut()) }; E], owner: AtomicUsize::new(0) }
    }

    #[cfg(loom)]
    fn new(slots: [AtomicPtr<()>; S]) -> Self {
        Self { slots, real: std::array::from_fn(|_| AtomicPtr::new(null_mut())), owner: AtomicUsize::new(0) }
    }

    /// Where the libgomp lies that is served; 0 for none.
    pub(super) fn owner(&self) -> usize {
        self.owner.load(Relaxed)
    }

    /// The real function of an entry, if it is known.
    pub(super) fn real(&self, entry: usize) -> Option<*mut ()> {
        // Acquire: pairs with the store in `know`.
        let real = self.real.get(entry)?.load(Acquire);
        (!real.is_null()).then_some(real)
    }

    /// The same for a wrapper, which is reached only by a slot that was written after it: null nowhere.
    #[inline(always)]
    pub(super) fn real_in_wrapper(&self, entry: usize) -> *mut () {
        self.real.get(entry).map_or(null_mut(), |real| real.load(Relaxed))
    }

    /// Where a call of the entry goes now, unless that is still to be found.
    pub(super) fn target(&self, entry: usize, ways: &impl Ways) -> Option<*mut ()> {
        // Acquire: pairs with the exchanges of the slot in `lead`, `open`, `wrap` and `raise`; `real` is known behind them.
        let target = self.slots.get(entry)?.load(Acquire);
        (target != ways.unbound(entry)).then_some(target)
    }

    /// The entry's real function is this, or there is none: null. No call goes there yet.
    pub(super) fn know(&self, entry: usize, real: *mut ()) {
        if let Some(place) = self.real.get(entry) {
            // Release: pairs with the loads in `real`, `open` and `wrap`.
            place.store(real, Release);
        }
    }

    /// The same, and calls go there, unless the first use of the runtime is awaited.
    pub(super) fn bind(&self, entry: usize, real: *mut (), ways: &impl Ways) {
        self.know(entry, real);
        if !ways.is_use_awaited() {
            self.lead(entry, real);
        }
    }

    /// Calls of the entry go there.
    pub(super) fn lead(&self, entry: usize, function: *mut ()) {
        if let Some(slot) = self.slots.get(entry) {
            // Release: pairs with the load in `target`, and with a call's load of the slot (`banks.rs`): publishes `real`.
            // Acquire: see `raise`.
            slot.swap(function, AcqRel);
        }
    }

    /// The runtime has been used: calls of all entries that are bound, and go nowhere yet, go to their real functions, or to
    /// wrappers.
    pub(super) fn open(&self, ways: &impl Ways) {
        // Pairs with the fence in `wrap`, on the thread of a tool that attaches meanwhile: it sees that the runtime has been
        // used, or its tool is seen here.
        fence(SeqCst);
        if ways.is_tracked() {
            self.wrap(ways);
        }
        for (entry, (slot, real)) in self.slots.iter().zip(&self.real).enumerate() {
            // Acquire: pairs with the store in `know`.
            let real = real.load(Acquire);
            if !real.is_null() {
                // A wrapper that came meanwhile stays. Release: pairs with the load in `target` and with calls, as in `lead`.
                let _ = slot.compare_exchange(ways.unbound(entry), real, AcqRel, Relaxed);
            }
        }
    }

    /// The next call of any entry is to be found again.
    pub(super) fn close(&self, ways: &impl Ways) {
        for (entry, slot) in self.slots.iter().enumerate() {
            // Release: pairs with the load in `target`. It publishes nothing: calls go to `late` now.
            slot.swap(ways.unbound(entry), AcqRel);
        }
    }

    /// All entries of the libgomp that lies there are bound. A tool that attached meanwhile had nothing to wrap.
    pub(super) fn serve(&self, owner: usize, ways: &impl Ways) {
        self.owner.store(owner, Relaxed);
        // Pairs with the fence in `wrap`: that thread sees the owner, or its tool is seen here.
        fence(SeqCst);
        if ways.is_tracked() {
            self.wrap(ways);
        }
    }

    /// The libgomp was unloaded, and with it whoever was led here.
    pub(super) fn forget(&self, ways: &impl Ways) {
        self.close(ways);
        self.owner.store(0, Relaxed);
    }

    /// From now on calls are reported, once the runtime has been used. Nothing is, unless all that wrappers call besides their
    /// own function is there.
    pub(super) fn wrap(&self, ways: &impl Ways) {
        // Pairs with the fences in `open` and `serve`, and in `Attached::want_calls`.
        fence(SeqCst);
        if ways.is_use_awaited() || self.owner() == 0 || ways.needed().iter().any(|entry| self.real(*entry).is_none()) {
            return;
        }
        let calls = ways.tells_calls();
        for closing in [true, false] {
            for (entry, (slot, real)) in self.slots.iter().zip(&self.real).enumerate() {
                // Acquire: pairs with the store in `know`.
                let real = real.load(Acquire);
                if ways.closes(entry) != closing || real.is_null() {
                    continue;
                }
                if calls {
                    // Release: pairs with the load in `target` and with calls, as in `lead`: publishes what `needed` lists.
                    slot.swap(ways.note(entry), AcqRel);
                } else if let Some(wrapper) = ways.wrapper(entry) {
                    raise(slot, real, wrapper, ways.note(entry));
                }
            }
        }
    }
}

/// Leads calls to the wrapper, unless another thread has led them to `note` meanwhile, for a tool that came later and wants more.
fn raise(slot: &AtomicPtr<()>, real: *mut (), wrapper: *mut (), note: *mut ()) {
    let mut now = real;
    while now != note {
        // Release: pairs with the load in `target` and with calls, as in `lead`: publishes what `needed` lists. Acquire: pairs
        // with the Release of the exchange that it replaces, so that a call that sees this one sees what that one published.
        match slot.compare_exchange(now, wrapper, AcqRel, Relaxed) {
            Ok(_) => break,
            Err(other) => now = other,
        }
    }
}

#[cfg(all(test, loom))]
mod models;
