//! Programs instrumented by OPARI: reports on them contain source lines, with and without debug information, which has different lines for
//! the calls that OPARI inserts.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use compat_tests::requirements::{GCC, OPARI};
use compat_tests::suite::first;
use serde_json::Value;

use crate::harness::{Folder, ORA, errors, ora, run, text};
use crate::skips::{has, skip};

const SOURCE: &str = "tests/command/programs/instrumented.c";
const FILE: &str = "marked.c";

/// Number of the line that has a mark.
fn line(mark: &str) -> u64 {
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(SOURCE)).unwrap();
    let at = source.lines().position(|line| line.ends_with(&format!("/* {mark} */"))).unwrap();
    at as u64 + 1
}

/// Instrumented program. `None` if OPARI is missing, and then a skip is printed.
pub(crate) fn program(folder: &Folder, options: &[&str]) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(here.join(SOURCE), folder.file(FILE)).unwrap();
    let within = folder.file("");
    if !has(&OPARI) {
        return None;
    }
    let done = Command::new("opari2").args([FILE, "instrumented.c"]).current_dir(&within).output().unwrap();
    assert!(done.status.success(), "{}", errors(&done));
    let library = library();
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=gnu11", "-O2", "-w", "-fopenmp", "-I"]).arg(here.join("../../headers"));
    gcc.args(["instrumented.c", "-Wl,--as-needed"]).args(options).arg(&library).current_dir(&within);
    gcc.arg(format!("-Wl,-rpath,{}", library.parent().unwrap().display()));
    folder.compile_by(&GCC, &mut gcc, "instrumented")
}

/// Path of the library as found by a program that is linked to it.
pub(crate) fn library() -> PathBuf {
    let beside = Path::new(ORA).parent().unwrap();
    [beside.join("deps/libora.so"), beside.join("libora.so")].into_iter().find(|f| f.is_file()).unwrap()
}

/// Path of the static libgomp.
pub(crate) fn libgomp() -> String {
    text(&Command::new("gcc").arg("-print-file-name=libgomp.a").output().unwrap()).trim().to_owned()
}

/// Calls `check` for each way in which a program may be built.
fn each_way(check: impl Fn(&Folder, &Path, bool)) {
    let archive = libgomp();
    for options in first(&[&["-g"][..], &[archive.as_str()], &["-s"], &["-no-pie"], &[], &["-g", archive.as_str()]], 3)
    {
        let folder = Folder::new();
        if let Some(program) = program(&folder, options) {
            check(&folder, &program, options.contains(&archive.as_str()));
        }
    }
}

fn places<'a>(of: impl Iterator<Item = &'a Value>) -> BTreeSet<(String, u64)> {
    let file = |place: &Value| place["file"].as_str().map(|file| file.rsplit('/').next().unwrap().to_owned());
    of.filter_map(|place| Some((file(place)?, place["line"].as_u64()?))).collect()
}

fn at(marks: &[&str]) -> BTreeSet<(String, u64)> {
    marks.iter().map(|mark| (FILE.to_owned(), line(mark))).collect()
}

#[test]
#[ignore = "slow: --all runs it"]
fn reports_have_the_lines_of_constructs() {
    each_way(|folder, program, alone| {
        let profile = folder.file("profile");
        let output = run(ora(&["profile", "-F", "250", "-o"]).arg(&profile).arg("--").arg(program));
        assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), "done\n"), "{}", errors(&output));
        let process = fs::read_dir(&profile).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
        // The folder of a single process gives the same result.
        for what in [&profile, &process.unwrap()] {
            let output = run(ora(&["report", "--json"]).arg(what));
            let report: Value = serde_json::from_str(&text(&output)).unwrap();
            let regions = report["regions"].as_array().unwrap();
            assert_eq!(places(regions.iter()), at(&["first", "second"]), "{regions:#?}");
            let calls = report["calls"].as_array().unwrap();
            let bodies = places(calls.iter().map(|call| &call["construct"]));
            assert!(bodies.is_superset(&at(&["first", "second"])), "{bodies:?}");
            if !alone {
                let waits = report["waits"].as_array().unwrap();
                let places = places(waits.iter().flat_map(|wait| wait["places"].as_array().unwrap()));
                assert!(places.is_superset(&at(&["waits"])), "{places:?}");
            }
        }
    });
}

