//! Loops, sections and single: where work is handed out.
#![allow(unsafe_code)] // calls libgomp

use super::bank::real;
use super::parallel::word;
use ompt_core::event::Span;
use ompt_core::state::State;
use ompt_core::thread::{Thread, here};
use std::sync::atomic::{AtomicUsize, Ordering::*};

type Short = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize) -> usize;
type Long = unsafe extern "C-unwind" fn(usize, usize, usize, usize, usize, usize, usize, usize, usize, usize) -> usize;

/// The start of a loop, sections or scope with up to six arguments.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn start<const B: usize, const E: usize>(
    a0: usize,
    a1: usize,
    a2: usize,
    a3: usize,
    a4: usize,
    a5: usize,
) -> usize {
    // SAFETY: up to six arguments, in registers.
    let real: Short = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    hand_out(true, || unsafe { real(a0, a1, a2, a3, a4, a5) })
}

/// The start of a loop with up to ten arguments; in shorter ones the rest is the caller's frame, passed on unread.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn start_long<const B: usize, const E: usize>(
    a0: usize,
    a1: usize,
    a2: usize,
    a3: usize,
    a4: usize,
    a5: usize,
    a6: usize,
    a7: usize,
    a8: usize,
    a9: usize,
) -> usize {
    // SAFETY: see above.
    let real: Long = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    hand_out(true, || unsafe { real(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9) })
}

/// The next piece of a loop or of sections.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn next<const B: usize, const E: usize>(begin: usize, end: usize) -> usize {
    // SAFETY: at most two arguments.
    let real: unsafe extern "C-unwind" fn(usize, usize) -> usize = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    hand_out(false, || unsafe { real(begin, end) })
}

#[inline(always)]
fn hand_out(new: bool, real: impl FnOnce() -> usize) -> usize {
    let Some(thread) = here() else { return real() };
    if new {
        thread.close_single();
    }
    let before = thread.overhead();
    let result = real();
    thread.resume(before);
    result
}

/// `GOMP_single_start`: true for the thread that executes the region.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn single<const B: usize, const E: usize>() -> bool {
    // SAFETY: takes nothing and returns a bool.
    let start: unsafe extern "C-unwind" fn() -> bool = unsafe { real::<B, E, _>() };
    let thread = here();
    thread.inspect(|thread| thread.close_single());
    // SAFETY: the caller's call, passed on.
    let executes = unsafe { start() };
    if let (true, Some(thread)) = (executes, thread) {
        thread.open_single();
    }
    executes
}

/// `GOMP_single_copy_start`: null for the thread that executes the region; the others wait here for what it copies.
///
/// Who will execute isn't known before, so threads claim the region first, and the rest wait a moment until the claimant
/// has made sure: then they know that they wait, and can say so before they do.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn single_copy_start<const B: usize, const E: usize>() -> usize {
    // SAFETY: takes nothing and returns a pointer.
    let start: unsafe extern "C-unwind" fn() -> usize = unsafe { real::<B, E, _>() };
    let Some(thread) = here() else {
        // SAFETY: the caller's call, passed on.
        return unsafe { start() };
    };
    thread.close_single();
    let first = claim(thread);
    let wait = first.is_none().then(|| begin_wait(thread));
    let before = first.map(|_| thread.overhead());
    // SAFETY: the caller's call, passed on.
    let copied = unsafe { start() };
    if let Some(before) = before {
        thread.resume(before);
    }
    if let Some((place, settled)) = first {
        place.fetch_max(settled, Release);
    }
    match wait {
        Some(wait) => thread.end_wait(wait),
        // The claimant came second inside libgomp after all: its wait is told now.
        None if copied != 0 => thread.end_wait(begin_wait(thread)),
        None => {}
    }
    if copied == 0 {
        thread.open_single();
    }
    copied
}

/// `GOMP_single_copy_end`: the executing thread has copied, and meets the others.
///
/// # Safety
/// As the function asks for.
pub(super) unsafe extern "C-unwind" fn single_copy_end<const B: usize, const E: usize>(data: usize) {
    // SAFETY: takes a pointer and returns nothing.
    let end: unsafe extern "C-unwind" fn(usize) = unsafe { real::<B, E, _>() };
    let Some(thread) = here() else {
        // SAFETY: the caller's call, passed on.
        return unsafe { end(data) };
    };
    thread.close_single();
    let wait = begin_wait(thread);
    // SAFETY: the caller's call, passed on.
    unsafe { end(data) };
    thread.end_wait(wait);
}

fn begin_wait(thread: &'static Thread) -> ompt_core::wait::Wait {
    thread.begin_barrier(Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare)
}

/// Claims the implicit task's next single region with copyprivate: the word to settle it in, or `None` if another thread
/// has it. The region's word holds region, number of the construct, and whether the claim is settled.
fn claim(thread: &'static Thread) -> Option<(&'static AtomicUsize, usize)> {
    /// About a microsecond: the claimant has no more to do than to call libgomp, which doesn't block it.
    const SPINS: usize = 64;
    let region = thread.region()?;
    let place = region.word(word::COPY);
    #[allow(clippy::cast_possible_truncation)] // usize has 64 bits here
    let claimed = (region.id() << 24 | thread.next_copy() << 1) as usize;
    if place.fetch_max(claimed, AcqRel) < claimed {
        return Some((place, claimed | 1));
    }
    for _ in 0..SPINS {
        if place.load(Acquire) > claimed {
            break;
        }
        std::hint::spin_loop();
    }
    None
}
