//! Programs that can't load our libraries, and children in other roots, namespaces and environments: they run as they do without us, and
//! nothing unknown is claimed about them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use compat_tests::requirements;
use serde_json::Value;

use crate::harness::{Folder, ORA, errors, ora, run, source, text};
use crate::skips::{has, is_here, may_run, skip};

/// Commands that run a program, each of which writes its report to a file in the folder.
fn commands(folder: &Folder) -> Vec<Vec<String>> {
    let file = folder.file("report").display().to_string();
    let profile = folder.file("profile").display().to_string();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    vec![
        words(&["run"]),
        words(&["stat", "-o", &file]),
        words(&["tasks", "-o", &file]),
        words(&["validate", "-o", &file]),
        words(&["profile", "-o", &profile]),
    ]
}

/// Exit code, stdout, and stderr without the lines that `ora` prints.
fn seen(output: &Output) -> (Option<i32>, String, String) {
    let errors = errors(output);
    let own = |line: &&str| line.starts_with("ora:") || line.starts_with("     ");
    let rest: Vec<&str> = errors.lines().filter(|line| !own(line)).collect();
    (output.status.code(), text(output), rest.join("\n"))
}

/// Checks that the program behaves under every command as it does without.
fn behaves_everywhere(folder: &Folder, program: &[&str], code: i32) {
    let bare = run(Command::new(program[0]).args(&program[1..]));
    assert_eq!(bare.status.code(), Some(code), "{program:?}: {}", errors(&bare));
    for command in commands(folder) {
        let _ = fs::remove_dir_all(folder.file("profile"));
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        let watched = run(ora(&words).arg("--").args(program));
        if words[0] == "validate" && code == 0 {
            // A run in which nothing was checked is a failure by itself.
            assert_eq!(seen(&watched).1, seen(&bare).1, "{words:?} {program:?}");
            continue;
        }
        assert_eq!(seen(&watched), seen(&bare), "{words:?} {program:?}");
    }
}

fn musl(folder: &Folder) -> Option<PathBuf> {
    folder.compile_by(&requirements::MUSL, Command::new("musl-gcc").arg(source("greeting")), "greeting-musl")
}

fn of_32_bits(folder: &Folder) -> Option<PathBuf> {
    if !has(&requirements::BITS_32) {
        return None;
    }
    let options =
        ["-m32", "-nostdlib", "-fno-stack-protector", "-fPIE", "-pie", "-Wl,-dynamic-linker,/lib/ld-linux.so.2"];
    Some(folder.compile("greeting32", "greeting-32", &options))
}

/// Root folder that contains only an OpenMP program and its libraries.
fn root(folder: &Folder) -> PathBuf {
    let root = folder.file("root");
    let program = folder.program("regions");
    let libraries = text(&run(Command::new("ldd").arg(&program)));
    let paths = libraries.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from);
    for path in paths {
        let to = root.join(path.strip_prefix("/").unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(&path, to).unwrap();
    }
    fs::create_dir_all(root.join("bin")).unwrap();
    fs::copy(program, root.join("bin/regions")).unwrap();
    root
}

pub(crate) fn is_root() -> bool {
    // The tests don't need root for anything that users could lack.
    text(&run(Command::new("id").arg("-u"))).trim() == "0"
}

/// Output of `ora stat --json` for a program.
fn stat(folder: &Folder, words: &[&str]) -> Value {
    let file = folder.file("stat.json");
    let output = run(ora(&["stat", "--json", "-o"]).arg(&file).arg("--").args(words));
    assert!(output.status.success(), "{words:?}: {}", errors(&output));
    let stat: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    stat["runs"][0].clone()
}

/// Number of regions in all processes of a run.
fn regions(stat: &Value) -> u64 {
    let processes = stat["processes"].as_array().unwrap();
    processes.iter().map(|process| process["regions_total"]["count"].as_u64().unwrap()).sum()
}

#[test]
fn a_program_for_musl_runs_as_without_us() {
    let folder = Folder::new();
    let Some(program) = musl(&folder) else { return };
    let program = program.to_str().unwrap();
    behaves_everywhere(&folder, &[program], 3);
    behaves_everywhere(&folder, &["sh", "-c", &format!("{program}; {program}; exit 5")], 5);
    // A statically linked shell contains no guard: only the stand-ins keep the child alive.
    if has(&requirements::BUSYBOX) {
        behaves_everywhere(&folder, &["busybox", "sh", "-c", &format!("{program}; exit 5")], 5);
    }
}

