//! GNU libgomp adapter, by interposition: the library exports libgomp's entry points and calls the real functions.
//!
//! Each exported name is a trampoline: one jump through a dispatch slot (`exports.rs`). A slot holds the real function until a
//! tool attaches, then a wrapper. `names.rs` lists the functions, their signatures and their wrappers.
//!
//! Each libgomp of the process has a runtime instance with dispatch slots (`runtime.rs`). Exported names belong to the first
//! instance. An object that uses another libgomp calls the first instance once (`resolve.rs`). Then its GOT is patched to its
//! own instance (`got_patch.rs`), which `lookup_scope.rs` finds by the symbol lookup scope. Wrappers exist twice: for the first
//! instance, whose addresses are part of their code, and for all others, which get the instance with the call (`instance.rs`,
//! `wrappers.rs`).
//!
//! Reports have two levels. Collectors get events and states. OMPT tools also get call sites and frames: at that level (`OMPT`,
//! `adapter::reports_calls`) slots lead to functions that record the call site before the wrapper runs.

mod address_range;
mod adjusted;
mod arguments;
mod barrier;
mod call_data;
mod call_sites;
mod cancel;
mod depend;
mod detach;
mod device_number;
mod dispatch_slots;
mod dlsym_targets;
mod doacross;
mod done_iterations;
mod entry;
mod entry_facts;
mod error;
mod exports;
mod fallbacks;
mod got_patch;
mod instance;
mod lock;
mod lock_calls;
mod lookup_scope;
mod missing_runtime;
mod mutex;
mod mutex_words;
mod named_file;
mod names;
mod ordered;
mod own_team;
mod parallel;
mod plugin;
mod region_fields;
mod region_settings;
mod resolve;
mod routines;
mod runtime;
mod schedule;
mod sequential;
mod static_loops;
mod target;
mod target_cache;
mod target_data;
mod target_memory;
mod target_task;
mod task;
mod task_fast;
mod task_record;
mod task_run;
mod task_trampoline;
mod task_wait;
mod teams;
mod uninterposed;
mod version;
mod work;
mod worker_creation;
mod worker_end;
mod wrappers;

use exports::RUNTIMES;
use names::Entry;
use ompt_core::adapter::{self, Adapter};
use ompt_core::event::{Event, EventSet, Span};
use ompt_core::first_use;
use ompt_core::task::Task;
use ompt_core::thread::Thread;
use ompt_core::tls;
use std::ffi::CStr;
use std::fs::File;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::*};
use system::objects;
use system::thread_sanitizer;

/// Runtime adapter for GNU libgomp.
#[derive(Debug)]
pub struct Gomp;

/// True if late events were requested: see [`set_late`].
static LATE: AtomicBool = AtomicBool::new(false);

/// True in a forked child.
static FORKED: AtomicBool = AtomicBool::new(false);

/// Reports a worker's end of a region's last barrier, and its return to the pool, only when it wakes up for its next region
/// (`ORA_IBAR=late`). Otherwise, while a tool has subscribed to these events, an extra barrier lets workers report them in time.
pub fn set_late(late: bool) {
    LATE.store(late, Relaxed);
}

/// Records that a tool is about to attach to a running program, which may have used tasks outside of all regions.
pub fn note_late_start() {
    own_team::assume_own_team();
}

/// Returns true if another adapter reports the program's events.
static ELSEWHERE: OnceLock<fn() -> bool> = OnceLock::new();

/// Finds the libgomp with which the process started. `elsewhere` returns true if another adapter reports the program's events. Called once
/// while the library is being loaded.
pub fn load(elsewhere: fn() -> bool) {
    let _ = ELSEWHERE.set(elsewhere);
    runtime::equip(&wrappers::WRAPPERS);
    resolve::load(&RUNTIMES);
}

/// Applies the numbers of threads for regions, and the chunks for loops, from the file that `ORA_TUNE` names. Called once, before [`load`].
pub fn adjust() {
    exports::load_settings();
}

/// Reads the calls that gcc's code makes for constructs, from the table that `ORA_CALL_SITES` names. Called once, before [`load`].
pub fn load_call_sites() {
    call_sites::load();
}

/// Reads them from the table of an open file, unless a table has been read before.
pub fn read_call_sites(file: File) {
    call_sites::read(file);
}

/// Name and version of the runtime, for tools. Takes no lock that is held while constructors run.
pub fn version() -> &'static CStr {
    version::text()
}

/// Makes the call of a runtime routine that reports nothing also count as a first use of libgomp. Called once, after [`load`]; does nothing
/// unless the first use is awaited.
pub fn await_routines() {
    if first_use::is_awaited() && RUNTIMES.all.iter().any(runtime::Runtime::is_bound) {
        uninterposed::await_use();
    }
}

/// Looks for ThreadSanitizer in the program, to which doacross dependences are reported.
pub fn look_for_sanitizer() {
    thread_sanitizer::look();
}

/// True if the function is `GOMP_barrier`: the exported one, or that of a runtime that replaces libgomp.
#[inline(never)] // keeps the instances private to this crate, whose code then addresses them directly
pub fn is_barrier(function: usize) -> bool {
    function == exports::GOMP_barrier as *const () as usize
        || RUNTIMES.first().target(Entry::GOMP_barrier as usize).is_some_and(|it| it.0 as usize == function)
}

