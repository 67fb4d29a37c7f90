//! Doacross loops (`ordered(n)` with `depend(source)` and `depend(sink)`). A wait is reported for an iteration that is not known to be done
//! ([`done_iterations`]). Dependences are reported to OMPT tools.
#![allow(unsafe_code)] // calls libgomp, and reads the iterations that programs pass

use super::done_iterations;
use super::instance::{First, Instance, OfFirst, OfOther, PendingCall, Target, function_as, runtime};
use super::routines::TEAM_SIZE;
use ompt_core::detail::{Dependence, DependenceKind, Detail, Mutex};
use ompt_core::dispatch::{Interface, armed};
use ompt_core::event::{Event, EventSet, Span};
use ompt_core::query;
use ompt_core::region::Region;
use ompt_core::state::State;
use ompt_core::thread::{Thread, here};
use std::mem::transmute;
use system::arch::call_with_numbers;
use system::thread_sanitizer;

/// The deepest nest whose iterations are reported with all loop variables.
const MAX_DEPTH: usize = 10;

type Wait = unsafe extern "C-unwind" fn(i64, i64, i64, i64, i64, i64, i64, i64, i64, i64);

/// The number of arguments that are passed on separately, not as an array.
const IN_REGISTERS: usize = 6;

/// `GOMP_doacross_post` and its unsigned form: completes the iteration for others that depend on it.
#[inline(always)]
pub(super) fn post<T: Target<Arguments = (*const i64,), Result = ()>>(call: PendingCall<'_, T>) {
    let ((iteration,), instance) = (call.arguments(), call.instance());
    // SAFETY: `i` is less than the number of the nest's loops, and compiled code passes an array with a number for each loop (libgomp's
    // ordered.c, `GOMP_doacross_post`).
    let number = |i: usize| unsafe { iteration.wrapping_add(i).read() };
    report(DependenceKind::Source, number);
    call.go_on();
    if let Some((_, region, nest, loops)) = here().and_then(|thread| among_others(instance, thread)) {
        done_iterations::add(done_iterations::hash(region.id(), nest, (0..loops.min(MAX_DEPTH)).map(number)));
    }
}

system::call_with_stack_arguments! {
    /// `GOMP_doacross_wait` and its unsigned form: takes as many numbers as the nest has loops, those after the sixth one on the stack.
    ///
    /// # Safety
    /// The requirements of the entry's function.
    pub(super) fn wait<const E: usize>, wait_in_first::<E>
}

/// Reports a wait, for the first instance. `on_stack` is the address of the arguments after the sixth, or of the caller's frame.
unsafe extern "C-unwind" fn wait_in_first<const E: usize>(
    a0: i64,
    a1: i64,
    a2: i64,
    a3: i64,
    a4: i64,
    a5: i64,
    on_stack: *const i64,
) {
    // SAFETY: the function takes as many numbers as the nest has loops (libgomp_g.h), in words, as callers of `Real` pass them.
    let real = unsafe { function_as(OfFirst::<E, (), ()>::new()) };
    // SAFETY: `wait` passes on the program's call of the entry.
    unsafe { wait_with(First, real, [a0, a1, a2, a3, a4, a5], on_stack) };
}

/// Reports a wait, for another instance. `word` is the address of the instance's word with the entry's real function.
///
/// # Safety
/// The program calls the entry.
pub(super) unsafe extern "C-unwind" fn wait_in_other(
    a0: i64,
    a1: i64,
    a2: i64,
    a3: i64,
    a4: i64,
    a5: i64,
    on_stack: *const i64,
    word: usize,
) {
    // SAFETY: a trampoline of another instance leads here, with the address of the instance's word for this entry.
    let target = unsafe { OfOther::<(), ()>::new(word) };
    // SAFETY: the function takes as many numbers as the nest has loops (libgomp_g.h), in words, as callers of `Real` pass them.
    let real = unsafe { function_as(target) };
    // SAFETY: by this function's `# Safety` the program calls the entry, with these arguments.
    unsafe { wait_with(target.instance(), real, [a0, a1, a2, a3, a4, a5], on_stack) };
}

/// Function of a variadic entry, whose arguments have one of two integer types.
#[derive(Clone, Copy)]
#[repr(transparent)]
struct Real(*const ());

