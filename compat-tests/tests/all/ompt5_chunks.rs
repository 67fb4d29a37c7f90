//! Chunks of loops and sections for a tool of OpenMP 5: logical iterations, as LLVM's runtime counts them.

use std::collections::BTreeSet;
use std::path::Path;

use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::clang_is_here;
use compat_tests::ompt5::{ToolTrace, named, shape, tool};
use compat_tests::run::{Launch, Outcome};

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

fn launch(program: &Path, part: &str) -> Launch {
    let forge = forge();
    named(Launch::of(&forge, program).awake().arg(part).with_trace(), &tool(&forge))
}

/// Runs the part of the program on libgomp, with the library.
fn run(part: &str) -> Outcome {
    launch(&forge().program("chunks.c"), part).with_ora().run().succeeded()
}

/// All chunks of all threads, in the order of the loop: first iteration and number of iterations.
fn chunks(outcome: &Outcome) -> Vec<(u64, u64)> {
    let chunk = |line: &str| {
        let (first, iterations) = line.strip_prefix("dispatch chunk ")?.rsplit(' ').next()?.split_once('+')?;
        Some((first.parse().ok()?, iterations.parse().ok()?))
    };
    let mut chunks: Vec<(u64, u64)> =
        ToolTrace::of(outcome).only(&["dispatch"]).into_iter().map(|line| chunk(line).unwrap()).collect();
    chunks.sort_unstable();
    chunks
}

/// Checks that the chunks follow each other, from iteration 0 up to this count.
fn are_a_loop_of(count: u64, outcome: &Outcome) {
    let end = chunks(outcome).into_iter().fold(0, |next, (first, iterations)| {
        assert_eq!(first, next, "{}", outcome.describe());
        next + iterations
    });
    assert_eq!(end, count, "{}", outcome.describe());
    let reports = ToolTrace::of(outcome);
    let counts = reports.only(&["work"]).into_iter().map(shape).filter(|line| line.contains("loop begin"));
    let counts: BTreeSet<String> = counts.collect();
    let expected = format!(" count={count} ");
    assert!(counts.len() == 1 && counts.first().unwrap().contains(&expected), "{counts:?}: {}", outcome.describe());
}

#[test]
fn chunks_of_loops_are_logical_iterations_whatever_the_step_and_type() {
    for (part, count) in [
        ("down", 10),
        ("step", 4),
        ("step_down", 15),
        ("combined", 10),
        ("wide", 9),
        ("ull", 5),
        ("ull_down", 5),
        ("ull_wide", 5),
        ("collapse", 9),
        ("ordered", 5),
        ("chain", 5),
        ("doacross", 12),
        ("doacross_collapsed", 24),
        ("taskloop", 7),
        ("taskloop_ull", 17),
        ("taskloop_at_once", 10),
    ] {
        let outcome = run(part);
        assert_eq!(outcome.text(), format!("{count}\n"), "{part}");
        are_a_loop_of(count, &outcome);
    }
}

#[test]
fn chunks_are_those_that_llvms_runtime_tells_of_clangs_code() {
    if !clang_is_here("chunks_are_those_that_llvms_runtime_tells_of_clangs_code") {
        return;
    }
    let clangs = forge().build(Language::ClangC11, &["programs/chunks.c"], &["-O2", "-g", "-fopenmp"], "");
    // If the chunk is near the end of the variable's range, libgomp hands out the whole loop as one chunk. LLVM's runtime reports no chunks
    // that are executed immediately, and only the outermost loop's for a doacross nest.
    for part in [
        "down",
        "step",
        "step_down",
        "combined",
        "ull",
        "ull_down",
        "ull_wide",
        "collapse",
        "ordered",
        "chain",
        "taskloop",
    ] {
        let ours = run(part);
        let theirs = launch(&clangs, part).run().succeeded();
        assert_eq!(chunks(&ours), chunks(&theirs), "{part}: {}", ours.describe());
    }
}

#[test]
fn the_chunk_of_a_taskloop_is_told_where_its_task_starts() {
    for part in ["taskloop", "taskloop_at_once"] {
        let outcome = run(part);
        let reports = ToolTrace::of(&outcome);
        let threads = ["t1", "t2"].map(|thread| reports.on(thread));
        let mut seen = 0;
        for lines in threads {
            for pair in lines.windows(2).filter(|pair| pair[1].starts_with("dispatch chunk")) {
                let task = pair[1].split(' ').nth(3).unwrap();
                let started = pair[0].starts_with("task_schedule ") && pair[0].ends_with(&format!(" switch {task}"));
                assert!(started, "{pair:?}: {}", outcome.describe());
                seen += 1;
            }
        }
        assert_eq!(seen, 3, "{}", outcome.describe());
    }
}

#[test]
fn each_section_has_an_instance_of_its_own() {
    for (part, regions) in [("sections", 2), ("parallel_sections", 1)] {
        let outcome = run(part);
        let reports = ToolTrace::of(&outcome);
        let dispatched = reports.only(&["dispatch"]);
        let instances: BTreeSet<&str> = dispatched.iter().map(|line| line.rsplit(' ').next().unwrap()).collect();
        assert_eq!((dispatched.len(), instances.len()), (3 * regions, 3), "{}", outcome.describe());
        assert!(!instances.contains("0"), "{}", outcome.describe());
    }
}

#[test]
fn a_tool_gets_the_kinds_of_an_older_release_on_request() {
    let forge = forge();
    let run = |release: &str| {
        let launch = launch(&forge.program("chunks.c"), "combined").env("TRACE5_SCHEDULES", "1").with_ora();
        let outcome = launch.env("ORA_OMPT", release).run().succeeded();
        let trace = ToolTrace::of(&outcome);
        let of = |words: &[&str]| trace.only(words).into_iter().map(shape).collect::<BTreeSet<String>>();
        let kinds = of(&["sync_region"]).iter().filter_map(|line| line.split(' ').nth(1).map(str::to_owned)).collect();
        (trace.all()[0].to_owned(), of(&["schedule"]), of(&["dispatch"]).len(), kinds)
    };
    let kinds = |kinds: &[&str]| kinds.iter().map(|kind| (*kind).to_owned()).collect::<BTreeSet<String>>();
    let (start, schedules, dispatches, barriers) = run("5.2");
    assert!(start.starts_with("start 202111 "), "{start}");
    assert_eq!((schedules, barriers), (kinds(&["schedule dynamic"]), kinds(&["parallel"])));
    assert!(dispatches > 0);
    let (start, schedules, dispatches, barriers) = run("5.1");
    assert!(start.starts_with("start 202011 "), "{start}");
    assert_eq!((schedules, dispatches, barriers), (kinds(&["schedule loop"]), 0, kinds(&["parallel"])));
    let (start, schedules, dispatches, barriers) = run("5.0");
    assert!(start.starts_with("start 201811 "), "{start}");
    assert_eq!((schedules, dispatches, barriers), (kinds(&["schedule loop"]), 0, kinds(&["implicit"])));
}
