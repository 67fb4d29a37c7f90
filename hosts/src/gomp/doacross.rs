//! Loops whose iterations depend on each other (`ordered(n)` with `depend(source)` and `depend(sink)`). Whether an iteration has
//! to wait is only known inside of libgomp; what it depends on is told to tools that want to know of calls.
#![allow(unsafe_code)] // calls libgomp, and reads the iterations that programs pass

use super::bank::real;
use super::sanitizer;
use ompt_core::detail::{Dependence, DependenceKind, Detail};
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet};
use ompt_core::query;
use ompt_core::thread::here;
use ompt_core::tls;

/// Loops in a nest beyond so many are not told.
const MOST: usize = 10;

type Wait = unsafe extern "C-unwind" fn(i64, i64, i64, i64, i64, i64, i64, i64, i64, i64);
/// With all that a deeper nest passes on the stack.
type DeepWait = unsafe extern "C-unwind" fn(i64, i64, i64, i64, i64, i64, Rest);

/// How many arguments go in registers.
const IN_REGISTERS: usize = 6;

/// What lies on the stack, as one argument: more than any nest has.
#[repr(C)]
struct Rest([i64; MANY]);

const MANY: usize = 1024;

/// `GOMP_doacross_post` and its unsigned form: the iteration is done as far as others depend on it.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn post<const B: usize, const E: usize>(iteration: *const i64) {
    // SAFETY: takes the address of the iteration's numbers and returns nothing.
    let real: unsafe extern "C-unwind" fn(*const i64) = unsafe { real::<B, E, _>() };
    // SAFETY: compiled code passes as many numbers as the nest has loops.
    tell(DependenceKind::Source, |i| unsafe { iteration.wrapping_add(i).read() });
    // SAFETY: the caller's call, passed on.
    unsafe { real(iteration) };
}

/// `GOMP_doacross_wait` and its unsigned form: takes as many numbers as the nest has loops. Further arguments are the
/// caller's frame, passed on unread.
///
/// # Safety
/// As the entry's function asks for.
pub(super) unsafe extern "C-unwind" fn wait<const B: usize, const E: usize>(
    a0: i64,
    a1: i64,
    a2: i64,
    a3: i64,
    a4: i64,
    a5: i64,
    a6: i64,
    a7: i64,
    a8: i64,
    a9: i64,
) {
    let loops = here().map_or(0, |thread| usize::from(thread.doacross().1));
    if loops > MOST {
        // SAFETY: as above.
        unsafe { wait_in_deep_nest::<B, E>([a0, a1, a2, a3, a4, a5], loops) };
    } else {
        // SAFETY: see above.
        let real: Wait = unsafe { real::<B, E, _>() };
        // SAFETY: the caller's call, passed on.
        unsafe { real(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9) };
    }
    let numbers = [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9];
    tell(DependenceKind::Sink, |i| numbers.get(i).copied().unwrap_or(0));
}

/// # Safety
/// As for [`wait`], which notes its call, in a nest of so many loops.
#[cold]
#[inline(never)]
unsafe fn wait_in_deep_nest<const B: usize, const E: usize>(
    [a0, a1, a2, a3, a4, a5]: [i64; IN_REGISTERS],
    loops: usize,
) {
    let on_stack = tls::call().frame as *const i64;
    let mut rest = Rest([0; MANY]);
    for (i, number) in rest.0.iter_mut().enumerate().take(loops - IN_REGISTERS) {
        // SAFETY: the caller has put the arguments behind the first ones where its frame ends.
        *number = unsafe { on_stack.wrapping_add(i).read() };
    }
    // SAFETY: takes its numbers in registers first, and then on the stack.
    let real: DeepWait = unsafe { real::<B, E, _>() };
    // SAFETY: the caller's call, passed on.
    unsafe { real(a0, a1, a2, a3, a4, a5, rest) };
}

/// Tells the tools, and ThreadSanitizer.
fn tell(kind: DependenceKind, number: impl Fn(usize) -> i64) {
    if !armed(EventSet::of(&[Event::Dependences])) && !sanitizer::is_there() {
        return;
    }
    let Some((thread, (task, region))) = here().zip(query::task_at(0)) else { return };
    let (nest, loops) = thread.doacross();
    let mut list = [Dependence { variable: 0, kind }; MOST];
    let list = list.get_mut(..usize::from(loops).min(MOST)).unwrap_or_default();
    let mut key = region.map_or(0, |region| region.number()) << 16 | nest & 0xffff;
    for (i, place) in list.iter_mut().enumerate() {
        place.variable = number(i).cast_unsigned();
        key = (key ^ key >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9).wrapping_add(place.variable);
    }
    match kind {
        DependenceKind::Source => sanitizer::releases(key),
        _ => sanitizer::has_waited_for(key),
    }
    thread.raise_with(Event::Dependences, &Detail::Dependences { task, list });
}
