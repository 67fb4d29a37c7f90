//! POMP adapter, for code that OPARI has instrumented: it calls `POMP2_*` functions around every construct, on any runtime.
//!
//! If the runtime has an adapter of its own, the two share the constructs. The adapter that has more information about a construct reports
//! it, and the other reports only what it alone sees. gcc's code may run on libgomp or on a runtime that replaces it. For this code the
//! instrumentation reports masked regions, loops that gcc divides itself, atomic updates, the ends of single regions, and which barriers
//! are implicit. The runtime's adapter reports everything else. Code that clang has compiled calls its runtime for all of that: only the
//! implicit barriers are reported here.
//!
//! If no adapter sees the runtime (a static one), the instrumentation alone reports all that it can. `mode.rs` decides which case applies,
//! by the imports of the instrumented objects.

mod attach;
mod call;
mod constructs;
mod ctc;
mod entry;
mod fallback_locks;
#[doc(hidden)]
#[cfg(not(feature = "linked"))]
pub mod fields;
mod forward;
mod imports;
mod legacy_tasks;
mod list_node;
mod locks;
mod mode;
mod names;
mod parallel;
mod pending_tasks;
mod region_fields;
#[cfg(not(feature = "linked"))]
mod regions_file;
mod routines;
mod sites;
mod task_ids;
mod task_records;
mod tasks;
mod thread_fields;
mod waits;

use ompt_core::adapter::Adapter;
use ompt_core::event::{Event, EventSet, Span};
use std::ffi::CStr;

/// Runtime adapter for instrumented code.
#[derive(Debug)]
pub struct Pomp;

/// Looks for instrumented code, and for another library that it calls. Called once while the library is being loaded.
pub fn load() {
    attach::load();
}

/// Starts the file of the constructs' source positions, if the user names one. Called once while the library is being loaded.
pub fn write_regions() {
    #[cfg(not(feature = "linked"))]
    if regions_file::look() {
        mode::write_regions();
    }
}

/// True if the instrumented code runs on a runtime without an adapter.
pub fn is_alone() -> bool {
    mode::place() == mode::ALONE
}

/// Makes the next call of instrumented code, on a runtime without an adapter, a first use of the runtime again.
pub fn await_use() {
    attach::await_use();
}

/// Name of the runtime, for tools.
pub fn version() -> &'static CStr {
    const TEXT: &str =
        concat!("an OpenMP runtime under code of OPARI's, by way of ora ", env!("CARGO_PKG_VERSION"), "\0");
    CStr::from_bytes_with_nul(TEXT.as_bytes()).unwrap_or_default()
}

impl Adapter for Pomp {
    fn capabilities(&self) -> EventSet {
        attach::look();
        match mode::place() {
            mode::ALONE => events_alone(),
            mode::ADDS => Span::MASKED.events(),
            _ => EventSet::NONE,
        }
    }

    /// The moment when an untied task continues on another thread is not known.
    fn seen_in_part(&self) -> EventSet {
        if is_alone() && imports::now().has_untied_tasks() {
            EventSet::of(&[Event::TaskSwitch, Event::TaskBegin])
        } else {
            EventSet::NONE
        }
    }

    fn track(&self) {
        attach::track();
    }

    fn tracks_tasks(&self) -> bool {
        is_alone()
    }

    fn derives_implicit_tasks(&self) -> bool {
        is_alone()
    }

    fn in_parallel(&self) -> bool {
        mode::is_alone() && routines::in_parallel()
    }
}

/// Events that the calls can report without a runtime adapter.
fn events_alone() -> EventSet {
    let spans = [
        Span::PARALLEL,
        Span::IDLE,
        Span::REGION_BARRIER,
        Span::WORK_BARRIER,
        Span::EXPLICIT_BARRIER,
        Span::LOCK_WAIT,
        Span::CRITICAL_WAIT,
        Span::ORDERED_WAIT,
        Span::MASKED,
        Span::SINGLE,
        Span::ORDERED,
        Span::TASK_WAIT,
        Span::TASK_FINISH,
        Span::IMPLICIT_TASK,
        Span::WORK,
    ];
    let events = EventSet::of(&[
        Event::TaskCreateBegin,
        Event::TaskCreateEndImmediate,
        Event::TaskCreateEndDeferred,
        Event::TaskBegin,
        Event::ThreadBegin,
        Event::ThreadEnd,
        Event::TaskCreate,
        Event::TaskSwitch,
        Event::MutexAcquire,
        Event::MutexAcquired,
        Event::MutexReleased,
        Event::NestLockBegin,
        Event::NestLockEnd,
        Event::LockInit,
        Event::LockDestroy,
        Event::Control,
        Event::Shutdown,
    ]);
    spans.iter().fold(events, |set, span| set.union(span.events()))
}
