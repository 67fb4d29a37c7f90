//! What a host (one kind of OpenMP runtime) promises to the core, and the list of hosts in this process.

use crate::beginning::Attached;
use crate::event::EventSet;
use crate::state::State;
use crate::thread::{Thread, here};
use crate::tls;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::*};

/// One kind of runtime, as the core sees it.
pub trait Host: Sync {
    /// The events that this host can raise for the program and runtime at hand: what it doesn't name is never raised.
    fn capabilities(&self) -> EventSet;

    /// The events among them of which some occurrences go unseen: what a compiler does without its runtime.
    fn seen_in_part(&self) -> EventSet {
        EventSet::NONE
    }

    /// Starts to report: called when the first tool attaches, and again when the first one attaches that wants to know of
    /// calls ([`tells_calls`]). May be called while the program runs.
    fn track(&self);

    /// Whether threads know their current task.
    fn tracks_tasks(&self) -> bool {
        false
    }

    /// Whether the core knows initial and implicit tasks by what this host says of regions. A host that says so tells of all
    /// of a thread's tasks, or of none.
    fn tells_implicit_tasks(&self) -> bool {
        false
    }

    /// Runs `work` on each worker that waits for the calling thread's next region, with that worker. A host that can't reach its
    /// workers, there and then, does nothing.
    fn on_workers(&self, _work: fn(&'static Thread)) {}

    /// Whether the calling thread, of which the core has no record, executes a parallel region. Async-signal-safe.
    fn in_parallel(&self) -> bool;
}

static HOSTS: [OnceLock<&'static dyn Host>; 5] = [const { OnceLock::new() }; 5];
static ATTACHED: Attached = Attached::nobody();
/// Whether the first tool attached while the process had one thread, outside of all regions: then no region was missed.
static ALONE: AtomicBool = AtomicBool::new(false);

fn hosts() -> impl Iterator<Item = &'static dyn Host> {
    HOSTS.iter().filter_map(|host| host.get().copied())
}

/// Adds a host; false if there is no room for a sixth one. One that comes after a tool starts to report at once.
pub fn install(host: &'static dyn Host) -> bool {
    let done = HOSTS.iter().any(|place| place.set(host).is_ok());
    if done && tracking() {
        host.track();
    }
    done
}

/// A tool attaches: from now on hosts keep states, regions and waits (level 1), and never stop (see architecture,
/// "Three levels of watching"). `alone`: the process has only the calling thread.
pub fn attach(alone: bool) {
    if ATTACHED.attach() {
        ALONE.store(alone && !in_parallel(), Relaxed);
        hosts().for_each(|host| host.track());
        if tells_implicit_tasks() {
            // Its initial task can be asked for from now on.
            here();
        }
    }
}

/// An OMPT tool attaches: as [`attach`], and hosts tell of the calls that programs make, too (return addresses, frames), and
/// of what only OMPT has events for.
pub fn attach_for_calls(alone: bool) {
    if ATTACHED.want_calls() {
        hosts().for_each(|host| host.track());
    }
    attach(alone);
}

/// Whether hosts are to tell of calls.
pub fn tells_calls() -> bool {
    ATTACHED.tells_calls()
}

/// Whether a tool has ever attached.
pub fn tracking() -> bool {
    ATTACHED.is_tracking()
}

/// What the hosts in this process can raise together.
pub fn capabilities() -> EventSet {
    hosts().fold(EventSet::NONE, |set, host| set.union(host.capabilities()))
}

/// The events that some host can't always see when they happen.
pub fn seen_in_part() -> EventSet {
    hosts().fold(EventSet::NONE, |set, host| set.union(host.seen_in_part()))
}

/// Runs `work` on each worker that can be reached from this, the calling thread, with that worker.
pub fn on_workers(work: fn(&'static Thread)) {
    hosts().for_each(|host| host.on_workers(work));
}

/// Whether some host tracks tasks.
pub fn tracks_tasks() -> bool {
    hosts().any(|host| host.tracks_tasks())
}

/// Whether threads have an initial task from their first sight on.
pub(crate) fn tells_implicit_tasks() -> bool {
    hosts().any(|host| host.tells_implicit_tasks())
}

/// Whether some runtime says that the calling thread executes a parallel region. Async-signal-safe: hosts promise it.
pub(crate) fn in_parallel() -> bool {
    hosts().any(|host| host.in_parallel())
}

/// The state of the calling thread, of which there is no record. Async-signal-safe, as above.
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
