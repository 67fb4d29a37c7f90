//! Events of parallel regions and their implicit tasks, as reported to the core.
//!
//! A worker gets no event about the end of its region's last barrier until it wakes up for its next region: only then come the ends of
//! `sync_region_wait`, `sync_region` and `implicit_task`. So it is marked as leaving the body when it arrives at the barrier. From then on
//! queries use the region's record, and the events are deferred.

use super::blocks::Block;
use super::{runtime, threads};
use ompt_core::region::{Encounter, Form};
use ompt_core::thread::{here, here_as_worker};
use ompt_core::tls::{self, CallSite};
use std::ffi::c_int;
use system::arch::stack_pointer;

/// `ompt_parallel_league`: a teams region, whose threads execute initial tasks.
const LEAGUE: c_int = 0x4000_0000;
/// `ompt_task_initial`
const INITIAL: c_int = 1;

/// Begins a region, on the thread that has encountered the construct.
pub(super) fn begin(block: &Block, frame: usize, requested: u32, flags: c_int, code: usize) {
    if flags & LEAGUE != 0 {
        return;
    }
    let Some(thread) = here() else { return };
    let call = CallSite { return_address: code, frame: if frame == 0 { stack_pointer() } else { frame } };
    tls::set_call(call);
    // Runtimes do not report the function that members execute. The construct's code address is used instead, if it is known.
    let encounter = Encounter { call, function: runtime::of_program(code), requested };
    let Some(region) = thread.regions().encounter(Form::Pair, encounter) else { return };
    block.region.set(Some(region));
    thread.regions().begin(region);
    thread.regions().start_implicit_task(region);
}

/// Ends the block's region, the innermost one of the calling thread, which encountered it.
pub(super) fn end(block: &Block, flags: c_int) {
    if flags & LEAGUE != 0 || block.region.get().is_none() {
        return;
    }
    let Some(thread) = tls::get() else { return };
    let Some(innermost) = thread.current.region().filter(|region| region.is_primary(thread)) else { return };
    // The barrier of a team of one thread is not reported.
    thread.constructs().close_work();
    thread.constructs().close_single();
    thread.regions().end(innermost);
}

/// Begins an implicit or initial task on the calling thread.
pub(super) fn begin_task(
    region: Option<&'static Block>,
    task: Option<&'static Block>,
    size: u32,
    index: u32,
    flags: c_int,
) {
    if flags & INITIAL != 0 {
        here().inspect(|_| runtime::keep_frame());
        return;
    }
    let region = region.and_then(|block| block.region.get());
    let Some(region) = region else { return };
    let primary = tls::get().is_some_and(|thread| region.is_primary(thread));
    let Some(thread) = (if primary { here() } else { here_as_worker() }) else { return };
    tls::set_call(region.call());
    if !primary {
        threads::wait_here(thread);
        region.set_size(size);
        thread.team().enter(region, usize::MAX);
    }
    thread.team().take_place(region, index, size, region.call().frame);
    runtime::keep_frame();
    task.into_iter().for_each(|task| task.region.set(Some(region)));
    thread.team().start_work(0);
}

/// Ends the calling thread's implicit or initial task.
pub(super) fn end_task(task: Option<&'static Block>) {
    let Some(thread) = tls::get().filter(|thread| thread.identity.is_worker()) else { return };
    match task.and_then(|task| task.region.get()) {
        // The end of its region reports everything.
        Some(region) if region.is_primary(thread) => {}
        Some(_) => {
            thread.team().leave_last_barrier();
            if thread.current.region().is_some() {
                // It never arrived at the barrier.
                thread.team().return_to_pool();
            }
        }
        // It began before a tool attached.
        None if thread.current.region().is_none() => thread.team().join_pool(),
        None => {}
    }
}
