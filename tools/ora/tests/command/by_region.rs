//! Settings by region: the effect of `ORA_TUNE` on a program, the results of `ora tune`, and files that don't apply to the program.

use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};
use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};

/// Compiles `programs/by_region.c`.
fn program(folder: &Folder) -> PathBuf {
    folder.compile("by_region", "program", &["-g", "-fopenmp"])
}

/// Writes a file with these settings for the bodies of functions.
fn file(folder: &Folder, program: &Path, settings: &[(&str, &str)]) -> PathBuf {
    let bytes = std::fs::read(program).unwrap();
    let parsed = object::File::parse(bytes.as_slice()).unwrap();
    let mut lines = format!("# a test\nobject {} -\n", program.file_name().unwrap().to_str().unwrap());
    for (function, setting) in settings {
        let is_body = |name: &str| name.strip_prefix(function).is_some_and(|rest| rest.starts_with("._omp_fn."));
        let body = parsed.symbols().find(|symbol| symbol.name().is_ok_and(is_body)).unwrap();
        let (begin, end) = (body.address(), body.address() + body.size());
        lines += &format!("region {begin:#x} {end:#x} {setting}   # {function}\n");
    }
    let path = folder.file("by.tune");
    std::fs::write(&path, lines).unwrap();
    path
}

/// Output of the program alone, and with a file of settings.
fn outputs(command: &mut Command, file: &Path) -> [String; 2] {
    let plain = run(command);
    let set = run(command.env("ORA_TUNE", file));
    assert!(plain.status.success() && set.status.success(), "{}", errors(&set));
    assert!(errors(&set).contains(": settings of "), "{}", errors(&set));
    [text(&plain), text(&set)]
}

#[test]
fn teams_have_at_most_as_many_threads_as_a_file_says() {
    let folder = Folder::new();
    let program = program(&folder);
    let settings = [("plain", "threads=2"), ("as_many_as_there_are", "threads=1"), ("inside", "threads=7")];
    let file = file(&folder, &program, &settings);
    // With and without a collector.
    for words in [&["run", "--"][..], &["stat", "-o", "/dev/null", "--"]] {
        let [plain, set] = outputs(ora(words).arg(&program).env("OMP_NUM_THREADS", "4"), &file);
        assert!(plain.starts_with("plain 3\nas_many_as_there_are 4\ninside 2\n"), "{plain}");
        assert!(set.starts_with("plain 2\nas_many_as_there_are 1\ninside 2\n"), "{set}");
        assert_eq!(plain.lines().last(), set.lines().last());
    }
}

#[test]
fn loops_are_handed_out_in_chunks_as_a_file_says() {
    let folder = Folder::new();
    let program = program(&folder);
    let functions = ["combined", "inside", "inside_unsigned", "with_tasks"];
    let file = file(&folder, &program, &functions.map(|function| (function, "chunk=16")));
    let chunks = |command: &mut Command| {
        // The output of the program precedes it.
        let output = text(&run(command.arg("--").arg(&program)));
        let all: Value = serde_json::from_str(&output[output.find('{').unwrap()..]).unwrap();
        let regions = all["runs"][0]["processes"][0]["regions"].as_array().unwrap().clone();
        functions.map(|function| {
            let region = regions.iter().find(|region| region["function"] == function);
            region.unwrap_or_else(|| panic!("{function}: {regions:#?}"))["chunks"].as_u64().unwrap()
        })
    };
    let stat = || ora(&["stat", "--json", "-o", "-"]);
    assert_eq!(chunks(&mut stat()), [32; 4]);
    assert_eq!(chunks(stat().env("ORA_TUNE", &file)), [4; 4]);
}

