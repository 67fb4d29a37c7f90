//! Worksharing: loops, sections and single.
#![allow(unsafe_code)] // calls libgomp, and reads the bounds that it writes

use super::arguments::{Arguments, Words};
use super::instance::{Call, function, go_on};
use super::region_fields::Fields;
use super::schedule;
use ompt_core::detail::{Detail, Work};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet, Span};
use ompt_core::iterations::Iterations;
use ompt_core::state::State;
use ompt_core::thread::{Thread, here};
use std::sync::atomic::{AtomicUsize, Ordering::*};

/// Kind of work that an entry shares out, and layout of the arguments with its amount.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A loop: first iteration, one behind the last, step.
    Loop,
    /// The same for unsigned iterations, behind the direction.
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

    /// The iteration space of a loop, by an entry's arguments. gcc collapses loops itself; in a doacross nest it passes the
    /// product of collapsed loops as one.
    pub(super) fn iterations(self, arguments: &[usize]) -> Iterations {
        let argument = |i: usize| arguments.get(i).map_or(0, |argument| *argument as u64);
        let signed = |i: usize| argument(i).cast_signed();
        match self {
            Self::UllLoop => Iterations::unsigned(argument(0) & 0xff != 0, argument(1), argument(2), argument(3)),
            Self::Doacross => {
                let counts = argument(1) as *const u64;
                #[allow(clippy::cast_possible_truncation)] // usize has 64 bits here
                let loops = (argument(0) & 0xffff_ffff) as usize;
                // SAFETY: compiled code passes an array of as many counts as the first argument says
                // (`unsigned ncounts, long *counts`, libgomp_g.h).
                Iterations::nest((0..loops).map(|i| unsafe { counts.wrapping_add(i).read() }))
            }
            _ => Iterations::signed(signed(0), signed(1), signed(2)),
        }
    }
}

type Next<A> = <A as Arguments>::Function<usize>;

/// The start of a construct of shape `S`. Arguments `OUT` and `OUT + 1` point to where libgomp writes a loop's first share.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn start<C: Call<Arguments: Words, Result = usize>, const S: u8, const OUT: usize>(
    call: C,
    arguments: C::Arguments,
) -> usize {
    // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
    let real = || unsafe { go_on(call, arguments) };
    // SAFETY: by this function's `# Safety` the arguments are those of the entry, which has shape `S` (`names.rs`).
    unsafe { hand_out_first(call, Shape::of(S), arguments.words().as_ref(), OUT, real) }
}

/// The next piece of a loop or of sections.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn next<C: Call<Arguments: Words, Result = usize>, const S: u8>(
    call: C,
    arguments: C::Arguments,
) -> usize {
    if armed(EventSet::of(&[Event::Dispatch, Event::WorkBegin])) {
        // SAFETY: by this function's `# Safety` the arguments are those of the entry, which has shape `S` (`names.rs`).
        return unsafe { next_reported(Shape::of(S), function(call), arguments) };
    }
    // SAFETY: by this function's `# Safety` the arguments are those of the entry.
    unsafe { next_unreported(Shape::of(S), function(call), arguments) }
}

/// # Safety
/// The arguments are those of an entry of that shape, whose function is `real`.
#[inline(never)]
unsafe fn next_reported<A: Words>(shape: Shape, real: Next<A>, arguments: A) -> usize {
    here().inspect(|thread| thread.ask_for_work());
    // SAFETY: by this function's `# Safety` the arguments are those of an entry of that shape, whose function `real` is.
    let result = unsafe { next_unreported(shape, real, arguments) };
    if let Some(thread) = here() {
        let words = arguments.words();
        let out = |i: usize| words.as_ref().get(i).copied().unwrap_or(0);
        // SAFETY: by this function's `# Safety` the two arguments of a loop's entry are where `real` writes bounds if it
        // returns true (libgomp's loop.c).
        unsafe { report_share(thread, shape, result, out(0), out(1)) };
    }
    result
}

