//! The schedule that libgomp determines for a loop: part of the loop's kind for OpenMP 5.2 tools.

use super::entry_facts::Schedule;
use super::instance::{Instance, PendingCall, Target, runtime};
use ompt_core::detail::Work;
use ompt_core::dispatch::armed;
use ompt_core::event::Span;

/// Kind of the loop that a call starts, with its schedule.
#[inline(always)]
pub(super) fn of(call: &PendingCall<'_, impl Target>, arguments: &[usize]) -> Work {
    match call.target().facts().schedule {
        Schedule::Name(work) => work,
        Schedule::Argument(position) => {
            named(call.instance(), arguments.get(usize::from(position)).copied().unwrap_or(0))
        }
        Schedule::Runtime => named(call.instance(), RUNTIME),
    }
}

const RUNTIME: usize = 0;
/// The modifier of a schedule (`monotonic`).
const MODIFIER: usize = 1 << 31;

/// Kind of loop for libgomp's number of a schedule (`omp_sched_t`). libgomp runs `auto` as `static`.
#[inline(always)]
fn named(instance: impl Instance, number: usize) -> Work {
    match number & 0xffff_ffff & !MODIFIER {
        // The query costs a call.
        RUNTIME if armed(Span::WORK.events()) => known(runtime(instance).schedule() as usize & !MODIFIER),
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

#[cfg(test)]
mod tests {
    use super::super::instance::First;
    use super::*;

    #[test]
    fn libgomps_number_says_the_schedule() {
        for (number, expected) in [
            (1, Work::LoopStatic),
            (MODIFIER | 2, Work::LoopDynamic),
            (3, Work::LoopGuided),
            (4, Work::LoopStatic),
            (0, Work::Loop),
        ] {
            assert_eq!(named(First, number), expected);
        }
    }
}
