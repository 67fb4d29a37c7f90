//! A program that runs with more privileges than its user doesn't open files that the user's variables name.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use compat_tests::forge::{Forge, Language};
use compat_tests::library::libora;
use compat_tests::run::Launch;
use compat_tests::skips::missing;

/// Our variables that name a file, and the library that reads each.
const VARIABLES: [(&str, &str); 2] =
    [("ORA_STAT_FILE", "libora_collectors.so"), ("ORA_REQUEST_LOG", "libora_request_log.so")];

/// Group that the user may give to a file, and that is not the process's own.
fn other_group() -> Option<u32> {
    let ids = |option: &str| {
        let output = Command::new("id").arg(option).output().map(|o| o.stdout).unwrap_or_default();
        String::from_utf8_lossy(&output).split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()
    };
    let (user, own, all) = (ids("-u"), ids("-g"), ids("-G"));
    let root = (user == [0]).then_some(65534);
    all.into_iter().find(|group| !own.contains(group)).or(root)
}

/// The program, linked to the library that reads the variable: as it is, and setgid to another group.
fn programs(forge: &Forge, library: &str) -> Option<[PathBuf; 2]> {
    let folder = libora().parent().unwrap_or(Path::new("/")).to_owned();
    let (library, ora) = (folder.join(library), libora());
    assert!(library.is_file(), "{} is missing: run `cargo build --release` first", library.display());
    let rpath = format!("-Wl,-rpath,{}", folder.display());
    let flags = ["-O2", "-g", "-fopenmp", "-rdynamic", "-Wl,--no-as-needed", &rpath];
    let plain = forge.link(Language::C11, &["programs/secure.c"], &flags, &[&library, &ora], "-plain");
    let group = other_group()?;
    let name = plain.file_name().unwrap_or_default().to_string_lossy().replace("-plain", "-set-group");
    let secure = forge.file(&name, |path| {
        fs::copy(&plain, path).expect("the program can be copied");
        chown(path, None, Some(group)).expect("the file may get the group");
        fs::set_permissions(path, fs::Permissions::from_mode(0o2755)).expect("the file is ours");
    });
    Some([plain, secure])
}

#[test]
fn no_variable_that_names_a_file_counts_in_a_program_with_more_rights() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    for (variable, library) in VARIABLES {
        let Some([plain, secure]) = programs(&forge, library) else {
            return missing(variable, "a second group of the user (or root)");
        };
        let file = forge.dir().join("named-by-a-variable");
        let run = |program: &Path| Launch::of(&forge, program).env(variable, &file.to_string_lossy()).run().succeeded();
        let control = run(&plain);
        assert_eq!(control.text(), "more rights: 0, START 0, team 3, opened: 1\n", "{}", control.describe());
        let outcome = run(&secure);
        if outcome.text().starts_with("more rights: 0") {
            return missing(variable, "a file system that grants a group's rights (no nosuid)");
        }
        assert_eq!(outcome.text(), "more rights: 1, START 0, team 3, opened: 0\n", "{}", outcome.describe());
    }
}