/// # Safety
/// The program calls the entry whose function is `real` with these arguments. `on_stack` is the address of the arguments after the sixth,
/// or of the caller's frame if the nest has at most six loops.
#[inline(never)]
unsafe fn wait_with(instance: impl Instance, real: Real, in_registers: [i64; IN_REGISTERS], on_stack: *const i64) {
    // SAFETY: by this function's `# Safety` arguments seven to ten are there, or frames of callers, which are mapped and aligned (psABI
    // 3.2.2): the number of arguments is known only if the loop's start was seen.
    let [a6, a7, a8, a9] = unsafe { on_stack.cast::<[i64; MAX_DEPTH - IN_REGISTERS]>().read() };
    let [a0, a1, a2, a3, a4, a5] = in_registers;
    let numbers = [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9];
    let wait_for = |loops: usize| {
        if loops > MAX_DEPTH {
            // SAFETY: `on_stack` is where the program has put the arguments after the sixth; in a nest of `loops` loops there are
            // `loops - 6` of them.
            unsafe { wait_in_deep_nest(real, in_registers, on_stack, loops) };
        } else {
            // SAFETY: the entry is `void GOMP_doacross_wait (long, ...)`, or the same with `unsigned long long` (libgomp_g.h), and bound,
            // since its wrapper runs; it reads as many numbers as the nest has loops, at most ten here.
            let real: Wait = unsafe { transmute(real) };
            // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same numbers.
            unsafe { real(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9) };
        }
    };
    let thread = here();
    match thread.and_then(|thread| among_others(instance, thread)) {
        Some((thread, region, nest, loops)) if !is_done(region, nest, loops, &numbers) => {
            let wait_id = wait_id(region, nest);
            let wait = thread.waits().begin(Span::ORDERED_WAIT, State::WaitOrdered, wait_id);
            wait_for(loops);
            thread.waits().end(wait);
            // In TR2 a wait ends when the ordered region is acquired; here the region is empty. OpenMP 5 has `dependences` for it.
            let detail = Detail::Mutex { kind: Mutex::Ordered, wait_id, hint: 0 };
            thread.raise_for(Interface::Tr2, Event::MutexAcquired, &detail);
            thread.raise_for(Interface::Tr2, Event::MutexReleased, &detail);
        }
        _ => wait_for(thread.map_or(0, |thread| usize::from(thread.constructs().doacross().1))),
    }
    report(DependenceKind::Sink, |i| numbers.get(i).copied().unwrap_or(0));
}

/// The thread's region if other threads are in its team, with the number of its doacross loop nest and the number of loops in the nest.
#[inline(always)]
fn among_others(
    instance: impl Instance,
    thread: &'static Thread,
) -> Option<(&'static Thread, &'static Region, u64, usize)> {
    let region = thread.current.region().filter(|_| runtime(instance).answer(TEAM_SIZE) > 1)?;
    let (nest, loops) = thread.constructs().doacross();
    Some((thread, region, nest, usize::from(loops)))
}

/// True if the iteration is known to be done; false for nests deeper than [`MAX_DEPTH`].
#[inline(always)]
fn is_done(region: &Region, nest: u64, loops: usize, numbers: &[i64; MAX_DEPTH]) -> bool {
    loops <= MAX_DEPTH
        && done_iterations::has(done_iterations::hash(region.id(), nest, numbers.iter().take(loops).copied()))
}

/// Wait id of a doacross nest, distinct from those of ordered loops.
fn wait_id(region: &Region, nest: u64) -> u64 {
    region.id() << 32 | 1 << 31 | nest & 0x7fff_ffff
}

/// # Safety
/// As for [`wait_with`], in a nest of `loops` loops.
#[cold]
#[inline(never)]
unsafe fn wait_in_deep_nest(real: Real, in_registers: [i64; IN_REGISTERS], on_stack: *const i64, loops: usize) {
    // SAFETY: the entry takes as many numbers as the nest has loops, and is bound, since its wrapper runs. By this function's `# Safety`
    // the program calls it with these; there are more than `MAX_DEPTH`, so at least two follow the sixth.
    unsafe { call_with_numbers(real.0, &in_registers, on_stack, loops - IN_REGISTERS) };
}

/// Reports a dependence to tools and to ThreadSanitizer. ThreadSanitizer can't see it in libgomp, and Archer, which reports the rest by
/// OMPT, omits doacross loops ("not supported yet" in its `ompt_tsan_dependences`, LLVM 19).
#[inline(always)]
fn report(kind: DependenceKind, number: impl Fn(usize) -> i64) {
    if armed(EventSet::of(&[Event::Dependences])) || thread_sanitizer::is_there() {
        report_to_subscribers(kind, &number);
    }
}

#[cold]
#[inline(never)]
fn report_to_subscribers(kind: DependenceKind, number: &dyn Fn(usize) -> i64) {
    let Some((thread, (task, region))) = here().zip(query::task_at(0)) else { return };
    let (nest, loops) = thread.constructs().doacross();
    let mut list = [Dependence { variable: 0, kind }; MAX_DEPTH];
    let list = list.get_mut(..usize::from(loops).min(MAX_DEPTH)).unwrap_or_default();
    let mut key = region.map_or(0, |region| region.number()) << 16 | nest & 0xffff;
    for (i, place) in list.iter_mut().enumerate() {
        place.variable = number(i).cast_unsigned();
        key = (key ^ key >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(place.variable);
    }
    match kind {
        DependenceKind::Source => thread_sanitizer::releases(c"libgomp", key),
        _ => thread_sanitizer::has_waited_for(c"libgomp", key),
    }
    thread.raise_with(Event::Dependences, &Detail::Dependences { task, list });
}
