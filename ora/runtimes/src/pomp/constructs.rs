//! Work-sharing constructs and masked regions.
#![allow(unsafe_code)] // what the program passes

use super::call::Call;
use super::names::Entry;
use super::sites::{self, Site};
use super::thread_fields::Fields;
use ompt_core::detail::{Detail, Work};
use ompt_core::event::{Event, Span};
use ompt_core::thread::{Thread, here};
use std::sync::atomic::Ordering::*;

/// The thread has met a single region (in `Fields::single`).
const MET: u64 = 1;
/// The thread executes the single region.
const EXECUTES: u64 = 2;

/// The construct of a call that passes its description.
///
/// # Safety
/// `call` is as [`Call`] says, and its second argument is one of OPARI's strings, or null.
unsafe fn named(call: &Call) -> Option<&'static Site> {
    // SAFETY: the handle is as `Call` says; the string by this function's `# Safety`.
    unsafe { sites::assign(call.handle, call.second() as *const u8) }
}

/// `POMP2_*` function that only records the construct.
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says, and the second argument is a string.
#[inline(always)]
pub(super) unsafe fn nothing_named(entry: Entry, call: &Call) {
    // SAFETY: the second argument is OPARI's string (by this function's `# Safety`).
    unsafe { named(call) };
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_*` function that reports nothing.
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn nothing(entry: Entry, call: &Call) {
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_For_enter`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn loop_enter(entry: Entry, call: &Call) {
    // SAFETY: `POMP2_For_enter(handle, string)` (`pomp2_lib.h`): the second argument is OPARI's string.
    let site = unsafe { named(call) };
    if call.mode.is_alone() || call.mode.reports_inlined() && site.is_some_and(Site::is_inlined) {
        // The number of iterations is not passed.
        here().inspect(|thread| open(thread, site.map_or(Work::Loop, Site::work), 0));
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_For_exit`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn loop_exit(entry: Entry, call: &Call) {
    if call.mode.is_alone() || call.mode.reports_inlined() && sites::of(call.handle).is_some_and(Site::is_inlined) {
        here().inspect(|thread| thread.close_work());
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

fn open(thread: &'static Thread, work: Work, count: u32) {
    thread.close_constructs();
    thread.open_work(work, || count.into());
}

/// `POMP2_Sections_enter`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn sections_enter(entry: Entry, call: &Call) {
    // SAFETY: `POMP2_Sections_enter(handle, string)` (`pomp2_lib.h`): the second argument is OPARI's string.
    let site = unsafe { named(call) };
    if call.mode.is_alone() {
        here().inspect(|thread| open(thread, Work::Sections, site.map_or(0, Site::sections)));
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Sections_exit`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn sections_exit(entry: Entry, call: &Call) {
    if call.mode.is_alone() {
        here().inspect(|thread| thread.close_work());
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Workshare_enter`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn workshare_enter(entry: Entry, call: &Call) {
    // SAFETY: `POMP2_Workshare_enter(handle, string)` (`pomp2_lib.h`): the second argument is OPARI's string.
    unsafe { named(call) };
    if call.mode.is_alone() {
        here().inspect(|thread| thread.close_constructs());
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Single_enter`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn single_enter(entry: Entry, call: &Call) {
    // SAFETY: `POMP2_Single_enter(handle, string)` (`pomp2_lib.h`): the second argument is OPARI's string.
    unsafe { named(call) };
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        thread.close_constructs();
        Fields::of(thread).single.store(MET, Relaxed);
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Single_begin`: this thread executes the region.
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn single_begin(entry: Entry, call: &Call) {
    if call.mode.is_alone()
        && let Some(thread) = here()
    {
        Fields::of(thread).single.store(EXECUTES, Relaxed);
        thread.open_single();
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Single_end`: on libgomp only the instrumentation reports this end.
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn single_end(entry: Entry, call: &Call) {
    if call.mode.reports_inlined() {
        here().inspect(|thread| thread.close_single());
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Single_exit`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn single_exit(entry: Entry, call: &Call) {
    if call.mode.is_alone() {
        here().inspect(|thread| pass_single(thread));
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// Ends the thread's passage of a single region that it has met before this point: if it has not executed the region, another
/// thread has.
pub(super) fn pass_single(thread: &'static Thread) {
    if Fields::of(thread).single.swap(0, Relaxed) == MET {
        let single = Detail::Work { kind: Work::SingleOther, count: 1 };
        let token = thread.begin_with(Span::WORK, &single);
        thread.end_in_detail(Event::WorkEnd, &single, token);
    }
}

/// `POMP2_Master_begin`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn master_begin(entry: Entry, call: &Call) {
    // SAFETY: `POMP2_Master_begin(handle, string)` (`pomp2_lib.h`): the second argument is OPARI's string.
    unsafe { named(call) };
    if call.mode.reports_inlined() {
        here().inspect(|thread| thread.open_masked());
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}

/// `POMP2_Master_end`
///
/// # Safety
/// `call` is the program's call of `entry`, as [`Call`] says.
#[inline(always)]
pub(super) unsafe fn master_end(entry: Entry, call: &Call) {
    if call.mode.reports_inlined() {
        here().inspect(|thread| thread.close_masked());
    }
    // SAFETY: `call` has what the program passed to `entry`, unchanged (by this function's `# Safety`).
    unsafe { call.forward(entry) }
}
