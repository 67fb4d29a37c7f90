//! Events of barriers, waits for tasks, and reductions, as reported to the core.

use super::barrier_kind;
use super::blocks::Block;
use super::saved_words::{keep, take};
use ompt_core::event::{Event, Span};
use ompt_core::packed_state::PackedState;
use ompt_core::state::State;
use ompt_core::task::Task;
use ompt_core::thread::Thread;
use ompt_core::tls;
use ompt_core::wait::Wait;
use std::ffi::c_int;
use std::sync::atomic::Ordering::*;

/// `ompt_sync_region_t`
mod kind {
    use std::ffi::c_int;
    pub(super) const BARRIER: c_int = 1;
    pub(super) const IMPLICIT: c_int = 2;
    pub(super) const EXPLICIT: c_int = 3;
    pub(super) const IMPLEMENTATION: c_int = 4;
    pub(super) const TASKWAIT: c_int = 5;
    pub(super) const TASKGROUP: c_int = 6;
    pub(super) const REDUCTION: c_int = 7;
    pub(super) const WORKSHARE: c_int = 8;
    pub(super) const PARALLEL: c_int = 9;
}

/// Begins a sync region of the calling thread's task.
pub(super) fn begin_region(kind: c_int, task: &'static Block) {
    match kind {
        kind::TASKGROUP => tls::get().into_iter().for_each(|thread| thread.raise(Event::TaskgroupBegin)),
        kind::REDUCTION => reduce(task, true),
        _ => {}
    }
}

/// Ends the sync region of the task.
pub(super) fn end_region(kind: c_int, task: &'static Block) {
    match kind {
        kind::TASKGROUP => tls::get().into_iter().for_each(|thread| thread.raise(Event::TaskgroupEnd)),
        kind::REDUCTION => reduce(task, false),
        _ => {}
    }
}

/// Begins or ends the combination of results in the task.
pub(super) fn reduce(task: &'static Block, begins: bool) {
    let Some(thread) = tls::get() else { return };
    if begins {
        task.before_reduction.store(thread.activity.switch_to(State::WorkReduction).bits(), Relaxed);
    } else {
        let before = task.before_reduction.swap(0, Relaxed);
        if before != 0 {
            thread.activity.resume(PackedState::from_bits(before));
        }
    }
}

/// Begins a wait of the task.
pub(super) fn begin_wait(kind: c_int, task: &'static Block, code: usize) {
    let Some(thread) = tls::get() else { return };
    let here = thread.current.no_frame();
    let wait = match kind {
        kind::TASKWAIT => thread.waits().begin_at(here, Span::TASK_WAIT, State::WaitTaskwait, id_of(task)),
        kind::TASKGROUP => thread.waits().begin_at(here, Span::TASK_WAIT, State::WaitTaskgroup, id_of(task)),
        _ => match barrier(thread, kind, code) {
            None => return,
            Some(Barrier::Last) => return arrive(thread),
            // Instrumented code (POMP) has already reported the barrier, in more detail.
            Some(Barrier::Other(..)) if thread.instrumented().is_announced() => return,
            Some(Barrier::Other(span, state)) => {
                thread.constructs().close_work();
                thread.constructs().close_single();
                thread.waits().begin_barrier_at(here, span, state)
            }
        },
    };
    keep(task.wait.each_ref(), wait.into_words());
}

/// Ends the wait of the task.
pub(super) fn end_wait(task: &'static Block) {
    let Some(thread) = tls::get() else { return };
    match take(task.wait.each_ref()).and_then(Wait::from_words) {
        Some(wait) => thread.waits().end(wait),
        // A region's last barrier.
        None if is_primary(thread) => thread.team().end_last_barrier(),
        None => thread.team().leave_last_barrier(),
    }
}

/// Wait id of a task that waits for its children: the address of its block.
fn id_of(task: &'static Block) -> u64 {
    std::ptr::from_ref(task) as u64
}

/// Kind of a barrier.
enum Barrier {
    /// A region's last barrier.
    Last,
    Other(Span, State),
}

fn barrier(thread: &'static Thread, kind: c_int, code: usize) -> Option<Barrier> {
    use Barrier::*;
    let workshare = Other(Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare);
    let explicit = Other(Span::EXPLICIT_BARRIER, State::WaitBarrierExplicit);
    Some(match kind {
        kind::PARALLEL => Last,
        // LLVM's runtime up to 14 has the same kind for both. It reports the code address of a construct's barrier.
        kind::IMPLICIT if is_last(thread, code) => Last,
        kind::IMPLICIT | kind::WORKSHARE => workshare,
        kind::EXPLICIT | kind::BARRIER => explicit,
        kind::IMPLEMENTATION if barrier_kind::is_explicit_barrier(code) => explicit,
        kind::IMPLEMENTATION => workshare,
        _ => return None,
    })
}

fn is_last(thread: &'static Thread, code: usize) -> bool {
    code == 0
        || thread
            .current
            .region()
            .is_some_and(|region| region.is_primary(thread) && region.call().return_address == code)
}

/// Records that the thread arrives at its region's last barrier.
fn arrive(thread: &'static Thread) {
    if thread.current.region().is_none() {
        return;
    }
    thread.team().begin_last_barrier();
    if !is_primary(thread) {
        // The primary thread may begin its next region before this one has seen the barrier's end, and then gives the records of the team's
        // implicit tasks to other threads: LLVM's `__kmp_allocate_team` takes them from a pool.
        thread.current.task().into_iter().for_each(Task::leave_runtimes_frame);
        thread.team().leave_body();
    }
}

fn is_primary(thread: &'static Thread) -> bool {
    thread.current.region().is_some_and(|region| region.is_primary(thread))
}
