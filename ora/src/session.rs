//! The collector's session: START, STOP, PAUSE, RESUME and the registered callbacks (white paper, "Initialization",
//! "Termination", "Event notification").
//!
//! One lock orders all changes of a session. An event loads its callback once, and calls it only if the session that
//! could be notified of the span's start is still the newest one: no registration of an earlier session is ever
//! revived.
#![allow(unsafe_code)] // calls the collector's callbacks

use crate::codes::EventNumber;
use crate::translate;
use crate::{lock, warning};
use ompt_core::adapter;
use ompt_core::dispatch::{self, Callbacks, Interface};
use ompt_core::event::{Event, EventSet};
use ompt_core::subscription::Callback;
use ompt_core::thread;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::*};
use system::single_thread;
use thiserror::Error;

/// One more than the largest event number.
const EVENTS: usize = EventNumber::OMP_EVENT_THR_END_FINISH_TASK as usize + 1;

type Function = unsafe extern "C-unwind" fn(c_int);

static STARTED: AtomicBool = AtomicBool::new(false);
static PAUSED: AtomicBool = AtomicBool::new(false);
/// True with `ORA_DISABLE=1`.
static DISABLED: AtomicBool = AtomicBool::new(false);
static LAYOUT: AtomicU8 = AtomicU8::new(0);
/// Core events that have a callback.
static REGISTERED: AtomicU64 = AtomicU64::new(0);
/// Callbacks by event number.
static CALLBACKS: [Callback; EVENTS] = [const { Callback::none() }; EVENTS];

/// Layout of the collector's structs that have an `int` followed by a pointer.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The pointer follows immediately.
    Packed = 1,
    /// The pointer is at the next multiple of 8, as a C compiler places it.
    Padded = 2,
}

/// Reason for which a session refuses a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SessionError {
    /// `OMP_REQ_START` came twice, or another request came first.
    #[error("the session is in another state")]
    Sequence,
    /// The library is disabled.
    #[error("ORA_DISABLE turns the library off")]
    Disabled,
    /// No runtime adapter in this process raises the event.
    #[error("no OpenMP runtime here raises event {0:?}")]
    Unsupported(EventNumber),
}

/// Disables the library for good.
pub(crate) fn disable() {
    DISABLED.store(true, Relaxed);
}

/// True if the library is disabled.
pub(crate) fn is_disabled() -> bool {
    DISABLED.load(Relaxed)
}

/// Installs this interface's dispatch table. Called while the library is being loaded.
pub(crate) fn set_up() {
    dispatch::install(Interface::Ora, &TABLE);
}

/// True if a session is open. Async-signal-safe.
#[inline]
pub(crate) fn started() -> bool {
    // Acquire: pairs with the store in `start`, which publishes the session's cleared layout.
    STARTED.load(Acquire)
}

/// The layout that the collector has shown to use. Async-signal-safe.
#[inline]
pub(crate) fn layout() -> Option<Layout> {
    match LAYOUT.load(Relaxed) {
        1 => Some(Layout::Packed),
        2 => Some(Layout::Padded),
        _ => None,
    }
}

/// Sets the layout that the collector has shown to use; the first proof counts.
pub fn learn(layout: Layout) {
    let _ = LAYOUT.compare_exchange(0, layout as u8, Relaxed, Relaxed);
}

/// Opens a session: unpaused, without callbacks.
///
/// # Errors
/// One is open already, or the library is disabled.
pub fn start() -> Result<(), SessionError> {
    if DISABLED.load(Relaxed) {
        return Err(SessionError::Disabled);
    }
    let _held = lock::hold();
    if started() {
        return Err(SessionError::Sequence);
    }
    warning::of_silence();
    exit::watch();
    adapter::attach(single_thread::is_known());
    // The collector's own thread is answered from its record immediately, even before it executes OpenMP code. But an
    // OMPT tool would be notified of a thread that may never do so.
    if !adapter::reports_calls() && !dispatch::armed(EventSet::of(&[Event::ThreadBegin, Event::ImplicitTaskBegin])) {
        let _ = thread::here();
    }
    dispatch::subscription(Interface::Ora).open();
    LAYOUT.store(0, Relaxed);
    PAUSED.store(false, Relaxed);
    // Release: publishes the cleared `LAYOUT`; pairs with the load in `started`. `PAUSED` is read under the lock.
    STARTED.store(true, Release);
    Ok(())
}

/// Ends the session.
///
/// # Errors
/// No session is open.
pub fn stop() -> Result<(), SessionError> {
    let _held = open()?;
    // Release: pairs with the load in `started`; nothing but the flag is published.
    STARTED.store(false, Release);
    REGISTERED.store(0, Relaxed);
    dispatch::subscribe(Interface::Ora, EventSet::NONE);
    CALLBACKS.iter().for_each(|slot| slot.set(0));
    Ok(())
}

