//! Adapter for runtimes that link the library and report by its functions: `headers/ora_embed.h`.
//!
//! [`entry`] has the functions; [`types`] their arguments and results. Unstable: at its start, a runtime passes the version of the
//! interface that it was written for.

mod calling_thread;
pub mod entry;
mod kinds;
mod records;
mod regions;
pub mod types;

use ompt_core::adapter::{self, Adapter};
use ompt_core::event::{Event, EventSet, Span};
use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::*};
use types::{ORA_EMBED_VERSION, Runtime};

/// Runtime adapter of the embedding runtime: at most one per process.
#[derive(Debug)]
struct Embed;

/// The runtime's description, set at its start.
static RUNTIME: OnceLock<Runtime> = OnceLock::new();
static TRACKING: AtomicBool = AtomicBool::new(false);

/// A runtime's features, as bits of [`Runtime::features`], and the events that each makes available.
const FEATURES: [(u32, &[Span], &[Event]); 13] = {
    use types::feature::*;
    [
        (ORA_EMBED_HAS_BARRIERS, &[Span::REGION_BARRIER, Span::WORK_BARRIER, Span::EXPLICIT_BARRIER], &[]),
        (ORA_EMBED_HAS_LOCKS, &[Span::LOCK_WAIT], &[]),
        (ORA_EMBED_HAS_CRITICAL, &[Span::CRITICAL_WAIT], &[]),
        (ORA_EMBED_HAS_ORDERED, &[Span::ORDERED_WAIT, Span::ORDERED], &[]),
        (ORA_EMBED_HAS_ATOMIC, &[Span::ATOMIC_WAIT], &[]),
        (ORA_EMBED_HAS_MASKED, &[Span::MASKED], &[]),
        (ORA_EMBED_HAS_SINGLE, &[Span::SINGLE], &[]),
        (ORA_EMBED_HAS_POOL, &[Span::IDLE], &[]),
        (
            ORA_EMBED_HAS_TASKS,
            &[Span::TASK_FINISH],
            &[
                Event::TaskCreateBegin,
                Event::TaskCreateEndImmediate,
                Event::TaskCreateEndDeferred,
                Event::TaskBegin,
                Event::TaskCreate,
                Event::TaskSwitch,
            ],
        ),
        (ORA_EMBED_HAS_TASK_WAITS, &[Span::TASK_WAIT], &[]),
        (ORA_EMBED_HAS_TASK_SCHEDULING, &[Span::TASK_SCHEDULE], &[]),
        (ORA_EMBED_HAS_TASK_STEALING, &[Span::TASK_STEAL], &[]),
        (ORA_EMBED_HAS_TASK_FETCHING, &[], &[Event::TaskFetched]),
    ]
};

impl Adapter for Embed {
    fn capabilities(&self) -> EventSet {
        let features = RUNTIME.get().map_or(0, |runtime| runtime.features);
        // They also identify regions and threads for OMPT tools.
        let always = [Event::ThreadBegin, Event::ThreadEnd, Event::Control, Event::Shutdown];
        let mut set = Span::PARALLEL.events().union(Span::IMPLICIT_TASK.events()).union(EventSet::of(&always));
        for (_, spans, events) in FEATURES.iter().filter(|(feature, ..)| features & feature != 0) {
            set = spans.iter().fold(set, |set, span| set.union(span.events())).union(EventSet::of(events));
        }
        set
    }

    fn track(&self) {
        // Release: no load pairs with it, as `tracking` loads Relaxed; no data is published with the flag.
        TRACKING.store(true, Release);
    }

    fn tracks_tasks(&self) -> bool {
        RUNTIME.get().is_some_and(|runtime| runtime.features & types::feature::ORA_EMBED_HAS_TASKS != 0)
    }

    /// OMPT tools identify implicit tasks by regions; collectors get the tasks that the runtime reports.
    fn derives_implicit_tasks(&self) -> bool {
        RUNTIME.get().is_some() && adapter::reports_calls()
    }

    fn in_parallel(&self) -> bool {
        // The runtime guarantees that it may be called from a signal handler.
        RUNTIME.get().and_then(|runtime| runtime.in_parallel).is_some_and(|ask| ask() != 0)
    }
}

/// Records the runtime's description; false if its version differs, or another runtime was announced before.
fn start(runtime: &Runtime) -> bool {
    if runtime.version != ORA_EMBED_VERSION {
        return false;
    }
    if RUNTIME.set(*runtime).is_ok() {
        return adapter::install(&Embed);
    }
    RUNTIME.get().is_some_and(|known| known.is(runtime))
}

/// Finds a runtime that exports its description, so that collectors that start before the runtime get the events that it supports. Called
/// once while the library is being loaded.
pub fn load() {
    entry::exported_description().inspect(|about| _ = start(about));
}

/// Name of the runtime for OMPT tools, if there is one.
pub fn version() -> Option<&'static CStr> {
    RUNTIME.get().map(|_| c"a runtime with ora_embed.h")
}

/// True if a tool has ever attached: until then nothing is recorded.
#[inline]
fn tracking() -> bool {
    TRACKING.load(Relaxed)
}
