//! Findings about the kind of file: machine, C library, permissions, script, or not a program at all.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use super::harness::{Answer, Folder, doctor};
use crate::skips::{has, skip};

#[test]
fn programs_for_other_machines_are_named() {
    let folder = Folder::new();
    let program = folder.region();
    // The tests run on neither of these processors.
    let riscv = folder.forged(&program, "riscv", |bytes| bytes[18..20].copy_from_slice(&243_u16.to_le_bytes()));
    let i386 = folder.forged(&program, "i386", |bytes| {
        bytes[4] = 1;
        bytes[18..20].copy_from_slice(&3_u16.to_le_bytes());
    });
    for (program, name) in [(riscv, "64-bit RISC-V"), (i386, "32-bit")] {
        let answer = Answer::about(&program);
        answer.expect("not_seen", &["other_machine"]);
        assert!(answer.json["reasons"][0]["what"].as_str().unwrap().contains(name));
    }
}

/// Position of the path of glibc's dynamic linker in a program: `/lib64/ld-linux-x86-64.so.2` or similar.
fn interpreter(bytes: &[u8]) -> usize {
    let name = bytes.windows(10).position(|window| window == b"/ld-linux-").unwrap();
    bytes[..name].windows(4).rposition(|window| window == b"/lib").unwrap()
}

#[test]
fn another_libc_is_told_by_the_interpreter() {
    let folder = Folder::new();
    let musl = folder.forged(&folder.region(), "musl", |bytes| {
        let (at, musl) = (interpreter(bytes), b"/lib/ld-musl-x86_64.so.1\0");
        bytes[at..at + musl.len()].copy_from_slice(musl);
    });
    let answer = Answer::about(&musl);
    answer.expect("not_seen", &["other_libc"]);
    assert!(answer.json["reasons"][0]["what"].as_str().unwrap().contains("musl"));
    // Its own dynamic linker can't be asked, so the libraries are searched.
    assert!(answer.json.to_string().contains("searched as ld.so(8) says"));
    assert_eq!(answer.runtimes(), [("libgomp", "reported")]);
}

#[test]
fn an_interpreter_that_does_not_exist_is_named() {
    let folder = Folder::new();
    let lost = folder.forged(&folder.region(), "lost", |bytes| {
        let at = interpreter(bytes);
        bytes[at..at + 4].copy_from_slice(b"/lip");
    });
    Answer::about(&lost).expect("not_seen", &["interpreter_missing"]);
}

#[test]
fn another_users_rights_switch_the_preload_off() {
    let folder = Folder::new();
    let program = folder.region();
    let own = folder.forged(&program, "own", |_| {});
    fs::set_permissions(&own, fs::Permissions::from_mode(0o4755)).unwrap();
    let answer = Answer::about(&own);
    answer.expect("seen", &[]);
    assert!(answer.json.to_string().contains("set-uid, but to your own"), "{:#}", answer.json);
    for (mode, name) in [(0o4755, "set-uid"), (0o2755, "set-gid")] {
        let other = folder.forged(&program, name, |_| {});
        if chown(&other, Some(65534), Some(65534)).is_err() {
            skip(format_args!("only root can give a file away, so no {name} program was examined"));
            continue;
        }
        fs::set_permissions(&other, fs::Permissions::from_mode(mode)).unwrap();
        let answer = Answer::about(&other);
        answer.expect("not_seen", &["privileged"]);
        assert!(answer.json["reasons"][0]["what"].as_str().unwrap().contains(name));
    }
}

/// Writes a script to the folder.
fn script(folder: &Folder, name: &str, text: &str) -> std::path::PathBuf {
    let file = folder.file(name);
    fs::write(&file, text).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

#[test]
fn a_script_can_only_be_known_by_running_it() {
    let folder = Folder::new();
    let program = folder.region();
    let shell = script(&folder, "shell.sh", &format!("#!/bin/sh\n{}\n", program.display()));
    let answer = Answer::about(&shell);
    answer.expect("unknown", &["script"]);
    assert_eq!(answer.json["subject"], "script");
    assert!(answer.json.to_string().contains("is a script for /bin/sh"));

    let ran = Answer::run(&shell, &[]);
    ran.expect("seen", &[]);
    assert_eq!((&ran.json["run"]["regions"], ran.stdout.as_str()), (&1.into(), "2\n"));
}

#[test]
fn a_script_of_a_static_interpreter_is_hopeless() {
    let folder = Folder::new();
    let interpreter = folder.compile("plain", "interpreter", &["-static"]);
    let file = script(&folder, "script", &format!("#!{}\n", interpreter.display()));
    Answer::about(&file).expect("not_seen", &["static_program", "script"]);
}

#[test]
fn a_python_script_names_its_interpreter_through_env() {
    let folder = Folder::new();
    let file = script(&folder, "script.py", "#!/usr/bin/env python3\nprint(1)\n");
    if !has(&compat_tests::requirements::PYTHON) {
        return;
    }
    let answer = Answer::about(&file);
    assert_eq!(answer.verdict(), "unknown", "{:#}", answer.json);
    assert!(answer.json.to_string().contains("/python3"), "{:#}", answer.json);
}

#[test]
fn nothing_to_examine_has_its_own_exit_code() {
    let folder = Folder::new();
    let text = folder.file("text");
    fs::write(&text, "just text").unwrap();
    let bad_line = script(&folder, "bad", "#!/no/such/interpreter\n");
    for (program, says) in [
        (Path::new("./no-such-program"), "no such file"),
        (Path::new("no-such-program"), "PATH"),
        (Path::new("/etc"), "folder"),
        (&text, "neither an ELF program nor a script"),
        (&bad_line, "names no program that exists"),
        (Path::new("4194305"), "no process 4194305"),
    ] {
        let output = doctor(&["--"]).arg(program).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(says), "{message}");
        assert!(output.stdout.is_empty());
    }
    assert_eq!(doctor(&["--run"]).output().unwrap().status.code(), Some(2));
}

#[test]
fn only_the_systems_own_dynamic_linker_is_asked() {
    let folder = Folder::new();
    // The file is the program's interpreter, and leaves a trace when it is executed.
    let trace = folder.file("executed");
    let linker = folder.file("ld-linux-x86-64.so.2");
    fs::write(&linker, format!("#!/bin/sh\ntouch {}\n", trace.display())).unwrap();
    fs::set_permissions(&linker, fs::Permissions::from_mode(0o755)).unwrap();
    let named = format!("-Wl,--dynamic-linker={}", linker.display());
    let program = folder.compile("region", "asks", &["-fopenmp", &named]);
    let answer = Answer::about(&program);
    assert!(!trace.exists(), "{:#}", answer.json);
    assert!(answer.json.to_string().contains("searched as ld.so(8) says"), "{:#}", answer.json);
}
