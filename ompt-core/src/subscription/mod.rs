//! Subscription masks, one for each tool interface; their union, which each event tests first; and the sessions that
//! own the masks.
//!
//! Interfaces change their subscriptions on any thread, concurrently; events only read them, without a lock. A change
//! takes effect on the calling thread before the call returns: no event that the tool has subscribed to is lost, and
//! none arrives that it has unsubscribed from.

use crate::event::{Event, EventSet};
use system::memory::{AtomicRef, Link};
use system::sync::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::*, const_unless_loom, fence, yield_now};

/// Bits of an epoch, so that the epochs of three interfaces fit in one word.
pub(crate) const EPOCH_BITS: usize = 21;
pub(crate) const EPOCH_MASK: u32 = (1 << EPOCH_BITS) - 1;

/// The newest session of one interface: its number (epoch), and the events that it is subscribed to.
///
/// Sessions change under a lock of the interface; events only read. An event loads the epoch first, then the callback,
/// then the epoch again. If it is unchanged, the callback belongs to that session: a session clears its callbacks at
/// its end, and the next one increments the epoch before it sets any.
///
/// ```
/// use ompt_core::event::Span;
/// use ompt_core::subscription::{Callback, Subscription};
///
/// static SUBSCRIPTION: Subscription = Subscription::closed();
/// static CALLBACK: Callback = Callback::none();
///
/// let first = SUBSCRIPTION.open();
/// CALLBACK.set(0x1000);
/// SUBSCRIPTION.set(Span::PARALLEL.events());
/// assert_eq!(CALLBACK.of_session(&SUBSCRIPTION, first), Some(0x1000));
///
/// // The next session: an event of the first one never gets its callback.
/// CALLBACK.set(0);
/// let second = SUBSCRIPTION.open();
/// CALLBACK.set(0x2000);
/// assert_eq!(CALLBACK.of_session(&SUBSCRIPTION, first), None);
/// assert_eq!(CALLBACK.of_session(&SUBSCRIPTION, second), Some(0x2000));
/// ```
#[derive(Debug)]
pub struct Subscription {
    /// Incremented at each start of a session; never 0 while one is open.
    epoch: AtomicU32,
    events: AtomicU64,
}

/// One callback of a session, by its address.
#[derive(Debug)]
pub struct Callback(AtomicUsize);

impl Subscription {
    const_unless_loom! {
        /// No session yet.
        pub closed => Self { epoch: AtomicU32::new(0), events: AtomicU64::new(0) }
    }

    /// Opens the next session and returns its epoch. The previous session must have ended.
    pub fn open(&self) -> u32 {
        let epoch = self.epoch.load(Relaxed).wrapping_add(1) & EPOCH_MASK;
        let epoch = if epoch == 0 { 1 } else { epoch };
        // Published by the callbacks that are set after it. Release: pairs with the load in `epoch`: a reader that sees
        // this session finds no callback of the previous one.
        self.epoch.store(epoch, Release);
        epoch
    }

    /// The epoch of the newest session. Async-signal-safe.
    #[inline]
    pub fn epoch(&self) -> u32 {
        // Acquire: pairs with the store in `open`.
        self.epoch.load(Acquire)
    }

    /// Replaces the session's subscription by `events`.
    pub fn set(&self, events: EventSet) {
        // SeqCst: pairs with the load in `events`; publishes the callbacks that were set before. Comes before the
        // second load in `Subscriptions::publish`.
        self.events.store(events.bits(), SeqCst);
    }

    /// The events that the session is subscribed to. Async-signal-safe.
    #[inline]
    pub fn events(&self) -> EventSet {
        // Acquire: pairs with the store in `set`.
        EventSet::from_bits(self.events.load(Acquire))
    }
}

impl Callback {
    const_unless_loom! {
        /// No callback.
        pub none => Self(AtomicUsize::new(0))
    }

    /// Sets the callback, or removes it (0).
    pub fn set(&self, address: usize) {
        // Release: pairs with the loads in `get` and `of_session`: what the tool wrote before it registered is seen in
        // the callback, and so is the epoch of its session.
        self.0.store(address, Release);
    }