#[test]
fn files_for_other_programs_and_no_files_change_nothing() {
    let folder = Folder::new();
    let program = program(&folder);
    let said = |lines: &str| {
        std::fs::write(folder.file("other.tune"), lines).unwrap();
        let output = run(ora(&["run", "--"]).arg(&program).env("ORA_TUNE", folder.file("other.tune")));
        assert!(output.status.success() && text(&output).starts_with("plain 3\n"), "{}", errors(&output));
        errors(&output)
    };
    let region = "region 0x1000 0x9000 threads=1";
    assert!(
        said(&format!("object program 00ff\n{region}\n"))
            .contains("program is not the one that ORA_TUNE's file is for")
    );
    assert_eq!(said(&format!("object library.so -\n{region}\n")).lines().count(), 1);
    assert!(said("object program -\nregion 7\n").contains(" is ignored: line 2 is neither "));
    let many = format!("object program -\n{}", format!("{region}\n").repeat(129));
    assert!(said(&many).contains(" is ignored: it has more than 128 regions"));
    let missing = run(ora(&["run", "--"]).arg(&program).env("ORA_TUNE", folder.file("missing")));
    assert!(errors(&missing).contains(" is ignored: there is no such file"), "{}", errors(&missing));
    // A program neither waits for something that is not a regular file nor reads it to its end.
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.file("pipe"), rustix::fs::Mode::RWXU).unwrap();
    std::fs::File::create(folder.file("holes")).unwrap().set_len(10 << 30).unwrap();
    for path in [folder.file("pipe"), folder.file("holes"), folder.file("."), "/dev/zero".into()] {
        let output = run(ora(&["run", "--"]).arg(&program).env("ORA_TUNE", &path));
        let is_as_without = output.status.success() && text(&output).starts_with("plain 3\n");
        assert!(is_as_without && errors(&output).contains(" is ignored: "), "{path:?}: {}", errors(&output));
    }
}

#[test]
fn a_library_that_is_loaded_after_many_others_runs_as_a_file_says() {
    let folder = Folder::new();
    let program = folder.compile("loads_late", "program", &["-fopenmp", "-ldl"]);
    // The others are copies, known by their names alone.
    let flags = ["-fopenmp", "-fPIC", "-shared", "-DLIBRARY", "-Wl,--build-id=none"];
    let library = folder.compile("loads_late", "tuned.so", &flags);
    let others = [(); 12].into_iter().enumerate().map(|(number, ())| {
        let other = folder.file(&format!("other{number}.so"));
        std::fs::copy(&library, &other).map(|_| other).unwrap()
    });
    let libraries: Vec<PathBuf> = others.chain([library.clone()]).collect();
    let file = file(&folder, &library, &[("team", "threads=2")]);
    let mut command = ora(&["run", "--"]);
    let sizes = outputs(command.arg(&program).args(libraries).env("OMP_NUM_THREADS", "3"), &file);
    assert_eq!(sizes, ["3\n", "2\n"]);
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_chunk_that_makes_a_loop_faster_is_found_and_written() {
    let folder = Folder::new();
    let (program, to) = (program(&folder), folder.file("found.tune"));
    let mut tune = ora(&["tune", "--json", "-o", "-", "-r", "3", "--write"]);
    tune.arg(&to).arg("--").arg(&program).arg("small").env("OMP_NUM_THREADS", "2");
    let find = || {
        let output = run(&mut tune);
        assert!(output.status.success(), "{}", errors(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    // On a busy machine another setting may appear to be better.
    let is_by_region = |found: &Value| found["best"]["environment"]["ORA_TUNE"].is_string();
    let found = std::iter::repeat_with(find).take(5).find(is_by_region).expect("in five searches");
    let region = &found["by_region"]["regions"][0];
    assert!(region["function"] == "small" && region["chunk"].as_u64().unwrap() >= 16, "{found:#}");
    assert_eq!(found["by_region"]["file"], to.to_str().unwrap());
    let written = std::fs::read_to_string(&to).unwrap();
    assert!(written.contains("\nobject program ") && written.contains("# small at by_region.c:"), "{written}");
    let [_, set] = outputs(ora(&["run", "--"]).arg(&program).arg("small"), &to);
    assert_eq!(set, "");
}
