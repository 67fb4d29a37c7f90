//! Functions of Python and its interpreter, and code that a program generates itself.

use std::fs;
use std::path::Path;

use crate::harness::{Folder, errors, ora, run, text};
use crate::skips::has;

/// Stacks of a program's profile, leaf last, and the report on it.
fn stacks(folder: &Folder, program: &[&str]) -> (Vec<String>, String) {
    let (profile, folded) = (folder.file("profile"), folder.file("folded"));
    let output = run(ora(&["profile", "-F", "500", "-o"]).arg(&profile).arg("--").args(program));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    // A program that leaves its perf map behind prints the path.
    let map = text(&output);
    if map.starts_with("/tmp/perf-") {
        fs::remove_file(map.trim()).unwrap();
    }
    let said = text(&run(ora(&["report"]).arg(&profile)));
    let output = run(ora(&["report", "--folded"]).args([&folded, &profile]));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let lines = fs::read_to_string(&folded).unwrap();
    (lines.lines().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect(), said)
}

#[test]
fn functions_of_a_perf_map_are_named_and_unwound() {
    let folder = Folder::new();
    let program = folder.compile("made_code", "made_code", &["-O2", "-fopenmp", "-fomit-frame-pointer"]);
    let (stacks, said) = stacks(&folder, &[program.to_str().unwrap()]);
    let working: Vec<_> = stacks.iter().filter(|stack| stack.split(';').any(|name| name == "work")).collect();
    assert!(!working.is_empty(), "{stacks:?}");
    for stack in working {
        let names: Vec<_> = stack.split(';').collect();
        assert_eq!(names.get(..5), Some(&["main", "fit", "inner", "step", "work"][..]), "{stack}");
    }
    assert!(said.contains("fit  [model.py]") && !said.contains("Python's functions have no names"), "{said}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn the_interpreter_is_one_frame() {
    if !has(&compat_tests::requirements::PYTHON) {
        return;
    }
    let python = if Path::new("/usr/bin/python3").exists() { "/usr/bin/python3" } else { "/usr/local/bin/python3" };
    let folder = Folder::new();
    let script = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: sum(range(1000))";
    let (stacks, said) = stacks(&folder, &[python, "-S", "-c", script]);
    assert!(stacks.iter().any(|stack| stack == "<Python>"), "{stacks:?}");
    assert!(!stacks.iter().any(|stack| stack.contains("_PyEval")), "{stacks:?}");
    assert!(said.contains("Python's functions have no names here"), "{said}");
}
