//! Adapter for runtimes that offer OMPT of OpenMP 5 to a single tool: LLVM's libomp and Intel's libiomp5. This library is that tool
//! (`start.rs`).
//!
//! The runtimes' events go two ways. The core passes them to collectors and to tools of Technical Report 2. The tools of OpenMP 5 that the
//! runtime would have found without this library get them directly (`tools.rs`), just as if each were the only tool. `callbacks.rs` has our
//! callbacks, `blocks.rs` the records that the runtimes' words point to, `entry_points.rs` the entry points of the tools.
//!
//! Reports to the core are in `threads.rs`, `regions.rs`, `tasks.rs`, `work.rs`, `syncs.rs` and `mutexes.rs`.

mod barrier_kind;
mod blocks;
mod callbacks;
mod entry_points;
mod mutexes;
mod regions;
mod registration;
mod runtime;
mod saved_words;
mod start;
mod syncs;
mod tasks;
mod thread_fields;
mod threads;
mod tool_thread_words;
mod tools;
mod work;

pub use start::{come_first, is_running, prepare, start_tool};
pub use tools::await_use;

use ompt_core::adapter::{self, Adapter};
use ompt_core::event::{Event, EventSet, Span};
use std::sync::OnceLock;

/// The largest number of tools at the same time.
const TOOLS: usize = 4;

/// Runtime adapter for runtimes with OMPT.
#[derive(Debug)]
struct Ompt;

/// Adds the adapter, when a runtime has called us or is known to be about to.
pub fn install() {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    INSTALLED.get_or_init(|| adapter::install(&Ompt));
}

impl Adapter for Ompt {
    fn capabilities(&self) -> EventSet {
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
            Span::MASKED,
            Span::SINGLE,
            Span::ORDERED,
            Span::TASK_WAIT,
            Span::DEPEND_WAIT,
            Span::TASK_FINISH,
            Span::IMPLICIT_TASK,
            Span::WORK,
        ];
        let events = EventSet::of(&[
            Event::TaskCreateBegin,
            Event::TaskCreateEndImmediate,
            Event::TaskCreateEndDeferred,
            Event::TaskFetched,
            Event::TaskBegin,
            Event::ThreadBegin,
            Event::ThreadEnd,
            Event::TaskCreate,
            Event::TaskSwitch,
            Event::TaskgroupBegin,
            Event::TaskgroupEnd,
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

    fn track(&self) {
        registration::start_core_reports();
    }

    fn tracks_tasks(&self) -> bool {
        true
    }

    fn derives_implicit_tasks(&self) -> bool {
        true
    }

    fn in_parallel(&self) -> bool {
        runtime::in_parallel()
    }
}