/// # Safety
/// As `real` asks for.
#[inline(always)]
unsafe fn next_unreported<A: Arguments>(shape: Shape, real: Next<A>, arguments: A) -> usize {
    let Some(thread) = here() else {
        // SAFETY: by this function's `# Safety` `real` may be called with these arguments.
        return unsafe { arguments.pass_to(real) };
    };
    let before = thread.overhead();
    // SAFETY: by this function's `# Safety` `real` may be called with these arguments.
    let result = unsafe { arguments.pass_to(real) };
    thread.resume(before);
    count_chunk(thread, shape, result);
    result
}

/// Counts a chunk of a loop, if the thread has got one.
#[inline(always)]
fn count_chunk(thread: &'static Thread, shape: Shape, result: usize) {
    if !matches!(shape, Shape::Sections | Shape::Scope) && result & 0xff != 0 {
        thread.count_chunk();
    }
}

/// # Safety
/// The arguments are those of an entry of that shape.
#[inline(always)]
unsafe fn hand_out_first(
    call: impl Call,
    shape: Shape,
    arguments: &[usize],
    out: usize,
    real: impl FnOnce() -> usize,
) -> usize {
    let Some(thread) = here() else { return real() };
    let kind = if matches!(shape, Shape::Sections | Shape::Scope) { Work::Loop } else { schedule::of(call, arguments) };
    let reductions = call.facts().reductions;
    open(thread, shape, kind, reductions, arguments);
    let before = thread.overhead();
    let result = real();
    thread.resume(before);
    count_chunk(thread, shape, result);
    let out = |i: usize| arguments.get(out + i).copied().unwrap_or(0);
    // SAFETY: arguments `out` and `out + 1` are where `real` writes a loop's bounds if it returns true (libgomp's loop.c), or 0
    // where there are none.
    unsafe { report_share(thread, shape, result, out(0), out(1)) };
    result
}

/// Opens a construct on the thread, with these arguments of its entry. `kind`: that of a loop.
#[inline(always)]
fn open(thread: &'static Thread, shape: Shape, kind: Work, reductions: Option<u8>, arguments: &[usize]) {
    thread.close_constructs();
    report_taskgroup(thread, reductions, arguments);
    match shape {
        Shape::Sections => thread.open_sections(arguments.first().map_or(0, |count| number(*count))),
        Shape::Scope => thread.open_work(Work::Scope, || 1),
        _ => thread.open_loop(kind, || shape.iterations(arguments)),
    }
    if let (Shape::Doacross, [loops, ..]) = (shape, arguments) {
        thread.start_doacross(u16::try_from(*loops & 0xffff_ffff).unwrap_or(u16::MAX));
    }
}

/// Reports the taskgroup that libgomp puts around a construct with task reductions, up to the call of [`barrier::reductions`].
///
/// [`barrier::reductions`]: super::barrier::reductions
#[inline(always)]
pub(super) fn report_taskgroup(thread: &'static Thread, reductions: Option<u8>, arguments: &[usize]) {
    let position = reductions.map(usize::from);
    if position.and_then(|position| arguments.get(position)).is_some_and(|reductions| *reductions != 0) {
        thread.raise(Event::TaskgroupBegin);
    }
}

/// Reports the share that a thread has got, if any.
///
/// # Safety
/// If `result` says that there is a share of a loop, `begin` and `end` point to its bounds, or are 0.
#[inline(always)]
pub(super) unsafe fn report_share(thread: &'static Thread, shape: Shape, result: usize, begin: usize, end: usize) {
    if armed(EventSet::of(&[Event::Dispatch])) {
        // SAFETY: by this function's `# Safety` `begin` and `end` point to a loop's bounds if `result` says that there is a
        // share.
        unsafe { report_share_to_subscribers(thread, shape, result, begin, end) };
    }
}

/// # Safety
/// As for [`report_share`].
#[cold]
unsafe fn report_share_to_subscribers(thread: &'static Thread, shape: Shape, result: usize, begin: usize, end: usize) {
    match shape {
        Shape::Scope => {}
        Shape::Sections if number(result) == 0 => {}
        Shape::Sections => thread.report_section(number(result)),
        _ if result & 0xff == 0 || begin == 0 || end == 0 => {}
        _ => {
            // SAFETY: by `report_share`'s `# Safety` and the test above `begin` points to the share's first iteration.
            let begin = unsafe { (begin as *const u64).read() };
            // SAFETY: by `report_share`'s `# Safety` and the test above `end` points to the share's last bound.
            let end = unsafe { (end as *const u64).read() };
            thread.report_chunk(begin, end);
        }
    }
}