#[test]
#[ignore = "slow: --all runs it"]
fn tasks_have_the_lines_of_constructs() {
    each_way(|folder, program, _| {
        let file = folder.file("tasks");
        let output = run(ora(&["tasks", "--json", "-o"]).arg(&file).arg("--").arg(program).arg("20"));
        assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), "done\n"), "{}", errors(&output));
        let tasks: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let processes = tasks["processes"].as_array().unwrap().iter();
        let constructs: Vec<_> = processes.flat_map(|process| process["constructs"].as_array().unwrap()).collect();
        let places = places(constructs.iter().map(|construct| &construct["place"]));
        assert_eq!(places, at(&["small", "large"]), "{constructs:#?}");
    });
}

#[test]
fn each_call_is_written_once_and_only_where_that_is_asked_for() {
    let folder = Folder::new();
    let Some(program) = program(&folder, &[]) else { return };
    let file = folder.file("written");
    let twice = || {
        let mut shell = Command::new("sh");
        shell.args(["-c", "\"$0\" 20 && \"$0\" 20"]).arg(&program).current_dir(folder.file(""));
        shell.env_remove("ORA_DISABLE").env_remove("ORA_POMP_REGIONS");
        shell
    };
    assert_eq!(text(&run(&mut twice())), "done\ndone\n");
    assert_eq!(text(&run(twice().env("ORA_POMP_REGIONS", &file).env("ORA_DISABLE", "1"))), "done\ndone\n");
    assert!(!file.exists());
    // The path is relative to the working directory; if the file can't be written, none is.
    assert_eq!(text(&run(twice().env("ORA_POMP_REGIONS", "written"))), "done\ndone\n");
    assert_eq!(text(&run(twice().env("ORA_POMP_REGIONS", "no/such/folder"))), "done\ndone\n");
    let written = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    let different: BTreeSet<&str> = lines.iter().copied().collect();
    assert_eq!(lines.len(), 2 * different.len(), "{written}");
    let one = different.iter().find(|line| line.contains("POMP2_Master_begin")).unwrap();
    let fields: Vec<&str> = one.split('\t').collect();
    assert_eq!(fields[0], program.canonicalize().unwrap().to_str().unwrap());
    assert_eq!((fields[3], fields[4]), ("master", line("unequal").to_string().as_str()));
    assert!(fields[6].ends_with(FILE), "{one}");
}

/// POMP2_Init and similar functions take no argument: the register of a first argument contains no handle then.
#[test]
#[ignore = "slow: --all runs it"]
fn calls_without_a_handle_are_not_looked_at_for_one() {
    let folder = Folder::new();
    let Some(program) = program(&folder, &["-DSWITCHES"]) else { return };
    let output = run(Command::new(&program).env("ORA_POMP_REGIONS", folder.file("written")).env_remove("ORA_DISABLE"));
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), "done\n"), "{}", errors(&output));
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_program_with_more_rights_writes_no_file_at_its_users_word() {
    let folder = Folder::new();
    let Some(program) = program(&folder, &[]) else { return };
    let file = folder.file("written");
    let run = || run(Command::new(&program).env("ORA_POMP_REGIONS", &file).env_remove("ORA_DISABLE"));
    // Only root may give a file to a group that it is not a member of.
    let given = chown(&program, None, Some(65534)).is_ok()
        && fs::set_permissions(&program, fs::Permissions::from_mode(0o2755)).is_ok();
    let output = run();
    assert_eq!(text(&output), "done\n", "{}", errors(&output));
    match output.status.code() {
        Some(1) => assert!(!file.exists()),
        code if given => skip(format_args!("the file system grants no group's rights (nosuid): {code:?}")),
        _ => skip("the user isn't root"),
    }
}
