//! Worksharing: loops, sections and single.

use super::arguments::{Arguments, Bound, Nest, Words};
use super::instance::{PendingCall, Prepared, Target};
use super::own_team::want_team;
use super::region_fields::Fields;
use super::schedule;
use ompt_core::detail::{Detail, Work};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet, Span};
use ompt_core::iterations::Iterations;
use ompt_core::state::State;
use ompt_core::thread::{Thread, here};
use std::sync::atomic::{AtomicUsize, Ordering::*};

/// Kind of work that an entry shares among threads, and layout of the arguments that describe its amount.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A loop: first iteration, bound (past the last iteration), step.
    Loop,
    /// A loop with unsigned iterations: direction, first iteration, bound, step.
    UllLoop,
    /// Sections: their number.
    Sections,
    /// A scope.
    Scope,
    /// A loop whose iterations depend on each other: number of loops, iterations of each.
    Doacross,
}

pub(super) const LOOP: u8 = Shape::Loop as u8;
pub(super) const ULL_LOOP: u8 = Shape::UllLoop as u8;
pub(super) const SECTIONS: u8 = Shape::Sections as u8;
pub(super) const SCOPE: u8 = Shape::Scope as u8;
pub(super) const DOACROSS: u8 = Shape::Doacross as u8;

impl Shape {
    #[inline(always)]
    const fn of(number: u8) -> Self {
        match number {
            ULL_LOOP => Self::UllLoop,
            SECTIONS => Self::Sections,
            SCOPE => Self::Scope,
            DOACROSS => Self::Doacross,
            _ => Self::Loop,
        }
    }

    /// The iteration space of a loop, from an entry's arguments. gcc collapses loops itself; in a doacross nest it passes the product of
    /// collapsed loops as one.
    pub(super) fn iterations(self, arguments: &[usize], nest: Nest<'_>) -> Iterations {
        let argument = |i: usize| arguments.get(i).map_or(0, |argument| *argument as u64);
        let signed = |i: usize| argument(i).cast_signed();
        match self {
            Self::UllLoop => Iterations::unsigned(argument(0) & 0xff != 0, argument(1), argument(2), argument(3)),
            Self::Doacross => Iterations::nest(nest.counts()),
            _ => Iterations::signed(signed(0), signed(1), signed(2)),
        }
    }
}

/// The start of a construct of shape `S`.
#[inline(always)]
pub(super) fn start<T: Target<Arguments: Words, Result = usize>, const S: u8>(call: PendingCall<'_, T>) -> usize {
    let Some(thread) = here() else { return call.go_on() };
    let (shape, arguments) = (Shape::of(S), call.arguments());
    let words = arguments.words();
    let words = words.as_ref();
    let kind = if matches!(shape, Shape::Sections | Shape::Scope) { Work::Loop } else { schedule::of(&call, words) };
    let reductions = call.target().facts().reductions;
    open(thread, shape, kind, reductions, words, arguments.nest());
    let before = thread.activity.overhead();
    let result = call.go_on();
    thread.activity.resume(before);
    count_chunk(thread, shape, result);
    report_share(thread, shape, result, arguments);
    result
}

/// The next piece of a loop or of sections.
#[inline(always)]
pub(super) fn next<T: Target<Arguments: Words, Result = usize>, const S: u8>(call: PendingCall<'_, T>) -> usize {
    if armed(EventSet::of(&[Event::Dispatch, Event::WorkBegin])) {
        return next_reported(Shape::of(S), call.prepare());
    }
    next_unreported(Shape::of(S), call.prepare())
}

#[inline(never)]
fn next_reported<A: Words>(shape: Shape, call: Prepared<'_, A, usize>) -> usize {
    here().inspect(|thread| thread.constructs().ask_for_work());
    let arguments = call.arguments();
    let result = next_unreported(shape, call);
    here().inspect(|thread| report_share(thread, shape, result, arguments));
    result
}

#[inline(always)]
fn next_unreported<A: Arguments>(shape: Shape, call: Prepared<'_, A, usize>) -> usize {
    let Some(thread) = here() else { return call.go_on() };
    let before = thread.activity.overhead();
    let result = call.go_on();
    thread.activity.resume(before);
    count_chunk(thread, shape, result);
    result
}

/// Counts a chunk of a loop, if the thread has got one.
#[inline(always)]
fn count_chunk(thread: &'static Thread, shape: Shape, result: usize) {
    if !matches!(shape, Shape::Sections | Shape::Scope) && result & 0xff != 0 {
        thread.activity.published().count_chunk();
    }
}

/// Opens a construct on the thread, with these arguments of its entry. `kind` is a loop's kind.
#[inline(always)]
fn open(
    thread: &'static Thread,
    shape: Shape,
    kind: Work,
    reductions: Option<u8>,
    arguments: &[usize],
    nest: Nest<'_>,
) {
    thread.constructs().close_constructs();
    report_taskgroup(thread, reductions, arguments);
    match shape {
        Shape::Sections => thread.constructs().open_sections(arguments.first().map_or(0, |count| number(*count))),
        Shape::Scope => thread.constructs().open_work(Work::Scope, || 1),
        _ => thread.constructs().open_loop(kind, || shape.iterations(arguments, nest)),
    }
    if let (Shape::Doacross, [loops, ..]) = (shape, arguments) {
        thread.constructs().start_doacross(u16::try_from(*loops & 0xffff_ffff).unwrap_or(u16::MAX));
    }
}

