//! Waits that are forced a known number of times, and waits that never happen.

use compat_tests::forge::Forge;
use compat_tests::invariants::{self, Circumstances};
use compat_tests::numbers::event;
use compat_tests::run::Launch;
use compat_tests::suite::HABITS;

const WAITS: [i32; 4] = [event::BEGIN_LKWT, event::BEGIN_CTWT, event::BEGIN_ODWT, event::BEGIN_ATWT];

/// Runs `programs/waits.c` under a collector: `wait` must be raised `times` times, and every other wait never.
fn waits(kind: &str, how: &str, wait: i32, times: usize) {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for habit in HABITS {
        let launch = Launch::of(&forge, &forge.program("waits.c")).arg(kind).arg(how).with_ora();
        let outcome = launch.with_collector(&forge.collector(habit)).run().succeeded();
        let trace = outcome.trace();
        let wrong = invariants::violations(&trace, Circumstances::default());
        assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
        for other in WAITS {
            let wanted = if other == wait { times } else { 0 };
            let counts = (trace.count(other), trace.count(other + 1));
            assert_eq!(counts, (wanted, wanted), "{}: {}", event::name(other), outcome.describe());
        }
        let ids: Vec<_> = trace.events().filter(|r| r.event == wait).map(|r| r.wait).collect();
        assert!(
            ids.iter().all(|id| Some(id) == ids.first()),
            "one lock, several wait ids {ids:x?}: {}",
            outcome.command
        );
        if let (Ok(address), Some(id)) = (outcome.text().trim().parse::<u64>(), ids.first()) {
            assert_eq!(*id, address, "the wait id is not the address of what guards: {}", outcome.describe());
        }
    }
}

/// Rounds of `programs/waits.c`.
const ROUNDS: usize = 10;

macro_rules! claims {
    ($($name:ident: $kind:literal, $how:literal, $wait:ident, $times:expr;)*) => {
        $(#[test]
        fn $name() {
            waits($kind, $how, event::$wait, $times);
        })*
    };
}

claims! {
    each_wait_for_a_lock_is_raised_once: "lock", "contended", BEGIN_LKWT, ROUNDS;
    a_free_lock_raises_no_wait: "lock", "free", BEGIN_LKWT, 0;
    each_wait_for_a_nest_lock_is_raised_once: "nest", "contended", BEGIN_LKWT, ROUNDS;
    a_free_nest_lock_and_one_of_ones_own_raise_no_wait: "nest", "free", BEGIN_LKWT, 0;
    each_wait_for_an_unnamed_critical_section_is_raised_once: "unnamed", "contended", BEGIN_CTWT, ROUNDS;
    a_free_unnamed_critical_section_raises_no_wait: "unnamed", "free", BEGIN_CTWT, 0;
    each_wait_for_a_named_critical_section_is_raised_once: "named", "contended", BEGIN_CTWT, ROUNDS;
    a_free_named_critical_section_raises_no_wait: "named", "free", BEGIN_CTWT, 0;
    each_wait_for_an_atomic_update_is_raised_once: "atomic", "contended", BEGIN_ATWT, ROUNDS;
    a_free_atomic_update_raises_no_wait: "atomic", "free", BEGIN_ATWT, 0;
    each_wait_for_a_turn_in_a_static_loop_is_raised_once: "ordered-static", "contended", BEGIN_ODWT, 2 * ROUNDS - 1;
    a_turn_that_has_come_in_a_static_loop_raises_no_wait: "ordered-static", "free", BEGIN_ODWT, 0;
    each_wait_for_a_turn_in_a_dynamic_loop_is_raised_once: "ordered-dynamic", "contended", BEGIN_ODWT, 2 * ROUNDS - 1;
    each_wait_for_a_chunks_turn_is_raised_once: "ordered-chunks", "contended", BEGIN_ODWT, ROUNDS - 1;
    each_wait_for_a_dynamic_chunks_turn_is_raised_once: "ordered-dynamic-chunks", "contended", BEGIN_ODWT, ROUNDS - 1;
    a_turn_that_has_come_in_a_dynamic_loop_raises_no_wait: "ordered-dynamic", "free", BEGIN_ODWT, 0;
}
