//! `ora profile`, then `ora report`: what they show the author of a real program (white paper, section 6).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};

/// Stacks that end in each function, without the function's microseconds; and the report as JSON.
struct View {
    stacks: Vec<(Vec<String>, u64)>,
    report: Value,
}

impl View {
    fn of(folder: &Folder, program: &Path) -> Self {
        let profile = folder.file("profile");
        let output = run(ora(&["profile", "-F", "250", "-o"]).arg(&profile).arg("--").arg(program));
        assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), "done\n"), "{}", errors(&output));
        let said = text(&run(ora(&["report"]).arg(&profile)));
        let recursive = |line: &str| line.contains("   recursive") && line.ends_with("(calls itself)");
        assert!(said.lines().any(recursive), "{said}");
        let folded = folder.file("folded");
        let output = run(ora(&["report", "--json", "--folded"]).args([&folded, &profile]));
        assert_eq!((output.status.code(), errors(&output)), (Some(0), String::new()));
        let lines = fs::read_to_string(&folded).unwrap();
        let stacks = lines.lines().map(|line| {
            let (stack, time) = line.rsplit_once(' ').unwrap();
            (stack.split(';').map(str::to_owned).collect(), time.parse().unwrap())
        });
        Self { stacks: stacks.collect(), report: serde_json::from_str(&text(&output)).unwrap() }
    }

    /// Stacks below a function, as text. A region's body counts as the function that contains it.
    fn above(&self, function: &str) -> BTreeSet<String> {
        let ending = self.stacks.iter().filter(|(stack, _)| stack.last().is_some_and(|last| last == function));
        let author = |name: &String| name.split(" (").next().unwrap().to_owned();
        ending
            .map(|(stack, _)| {
                let mut names: Vec<_> = stack.iter().map(author).collect();
                names.dedup();
                names.join(" ")
            })
            .collect()
    }
}

fn is_as_written(view: &View) {
    let one = |stack: &str| BTreeSet::from([stack.to_owned()]);
    // Primary threads and workers have the same stacks, one for each place.
    assert_eq!(view.above("in_inner"), one("main outer inner in_inner"));
    assert_eq!(view.above("in_one"), one("main one in_one"));
    assert_eq!(view.above("in_task"), one("main tasks in_task"));
    assert_eq!(view.above("in_serial"), one("main in_serial"));
    // As deep as the recursion, on all levels.
    let calls = |stack: &[String]| stack.iter().filter(|name| name.as_str() == "recursive").count();
    let recursive = view.stacks.iter().filter(|(stack, _)| stack.last().is_some_and(|last| last == "in_recursion"));
    assert_eq!(recursive.map(|(stack, _)| calls(stack)).collect::<BTreeSet<_>>(), BTreeSet::from([1, 2, 3]));
    // Nothing of the runtime, of the library, or of the code that starts threads.
    let all: u64 = view.stacks.iter().map(|(_, time)| time).sum();
    for (stack, _) in &view.stacks {
        const START_UP: &str = "<before the profile began: start-up, dynamic linking>";
        let roots = ["main", "<OMP-idle>", "<OMP-overhead>", "<start and end>", "<asleep outside of OpenMP>", START_UP];
        assert!(roots.contains(&stack[0].as_str()), "{stack:?}");
        assert!(stack[0] == "main" || stack.len() == 1, "{stack:?}");
        for part in ["gomp", "GOMP", "kmp", "clone", "pthread", "ora_", "signal"] {
            assert!(!stack.iter().any(|name| name.contains(part)), "{stack:?}");
        }
    }
    // Workers of inner teams live shorter than a sample's period, but still count as the program's.
    let threads = view.report["threads"].as_array().unwrap();
    assert!(threads.len() > 1 && threads.iter().all(|thread| thread["outside_of_openmp"] == false), "{threads:?}");
    let total_ns = view.report["total"]["total_ns"].as_u64().unwrap();
    assert!(total_ns.abs_diff(1000 * all) < 1000 * view.stacks.len() as u64, "{total_ns} {all}");
}

#[test]
fn a_program_by_gcc_is_shown_as_its_author_wrote_it() {
    let folder = Folder::new();
    is_as_written(&View::of(&folder, &folder.compile("user_view", "program", &["-O2", "-g", "-fopenmp"])));
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_program_by_clang_is_shown_as_its_author_wrote_it() {
    let folder = Folder::new();
    let Some(program) = folder.clang("user_view", "program", &["-O2", "-g", "-fopenmp"]) else { return };
    is_as_written(&View::of(&folder, &program));
}

/// The dynamic linker's entry for lazy binding also finds its frame so.
#[test]
#[cfg(target_arch = "x86_64")]
fn calls_above_a_frame_that_a_saved_register_finds_are_shown() {
    let folder = Folder::new();
    let program = folder.compile("realigned", "program", &["-O2", "-g", "-fopenmp"]);
    let profile = folder.file("profile");
    let output = run(ora(&["profile", "-F", "1000", "-o"]).arg(&profile).arg("--").arg(program));
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), "done\n"), "{}", errors(&output));
    let file = folder.file("folded");
    assert_eq!(run(ora(&["report", "--folded"]).args([&file, &profile])).status.code(), Some(0));
    let folded = fs::read_to_string(&file).unwrap();
    assert!(folded.contains("main;realigned;middle;leaf") && !folded.contains("<truncated"), "{folded}");
}
