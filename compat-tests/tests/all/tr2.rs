//! Tools of TR2: how they are found, what they may do, and what they see of frames, children and the end of the process.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use compat_tests::forge::{Forge, Language, fortran_is_here};
use compat_tests::library::{crate_dir, libora};
use compat_tests::run::{Launch, Outcome};
use compat_tests::suite::programs;
use compat_tests::tr2::numbers::{event_name, states};
use compat_tests::tr2::rules::violations;
use compat_tests::tr2::trace::Tr2Trace;
use compat_tests::tr2::verdict::{launch, tool, trace};

const OPENMP: [&str; 4] = ["-O2", "-g", "-fopenmp", "-pthread"];

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

fn uses(forge: &Forge) -> PathBuf {
    forge.build(Language::C11, &["tr2/uses.c"], &OPENMP, "")
}

/// Launches a program that uses OpenMP in one way, with the library and the tool.
fn using(forge: &Forge, kind: &str) -> Launch {
    Launch::of(forge, &uses(forge)).arg(kind).with_ora().with_collector(&tool(forge))
}

fn was_asked(outcome: &Outcome) -> bool {
    String::from_utf8_lossy(&outcome.stderr).contains("tr2: initialized in the process\n")
}

fn reports(trace: &Tr2Trace) -> Vec<&'static str> {
    trace.records.iter().map(|r| r.name()).collect()
}

fn rpath() -> String {
    format!("-Wl,-rpath,{}", libora().parent().unwrap().display())
}

#[test]
fn the_tool_is_asked_at_the_first_use_of_the_runtime_of_any_kind() {
    let forge = forge();
    for kind in ["parallel", "critical", "barrier", "task", "lock", "control"] {
        let outcome = using(&forge, kind).run().succeeded();
        assert!(was_asked(&outcome), "{}", outcome.describe());
        let trace = trace(&outcome);
        assert_eq!((trace.calls, trace.interface), (1, 1), "{kind}");
        assert!(trace.version.contains("libgomp"), "{}", trace.version);
        assert_eq!(reports(&trace).first(), Some(&"thread_begin"), "{kind}");
        assert_eq!(violations(&trace, false), Vec::<String>::new(), "{kind}");
    }
}

#[test]
fn a_program_that_uses_no_runtime_asks_no_tool() {
    let outcome = using(&forge(), "nothing").run().succeeded();
    assert!(!was_asked(&outcome), "{}", outcome.describe());
}

#[test]
fn a_preloaded_tool_is_found_in_front_of_the_library_and_behind_it() {
    let forge = forge();
    let program = uses(&forge);
    let front = Launch::of(&forge, &program).arg("parallel").with_collector(&tool(&forge)).with_ora();
    let behind = Launch::of(&forge, &program).arg("parallel").with_ora().with_collector(&tool(&forge));
    for launch in [front, behind] {
        let outcome = launch.run().succeeded();
        assert!(was_asked(&outcome), "{}", outcome.describe());
        trace(&outcome);
    }
}

#[test]
fn a_tool_that_is_part_of_the_program_is_found_whatever_made_its_symbol_visible() {
    let forge = forge();
    let sources = ["tr2/uses.c", "tr2/trace.c", "collectors/sampler.c"];
    // In .symtab alone; exported by the linker; not position-independent; exported and stripped; not optimized.
    for flags in [&[][..], &["-rdynamic"], &["-no-pie", "-fno-pie"], &["-rdynamic", "-s"], &["-O0"]] {
        let flags = [&OPENMP[..], flags].concat();
        let program = forge.build(Language::C11, &sources, &flags, "-own");
        let outcome = Launch::of(&forge, &program).arg("parallel").with_ora().with_trace().run().succeeded();
        assert!(was_asked(&outcome), "{flags:?}: {}", outcome.describe());
        assert_eq!(violations(&trace(&outcome), false), Vec::<String>::new(), "{flags:?}");
    }
    // Stripped, and not exported: no symbol is left.
    let flags = [&OPENMP[..], &["-s"]].concat();
    let program = forge.build(Language::C11, &sources, &flags, "-own");
    let outcome = Launch::of(&forge, &program).arg("parallel").with_ora().with_trace().run().succeeded();
    assert!(!was_asked(&outcome), "{}", outcome.describe());
}

