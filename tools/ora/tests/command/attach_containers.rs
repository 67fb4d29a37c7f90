//! `ora attach PID profile` and `ora attach PID trace` on processes that see other files, or that belong to another user.

use std::fs;
use std::path::{Path, PathBuf};

use crate::attach::{Running, attach};
use crate::attach_elsewhere::{NOBODY, program, started};
use crate::harness::{Folder, errors, ora, run, text};
use crate::skips::may_run;

/// Records until the report contains something: on a busy machine a program may not run for a while.
fn record(running: &Running, folder: &Folder, what: &str, place_in_program: &str) {
    let place = folder.file(what);
    let recorded = |_| {
        let _ = fs::remove_dir_all(&place);
        let output = attach(running, &[what, "--seconds", "0.5", "-o", place.to_str().unwrap()]);
        assert!(output.status.success(), "{}", errors(&output));
        let report = text(&run(ora(&["report"]).arg(&place)));
        assert!(!report.contains("memfd:"), "a frame of ora's own: {report}");
        report.contains("implicit") && report.contains(place_in_program)
    };
    assert!((0..10).any(recorded), "{what}: no region is named");
}

/// Checks that none of our files is in a process's own folder.
fn is_left_clean(running: &Running, folder: &str) {
    let names = fs::read_dir(format!("/proc/{}/root{folder}", running.id())).unwrap();
    let ours: Vec<_> =
        names.map(|name| name.unwrap().file_name()).filter(|name| name.to_string_lossy().starts_with("ora-")).collect();
    let own = format!("-{}-", running.id());
    assert!(!ours.iter().any(|name| name.to_string_lossy().contains(&own)), "{ours:?}");
}

/// Program that the process can still see after other file systems have been mounted on the folders for temporary files.
fn program_elsewhere() -> (tempfile::TempDir, PathBuf) {
    // The first folder that none of the mounts hides.
    let hidden = ["/tmp", "/var/tmp", "/dev/shm", "/run"];
    let places = [env!("CARGO_TARGET_TMPDIR"), "/opt", "/srv"];
    let visible = places.iter().filter(|place| !hidden.iter().any(|hidden| Path::new(place).starts_with(hidden)));
    let place =
        visible.into_iter().find_map(|place| tempfile::tempdir_in(place).ok()).expect("a folder for the program");
    let folder = Folder::new();
    let program = place.path().join("attached");
    fs::copy(folder.compile("attached", "attached", &["-g", "-fopenmp"]), &program).unwrap();
    (place, program)
}

/// Runs a program in a mount namespace of its own, after these commands.
fn in_a_namespace(program: &Path, mounts: &str) -> Option<Running> {
    let words = ["unshare", "--mount", "sh", "-c"];
    let script = format!("{mounts}; exec \"$0\" \"$@\"");
    let all = [&words[..], &[&script]].concat();
    may_run(&all, "true").then(|| started(&all, program))
}

#[test]
#[ignore = "slow: --all runs it"]
fn recordings_of_another_users_process_are_fetched() {
    if !may_run(&NOBODY, "true") {
        return;
    }
    let folder = Folder::new();
    let running = started(&NOBODY, &program(&folder));
    for what in ["profile", "trace"] {
        record(&running, &folder, what, "tight");
    }
    is_left_clean(&running, "/tmp");
    running.ends_as_before();
}

#[test]
#[ignore = "slow: --all runs it"]
fn recordings_of_a_process_with_other_files_are_fetched_in_any_order() {
    let (_place, program) = program_elsewhere();
    let Some(running) = in_a_namespace(&program, "mount -t tmpfs none /tmp") else { return };
    let folder = Folder::new();
    for what in ["profile", "trace", "profile", "trace"] {
        record(&running, &folder, what, "attached.c:17");
    }
    assert!(attach(&running, &["tasks", "--seconds", "0.2"]).status.success());
    is_left_clean(&running, "/tmp");
    running.ends_as_before();
}

#[test]
fn a_recording_that_the_process_can_write_nowhere_is_refused_and_leaves_no_folder() {
    let (_place, program) = program_elsewhere();
    let mounts = "for place in /tmp /var/tmp /dev/shm /run; do mount -t tmpfs -o ro none $place || exit; done";
    let Some(running) = in_a_namespace(&program, mounts) else { return };
    let folder = Folder::new();
    for what in ["profile", "trace"] {
        let place = folder.file(what);
        let output = attach(&running, &[what, "-o", place.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
        assert!(errors(&output).contains("sees other files than ora does"), "{}", errors(&output));
        assert!(!place.exists());
    }
    running.ends_as_before();
}