    /// The callback's address, no matter which session it belongs to.
    #[inline]
    pub fn get(&self) -> Option<usize> {
        // Acquire: pairs with the store in `set`.
        let address = self.0.load(Acquire);
        (address != 0).then_some(address)
    }

    /// The callback's address, if it belongs to session `epoch` of `subscription`.
    #[inline]
    pub fn of_session(&self, subscription: &Subscription, epoch: u32) -> Option<usize> {
        // Acquire: pairs with the store in `set`; the epoch is read after it.
        let address = self.0.load(Acquire);
        (address != 0 && subscription.epoch() == epoch).then_some(address)
    }
}

/// The number of tool interfaces.
pub const INTERFACES: usize = 3;

/// One tool interface: its session and its dispatch table.
pub(crate) struct Subscriber<D: 'static> {
    pub(crate) subscription: Subscription,
    /// The dispatch table. Never null, so that events don't test for it.
    table: AtomicRef<D>,
}

/// Subscriptions of all tool interfaces.
pub(crate) struct Subscriptions<D: 'static> {
    /// Union of the interfaces' masks.
    armed: AtomicU64,
    /// Dispatch table of the only interface that is subscribed to anything; null if there are several, or none. A hint,
    /// stored together with `armed`: a caller that uses it still has to check the interface's session.
    sole: Link<D>,
    /// That interface's number << 32
    /// the epoch of its session; 0 if there are several, or none. Also a hint.
    sole_session: AtomicU64,
    interfaces: [Subscriber<D>; INTERFACES],
    /// Interfaces whose tool's own data may be destroyed already: the process is exiting.
    silent: [AtomicBool; INTERFACES],
    /// Spin lock for changes to the masks: true while a thread changes one. A thread that read the masks before another
    /// thread's change must not publish them after it.
    changing: AtomicBool,
}

impl<D: Sync> Subscriber<D> {
    #[cfg(not(loom))]
    const fn closed(table: &'static D) -> Self {
        Self { subscription: Subscription::closed(), table: AtomicRef::to(table) }
    }

    #[cfg(loom)]
    fn closed(table: &'static D) -> Self {
        Self { subscription: Subscription::closed(), table: AtomicRef::to(table) }
    }

    /// The interface's dispatch table.
    #[inline(always)]
    pub(crate) fn table(&self) -> &'static D {
        self.table.get()
    }

    /// Replaces the interface's dispatch table.
    pub(crate) fn install(&self, table: &'static D) {
        self.table.set(table);
    }

    /// The epoch of the session that is subscribed to an event; `None` if it isn't.
    #[inline(always)]
    pub(crate) fn subscribed_epoch(&self, event: Event) -> Option<u32> {
        // In this order: see `Subscription`.
        let wanted = self.subscription.events();
        wanted.has(event).then(|| self.subscription.epoch())
    }
}

impl<D: Sync> Subscriptions<D> {
    /// No interface is subscribed to anything.
    #[cfg(not(loom))]
    pub(crate) const fn none(nothing: &'static D) -> Self {
        Self {
            armed: AtomicU64::new(0),
            sole: Link::none(),
            sole_session: AtomicU64::new(0),
            interfaces: [Subscriber::closed(nothing), Subscriber::closed(nothing), Subscriber::closed(nothing)],
            silent: [const { AtomicBool::new(false) }; INTERFACES],
            changing: AtomicBool::new(false),
        }
    }

    #[cfg(loom)]
    fn none(nothing: &'static D) -> Self {
        Self {
            armed: AtomicU64::new(0),
            sole: Link::none(),
            sole_session: AtomicU64::new(0),
            interfaces: std::array::from_fn(|_| Subscriber::closed(nothing)),
            silent: std::array::from_fn(|_| AtomicBool::new(false)),
            changing: AtomicBool::new(false),
        }
    }

    /// All interfaces, in the order of their numbers.
    #[inline(always)]
    pub(crate) fn interfaces(&self) -> &[Subscriber<D>; INTERFACES] {
        &self.interfaces
    }

    /// True if some interface is subscribed to one of these events.
    #[inline(always)]
    pub(crate) fn armed(&self, events: EventSet) -> bool {
        EventSet::from_bits(self.armed.load(Relaxed)).intersects(events)
    }