#[test]
fn a_program_of_32_bits_hears_no_complaint_of_its_dynamic_linker() {
    let folder = Folder::new();
    let Some(program) = of_32_bits(&folder) else { return };
    let program = program.to_str().unwrap();
    behaves_everywhere(&folder, &[program], 3);
    behaves_everywhere(&folder, &["sh", "-c", &format!("{program}; exit 5")], 5);
    behaves_everywhere(&folder, &["env", "A=1", "nice", program], 3);
}

#[test]
fn a_program_in_another_root_runs_as_without_us_and_is_counted_as_unwatched() {
    let folder = Folder::new();
    if !is_root() {
        return skip("only root can change the root");
    }
    let root = root(&folder);
    let root = root.to_str().unwrap();
    behaves_everywhere(&folder, &["chroot", root, "/bin/regions"], 0);
    let run = stat(&folder, &["chroot", root, "/bin/regions"]);
    assert_eq!((regions(&run), run["programs_unwatched"].as_u64()), (0, Some(1)), "{run}");
    if has(&requirements::BWRAP) && may_run(&["bwrap", "--bind", root, "/"], "/bin/regions") {
        behaves_everywhere(&folder, &["bwrap", "--bind", root, "/", "/bin/regions"], 0);
    }
}

#[test]
fn a_program_in_other_namespaces_or_of_another_user_is_watched() {
    let folder = Folder::new();
    if !is_root() {
        return skip("only root can make namespaces everywhere");
    }
    let program = folder.program("regions");
    let program = program.to_str().unwrap();
    let expected = regions(&stat(&folder, &[program]));
    assert!(expected > 0);
    let sandbox = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all"];
    for words in [
        ["unshare", "--pid", "--fork", "--mount-proc"].as_slice(),
        &["setpriv", "--reuid", "65534", "--clear-groups"],
        &sandbox,
    ] {
        let is_here = if words[0] == "bwrap" { has(&requirements::BWRAP) } else { is_here(words[0]) };
        if is_here && may_run(words, program) {
            let run = stat(&folder, &[words, &[program]].concat());
            assert_eq!((regions(&run), run["programs_unwatched"].as_u64()), (expected, Some(0)), "{words:?}: {run}");
        }
    }
}

#[test]
fn a_sandbox_that_closes_descriptors_hides_a_program_and_nothing_false_is_said_of_it() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let program = program.to_str().unwrap();
    let firejail = ["firejail", "--quiet", "--noprofile"];
    if !is_root() {
        return skip("firejail wants root here");
    }
    if !has(&requirements::FIREJAIL) || !may_run(&firejail, program) {
        return;
    }
    behaves_everywhere(&folder, &[&firejail[..], &[program]].concat(), 0);
    let table = errors(&run(ora(&["stat", "--"]).args(firejail).arg(program)));
    assert!(table.contains("nor in what it started") && table.contains("firejail ora stat"), "{table}");
    assert!(!table.contains("no OpenMP runtime was loaded"), "{table}");
}

#[test]
fn what_a_cleaned_environment_hides_is_not_called_a_program_without_openmp() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let output = run(ora(&["stat", "--", "env", "-i"]).arg(&program));
    let table = errors(&output);
    assert!(output.status.success() && table.contains("1 program that it executed could not be watched"), "{table}");
    assert!(!table.contains("no OpenMP runtime was loaded"), "{table}");
    // A command that doesn't exist has executed nothing.
    let table = errors(&run(&mut ora(&["stat", "--", "env", "-i", "/no/such/program"])));
    assert!(table.contains("no OpenMP runtime was loaded") && !table.contains("could not be watched"), "{table}");
}

#[test]
fn the_dynamic_linkers_log_stays_out_of_the_programs_errors() {
    let folder = Folder::new();
    if !is_root() {
        return skip("only root can change the root");
    }
    let root = root(&folder);
    let output = run(ora(&["doctor", "--run", "--", "chroot"]).arg(root).arg("/bin/regions"));
    assert!(!errors(&output).contains("binding file"), "{}", errors(&output));
}

