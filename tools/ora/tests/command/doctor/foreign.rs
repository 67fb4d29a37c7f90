//! Programs and processes designed to run code in `ora doctor`, or to keep it from ending.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Output};

use super::harness::{Answer, Folder, Waiting, doctor};
use crate::attach_elsewhere::NOBODY;
use crate::harness::ORA;
use crate::skips::skip;

/// Program with a library that audits its dynamic linker and leaves a trace when its code runs; returns the program and the trace's path.
fn audited(folder: &Folder, source: &str) -> (std::path::PathBuf, std::path::PathBuf) {
    let trace = folder.file("executed");
    let named = format!("-DTRACE=\"{}\"", trace.display());
    let auditor = folder.compile("auditor", "auditor.so", &["-shared", "-fPIC", &named]);
    let option = format!("-Wl,--audit={}", auditor.display());
    (folder.compile(source, source, &["-fopenmp", &option]), trace)
}

#[test]
fn an_auditor_of_the_dynamic_linker_is_not_executed() {
    let folder = Folder::new();
    let (program, trace) = audited(&folder, "region");
    let answer = Answer::about(&program);
    assert!(!trace.exists(), "{:#}", answer.json);
    assert!(answer.json.to_string().contains("DT_AUDIT"), "{:#}", answer.json);
    assert_eq!(answer.runtimes(), [("libgomp", "reported")]);
}

#[test]
fn the_dynamic_linker_is_asked_about_files_of_root_and_of_the_own_user_only() {
    let folder = Folder::new();
    let asked = |answer: &Answer| answer.json.to_string().contains("as ldd does");
    let (program, part) = (folder.region(), folder.compile("part", "libpart.so", &["-shared", "-fPIC", "-fopenmp"]));
    let with_part = |word: &str, value: &Path| Answer::of(doctor(&[]).env(word, value), &program, &[]);
    if !asked(&Answer::about(&program)) {
        return skip("others can change the folder of libora.so: the dynamic linker isn't asked about any program");
    }
    assert!(asked(&with_part("LD_PRELOAD", &part)) && asked(&with_part("LD_LIBRARY_PATH", &folder.file(""))));
    // Others can write to the library, its folder, or the program.
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    mode(&part, 0o777);
    let answer = with_part("LD_PRELOAD", &part);
    assert!(!asked(&answer) && answer.json.to_string().contains("libpart.so can be changed"), "{:#}", answer.json);
    answer.expect("seen", &[]);
    fs::create_dir(folder.file("open")).unwrap();
    mode(&folder.file("open"), 0o777);
    assert!(!asked(&with_part("LD_LIBRARY_PATH", &folder.file("open"))));
    mode(&program, 0o757);
    assert!(!asked(&Answer::about(&program)));
    mode(&program, 0o755);
    if chown(&program, Some(65534), None).is_err() {
        return skip("only root can give a file away");
    }
    let answer = Answer::about(&program);
    assert!(!asked(&answer), "{:#}", answer.json);
    answer.expect("seen", &[]);
}

#[test]
fn the_dynamic_linker_is_not_asked_about_another_users_process() {
    let folder = Folder::new();
    let (program, trace) = audited(&folder, "waits");
    fs::set_permissions(folder.file(""), Permissions::from_mode(0o755)).unwrap();
    if chown(folder.file(""), Some(65534), None).is_err() {
        return skip("only root can start a process of another user");
    }
    chown(&program, Some(65534), None).unwrap();
    let mut command = Command::new(NOBODY[0]);
    command.args(&NOBODY[1..]).arg("env").arg(format!("LD_AUDIT={}", folder.file("auditor.so").display()));
    command.arg(format!("LD_PRELOAD={}", folder.file("auditor.so").display())).arg(&program);
    let waiting = Waiting::start(&mut command);
    // Left by the process itself, which may do so.
    fs::remove_file(&trace).unwrap();
    let answer = waiting.ask();
    assert!(!trace.exists(), "{:#}", answer.json);
    assert_eq!(answer.runtimes(), [("libgomp", "reported")]);
}

/// Runs `ora doctor` with ten seconds of processor time, for at most a minute.
fn in_time(program: &Path) -> Output {
    let words = ["60", "prlimit", "--cpu=10", ORA, "doctor", "--"];
    let output = Command::new("timeout").args(words).arg(program).env_remove("LD_PRELOAD").output().unwrap();
    assert!(output.status.code().is_some_and(|code| code <= 2), "{output:?}");
    output
}

#[test]
fn a_pipe_in_place_of_a_library_stops_no_doctor() {
    let folder = Folder::new();
    let library = folder.compile("part", "libpart.so", &["-shared", "-fPIC", "-fopenmp"]);
    let found = format!("-Wl,-rpath,{}", folder.file("").display());
    let options = ["-fopenmp", &folder.library_path(), "-Wl,--no-as-needed", "-lpart", &found];
    let program = folder.compile("region", "asks", &options);
    fs::remove_file(&library).unwrap();
    assert!(Command::new("mkfifo").arg(&library).status().unwrap().success());
    let output = in_time(&program);
    assert!(String::from_utf8_lossy(&output.stdout).contains("libpart.so was not found"), "{output:?}");
}

#[test]
fn segments_that_overlap_take_no_time() {
    let folder = Folder::new();
    for (count, code) in [(500, 1), (60_000, 2)] {
        let file = folder.file("overlapping");
        fs::write(&file, overlapping(count, 4 << 20)).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        let output = in_time(&file);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
    }
}

/// Program with `count` segments, each of which is the whole file.
fn overlapping(count: u16, size: usize) -> Vec<u8> {
    // The first fields are those of our own program: class, byte order, machine.
    let own = fs::read(ORA).unwrap();
    let mut file = own[..64].to_vec();
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(16, &2_u16.to_le_bytes());
    put(32, &64_u64.to_le_bytes());
    put(40, &0_u64.to_le_bytes());
    put(56, &count.to_le_bytes());
    put(58, &[0; 6]);
    for _ in 0..count {
        file.extend([1_u32, 4].map(u32::to_le_bytes).concat());
        let words = [0, 0x40_0000, 0, size as u64, size as u64, 4096];
        file.extend(words.map(u64::to_le_bytes).concat());
    }
    file.resize(size, 0);
    file
}