/// An `unsigned int` among words.
#[inline(always)]
pub(super) fn number(word: usize) -> u64 {
    (word & 0xffff_ffff) as u64
}

/// The end of a loop or of sections that don't wait.
///
/// # Safety
/// As the entry's function asks for.
#[inline(always)]
pub(super) unsafe fn end_nowait<C: Call<Arguments = (), Result = ()>>(call: C, (): ()) {
    here().inspect(|thread| thread.close_work());
    // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
    unsafe { go_on(call, ()) };
}

/// `GOMP_single_start`: true for the thread that executes the region.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn single<C: Call<Arguments = (), Result = bool>>(call: C, (): ()) -> bool {
    let thread = here();
    thread.inspect(|thread| thread.close_single());
    // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
    let executes = unsafe { go_on(call, ()) };
    if let Some(thread) = thread {
        if executes { thread.open_single() } else { pass_single(thread) }
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
/// Which thread will execute is not known before. So threads claim the region first, and the rest spin a moment until the
/// claimant has come back from libgomp. Then they know that they have to wait, and report it before they do.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn single_copy_start<C: Call<Arguments = (), Result = usize>>(call: C, (): ()) -> usize {
    let Some(thread) = here() else {
        // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
        return unsafe { go_on(call, ()) };
    };
    thread.close_single();
    let first = claim(thread);
    let wait = first.is_none().then(|| begin_wait(thread));
    let before = first.map(|_| thread.overhead());
    // SAFETY: by this function's `# Safety` the program calls the entry, whose function takes no arguments.
    let copied = unsafe { go_on(call, ()) };
    if let Some(before) = before {
        thread.resume(before);
    }
    if let Some((place, settled)) = first {
        // Release: pairs with the load in `claim`: this thread's call of libgomp happens-before that of the thread that waits
        // for it.
        place.fetch_max(settled, Release);
    }
    match wait {
        Some(wait) => thread.end_wait(wait),
        // The claimant came second inside libgomp after all: its wait is reported now.
        None if copied != 0 => thread.end_wait(begin_wait(thread)),
        None => {}
    }
    if copied == 0 {
        thread.open_single()
    } else {
        pass_single(thread)
    }
    copied
}

/// `GOMP_single_copy_end`: the executing thread has copied, and meets the others.
///
/// # Safety
/// As the function asks for.
#[inline(always)]
pub(super) unsafe fn single_copy_end<C: Call<Arguments = (usize,), Result = ()>>(call: C, (data,): (usize,)) {
    let Some(thread) = here() else {
        // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
        return unsafe { go_on(call, (data,)) };
    };
    thread.close_single();
    let wait = begin_wait(thread);
    // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments.
    unsafe { go_on(call, (data,)) };
    thread.end_wait(wait);
}

fn begin_wait(thread: &'static Thread) -> ompt_core::wait::Wait {
    thread.begin_barrier(Span::WORK_BARRIER, State::WaitBarrierImplicitWorkshare)
}

/// Claims the implicit task's next single region with copyprivate: the word to settle it in, or `None` if another thread has
/// claimed it. The region's word holds region, number of the construct, and a bit for a settled claim.
fn claim(thread: &'static Thread) -> Option<(&'static AtomicUsize, usize)> {
    /// About a microsecond: the claimant has no more to do than to call libgomp, which doesn't block it.
    const SPINS: usize = 64;
    /// Bound on yields to a claimant that has lost its processor: it may be stopped.
    const YIELDS: usize = 1000;
    let region = thread.region()?;
    let place = Fields::of(region).copy;
    #[allow(clippy::cast_possible_truncation)] // usize has 64 bits here
    let claimed = (region.number() << 24 | thread.next_copy() << 1) as usize;
    // AcqRel has no partner: the claim publishes nothing, and a thread that fails reads the word again below.
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
