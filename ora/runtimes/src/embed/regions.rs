//! Parallel regions of an embedding runtime, and the threads of its pool.

use super::calling_thread::{call, watched};
use ompt_core::adapter;
use ompt_core::region::{Encounter, Form, Region};
use ompt_core::thread::Thread;
use ompt_core::tls::{self, CallSite};
use std::ptr;

/// Begins a region on the thread that encountered its construct. Null if no tool is attached, or memory is refused.
#[inline(always)]
pub(super) fn begin(requested: u32, return_address: usize, function: usize) -> *const Region {
    let region = watched().and_then(|thread| {
        let ompt = adapter::reports_calls();
        let call = if ompt { CallSite { return_address, ..call() } } else { CallSite::default() };
        tls::set_call(call);
        let region = thread.regions().encounter(Form::Pair, Encounter { call, function, requested })?;
        tls::with_outer_call(return_address, || thread.regions().begin(region));
        if ompt {
            thread.regions().start_implicit_task(region);
        }
        Some(region)
    });
    region.map_or(ptr::null(), ptr::from_ref)
}

/// Begins the region's body on a member of its team.
#[inline(always)]
pub(super) fn begin_body(thread: &'static Thread, region: &'static Region) {
    if !region.is_primary(thread) {
        thread.team().enter(region, usize::MAX);
    }
    let mut frame = 0;
    if region.has_call_site() {
        frame = call().frame;
        let number = thread.adapter.take_expected_number().unwrap_or_else(|| region.next_number(thread));
        thread.team().take_place(region, number, region.size(), frame);
    }
    thread.team().start_work(frame);
}

/// Records the caller's frame as the one in which the worker waits for its next region.
#[inline(always)]
pub(super) fn note_idle_frame(thread: &'static Thread) {
    if adapter::reports_calls() {
        thread.adapter.set_idle_frame(call().frame);
    }
}
