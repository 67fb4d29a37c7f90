//! Ordered loops. libgomp passes the turn from chunk to chunk, at the call for the next chunk; between turns no thread is in an
//! ordered region. So a word per loop records how far the turn has come, and a thread waits if its chunk lies beyond.
#![allow(unsafe_code)] // calls libgomp, and reads the bounds that it writes

use super::arguments::Words;
use super::instance::{Call, Instance, function, go_on};
use super::region_fields::Fields;
use super::schedule;
use super::work::{Shape, report_share, report_taskgroup};
use crate::lock_routines::{GIVING_BACK, TAKING, detail, report_released};
use ompt_core::detail::{Mutex, Work};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, Span};
use ompt_core::region::Region;
use ompt_core::state::State;
use ompt_core::thread::{Thread, here};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::*};

/// The largest number of ordered loops of a region that can run at once (with nowait, threads may be in different ones).
const PLACES: usize = 4;

/// The start of an ordered loop. Argument `FIRST` is the first iteration (before it, in the unsigned forms, whether the
/// loop counts up); arguments `OUT` and `OUT + 1` point to where libgomp writes the chunk.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn start<C: Call<Arguments: Words, Result = usize>, const FIRST: usize, const OUT: usize>(
    call: C,
    arguments: C::Arguments,
) -> usize {
    let Some(thread) = here() else {
        // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
        return unsafe { go_on(call, arguments) };
    };
    let words = arguments.words();
    let words = words.as_ref();
    let shape = if FIRST == 0 { Shape::Loop } else { Shape::UllLoop };
    let open = if C::Instance::IS_FIRST { open } else { open_of_other };
    open(thread, shape, schedule::of(call, words), call.facts().reductions, words);
    let before = thread.overhead();
    // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
    let some = unsafe { go_on(call, arguments) };
    thread.resume(before);
    let out = |i: usize| words.get(OUT + i).map_or(ptr::null(), |a| *a as *const u64);
    // SAFETY: if its result is true, libgomp has written the chunk's bounds there (libgomp's loop.c, loop_ull.c); else
    // `note_share` does not read them.
    unsafe { note_share(thread, shape, some, out(0), out(1)) };
    some
}

/// Opens an ordered loop on the thread, with these arguments of the entry.
#[inline(always)]
fn open(thread: &'static Thread, shape: Shape, kind: Work, reductions: Option<u8>, words: &[usize]) {
    thread.close_single();
    thread.close_work();
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    report_taskgroup(thread, reductions, words);
    thread.open_loop(kind, || shape.iterations(words));
    let (first, down) = match shape {
        Shape::UllLoop => (word(1), word(0) & 0xff == 0),
        _ => (word(0), word(2).cast_signed() < 0),
    };
    thread.start_ordered_loop(first as u64, down, |number| thread.region().and_then(|r| place(r, number)));
}

/// The same for all entries of libgomps other than the first.
#[inline(never)]
fn open_of_other(thread: &'static Thread, shape: Shape, kind: Work, reductions: Option<u8>, words: &[usize]) {
    open(thread, shape, kind, reductions, words);
}

/// Records the thread's first chunk, if it got one, and reports it.
///
/// # Safety
/// If the low byte of `some` is not 0, the pointers are those of a chunk's bounds, or null.
#[inline(always)]
unsafe fn note_share(thread: &'static Thread, shape: Shape, some: usize, begin: *const u64, end: *const u64) {
    // SAFETY: by this function's `# Safety` the pointers are those of a chunk's bounds, if there is one.
    unsafe { note_chunk(thread, some, begin, end) };
    // SAFETY: by this function's `# Safety` the pointers are those of a chunk's bounds, if there is one.
    unsafe { report_share(thread, shape, some, begin as usize, end as usize) };
}

/// The next chunk of an ordered loop: passes the turn on, for which it may have to wait itself.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn next<C: Call<Arguments = (usize, usize), Result = usize>>(
    call: C,
    arguments: (usize, usize),
) -> usize {
    // SAFETY: by this function's `# Safety` the program calls the entry, whose function that is, with these arguments.
    unsafe { next_of(function(call), arguments.0 as *const u64, arguments.1 as *const u64) }
}

/// # Safety
/// As `real` asks for.
#[inline(never)]
unsafe fn next_of(
    real: unsafe extern "C-unwind" fn(usize, usize) -> usize,
    begin: *const u64,
    end: *const u64,
) -> usize {
    let real = || {
        // SAFETY: by this function's `# Safety` `real` may be called with these arguments.
        unsafe { real(begin as usize, end as usize) }
    };
    let Some(thread) = here() else { return real() };
    let position = position(thread);
    let some = match position {
        // Acquire: pairs with the `fetch_max` of the turn in `next_of` and `enter`. It only decides whether a wait is reported:
        // libgomp itself orders the regions.
        Some((turn, from, to)) if turn.load(Acquire) < from => {
            let wait = thread.begin_wait(Span::ORDERED_WAIT, State::WaitOrdered, wait_id(thread));
            let some = real();
            // Release: pairs with the loads of the turn in `next_of` and `enter`. Libgomp itself orders what the iterations
            // write.
            turn.fetch_max(to, Release);
            thread.end_wait(wait);
            some
        }
        _ => {
            if let Some((turn, _, to)) = position {
                // Release: pairs with the loads of the turn in `next_of` and `enter`. Libgomp itself orders what the iterations
                // write.
                turn.fetch_max(to, Release);
            }
            let before = thread.overhead();
            let some = real();
            thread.resume(before);
            some
        }
    };
    // SAFETY: if its result is true, libgomp has written the chunk's bounds there (libgomp's loop.c, loop_ull.c); else
    // `note_chunk` does not read them.
    unsafe { note_chunk(thread, some, begin, end) };
    // SAFETY: if its result is true, libgomp has written the chunk's bounds there (libgomp's loop.c, loop_ull.c); else
    // `report_share` does not read them.
    unsafe { report_share(thread, Shape::Loop, some, begin as usize, end as usize) };
    some
}

