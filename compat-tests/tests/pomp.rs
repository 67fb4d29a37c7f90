//! Programs that OPARI has instrumented: what their runtime's host and their own calls tell together.

use compat_tests::forge::{Forge, fortran_is_here};
use compat_tests::invariants::{self, Circumstances};
use compat_tests::numbers::event;
use compat_tests::pomp::{Form, INSTRUMENTED, build, opari_is_here};
use compat_tests::run::{Launch, Outcome};
use compat_tests::tasks;
use compat_tests::trace::Trace;

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// Threads of a team, where the program asks for no other number.
const T: usize = 4;

fn launch(forge: &Forge, source: &str, form: Form) -> Launch {
    let launch = Launch::of(forge, &build(forge, source, form)).threads(4);
    if form == Form::Plain { launch.with_ora() } else { launch }
}

/// What a program's constructs raise, however it is linked: event numbers and counts.
struct Expected {
    source: &'static str,
    events: &'static [(i32, usize)],
}

const PROGRAMS: [Expected; 3] = [
    Expected {
        source: "pomp/constructs.c",
        events: &[
            (event::FORK, 3 + 2 + 2 + 1 + 1 + 3),
            (event::JOIN, 3 + 2 + 2 + 1 + 1 + 3),
            // The ends of regions: regions(), loops(), shares(), tasks(), locks(), outer_threads(); of work-sharing constructs.
            (event::BEGIN_IBAR, (T + 1 + 2) + (2 * T) + (2 * T) + T + 2 + (2 + 4) + (3 * T + 2 * T + T)),
            (event::END_IBAR, (T + 1 + 2) + (2 * T) + (2 * T) + T + 2 + (2 + 4) + (3 * T + 2 * T + T)),
            (event::BEGIN_EBAR, T),
            (event::BEGIN_EBAR + 1, T),
            (event::BEGIN_MASTER, 2),
            (event::BEGIN_MASTER + 1, 2),
            (event::BEGIN_SINGLE, 3),
            (event::BEGIN_SINGLE + 1, 3),
            (event::BEGIN_ORDERED, 8),
            (event::BEGIN_ORDERED + 1, 8),
            // fibonacci(8) has 66 calls of the 67 in tasks; and 10 more.
            (event::BEGIN_CREATE, 66 + 10),
            (event::BEGIN_EXEC, 66 + 10),
            (event::BEGIN_FINISH, 66 + 10),
            (event::END_FINISH, 66 + 10),
            // Each call of fibonacci() that creates tasks waits once.
            (event::BEGIN_SUSPEND, 33),
            (event::END_SUSPEND, 33),
        ],
    },
    Expected {
        source: "pomp/objects.cc",
        events: &[
            (event::FORK, 2),
            (event::JOIN, 2),
            (event::BEGIN_IBAR, 2 * T + T),
            (event::END_IBAR, 2 * T + T),
            (event::BEGIN_EBAR, T),
            (event::BEGIN_MASTER, 1),
            (event::BEGIN_SINGLE, 1),
            (event::BEGIN_SINGLE + 1, 1),
            (event::BEGIN_CREATE, 5),
            (event::BEGIN_EXEC, 5),
            (event::BEGIN_SUSPEND, 1),
        ],
    },
    Expected {
        source: "pomp/constructs.f90",
        events: &[
            (event::FORK, 4),
            (event::JOIN, 4),
            // Regions; then do, do, workshare, single.
            (event::BEGIN_IBAR, (2 + 3 * T) + 4 * T),
            (event::END_IBAR, (2 + 3 * T) + 4 * T),
            (event::BEGIN_EBAR, T),
            (event::BEGIN_MASTER, 1),
            (event::BEGIN_SINGLE, 1),
            (event::BEGIN_ORDERED, 6),
            (event::BEGIN_ORDERED + 1, 6),
            (event::BEGIN_CREATE, 5),
            (event::BEGIN_EXEC, 5),
            (event::BEGIN_SUSPEND, 1),
        ],
    },
];

fn judge(expected: &Expected, trace: &Trace, outcome: &Outcome) {
    for (number, count) in expected.events {
        let name = event::name(*number);
        assert_eq!(trace.count(*number), *count, "{name} of {}\n{}", expected.source, outcome.describe());
    }
    let mut wrong = invariants::violations(trace, Circumstances { masters: true, ..Circumstances::default() });
    wrong.extend(tasks::violations(trace, false));
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
    let ends = [event::END_CREATE_IMM, event::END_CREATE_DEL].map(|end| trace.count(end)).iter().sum::<usize>();
    assert_eq!(ends, trace.count(event::BEGIN_CREATE), "ends of creations\n{}", outcome.describe());
}

fn is_skipped(expected: &Expected, test: &str) -> bool {
    !opari_is_here(test) || expected.source.ends_with("f90") && !fortran_is_here(expected.source)
}

#[test]
fn instrumented_programs_do_what_they_did_before() {
    let forge = forge();
    for expected in &PROGRAMS {
        if is_skipped(expected, "instrumented programs") {
            continue;
        }
        let plain =
            Launch::of(&forge, &build(&forge, expected.source, Form::Plain)).threads(4).run().succeeded().text();
        for form in INSTRUMENTED {
            let unwatched = launch(&forge, expected.source, form).run().succeeded();
            assert_eq!(unwatched.text(), plain, "{form:?} {}", expected.source);
            let disabled = launch(&forge, expected.source, form).env("ORA_DISABLE", "1").run().succeeded();
            assert_eq!(disabled.text(), plain, "{form:?} {}", expected.source);
            let watched =
                launch(&forge, expected.source, form).with_collector(&forge.collector("padded.c")).run().succeeded();
            assert_eq!(watched.text(), plain, "{form:?} {}", expected.source);
        }
    }
}

#[test]
fn each_construct_is_told_once_whatever_tells_it() {
    let forge = forge();
    for expected in &PROGRAMS {
        if is_skipped(expected, "each construct once") {
            continue;
        }
        for form in INSTRUMENTED {
            for habit in ["packed.c", "probing.c"] {
                let collector = forge.collector(habit);
                let outcome = launch(&forge, expected.source, form).with_collector(&collector).run().succeeded();
                judge(expected, &outcome.trace(), &outcome);
            }
        }
    }
}
