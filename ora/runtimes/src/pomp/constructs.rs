//! Work-sharing constructs and masked regions.

use super::call::Call;
use super::call::signature::{Handle, Named};
use super::sites::Site;
use super::thread_fields::Fields;
use ompt_core::detail::{Detail, Work};
use ompt_core::event::{Event, Span};
use ompt_core::thread::{Thread, here};
use std::sync::atomic::Ordering::*;

/// The thread has encountered a single region (in `Fields::single`).
const MET: u64 = 1;
/// The thread executes the single region.
const EXECUTES: u64 = 2;

/// `POMP2_*` function that only records the construct.
#[inline(always)]
pub(super) fn nothing_named(call: Call<'_, Named>) {
    call.named();
    call.forward();
}

/// `POMP2_*` function that reports nothing.
#[inline(always)]
pub(super) fn nothing<S>(call: Call<'_, S>) {
    call.forward();
}

/// `POMP2_For_enter`
#[inline(always)]
pub(super) fn loop_enter(call: Call<'_, Named>) {
    let site = call.named();
    if call.mode.is_alone() || call.mode.reports_inlined() && site.is_some_and(Site::is_inlined) {
        // The number of iterations is not passed.
        here().inspect(|thread| open(thread, site.map_or(Work::Loop, Site::work), 0));
    }
    call.forward();
}

/// `POMP2_For_exit`
#[inline(always)]
pub(super) fn loop_exit(call: Call<'_, Handle>) {
    if call.mode.is_alone() || call.mode.reports_inlined() && call.site().is_some_and(Site::is_inlined) {
        here().inspect(|thread| thread.constructs().close_work());
    }
    call.forward();
}

fn open(thread: &'static Thread, work: Work, count: u32) {
    thread.constructs().close_constructs();
    thread.constructs().open_work(work, || count.into());
}

/// `POMP2_Sections_enter`
#[inline(always)]
pub(super) fn sections_enter(call: Call<'_, Named>) {
    let site = call.named();
    if call.mode.is_alone() {
        here().inspect(|thread| open(thread, Work::Sections, site.map_or(0, Site::sections)));
    }
    call.forward();
}

/// `POMP2_Sections_exit`
#[inline(always)]
pub(super) fn sections_exit(call: Call<'_, Handle>) {
    if call.mode.is_alone() {
        here().inspect(|thread| thread.constructs().close_work());
    }
    call.forward();
}

/// `POMP2_Workshare_enter`
#[inline(always)]
pub(super) fn workshare_enter(call: Call<'_, Named>) {
    call.named();
    if call.mode.is_alone() {
        here().inspect(|thread| thread.constructs().close_constructs());
    }
    call.forward();
}

/// `POMP2_Single_enter`
#[inline(always)]
pub(super) fn single_enter(call: Call<'_, Named>) {
    call.named();
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        thread.constructs().close_constructs();
        Fields::of(thread).single.store(MET, Relaxed);
    }
    call.forward();
}

/// `POMP2_Single_begin`: this thread executes the region.
#[inline(always)]
pub(super) fn single_begin(call: Call<'_, Handle>) {
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        Fields::of(thread).single.store(EXECUTES, Relaxed);
        thread.constructs().open_single();
    }
    call.forward();
}

/// `POMP2_Single_end`: on libgomp only the instrumentation reports this end.
#[inline(always)]
pub(super) fn single_end(call: Call<'_, Handle>) {
    if call.mode.reports_inlined() {
        here().inspect(|thread| thread.constructs().close_single());
    }
    call.forward();
}

/// `POMP2_Single_exit`
#[inline(always)]
pub(super) fn single_exit(call: Call<'_, Handle>) {
    if call.mode.is_alone() {
        here().inspect(|thread| pass_single(thread));
    }
    call.forward();
}

/// Ends the thread's part in a single region that it has encountered before: if it has not executed the region, another thread has.
pub(super) fn pass_single(thread: &'static Thread) {
    if Fields::of(thread).single.swap(0, Relaxed) == MET {
        let single = Detail::Work { kind: Work::SingleOther, count: 1 };
        let token = thread.begin_with(Span::WORK, &single);
        thread.end_in_detail(Event::WorkEnd, &single, token);
    }
}

/// `POMP2_Master_begin`
#[inline(always)]
pub(super) fn master_begin(call: Call<'_, Named>) {
    call.named();
    if call.mode.reports_inlined() {
        here().inspect(|thread| thread.instrumented().open_masked());
    }
    call.forward();
}

/// `POMP2_Master_end`
#[inline(always)]
pub(super) fn master_end(call: Call<'_, Handle>) {
    if call.mode.reports_inlined() {
        here().inspect(|thread| thread.instrumented().close_masked());
    }
    call.forward();
}
