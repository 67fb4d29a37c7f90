//! Ordered loops. libgomp passes the turn from chunk to chunk, at the call for the next chunk; between turns no thread is in an ordered
//! region. So a word per loop records how far the turn has advanced, and a thread waits if its chunk comes later.

use super::arguments::{Bound, Nest, Words};
use super::instance::{PendingCall, Prepared, Target};
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
use std::sync::atomic::{AtomicUsize, Ordering::*};

/// The largest number of ordered loops of a region that can run at the same time (with nowait, threads may be in different ones).
const CAPACITY: usize = 4;

/// The start of an ordered loop. Argument `FIRST` is the first iteration. (In the unsigned forms, the argument before
/// it says whether the loop counts up.)
#[inline(always)]
pub(super) fn start<T: Target<Arguments: Words, Result = usize>, const FIRST: usize>(
    call: PendingCall<'_, T>,
) -> usize {
    let Some(thread) = here() else { return call.go_on() };
    let arguments = call.arguments();
    let words = arguments.words();
    let words = words.as_ref();
    let shape = if FIRST == 0 { Shape::Loop } else { Shape::UllLoop };
    open(thread, shape, schedule::of(&call, words), call.target().facts().reductions, words);
    let before = thread.activity.overhead();
    let some = call.go_on();
    thread.activity.resume(before);
    note_chunk(thread, some, arguments.places());
    report_share(thread, shape, some, arguments);
    some
}

/// Opens an ordered loop on the thread, with these arguments of the entry.
#[inline(never)]
fn open(thread: &'static Thread, shape: Shape, kind: Work, reductions: Option<u8>, words: &[usize]) {
    thread.constructs().close_single();
    thread.constructs().close_work();
    let word = |i: usize| words.get(i).copied().unwrap_or(0);
    report_taskgroup(thread, reductions, words);
    thread.constructs().open_loop(kind, || shape.iterations(words, Nest::NONE));
    let (first, down) = match shape {
        Shape::UllLoop => (word(1), word(0) & 0xff == 0),
        _ => (word(0), word(2).cast_signed() < 0),
    };
    thread
        .constructs()
        .start_ordered_loop(first as u64, down, |number| thread.current.region().and_then(|r| place(r, number)));
}

/// The next chunk of an ordered loop: passes on the turn, for which the thread itself may have to wait.
#[inline(always)]
pub(super) fn next<T: Target<Arguments: Words, Result = usize>>(call: PendingCall<'_, T>) -> usize {
    next_of(call.prepare())
}

#[inline(never)]
fn next_of<A: Words>(call: Prepared<'_, A, usize>) -> usize {
    let arguments = call.arguments();
    let Some(thread) = here() else { return call.go_on() };
    let position = position(thread);
    let some = match position {
        // Acquire: pairs with the `fetch_max` of the turn in `next_of` and `enter`. It only determines whether a wait is reported: libgomp
        // itself orders the regions.
        Some((turn, from, to)) if turn.load(Acquire) < from => {
            let wait = thread.waits().begin(Span::ORDERED_WAIT, State::WaitOrdered, wait_id(thread));
            let some = call.go_on();
            // Release: pairs with the loads of the turn in `next_of` and `enter`. libgomp itself orders what the iterations write.
            turn.fetch_max(to, Release);
            thread.waits().end(wait);
            some
        }
        _ => {
            if let Some((turn, _, to)) = position {
                // Release: pairs with the loads of the turn in `next_of` and `enter`. libgomp itself orders what the iterations write.
                turn.fetch_max(to, Release);
            }
            let before = thread.activity.overhead();
            let some = call.go_on();
            thread.activity.resume(before);
            some
        }
    };
    note_chunk(thread, some, arguments.places());
    report_share(thread, Shape::Loop, some, arguments);
    some
}

/// `GOMP_ordered_start`.
#[inline(always)]
pub(super) fn enter<T: Target<Result = ()>>(call: PendingCall<'_, T>) {
    let Some(thread) = here() else { return call.go_on() };
    if armed(TAKING) {
        thread.raise_with(Event::MutexAcquire, &detail(Mutex::Ordered, wait_id(thread)));
    }
    match position(thread) {
        // Acquire: pairs with the `fetch_max` of the turn in `next_of` and `enter`. It only determines whether a wait is reported: libgomp
        // itself orders the regions.
        Some((turn, from, _)) if turn.load(Acquire) < from => {
            let wait = thread.waits().begin(Span::ORDERED_WAIT, State::WaitOrdered, wait_id(thread));
            call.go_on();
            // Release: pairs with the loads of the turn in `next_of` and `enter`. libgomp itself orders what the iterations write.
            turn.fetch_max(from, Release);
            thread.waits().end(wait);
        }
        _ => call.go_on(),
    }
    if armed(TAKING) {
        thread.raise_with(Event::MutexAcquired, &detail(Mutex::Ordered, wait_id(thread)));
    }
    thread.constructs().open_ordered();
}

/// `GOMP_ordered_end`.
#[inline(always)]
pub(super) fn leave<T: Target<Result = ()>>(call: PendingCall<'_, T>) {
    let thread = here();
    thread.inspect(|thread| thread.constructs().close_ordered());
    call.go_on();
    if armed(GIVING_BACK) {
        thread.inspect(|thread| report_released(Mutex::Ordered, wait_id(thread)));
    }
}

/// Records the thread's chunk, if it got one.
fn note_chunk(thread: &'static Thread, some: usize, places: [Bound<'_>; 2]) {
    let [begin, end] = places;
    let chunk = || Some((begin.read()?, end.read()?));
    let Some((begin, end)) = (if some & 0xff == 0 { None } else { chunk() }) else {
        return thread.constructs().ordered_loop().finish();
    };
    thread.activity.published().count_chunk();
    thread.constructs().ordered_loop().set_chunk(begin, end);
}

/// Turn of the thread's loop (in iterations from the loop's start), and the bounds of its chunk.
fn position(thread: &'static Thread) -> Option<(&'static AtomicUsize, usize, usize)> {
    let region = thread.current.region()?;
    let (place, from, to) = thread.constructs().ordered_loop().position()?;
    let [_, turn] = turns(region, place);
    #[allow(clippy::cast_possible_truncation)] // usize has 64 bits here
    Some((turn, from as usize, to as usize))
}

fn wait_id(thread: &'static Thread) -> u64 {
    thread.current.region().map_or(0, Region::number) << 32 | thread.constructs().ordered_loop().number() & 0xffff_ffff
}

/// The words of the region's ordered loop at this index: its number, as [`place`] writes it, and its turn.
fn turns(region: &Region, place: usize) -> &[AtomicUsize; 2] {
    let (turns, _) = Fields::of(region).turns.as_chunks();
    #[allow(clippy::indexing_slicing)] // there are as many pairs as places
    &turns[place % CAPACITY]
}

/// Index of the word with the turn of the region's ordered loop with this number. The first thread that asks for it clears the word. `None`
/// if a later loop has already taken it: then waits are not reported.
fn place(region: &'static Region, number: u64) -> Option<usize> {
    #[allow(clippy::cast_possible_truncation)] // usize has 64 bits here, and the place is masked
    let (owner, place) = ((region.number() << 20 | number << 1) as usize, number as usize % CAPACITY);
    let [word, turn] = turns(region, place);
    let ready = owner | 1;
    // Acquire: pairs with the `fetch_max` of `ready` for the previous loop at this index: its reset of the turn
    // precedes this one.
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