#[test]
fn linking_with_the_library_makes_the_programs_tool_visible() {
    let forge = forge();
    let (library, rpath) = (libora(), rpath());
    for (more, suffix) in [(&[][..], "-linked"), (&["-s"], "-linked-stripped")] {
        let flags = [&OPENMP[..], &["-Wl,--no-as-needed", &rpath], more].concat();
        let program = forge.link(
            Language::C11,
            &["tr2/uses.c", "tr2/trace.c", "collectors/sampler.c"],
            &flags,
            &[&library],
            suffix,
        );
        let outcome = Launch::of(&forge, &program).arg("control").with_trace().run().succeeded();
        let trace = trace(&outcome);
        assert!(reports(&trace).contains(&"control"), "{}", outcome.describe());
    }
}

#[test]
fn a_tool_that_the_program_is_linked_with_is_found() {
    let forge = forge();
    let tool = tool(&forge);
    let rpath = format!("-Wl,-rpath,{}", tool.parent().unwrap().display());
    let flags = [&OPENMP[..], &["-Wl,--no-as-needed", &rpath]].concat();
    let program = forge.link(Language::C11, &["tr2/uses.c"], &flags, &[&tool], "-with-tool");
    let outcome = Launch::of(&forge, &program).arg("parallel").with_ora().with_trace().run().succeeded();
    assert!(was_asked(&outcome), "{}", outcome.describe());
}

#[test]
fn omp_tool_turns_tools_off_and_a_value_that_is_none_is_said_and_ignored() {
    let forge = forge();
    for (value, asked) in [("enabled", true), ("disabled", false), (" Disabled ", false), ("", true), ("off", true)] {
        let outcome = using(&forge, "parallel").env("OMP_TOOL", value).run().succeeded();
        assert_eq!(was_asked(&outcome), asked, "{value:?}: {}", outcome.describe());
        let said = String::from_utf8_lossy(&outcome.stderr).matches("OMP_TOOL=off is ignored").count();
        assert_eq!(said, usize::from(value == "off"), "{}", outcome.describe());
    }
}

#[test]
fn a_tool_that_says_no_hears_nothing() {
    let forge = forge();
    for program in [programs("tasks.c"), programs("user_threads.c")].concat() {
        let outcome = launch(&forge, &program, 4).env("TR2_ANSWER", "0").run().succeeded();
        assert!(was_asked(&outcome), "{}", outcome.describe());
        assert_eq!(outcome.trace_of(outcome.pid), None, "the shutdown was told");
    }
}

#[test]
fn only_what_was_registered_is_told() {
    let forge = forge();
    for (events, names) in
        [("1 2", &["parallel_begin", "parallel_end"][..]), ("12", &["wait_barrier_end"]), ("none", &[])]
    {
        let outcome = launch(&forge, programs("barriers.c").first().unwrap(), 4).env("TR2_EVENTS", events).run();
        let trace = trace(&outcome.succeeded());
        let mut reports: BTreeSet<_> = reports(&trace).into_iter().collect();
        assert!(reports.remove("runtime_shutdown"));
        assert_eq!(reports, names.iter().copied().collect(), "{events}");
    }
}

#[test]
fn registration_ends_with_ompt_initialize_and_the_states_are_the_reports() {
    let trace = trace(&using(&forge(), "parallel").run().succeeded());
    assert_eq!(trace.too_late, 0);
    let mut report = states();
    report.retain(|_, name| *name != "ompt_state_first");
    let named: Vec<(i32, &str)> = trace.states.iter().map(|(state, name)| (*state, name.as_str())).collect();
    assert_eq!(named, report.into_iter().collect::<Vec<_>>());
}

#[test]
fn frames_are_those_that_an_unwinder_finds() {
    let forge = forge();
    for optimized in ["-O0", "-O2"] {
        let flags = [optimized, "-g", "-fopenmp", "-rdynamic"];
        let program = forge.build(Language::C11, &["tr2/frames.c"], &flags, "");
        for policy in ["passive", "active"] {
            let outcome = Launch::of(&forge, &program).with_ora().env("OMP_WAIT_POLICY", policy).run().succeeded();
            assert_eq!(outcome.text(), "", "{optimized}: {}", outcome.describe());
        }
    }
}

#[test]
fn implicit_tasks_end_before_their_region_does() {
    let forge = forge();
    let program = forge.build(Language::C11, &["tr2/in_time.c"], &["-O2", "-fopenmp", "-rdynamic"], "");
    let outcome = Launch::of(&forge, &program).with_ora().run().succeeded();
    assert_eq!(outcome.text(), "", "{}", outcome.describe());
}

/// Trace of the child, whose process id the program printed.
fn child(outcome: &Outcome) -> Option<Tr2Trace> {
    let pid = outcome.text().trim().parse().unwrap();
    outcome.trace_of(pid).map(|text| Tr2Trace::parse(&text).unwrap())
}