/// True if the process started with a libgomp in its global scope.
pub fn is_bound() -> bool {
    resolve::is_bound()
}

/// True if the exported entries lead to a runtime that reports events itself.
pub fn is_forwarded() -> bool {
    resolve::is_forwarded()
}

/// True if an object of the process other than this library defines this function. Takes no lock that is held while
/// constructors run.
pub fn is_defined(name: &CStr) -> bool {
    objects::any_object(&mut |object| !object.is_own() && object.function(name, None).is_some())
}

/// Makes the next call of libgomp a first use again: a forked child looks for its own tools.
#[inline(never)]
pub fn await_use() {
    RUNTIMES.first().close();
}

/// Records the fork, in the child: the workers of its parent's pools do not exist there.
pub fn after_fork() {
    FORKED.store(true, Relaxed);
}

/// Outlined function of an explicit task of this adapter; 0 for another task. Async-signal-safe.
pub fn function_of_task(task: &'static Task) -> usize {
    task_record::function_of(task)
}

impl Adapter for Gomp {
    /// gcc inlines `master` and everything of a simple reduction; libgomp's search for tasks can't be observed.
    fn capabilities(&self) -> EventSet {
        let elsewhere = resolve::is_forwarded() || ELSEWHERE.get().is_some_and(|elsewhere| elsewhere());
        if elsewhere && !RUNTIMES.all.iter().any(runtime::Runtime::is_bound) {
            return EventSet::NONE;
        }
        let spans = [
            Span::PARALLEL,
            Span::IDLE,
            Span::REGION_BARRIER,
            Span::WORK_BARRIER,
            Span::EXPLICIT_BARRIER,
            Span::LOCK_WAIT,
            Span::CRITICAL_WAIT,
            Span::ORDERED_WAIT,
            Span::ATOMIC_WAIT,
            Span::SINGLE,
            Span::ORDERED,
            Span::TASK_WAIT,
            Span::DEPEND_WAIT,
            // Never raised: a libgomp team has one queue, so no thread takes a task from another's queue.
            Span::TASK_STEAL,
            Span::TASK_FINISH,
            Span::IMPLICIT_TASK,
            Span::WORK,
        ];
        let tasks = EventSet::of(&[
            Event::TaskCreateBegin,
            Event::TaskCreateEndImmediate,
            Event::TaskCreateEndDeferred,
            Event::TaskFetched,
            Event::TaskBegin,
            Event::ThreadBegin,
            Event::ThreadEnd,
            Event::TaskCreate,
            Event::TaskSwitch,
            Event::Dependences,
            Event::TaskDependence,
            Event::Dispatch,
            Event::TaskgroupBegin,
            Event::TaskgroupEnd,
            Event::MutexAcquire,
            Event::MutexAcquired,
            Event::MutexReleased,
            Event::NestLockBegin,
            Event::NestLockEnd,
            Event::LockInit,
            Event::LockDestroy,
            Event::Cancel,
            Event::Error,
            Event::Device,
            Event::Control,
            Event::Shutdown,
        ]);
        spans.iter().fold(tasks, |set, span| set.union(span.events()))
    }

    /// gcc divides loops with a static schedule itself, and not everything that libgomp discards when it cancels a construct can be
    /// observed. An undeferred task is created only when its predecessors are complete.
    fn seen_in_part(&self) -> EventSet {
        Span::WORK.events().union(EventSet::of(&[Event::Dispatch, Event::Cancel, Event::TaskDependence]))
    }

    fn tracks_tasks(&self) -> bool {
        true
    }

    fn derives_implicit_tasks(&self) -> bool {
        // A tool may be found by a call of a libgomp that is bound only then.
        resolve::is_loaded_later() || RUNTIMES.all.iter().any(runtime::Runtime::is_bound)
    }

    fn track(&self) {
        if adapter::reports_calls() {
            thread_sanitizer::look();
            exports::lead_static_loops();
        }
        RUNTIMES.all.iter().for_each(runtime::Runtime::wrap);
    }

    /// Runs the work in an additional parallel region of libgomp, which is not reported.
    fn on_workers(&self, work: fn(&'static Thread)) {
        if !FORKED.load(Relaxed)
            && let Some(region) = tls::get()
                .filter(|thread| thread.current.region().is_none())
                .and_then(|thread| thread.unused_regions.last())
            && let Some(runtime) = RUNTIMES.all.get(region_fields::Fields::of(region).runtime())
            && region.size() > 1
            && runtime.is_there()
            && !runtime.in_parallel()
            && !own_team::frees_teams_early()
        {
            runtime.on_workers(region.size(), work);
        }
    }

    fn in_parallel(&self) -> bool {
        // Not a loop: it would begin with the address of the first dispatch slot, so that `cargo xtask panics` would follow the slot's
        // initial target.
        let [a, b, c, d, e, f, g, h] = &RUNTIMES.all;
        a.in_parallel()
            || b.in_parallel()
            || c.in_parallel()
            || d.in_parallel()
            || e.in_parallel()
            || f.in_parallel()
            || g.in_parallel()
            || h.in_parallel()
    }
}