    /// Dispatch table of the sole subscribed interface, if there is exactly one, and the epoch of its session. The two
    /// words are stored one after the other. The hint is ignored without an epoch: otherwise the interface would
    /// lose an event whenever another interface subscribes. An epoch of another interface's session appears only while
    /// this interface has just subscribed or unsubscribed itself.
    #[inline(always)]
    pub(crate) fn sole(&self) -> Option<(&'static D, u32)> {
        let interface = self.sole.get();
        // Acquire: pairs with the store in `publish`: a caller that relies on this session finds no callback of the
        // previous one.
        #[allow(clippy::cast_possible_truncation)] // the low half
        let epoch = self.sole_session.load(Acquire) as u32;
        interface.filter(|_| epoch != 0).map(|interface| (interface, epoch))
    }

    /// True if the session of the interface with this number is the only one that is subscribed to anything. `epoch` isn't 0.
    #[inline(always)]
    pub(crate) fn is_sole(&self, interface: usize, epoch: u32) -> bool {
        // Acquire: as in `sole`.
        self.sole_session.load(Acquire) == session(interface, epoch)
    }

    /// Subscribes the interface with this number to these events, and no others. `events` is called while the caller
    /// has the lock.
    pub(crate) fn subscribe(&self, interface: usize, events: impl Fn() -> EventSet) {
        self.change(interface, |interface, silent| {
            interface.subscription.set(if silent.load(Relaxed) { EventSet::NONE } else { events() })
        });
    }

    /// Unsubscribes the interface with this number from everything, for good: later subscriptions are ignored.
    pub(crate) fn silence(&self, interface: usize) {
        self.change(interface, |interface, silent| {
            silent.store(true, Relaxed);
            interface.subscription.set(EventSet::NONE);
        });
    }

    /// Releases the lock in a forked child, in which the thread that held it doesn't exist.
    pub(crate) fn forget_turn(&self) {
        // Release: pairs with the compare-exchange in `wait_for_turn`.
        self.changing.store(false, Release);
    }

    fn change(&self, interface: usize, change: impl Fn(&Subscriber<D>, &AtomicBool)) {
        self.wait_for_turn();
        if let Some((interface, silent)) = self.interfaces.get(interface).zip(self.silent.get(interface)) {
            change(interface, silent);
        }
        self.publish();
        // Release: pairs with the compare-exchange in `wait_for_turn`; the next owner sees this one's masks.
        self.changing.store(false, Release);
    }

    /// Takes the lock. Gives up after 2^20 attempts: a thread may be stopped while it holds the lock.
    fn wait_for_turn(&self) {
        for _ in 0..1 << 20 {
            // Acquire: pairs with the stores in `change` and `forget_turn`; publishes the masks of the last owner.
            if self.changing.compare_exchange(false, true, Acquire, Relaxed).is_ok() {
                return;
            }
            yield_now();
        }
    }

    fn publish(&self) {
        loop {
            let wanted = || self.interfaces.each_ref().map(|interface| interface.subscription.events());
            let now = wanted();
            let mut subscribers =
                (0..).zip(&self.interfaces).filter(|(number, _)| now.get(*number) != Some(&EventSet::NONE));
            let sole = match (subscribers.next(), subscribers.next()) {
                (Some(sole), None) => Some(sole),
                _ => None,
            };
            // SeqCst: pairs with the loads in `sole` and `is_sole`, which read the session with Acquire; publishes what
            // the session cleared before. All three are hints, stored before the second load of `events` below.
            let sole_session = sole.map_or(0, |(number, sole)| session(number, sole.subscription.epoch()));
            self.sole_session.store(sole_session, SeqCst);
            self.sole.set(sole.map(|(_, sole)| sole.table()));
            self.armed.store(now.iter().fold(EventSet::NONE, |all, wants| all.union(*wants)).bits(), SeqCst);
            // If a thread has given up waiting, two threads may publish at the same time. Of two that pass this fence,
            // the second one sees the masks of both. SeqCst: pairs with itself on another thread.
            fence(SeqCst);
            if wanted() == now {
                break;
            }
        }
    }
}

#[inline(always)]
const fn session(interface: usize, epoch: u32) -> u64 {
    (interface as u64) << u32::BITS | epoch as u64
}

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, loom))]
mod session_models;