/// Holds events back (true), or lets them through again.
///
/// # Errors
/// No session is open.
pub fn pause(pause: bool) -> Result<(), SessionError> {
    let _held = open()?;
    PAUSED.store(pause, Relaxed);
    apply();
    Ok(())
}

/// Registers a callback for an event, by its address; 0 removes it.
///
/// # Errors
/// No session is open, or no runtime adapter raises the event.
pub fn register(event: EventNumber, callback: usize) -> Result<(), SessionError> {
    let _held = open()?;
    let events = supported(event)?;
    let registered = EventSet::from_bits(REGISTERED.load(Relaxed));
    if let Some(slot) = CALLBACKS.get(event as usize) {
        slot.set(callback);
    }
    let others = registered.bits() & !events.bits();
    REGISTERED.store(others | if callback == 0 { 0 } else { events.bits() }, Relaxed);
    apply();
    Ok(())
}

/// The core events that make up an event that can be registered.
///
/// # Errors
/// No runtime adapter raises it.
pub fn supported(event: EventNumber) -> Result<EventSet, SessionError> {
    let events = translate::events(event);
    if adapter::capabilities().intersects(events) { Ok(events) } else { Err(SessionError::Unsupported(event)) }
}

fn open() -> Result<lock::Held, SessionError> {
    let held = lock::hold();
    if started() { Ok(held) } else { Err(SessionError::Sequence) }
}

/// Updates the interface's subscription.
fn apply() {
    let wanted = if PAUSED.load(Relaxed) { 0 } else { REGISTERED.load(Relaxed) };
    dispatch::subscribe(Interface::Ora, EventSet::from_bits(wanted));
}

/// Builds this interface's dispatch table: each event's callback is called with its own number.
macro_rules! callbacks {
    ($($event:ident)*) => {
        ompt_core::callbacks! { Interface::Ora, |_thread, _detail, epoch|: $(
            $event => prepare::<{ translate::raw_number(Event::$event) }>(epoch);
        )* }
    };
}

static TABLE: Callbacks = callbacks! {
    ParallelBegin ParallelEnd IdleBegin IdleEnd
    RegionBarrierWaitBegin RegionBarrierWaitEnd WorkBarrierWaitBegin WorkBarrierWaitEnd
    ExplicitBarrierWaitBegin ExplicitBarrierWaitEnd LockWaitBegin LockWaitEnd
    CriticalWaitBegin CriticalWaitEnd OrderedWaitBegin OrderedWaitEnd
    AtomicWaitBegin AtomicWaitEnd MaskedBegin MaskedEnd
    SingleBegin SingleEnd OrderedBegin OrderedEnd
    TaskCreateBegin TaskCreateEndImmediate TaskCreateEndDeferred TaskScheduleBegin
    TaskScheduleEnd TaskWaitBegin TaskWaitEnd TaskStealBegin
    TaskStealEnd TaskFetched TaskBegin TaskFinishBegin
    TaskFinishEnd DependWaitBegin DependWaitEnd
};

/// The call of the collector's callback for the event of this number, if one is registered in the session of this
/// epoch.
#[inline(always)]
fn prepare<const NUMBER: i32>(epoch: u32) -> Option<impl FnOnce()> {
    let slot = CALLBACKS.get(NUMBER.cast_unsigned() as usize)?;
    let address = slot.of_session(dispatch::subscription(Interface::Ora), epoch)?;
    // SAFETY: not null, by `of_session`. `request` registers only addresses in executable mappings (`is_code`) that the
    // collector gave as callbacks (white paper, OMP_REQ_REGISTER), and keeps their objects loaded (`dso_pin`).
    let callback: Function = unsafe { std::mem::transmute(address) };
    // SAFETY: a callback takes the event's number (white paper, OMP_REQ_REGISTER), and returns nothing.
    Some(move || unsafe { callback(NUMBER) })
}

/// Handler for the end of the process: the collector's own data is destroyed before this library's, so nothing is
/// raised from then on.
mod exit {
    use ompt_core::dispatch::{self, Interface};
    use std::sync::Once;

    static WATCHED: Once = Once::new();

    pub(super) fn watch() {
        // SAFETY: atexit(3) takes a function without arguments, and this one is never unloaded (linked `-z nodelete`).
        WATCHED.call_once(|| _ = unsafe { libc::atexit(at_exit) });
    }

    extern "C" fn at_exit() {
        dispatch::silence(Interface::Ora);
    }
}