/// Reports the taskgroup that libgomp puts around a construct with task reductions, until the call of [`barrier::reductions`]. The thread
/// needs a team for it (libgomp's `gomp_workshare_taskgroup_start`).
///
/// [`barrier::reductions`]: super::barrier::reductions
#[inline(always)]
pub(super) fn report_taskgroup(thread: &'static Thread, reductions: Option<u8>, arguments: &[usize]) {
    let position = reductions.map(usize::from);
    if position.and_then(|position| arguments.get(position)).is_some_and(|reductions| *reductions != 0) {
        want_team(thread);
        thread.raise(Event::TaskgroupBegin);
    }
}

/// Reports the share that a thread has got by a call with these arguments, if any.
#[inline(always)]
pub(super) fn report_share(thread: &'static Thread, shape: Shape, result: usize, arguments: impl Words) {
    if armed(EventSet::of(&[Event::Dispatch])) {
        report_share_to_subscribers(thread, shape, result, arguments.places());
    }
}

#[cold]
fn report_share_to_subscribers(thread: &'static Thread, shape: Shape, result: usize, places: [Bound<'_>; 2]) {
    match shape {
        Shape::Scope => {}
        Shape::Sections if number(result) == 0 => {}
        Shape::Sections => thread.constructs().report_section(number(result)),
        _ if result & 0xff == 0 => {}
        _ => {
            let [begin, end] = places;
            if let Some(begin) = begin.read()
                && let Some(end) = end.read()
            {
                thread.constructs().report_chunk(begin, end);
            }
        }
    }
}

/// An `unsigned int` among words.
#[inline(always)]
pub(super) fn number(word: usize) -> u64 {
    (word & 0xffff_ffff) as u64
}

/// The end of a loop or of sections without a wait.
#[inline(always)]
pub(super) fn end_nowait<T: Target<Result = ()>>(call: PendingCall<'_, T>) {
    here().inspect(|thread| thread.constructs().close_work());
    call.go_on();
}

/// `GOMP_single_start`: true for the thread that executes the region.
#[inline(always)]
pub(super) fn single<T: Target<Result = bool>>(call: PendingCall<'_, T>) -> bool {
    let thread = here();
    // Nothing else shows the end of a static loop with `nowait`.
    thread.inspect(|thread| thread.constructs().close_before_single());
    let executes = call.go_on();
    if let Some(thread) = thread {
        if executes { thread.constructs().open_single() } else { pass_single(thread) }
    }
    executes
}

/// Reports to the thread that another thread executes the single region.
#[inline(always)]
fn pass_single(thread: &'static Thread) {
    let single = Detail::Work { kind: Work::SingleOther, count: 1 };
    let token = thread.begin_with(Span::WORK, &single);
    thread.end_in_detail(Event::WorkEnd, &single, token);
}

/// `GOMP_single_copy_start`: null for the thread that executes the region; the others wait here for what it copies.
///
/// It is not known in advance which thread will execute the region. So threads claim the region first, and the others spin briefly until
/// the claimant has returned from libgomp. Then they know that they have to wait, and report it before they do.
#[inline(always)]
pub(super) fn single_copy_start<T: Target<Result = usize>>(call: PendingCall<'_, T>) -> usize {
    let Some(thread) = here() else { return call.go_on() };
    thread.constructs().close_before_single();
    let first = claim(thread);
    let wait = first.is_none().then(|| begin_wait(thread));
    let before = first.map(|_| thread.activity.overhead());
    let copied = call.go_on();
    if let Some(before) = before {
        thread.activity.resume(before);
    }
    if let Some((place, settled)) = first {
        // Release: pairs with the load in `claim`: this thread's call of libgomp happens-before that of the thread that waits for it.
        place.fetch_max(settled, Release);
    }
    match wait {
        Some(wait) => thread.waits().end(wait),
        // libgomp has chosen another thread than the claimant, whose wait is reported now.
        None if copied != 0 => thread.waits().end(begin_wait(thread)),
        None => {}
    }
    if copied == 0 {
        thread.constructs().open_single()
    } else {
        pass_single(thread)
    }
    copied
}

/// `GOMP_single_copy_end`: the executing thread has copied the values, and waits for the others.
#[inline(always)]
pub(super) fn single_copy_end<T: Target<Result = ()>>(call: PendingCall<'_, T>) {
    let Some(thread) = here() else { return call.go_on() };
    thread.constructs().close_single();
    let wait = begin_wait(thread);
    call.go_on();
    thread.waits().end(wait);
}

fn begin_wait(thread: &'static Thread) -> ompt_core::wait::Wait {
    thread.waits().begin_barrier(Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare)
}

/// Claims the implicit task's next single region with copyprivate: returns the word in which to settle the claim, or `None` if another
/// thread has claimed it. The region's word holds region, number of the construct, and a bit for a settled claim.
fn claim(thread: &'static Thread) -> Option<(&'static AtomicUsize, usize)> {
    /// About a microsecond: the claimant only has to call libgomp, which doesn't block it.
    const SPINS: usize = 64;
    /// Bound on yields to a claimant that was preempted: it may be stopped.
    const YIELDS: usize = 1000;
    let region = thread.current.region()?;
    let place = Fields::of(region).copy;
    #[allow(clippy::cast_possible_truncation)] // usize has 64 bits here
    let claimed = (region.number() << 24 | thread.constructs().next_copy() << 1) as usize;
    // AcqRel pairs with nothing: the claim publishes nothing, and a thread that fails reads the word again below.
    if place.fetch_max(claimed, AcqRel) < claimed {
        return Some((place, claimed | 1));
    }
    for turn in 0..SPINS + YIELDS {
        // Acquire: pairs with the `fetch_max` in `single_copy_start`: the claimant's call of libgomp happens-before this
        // thread's.
        if place.load(Acquire) > claimed {
            break;
        }
        if turn < SPINS { std::hint::spin_loop() } else { std::thread::yield_now() }
    }
    None
}
