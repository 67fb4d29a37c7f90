//! Runtime adapters: the contract between an adapter (one kind of OpenMP runtime) and the core, and the list of
//! adapters in this process.

use crate::attach_handshake::Attached;
use crate::event::EventSet;
use crate::state::State;
use crate::thread::{Thread, here};
use crate::tls;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::*};

/// Runtime adapter: one kind of OpenMP runtime, as the core sees it.
pub trait Adapter: Sync {
    /// The events that this adapter can raise for the program and the runtime in this process. It never raises any
    /// other.
    fn capabilities(&self) -> EventSet;

    /// The subset of [`capabilities`](Self::capabilities) of which the adapter misses some occurrences: a compiler may
    /// implement the construct without its runtime.
    fn seen_in_part(&self) -> EventSet {
        EventSet::NONE
    }

    /// Starts to report. Called when the first tool attaches, and again when the first tool that needs calls
    /// ([`reports_calls`]) attaches. May be called while the program runs.
    fn track(&self);

    /// True if the adapter tracks each thread's current task.
    fn tracks_tasks(&self) -> bool {
        false
    }

    /// True if the core derives initial and implicit tasks from the regions that this adapter reports. Such an adapter
    /// reports all tasks of a thread, or none.
    fn derives_implicit_tasks(&self) -> bool {
        false
    }

    /// Runs `work` on each worker that waits for the calling thread's next region, with that worker's record. An
    /// adapter that can't reach its workers immediately does nothing.
    fn on_workers(&self, _work: fn(&'static Thread)) {}

    /// True if the calling thread, which lacks a record in the core, executes a parallel region. Async-signal-safe.
    fn in_parallel(&self) -> bool;
}

static ADAPTERS: [OnceLock<&'static dyn Adapter>; 5] = [const { OnceLock::new() }; 5];
static ATTACHED: Attached = Attached::none();
/// True if the first tool attached while the process had one thread, outside of all regions: then no region was missed.
static ALONE: AtomicBool = AtomicBool::new(false);

fn adapters() -> impl Iterator<Item = &'static dyn Adapter> {
    ADAPTERS.iter().filter_map(|adapter| adapter.get().copied())
}

/// Adds an adapter; false if the table of five is full. An adapter that is added after a tool has attached starts to
/// report immediately.
pub fn install(adapter: &'static dyn Adapter) -> bool {
    let done = ADAPTERS.iter().any(|place| place.set(adapter).is_ok());
    if done && tracking() {
        adapter.track();
    }
    done
}

/// Attaches a tool: adapters maintain states, regions and waits from now on, and never stop (see architecture, "Three
/// levels of watching"). `alone`: the process has only the calling thread.
pub fn attach(alone: bool) {
    if ATTACHED.attach() {
        ALONE.store(alone && !in_parallel(), Relaxed);
        adapters().for_each(|adapter| adapter.track());
        if derives_implicit_tasks() {
            // From now on the thread's initial task can be queried.
            here();
        }
    }
}

/// Attaches an OMPT tool, like [`attach`]. In addition, adapters report the call sites of the program's calls (return
/// addresses, frames), and the constructs that only OMPT has events for.
pub fn attach_for_calls(alone: bool) {
    if ATTACHED.attach_for_calls() {
        adapters().for_each(|adapter| adapter.track());
    }
    attach(alone);
}

/// True if adapters are to report call sites.
pub fn reports_calls() -> bool {
    ATTACHED.reports_calls()
}

/// True if a tool has ever attached.
pub fn tracking() -> bool {
    ATTACHED.is_tracking()
}

/// The events that the adapters in this process can raise together.
pub fn capabilities() -> EventSet {
    adapters().fold(EventSet::NONE, |set, adapter| set.union(adapter.capabilities()))
}

/// The events of which some adapter can't see every occurrence.
pub fn seen_in_part() -> EventSet {
    adapters().fold(EventSet::NONE, |set, adapter| set.union(adapter.seen_in_part()))
}

/// Runs `work` on each worker that can be reached from this, the calling thread, with that worker's record.
pub fn on_workers(work: fn(&'static Thread)) {
    adapters().for_each(|adapter| adapter.on_workers(work));
}

/// True if some adapter tracks tasks.
pub fn tracks_tasks() -> bool {
    adapters().any(|adapter| adapter.tracks_tasks())
}

/// True if threads have an initial task from when they are first seen.
pub(crate) fn derives_implicit_tasks() -> bool {
    adapters().any(|adapter| adapter.derives_implicit_tasks())
}

/// True if some runtime reports that the calling thread executes a parallel region. Async-signal-safe: adapters
/// guarantee it.
pub(crate) fn in_parallel() -> bool {
    adapters().any(|adapter| adapter.in_parallel())
}

/// The state of a calling thread without a record. Async-signal-safe, like [`in_parallel`].
pub(crate) fn unseen_state() -> State {
    if !in_parallel() {
        State::WorkSerial
    } else if ALONE.load(Relaxed) || tls::ended_as_worker() {
        // A worker before its first region, or after its last.
        State::Idle
    } else {
        State::WorkParallel
    }
}
