//! Programs instrumented by OPARI: the runtime's adapter and their own calls together report the events.

use compat_tests::forge::{Forge, Language, fortran_is_here};
use compat_tests::invariants::{self, Circumstances};
use compat_tests::llvm::clang_is_here;
use compat_tests::numbers::event;
use compat_tests::ompt5::{self, ToolTrace};
use compat_tests::pomp::{ARCHIVE, Form, INSTRUMENTED, build, build_with, opari_is_here, with_own_calls};
use compat_tests::run::{Launch, Outcome};
use compat_tests::skips::skip;
use compat_tests::stacks::{Compiler, INSTALLED, Stack};
use compat_tests::suite::{HABITS, chosen};
use compat_tests::tasks;
use compat_tests::trace::Trace;

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// Threads of a team, unless the program requests another number.
const T: usize = 4;

fn launch(forge: &Forge, source: &str, form: Form) -> Launch {
    let launch = Launch::of(forge, &build(forge, source, form)).threads(4);
    if form == Form::Plain { launch.with_ora() } else { launch }
}

/// Events of a program's constructs, however it is linked: event numbers and counts.
struct Expected {
    source: &'static str,
    events: &'static [(i32, usize)],
}

const PROGRAMS: [Expected; 4] = [
    Expected {
        source: "pomp/constructs.c",
        events: &[
            (event::FORK, 3 + 2 + 2 + 1 + 1 + 3),
            (event::JOIN, 3 + 2 + 2 + 1 + 1 + 3),
            // Ends of regions: regions(), loops(), shares(), tasks(), locks(), outer_threads(); and ends of work-sharing constructs.
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
            // fibonacci(8) has 67 calls, 66 of them in tasks; another 10 tasks are created elsewhere.
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
        source: "pomp/nested_tasks.c",
        events: &[
            (event::FORK, 1 + 1),
            (event::JOIN, 1 + 1),
            // descend(), contend(), include(), enclose().
            (event::BEGIN_CREATE, 5 + 3 * 8 + 3 + 7),
            (event::BEGIN_EXEC, 5 + 3 * 8 + 3 + 7),
            (event::END_FINISH, 5 + 3 * 8 + 3 + 7),
            (event::END_CREATE_IMM, 2),
            (event::BEGIN_SUSPEND, 1 + 8),
            (event::END_SUSPEND, 1 + 8),
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
            // Regions, then do, do, workshare, single.
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
#[ignore = "slow: --all runs it"]
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

#[test]
fn beside_llvms_runtime_each_construct_is_told_once() {
    if !opari_is_here("LLVM's runtime") {
        return;
    }
    let forge = forge();
    for (compiler, form) in [(Compiler::Clang, Form::Clang), (Compiler::Gcc, Form::Dynamic)] {
        let Some(stack) = Stack::find((compiler, INSTALLED), "instrumented code on LLVM's runtime") else { continue };
        let expected = &PROGRAMS[0];
        let program = build(&forge, expected.source, form);
        let launch = stack.launch(&forge, &program).threads(4).with_ora().with_collector(&forge.collector("packed.c"));
        let outcome = launch.run().succeeded();
        let trace = outcome.trace();
        for (number, count) in expected.events {
            assert_eq!(trace.count(*number), *count, "{form:?}: {}\n{}", event::name(*number), outcome.describe());
        }
    }
}

/// The same thread executes instrumented code and code on LLVM's runtime, in turn.
#[test]
fn beside_a_library_on_llvms_runtime_both_are_told() {
    const WHAT: &str = "instrumented code beside LLVM's runtime";
    if !opari_is_here(WHAT) || !clang_is_here(WHAT) {
        return;
    }
    let forge = forge();
    let flags = ["-O2", "-g", "-fopenmp", "-shared", "-fPIC"];
    let part = forge.build(Language::ClangC11, &["programs/mixed_part.c"], &flags, ".so");
    for form in INSTRUMENTED {
        let launch = || Launch::of(&forge, &build(&forge, "mixed.c", form)).arg(&part.to_string_lossy());
        assert_eq!(launch().run().succeeded().text(), "1218\n");
        let outcome = launch().with_collector(&forge.collector("packed.c")).run().succeeded();
        assert_eq!(outcome.text(), "1218\n", "{}", outcome.describe());
        let trace = outcome.trace();
        // Three regions of two threads, and three of three.
        for (number, count) in [(event::FORK, 6), (event::JOIN, 6), (event::BEGIN_EBAR, 15), (event::BEGIN_IBAR, 15)] {
            assert_eq!(trace.count(number), count, "{} {form:?}\n{}", event::name(number), outcome.describe());
        }
        // LLVM's workers may report a barrier's end after the region's.
        let how = Circumstances { late: true, masters: true, ..Circumstances::default() };
        let wrong = invariants::violations(&trace, how);
        assert!(wrong.is_empty(), "{form:?}\n{}\n{}", wrong.join("\n"), outcome.describe());
    }
}

#[test]
fn tasks_of_the_papers_calls_are_told_with_their_parents() {
    let forge = forge();
    for form in INSTRUMENTED {
        let program = with_own_calls(&forge, "pomp/paper.c", form);
        assert_eq!(Launch::of(&forge, &program).run().succeeded().text(), "12 0\n");
        let outcome = Launch::of(&forge, &program).with_collector(&forge.collector("packed.c")).run().succeeded();
        assert_eq!(outcome.text(), "12 0\n");
        let trace = outcome.trace();
        let wrong = tasks::violations(&trace, false);
        assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), outcome.describe());
        for (number, count) in [
            (event::FORK, 1),
            (event::BEGIN_IBAR, 2),
            (event::BEGIN_CREATE, 12),
            (event::BEGIN_EXEC, 12),
            (event::END_FINISH, 12),
            (event::BEGIN_SUSPEND, 12),
            (event::END_SUSPEND, 12),
        ] {
            assert_eq!(trace.count(number), count, "{} {form:?}\n{}", event::name(number), outcome.describe());
        }
        // The initial thread creates six of them, and the threads that execute those create the others: creations are reported on the
        // thread where they happen.
        let created_on_main = trace.events().filter(|r| r.event == event::BEGIN_CREATE && r.tid == trace.main).count();
        assert!(created_on_main >= 6, "{form:?}\n{}", outcome.describe());
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn untied_tasks_are_told_where_libgomp_ties_them_anyway() {
    if !opari_is_here("untied tasks") {
        return;
    }
    let forge = forge();
    let expected = &PROGRAMS[0];
    for form in INSTRUMENTED {
        let program = build_with(&forge, expected.source, form, &["--omp-task-untied=keep"]);
        let launch = || Launch::of(&forge, &program).threads(4);
        let outcome = launch().with_collector(&forge.collector("packed.c")).run().succeeded();
        judge(expected, &outcome.trace(), &outcome);
        // In the other forms tasks may continue on any thread: 3 is `ompt_set_sometimes`, 5 is `ompt_set_always`.
        let outcome = ompt5::named(launch().with_trace(), &ompt5::tool(&forge)).run().succeeded();
        let answers = ToolTrace::of(&outcome);
        let answer = answers.answers().into_iter().find(|(name, _)| *name == "task_schedule").map(|(_, answer)| answer);
        assert_eq!(answer, Some(if form == Form::Static { 3 } else { 5 }), "{form:?}\n{}", outcome.describe());
    }
}

#[test]
fn the_papers_calls_have_an_id_for_each_task_at_any_time() {
    let forge = forge();
    for form in INSTRUMENTED {
        let program = with_own_calls(&forge, "pomp/paper_ids.c", form);
        let run = |launch: Launch| {
            let outcome = launch.run().succeeded();
            (outcome.text(), outcome.describe())
        };
        let said = |tasks: u32, tool: &str| format!("{tasks} tasks, 0 wrong, {tool}\n");
        let (text, described) = run(Launch::of(&forge, &program));
        assert_eq!(text, said(202, "no tool"), "{form:?}\n{described}");
        let (text, described) = run(Launch::of(&forge, &program).env("ORA_DISABLE", "1"));
        assert_eq!(text, said(202, "no tool"), "disabled, {form:?}\n{described}");
        // With libgomp inside of the program no call shows that a worker is in another region that was not instrumented.
        let (tasks, arguments) = if form == Form::Static { (202, "") } else { (203, "follows") };
        let launch = Launch::of(&forge, &program).arg(arguments).with_collector(&forge.collector("packed.c"));
        let (text, described) = run(launch);
        assert_eq!(text, said(tasks, "compared"), "{form:?}\n{described}");
    }
}

/// Programs of the suite that can be instrumented: OPARI 2.0.7 doesn't support all of OpenMP 5.
const SUITE: [&str; 14] = [
    "parallel.c",
    "loops.c",
    "sections.c",
    "single.c",
    "barriers.c",
    "ordered.c",
    "atomic.c",
    "locks.c",
    "critical.c",
    "nested.c",
    "orphaned.c",
    "many_threads.c",
    "deep.c",
    "user_threads.c",
];

#[test]
#[ignore = "slow: --all runs it"]
fn instrumented_programs_of_the_suite_keep_the_rules() {
    if !opari_is_here("the suite, instrumented") {
        return;
    }
    let forge = forge();
    for (turn, source) in SUITE.into_iter().enumerate() {
        let plain = Launch::of(&forge, &build(&forge, source, Form::Plain)).threads(4).run().succeeded().text();
        for form in chosen(&INSTRUMENTED, turn) {
            let collector = forge.collector(HABITS[turn % HABITS.len()]);
            let outcome = launch(&forge, source, form).with_collector(&collector).run().succeeded();
            assert_eq!(outcome.text(), plain, "{form:?} {source}");
            if form == Form::Static && source == "user_threads.c" {
                // Several threads of the program encounter regions of one construct simultaneously: the report of a worker that starts
                // doesn't reveal its region.
                continue;
            }
            let circumstances = Circumstances { masters: true, ..Circumstances::default() };
            let mut wrong = invariants::violations(&outcome.trace(), circumstances);
            wrong.extend(tasks::violations(&outcome.trace(), false));
            assert!(wrong.is_empty(), "{form:?}: {}\n{}", wrong.join("\n"), outcome.describe());
        }
    }
}

#[test]
fn tools_of_openmp_5_are_told_the_same_in_every_form() {
    if !opari_is_here("OpenMP 5, instrumented") {
        return;
    }
    let forge = forge();
    let tool = forge.tool("tools5/every.cc");
    for expected in PROGRAMS.iter().filter(|expected| !is_skipped(expected, "OpenMP 5, instrumented")) {
        let counts = |form| {
            let counts = launch(&forge, expected.source, form).with_tool(&tool).run().succeeded().callback_counts("v5");
            assert!(!counts.is_empty(), "{form:?} {}: the tool was not called", expected.source);
            counts
        };
        let (plain, dynamic, alone) = (counts(Form::Plain), counts(Form::Dynamic), counts(Form::Static));
        // parallel_begin and _end, task_create, task_schedule, implicit_task, lock_init, lock_destroy
        for number in [3, 4, 5, 7, 24, 25] {
            assert_eq!(dynamic[number], plain[number], "callback {number} of {}", expected.source);
            assert_eq!(alone[number], plain[number], "callback {number} of {}", expected.source);
        }
        // mutex_released, work, masked: the constructs that gcc inlines are reported as well. (Only the C++ program lacks a static loop.)
        for (number, least) in [(17, 1), (20, u64::from(!expected.source.ends_with(".cc"))), (21, 1)] {
            assert_eq!(dynamic[number], alone[number], "callback {number} of {}", expected.source);
            assert!(dynamic[number] >= plain[number] + least, "callback {number} of {}", expected.source);
        }
    }
}

#[test]
fn another_measurement_library_gets_its_own_values_back() {
    if !opari_is_here("another measurement library") {
        return;
    }
    let forge = forge();
    let flags = ["-O2", "-g", "-fopenmp", "-shared", "-fPIC"];
    let other = forge.build(Language::C11, &["programs/pomp/other_library.c"], &flags, ".so");
    let said = "other library: 1 calls, 0 wrong, 76 tasks created, 76 begun\n";
    let run = |form: Form, watched: bool| {
        let program = build(&forge, "pomp/constructs.c", form);
        let launch = Launch::of(&forge, &program).threads(4).with_ora().with_preload(&other);
        let launch = if watched { launch.with_collector(&forge.collector("packed.c")) } else { launch };
        let outcome = launch.run().succeeded();
        assert_eq!(String::from_utf8_lossy(&outcome.stderr), said, "{}", outcome.describe());
        outcome
    };
    for form in INSTRUMENTED {
        run(form, false);
        let outcome = run(form, true);
        judge(&PROGRAMS[0], &outcome.trace(), &outcome);
    }
}

#[test]
fn a_static_program_tells_the_collector_in_it_each_construct_once() {
    if !opari_is_here("a static program") || std::env::var_os(ARCHIVE).is_none() {
        return skip("static programs", format_args!("{ARCHIVE} names no archive; `cargo xtask test --long` makes it"));
    }
    let forge = forge();
    let expected = &PROGRAMS[0];
    let plain = Launch::of(&forge, &build(&forge, expected.source, Form::Plain)).threads(4).run().succeeded().text();
    let outcome = Launch::of(&forge, &build(&forge, expected.source, Form::Whole)).threads(4).run().succeeded();
    assert_eq!(outcome.text(), plain);
    let said = String::from_utf8_lossy(&outcome.stderr).into_owned();
    for (number, count) in expected.events {
        let line = format!("event {number}: {count}, answer 0\n");
        assert!(said.contains(&line), "{line}{}", outcome.describe());
    }
}