#[test]
fn a_filter_of_system_calls_kills_nothing_that_is_profiled() {
    let folder = Folder::new();
    let filtered = folder.compile("filtered", "filtered", &[]);
    let (filtered, program) = (filtered.to_str().unwrap().to_owned(), folder.program("regions"));
    let words = [filtered.as_str(), program.to_str().unwrap(), "3", "7"];
    let bare = run(Command::new(words[0]).args(&words[1..]));
    assert_eq!(bare.status.code(), Some(7), "{}", errors(&bare));
    for rate in ["100", "5000"] {
        let profile = folder.file(&format!("profile-{rate}"));
        let watched = run(ora(&["profile", "-F", rate, "-o"]).arg(&profile).arg("--").args(words));
        assert_eq!((watched.status.code(), text(&watched)), (Some(7), text(&bare)), "{}", errors(&watched));
        assert!(errors(&watched).contains("seccomp"), "{}", errors(&watched));
    }
}

#[test]
fn a_profile_that_another_user_could_not_write_is_not_called_a_short_run() {
    let folder = Folder::new();
    if !is_root() {
        return skip("only root can become another user");
    }
    let (program, profile) = (folder.program("regions"), folder.file("profile"));
    let words = ["setpriv", "--reuid", "65534", "--clear-groups", program.to_str().unwrap()];
    let said = errors(&run(ora(&["profile", "-o"]).arg(&profile).arg("--").args(words)));
    assert!(
        said.contains("1 process ended without exit handlers, or went on as a program that could not write here"),
        "{said}"
    );
    assert!(!said.contains("try a higher rate"), "{said}");
}

#[test]
fn a_process_that_goes_on_as_another_program_has_been_seen_to_its_end() {
    let folder = Folder::new();
    let (program, profile) = (folder.program("regions"), folder.file("profile"));
    let said = errors(&run(ora(&["profile", "-o"]).arg(&profile).args(["--", "env"]).arg(&program)));
    assert!(said.contains("2 processes") && !said.contains("had not ended") && !said.contains("went on as"), "{said}");
    let report = text(&run(ora(&["report"]).arg(&profile)));
    assert!(!report.contains("its end was not seen"), "{report}");
}

#[test]
fn a_filter_of_system_calls_that_the_program_installs_kills_it_under_no_watch() {
    let folder = Folder::new();
    let program = folder.program("sandboxed");
    let bare = run(&mut Command::new(&program));
    assert_eq!((bare.status.code(), text(&bare).as_str()), (Some(7), "44850 44850\n"), "{}", errors(&bare));
    let (trace, sampled) = (folder.file("trace").display().to_string(), folder.file("sampled").display().to_string());
    let mut all = commands(&folder);
    all.push(vec!["trace".to_owned(), "-o".to_owned(), trace]);
    all.push(vec!["trace".to_owned(), "--sample=200".to_owned(), "-o".to_owned(), sampled]);
    for words in all {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let watched = run(ora(&words).arg("--").arg(&program));
        assert_eq!((watched.status.code(), text(&watched)), (Some(7), text(&bare)), "{words:?}: {}", errors(&watched));
    }
}

#[test]
fn others_may_not_write_into_a_recording_with_any_mask() {
    let folder = Folder::new();
    let program = folder.program("regions");
    for kind in ["profile", "trace"] {
        let recording = folder.file(kind);
        let mut masked = Command::new("sh");
        masked.args(["-c", "umask 000; exec \"$@\"", "sh"]).arg(ORA).args([kind, "-o"]).arg(&recording).arg("--");
        let output = run(masked.arg(&program));
        assert!(output.status.success(), "{}", errors(&output));
        let mut all = vec![recording.clone()];
        let inside =
            |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
        all.extend(inside(&recording));
        all.extend(inside(&all[1]));
        assert!(all.len() > 2, "{all:?}");
        for path in all {
            let mode = path.symlink_metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o002, 0, "{path:?} has mode {mode:o}");
        }
    }
}

/// No vDSO can be found there.
#[test]
fn the_command_itself_runs_under_valgrind() {
    if !has(&requirements::VALGRIND) {
        return;
    }
    let folder = Folder::new();
    let program = folder.program("regions");
    let output = run(Command::new("valgrind").args(["--tool=none", "-q", ORA, "stat"]).arg(program).arg("4"));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(errors(&output).contains("OpenMP statistics"), "{}", errors(&output));
}