/// `GOMP_ordered_start`.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn enter<C: Call<Arguments = (), Result = ()>>(call: C, (): ()) {
    let Some(thread) = here() else {
        // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
        return unsafe { go_on(call, ()) };
    };
    if armed(TAKING) {
        thread.raise_with(Event::MutexAcquire, &detail(Mutex::Ordered, wait_id(thread)));
    }
    match position(thread) {
        // Acquire: pairs with the `fetch_max` of the turn in `next_of` and `enter`. It only decides whether a wait is reported:
        // libgomp itself orders the regions.
        Some((turn, from, _)) if turn.load(Acquire) < from => {
            let wait = thread.begin_wait(Span::ORDERED_WAIT, State::WaitOrdered, wait_id(thread));
            // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
            unsafe { go_on(call, ()) };
            // Release: pairs with the loads of the turn in `next_of` and `enter`. Libgomp itself orders what the iterations
            // write.
            turn.fetch_max(from, Release);
            thread.end_wait(wait);
        }
        // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
        _ => unsafe { go_on(call, ()) },
    }
    if armed(TAKING) {
        thread.raise_with(Event::MutexAcquired, &detail(Mutex::Ordered, wait_id(thread)));
    }
    thread.open_ordered();
}

/// `GOMP_ordered_end`.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn leave<C: Call<Arguments = (), Result = ()>>(call: C, (): ()) {
    let thread = here();
    thread.inspect(|thread| thread.close_ordered());
    // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
    unsafe { go_on(call, ()) }
    if armed(GIVING_BACK) {
        thread.inspect(|thread| report_released(Mutex::Ordered, wait_id(thread)));
    }
}

/// # Safety
/// If the low byte of `some` is not 0, the pointers are those of a chunk's bounds, or null.
unsafe fn note_chunk(thread: &'static Thread, some: usize, begin: *const u64, end: *const u64) {
    if some & 0xff == 0 || begin.is_null() || end.is_null() {
        return thread.ordered_loop().finish();
    }
    // SAFETY: by this function's `# Safety` and the tests above `begin` points to a chunk's first iteration.
    let begin = unsafe { begin.read() };
    // SAFETY: by this function's `# Safety` and the tests above `end` points to a chunk's last bound.
    let end = unsafe { end.read() };
    thread.count_chunk();
    thread.ordered_loop().set_chunk(begin, end);
}

/// Turn of the thread's loop (iterations from the loop's start), and the bounds of its chunk.
fn position(thread: &'static Thread) -> Option<(&'static AtomicUsize, usize, usize)> {
    let region = thread.region()?;
    let (place, from, to) = thread.ordered_loop().position()?;
    let [_, turn] = turns(region, place);
    #[allow(clippy::cast_possible_truncation)] // usize has 64 bits here
    Some((turn, from as usize, to as usize))
}

fn wait_id(thread: &'static Thread) -> u64 {
    thread.region().map_or(0, Region::number) << 32 | thread.ordered_loop().number() & 0xffff_ffff
}

/// The words of the region's ordered loop at this place: its number, as [`place`] writes it, and its turn.
fn turns(region: &Region, place: usize) -> &[AtomicUsize; 2] {
    let (turns, _) = Fields::of(region).turns.as_chunks();
    #[allow(clippy::indexing_slicing)] // there are as many pairs as places
    &turns[place % PLACES]
}

/// Index of the word with the turn of the region's ordered loop of this number. The first thread that asks clears it. `None`
/// when a later loop has taken it already: then waits are not reported.
fn place(region: &'static Region, number: u64) -> Option<usize> {
    #[allow(clippy::cast_possible_truncation)] // usize has 64 bits here, and the place is masked
    let (owner, place) = ((region.number() << 20 | number << 1) as usize, number as usize % PLACES);
    let [word, turn] = turns(region, place);
    let ready = owner | 1;
    // Acquire: pairs with the `fetch_max` of `ready` of the place's last loop: its reset of the turn precedes this one.
    if word.fetch_max(owner, AcqRel) < owner {
        turn.store(0, Relaxed);
        // Release: pairs with the load below; publishes the turn's reset.
        word.fetch_max(ready, Release);
    }
    for _ in 0..1 << 10 {
        // Acquire: pairs with the `fetch_max` of `ready`: a thread that sees `ready` sees a turn that was reset for this loop.
        match word.load(Acquire) {
            now if now == ready => return Some(place),
            now if now > ready => return None,
            _ => std::hint::spin_loop(),
        }
    }
    None
}