fn forked(parent: &str, of_child: &str) -> Outcome {
    let forge = forge();
    let program = forge.build(Language::C11, &["tr2/forks.c"], &OPENMP, "");
    let launch = Launch::of(&forge, &program).arg(parent).arg(of_child).with_ora().with_collector(&tool(&forge));
    launch.run().succeeded()
}

#[test]
fn a_forked_child_that_uses_its_runtime_asks_the_tool_anew() {
    for (parent, calls) in [("region", 2), ("nothing", 1)] {
        let outcome = forked(parent, "region");
        let child = child(&outcome).unwrap_or_else(|| panic!("{parent}: {}", outcome.describe()));
        assert_eq!(child.calls, calls, "{parent}");
        assert!(String::from_utf8_lossy(&outcome.stderr).contains("tr2: initialized in the child"));
        assert_eq!(violations(&child, false), Vec::<String>::new(), "{parent}");
        let begin = child.records.first().unwrap();
        assert_eq!((begin.name(), begin.arguments[0]), ("thread_begin", 1), "the child's thread is its initial one");
        assert_eq!(child.count("parallel_begin"), 1);
        assert_eq!(was_asked(&outcome), parent == "region", "{}", outcome.describe());
    }
}

#[test]
fn a_forked_child_that_uses_no_runtime_tells_nothing_and_its_parent_goes_on() {
    let outcome = forked("region", "nothing");
    assert!(child(&outcome).is_none(), "{}", outcome.describe());
    let parent = trace(&outcome);
    assert_eq!((parent.calls, parent.count("parallel_begin")), (1, 2));
    assert_eq!(violations(&parent, false), Vec::<String>::new());
}

#[test]
fn what_a_program_says_reaches_its_tool() {
    let outcome = using(&forge(), "control").run().succeeded();
    let trace = trace(&outcome);
    let said: Vec<_> = trace.of("control").map(|r| r.arguments).collect();
    assert_eq!(said, [[64, 0x1234_5678_9abc_def0, 0, 0, 0]]);
}

#[test]
fn a_program_that_speaks_runs_without_a_tool_and_without_the_library() {
    let forge = forge();
    let bare = Launch::of(&forge, &uses(&forge)).arg("control").run().succeeded();
    let alone = Launch::of(&forge, &uses(&forge)).arg("control").with_ora().run().succeeded();
    assert_eq!((bare.text(), alone.text()), ("control 1\n".to_owned(), "control 1\n".to_owned()));
}

#[test]
fn what_a_fortran_program_says_reaches_its_tool() {
    if !fortran_is_here("what_a_fortran_program_says_reaches_its_tool") {
        return;
    }
    let forge = forge();
    let (library, rpath) = (libora(), rpath());
    let flags = [&OPENMP[..], &["-Wl,--no-as-needed", &rpath]].concat();
    let program = forge.link(Language::Fortran, &["tr2/control.f90"], &flags, &[&library], "");
    let outcome = Launch::of(&forge, &program).with_collector(&tool(&forge)).run().succeeded();
    let said: Vec<_> = trace(&outcome).of("control").map(|r| [r.arguments[0], r.arguments[1]]).collect();
    assert_eq!(said, [[1, 7], [4, u64::MAX]]);
    let alone = Launch::of(&forge, &program).run().succeeded();
    assert_eq!(alone.text(), "4\n");
}

#[test]
fn the_tool_decides_the_exit_code_when_the_runtime_shuts_down() {
    let outcome = using(&forge(), "parallel").env("TR2_EXIT", "42").run();
    assert_eq!(outcome.status.code(), Some(42), "{}", outcome.describe());
    let trace = trace(&outcome);
    assert_eq!((trace.count("thread_begin"), trace.count("thread_end")), (2, 2), "all ends come before");
}

#[test]
fn threads_are_told_by_their_type_and_with_one_id() {
    let forge = forge();
    let outcome = launch(&forge, programs("user_threads.c").first().unwrap(), 4).run().succeeded();
    let trace = trace(&outcome);
    let words = |event: &str| trace.of(event).map(|r| (r.arguments[1], r.arguments[0])).collect::<Vec<_>>();
    let begun = words("thread_begin");
    let of = |kind| begun.iter().filter(|(_, k)| *k == kind).count();
    // Four threads of the program have teams of four; one more has none.
    assert_eq!((of(1), of(3)), (1, 4), "{begun:?}");
    assert_eq!(of(2), 4 * 3, "{begun:?}");
    for ended in words("thread_end") {
        assert!(begun.contains(&ended), "{ended:?} {begun:?}");
    }
}

