//! Findings about the environment and the installation.

use std::fs;
use std::process::Command;

use super::harness::{Answer, Folder, doctor};
use crate::compiled::copy_program;
use crate::harness::ORA;

#[test]
fn the_switch_in_the_environment_is_found() {
    let folder = Folder::new();
    let program = folder.region();
    Answer::of(doctor(&[]).env("ORA_DISABLE", "1"), &program, &[]).expect("not_seen", &["disabled"]);
    Answer::of(doctor(&[]).env("ORA_DISABLE", "0"), &program, &[]).expect("seen", &[]);
    let odd = Answer::of(doctor(&[]).env("ORA_DISABLE", "yes"), &program, &[]);
    odd.expect("seen", &[]);
    assert!(odd.json.to_string().contains("ORA_DISABLE=yes is ignored"));
    Answer::of(doctor(&["--run"]).env("ORA_DISABLE", "1"), &program, &[]).expect("not_seen", &["disabled"]);
}

#[test]
fn this_installation_is_ready() {
    let output = doctor(&[]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.starts_with("ora is ready") && text.contains("libora.so") && text.contains("GNU libgomp"), "{text}");
}

#[test]
fn libraries_that_are_missing_or_can_not_be_preloaded_are_named() {
    let folder = Folder::new();
    let program = folder.region();
    let place = |name: &str| {
        let place = folder.file(name);
        fs::create_dir_all(&place).unwrap();
        let own = place.join("ora");
        copy_program(ORA.as_ref(), &own);
        own
    };
    let ask = |own: &std::path::Path| {
        let mut command = Command::new(own);
        command.arg("doctor").env_remove("LD_PRELOAD").env_remove("ORA_DISABLE");
        Answer::of(&mut command, &program, &[])
    };
    let alone = place("alone");
    ask(&alone).expect("not_seen", &["library_missing"]);
    assert_eq!(Command::new(&alone).arg("doctor").output().unwrap().status.code(), Some(1));

    let beside = std::path::Path::new(ORA).parent().unwrap();
    let library = [beside.join("deps/libora.so"), beside.join("libora.so")].into_iter().find(|f| f.is_file()).unwrap();
    let blank = place("with blank");
    fs::copy(&library, blank.with_file_name("libora.so")).unwrap();
    ask(&blank).expect("not_seen", &["preload_unusable"]);

    let broken = place("broken");
    fs::write(broken.with_file_name("libora.so"), "not a library").unwrap();
    ask(&broken).expect("not_seen", &["preload_refused"]);

    // As if it had been built for a newer C library.
    let newer = place("newer");
    let mut bytes = fs::read(&library).unwrap();
    let version = b"GLIBC_2.34\0";
    let at = bytes.windows(version.len()).position(|window| window == version).unwrap();
    bytes[at + 6] = b'9';
    fs::write(newer.with_file_name("libora.so"), bytes).unwrap();
    let answer = ask(&newer);
    answer.expect("not_seen", &["preload_refused"]);
    assert!(answer.json["reasons"][0]["what"].as_str().unwrap().contains("GLIBC_9.34"));
}

#[test]
fn a_library_before_ours_is_named() {
    // It stays first because its name is that of a sanitizer.
    let folder = Folder::new();
    let first = folder.compile("own_entry", "libtsan.so.9", &["-shared", "-fPIC", "-Dmain=own"]);
    let answer = Answer::of(doctor(&[]).env("LD_PRELOAD", &first), &folder.region(), &[]);
    assert_eq!(answer.verdict(), "not_seen");
    assert!(answer.reasons().contains(&"not_first"), "{:#}", answer.json);
}
