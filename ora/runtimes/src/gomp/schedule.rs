//! The schedule that libgomp determines for a loop: part of the loop's kind for tools of OpenMP 5.2.

use super::bank::bank;
use super::table::SYMBOLS;
use ompt_core::detail::Work;
use ompt_core::dispatch::armed;
use ompt_core::event::Span;

/// How an entry says which schedule its loop has.
#[derive(Clone, Copy)]
enum Says {
    /// By its name.
    Name(Work),
    /// By the argument at this position.
    Argument(usize),
    /// The variable `run-sched-var` says it.
    Runtime,
}

/// The loop that an entry shares out, with its schedule.
#[inline(always)]
pub(super) fn of<const B: usize, const E: usize>(arguments: &[usize]) -> Work {
    match const { says(E) } {
        Says::Name(work) => work,
        Says::Argument(position) => named::<B>(arguments.get(position).copied().unwrap_or(0)),
        Says::Runtime => named::<B>(RUNTIME),
    }
}

const RUNTIME: usize = 0;
/// The modifier of a schedule (`monotonic`).
const MODIFIER: usize = 1 << 31;

/// The schedule of libgomp's number for it, which is `omp_sched_t`'s. What it is to share out as `auto` it does as `static`.
#[inline(always)]
fn named<const B: usize>(number: usize) -> Work {
    match number & 0xffff_ffff & !MODIFIER {
        // To ask takes a call.
        RUNTIME if armed(Span::WORK.events()) => known(bank::<B>().schedule() as usize & !MODIFIER),
        number => known(number),
    }
}

#[inline(always)]
const fn known(number: usize) -> Work {
    match number {
        1 | 4 => Work::LoopStatic,
        2 => Work::LoopDynamic,
        3 => Work::LoopGuided,
        _ => Work::Loop,
    }
}

const fn says(entry: usize) -> Says {
    #[allow(clippy::indexing_slicing)] // a wrong number does not compile
    let name = SYMBOLS[entry].0.as_bytes();
    if has(name, b"_static") {
        Says::Name(Work::LoopStatic)
    } else if has(name, b"_dynamic") {
        Says::Name(Work::LoopDynamic)
    } else if has(name, b"_guided") {
        Says::Name(Work::LoopGuided)
    } else if has(name, b"_runtime") {
        Says::Runtime
    } else if has(name, b"_doacross") {
        Says::Argument(2)
    } else if has(name, b"_ull") {
        Says::Argument(4)
    } else {
        Says::Argument(3)
    }
}

/// Whether the name has this part.
#[allow(clippy::indexing_slicing)] // within both
const fn has(name: &[u8], part: &[u8]) -> bool {
    let mut start = 0;
    while start + part.len() <= name.len() {
        let mut length = 0;
        while length < part.len() && name[start + length] == part[length] {
            length += 1;
        }
        if length == part.len() {
            return true;
        }
        start += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::table::Entry;
    use super::*;

    #[test]
    fn an_entrys_name_or_argument_says_the_schedule() {
        for (entry, argument, expected) in [
            (Entry::GOMP_loop_ull_static_start, 0, Work::LoopStatic),
            (Entry::GOMP_loop_nonmonotonic_dynamic_start, 0, Work::LoopDynamic),
            (Entry::GOMP_parallel_loop_guided, 0, Work::LoopGuided),
            (Entry::GOMP_loop_ordered_start, 3, Work::LoopGuided),
            (Entry::GOMP_loop_ull_start, MODIFIER | 2, Work::LoopDynamic),
            (Entry::GOMP_loop_doacross_start, 4, Work::LoopStatic),
        ] {
            let known = match says(entry as usize) {
                Says::Name(work) => work,
                Says::Argument(_) => named::<0>(argument),
                Says::Runtime => Work::Loop,
            };
            assert_eq!(known, expected);
        }
        assert!(matches!(says(Entry::GOMP_loop_maybe_nonmonotonic_runtime_start as usize), Says::Runtime));
        let position = |entry: Entry| if let Says::Argument(position) = says(entry as usize) { position } else { 99 };
        assert_eq!(
            [Entry::GOMP_loop_start, Entry::GOMP_loop_ull_ordered_start, Entry::GOMP_loop_ull_doacross_start]
                .map(position),
            [3, 4, 2]
        );
    }
}