/// Reads `tables/tr2-events.txt`: number, name, answer, and words for the reader.
fn table() -> Vec<(i32, String, i32)> {
    let text = fs::read_to_string(crate_dir().join("tables/tr2-events.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let mut words = line.split_whitespace();
        let mut next = || words.next().unwrap_or_else(|| panic!("{line:?} is no row"));
        let row = (next().parse().unwrap(), next().to_owned(), next().parse().unwrap());
        assert!(row.2 == 4 || words.next().is_some(), "{line:?} has no reason");
        row
    };
    lines.map(row).collect()
}

#[test]
fn the_table_says_what_registration_answers_and_what_is_told() {
    let forge = forge();
    let mut reports = BTreeSet::new();
    let everything = ["tasks.c", "locks.c", "sections.c", "single.c", "ordered.c", "atomic.c", "critical.c", "loops.c"];
    let mut traces = vec![trace(&using(&forge, "control").run().succeeded())];
    for source in everything {
        let program = forge.program(source);
        let launch = Launch::of(&forge, &program).threads(4).with_ora().with_collector(&tool(&forge));
        traces.push(trace(&launch.run().succeeded()));
    }
    for kind in ["lock", "nest", "unnamed", "atomic", "ordered-static"] {
        let launch = Launch::of(&forge, &forge.program("waits.c")).arg(kind).arg("contended").threads(2);
        traces.push(trace(&launch.with_ora().with_collector(&tool(&forge)).run().succeeded()));
    }
    for trace in &traces {
        reports.extend(trace.records.iter().map(|r| r.event));
        for (event, name, answer) in table() {
            assert_eq!(event_name(event), name);
            assert_eq!(trace.answers.get(&event), Some(&(answer, i32::from(answer > 2))), "{name}");
        }
    }
    assert_eq!(table().len(), 61);
    let never: Vec<_> = table().into_iter().filter(|row| (row.2 > 2) != reports.contains(&row.0)).collect();
    assert_eq!(never, [], "told, or not, against the table");
}

#[test]
fn every_entry_point_can_be_asked_in_a_signal_handler_at_any_time() {
    let forge = forge();
    let mut samples = 0;
    for source in ["churn.c", "nested.c", "tasks.c", "deep.c", "task_reductions.c", "user_threads.c"] {
        for events in ["all", "none"] {
            let launch = launch(&forge, programs(source).first().unwrap(), 4);
            let outcome = launch.env("TR2_EVENTS", events).env("TRACE_SAMPLE", "each").run().succeeded();
            let trace = trace(&outcome);
            samples += trace.samples.0;
            assert_eq!(trace.samples.1, [0; 8], "{source}, {events}: {}", outcome.describe());
        }
    }
    assert!(samples > 50, "{samples} samples prove nothing");
}

#[test]
fn the_library_refers_to_the_tool_weakly_and_defines_it_not() {
    let output = std::process::Command::new("nm").arg("-D").arg(libora()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<_> = text.lines().filter(|line| line.ends_with(" ompt_initialize")).map(str::trim).collect();
    assert_eq!(lines, ["w ompt_initialize"]);
    assert!(Path::new(&libora()).is_file());
}

#[test]
fn barriers_outside_of_all_regions_are_reported() {
    let forge = forge();
    let launch = Launch::of(&forge, &forge.program("ompt5.c")).arg("outside").with_ora();
    let trace = trace(&launch.with_collector(&tool(&forge)).run().succeeded());
    let counts =
        ["barrier_begin", "wait_barrier_begin", "wait_barrier_end", "barrier_end"].map(|name| trace.count(name));
    assert_eq!(counts, [3; 4]);
    assert_eq!(violations(&trace, false), Vec::<String>::new());
}

#[test]
fn a_thread_id_is_used_again_only_where_the_setting_says_so() {
    let forge = forge();
    let program = forge.program("one_by_one.c");
    for (setting, expected) in [(None, (1..=21).collect()), (Some("reused"), BTreeSet::from([1, 2]))] {
        let launch = Launch::of(&forge, &program).with_ora().with_collector(&tool(&forge));
        let launch = setting.into_iter().fold(launch, |launch, ids| launch.env("ORA_TR2_THREAD_IDS", ids));
        let trace = trace(&launch.run().succeeded());
        assert_eq!(trace.count("thread_begin"), 21);
        let seen: BTreeSet<u64> = trace.records.iter().map(|r| r.thread).collect();
        assert_eq!(seen, expected, "{setting:?}");
        assert_eq!(violations(&trace, false), Vec::<String>::new());
    }
}
