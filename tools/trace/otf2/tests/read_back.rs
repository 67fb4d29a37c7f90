//! Archives, read by OTF2's own command.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use otf2_writer::{Archive, Paradigm, Role};

/// Output of `otf2-print`; `None` without it.
fn printed(folder: &Path, options: &[&str]) -> Option<String> {
    if !requirements::OTF2_PRINT.is_here("archives that are read back") {
        return None;
    }
    let output = Command::new("otf2-print").args(options).arg(folder.join("traces.otf2")).output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && errors.is_empty(), "{errors}");
    Some(text.into_owned())
}

#[test]
fn events_of_several_chunks_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = Archive::create(folder.path()).unwrap();
    let node = archive.node("vm");
    let process = archive.process("./heat", node);
    let region = archive.region("smooth", "heat.c", 10, Role::PARALLEL, Paradigm::OPENMP);
    let mut thread = archive.location("0 initial", process).unwrap();
    // 22 bytes each time, so some chunks of a megabyte.
    let count = 120_000;
    for number in 0..count {
        thread.enter(1_000 + 10 * number, region).unwrap();
        thread.leave(1_005 + 10 * number, region).unwrap();
    }
    assert!(thread.enter(5, region).is_err(), "time goes on");
    archive.add(thread).unwrap();
    archive.finish(0, 1_000 + 10 * count, 7).unwrap();
    let Some(text) = printed(folder.path(), &[]) else { return };
    assert_eq!(text.lines().filter(|line| line.starts_with("ENTER")).count() as u64, count);
    assert_eq!(text.lines().filter(|line| line.starts_with("LEAVE")).count() as u64, count);
    assert!(text.contains("1200995") && text.contains("\"smooth\""), "the last one");
    let text = printed(folder.path(), &["--show-global-defs"]).unwrap();
    for part in ["heat.c", "PARALLEL", "Begin: 10", "OPENMP", "0 initial", "# Events: 240000"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn teams_locks_and_tasks_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = Archive::create(folder.path()).unwrap();
    let node = archive.node("vm");
    let process = archive.process("./heat", node);
    let team = archive.comm("OpenMP", Paradigm::OPENMP, &[0, 1]);
    let mut thread = archive.location("0 initial", process).unwrap();
    thread.fork(1, Paradigm::OPENMP, 2).unwrap();
    thread.team_begin(2, team).unwrap();
    thread.acquire(3, Paradigm::OPENMP, 4, 5).unwrap();
    thread.release(3, Paradigm::OPENMP, 4, 5).unwrap();
    thread.task_create(6, team, (0, 1)).unwrap();
    thread.task_switch(7, team, (0, 1)).unwrap();
    thread.task_complete(8, team, (0, 1)).unwrap();
    thread.team_end(9, team).unwrap();
    thread.join(10, Paradigm::OPENMP).unwrap();
    archive.add(thread).unwrap();
    let other = archive.location("1 worker", process).unwrap();
    archive.add(other).unwrap();
    archive.finish(1, 10, 7).unwrap();
    let Some(text) = printed(folder.path(), &[]) else { return };
    for part in [
        "THREAD_FORK",
        "Requested Threads: 2",
        "THREAD_TEAM_BEGIN",
        "\"OpenMP\" <0>",
        "THREAD_ACQUIRE_LOCK",
        "Lock: 4",
        "THREAD_RELEASE_LOCK",
        "THREAD_TASK_CREATE",
        "THREAD_TASK_SWITCH",
        "THREAD_TASK_COMPLETE",
        "THREAD_TEAM_END",
        "THREAD_JOIN",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Readers expect one group of all locations of a paradigm, to which each process contributes some.
#[test]
fn teams_of_several_processes_have_different_locations() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = Archive::create(folder.path()).unwrap();
    let node = archive.node("vm");
    for (rank, locations) in [[0, 1], [2, 3]].into_iter().enumerate() {
        let process = archive.process(&format!("rank {rank}"), node);
        let team = archive.comm("OpenMP", Paradigm::OPENMP, &locations);
        for name in ["0 initial", "1 worker"] {
            let mut thread = archive.location(name, process).unwrap();
            thread.team_begin(2, team).unwrap();
            thread.team_end(9, team).unwrap();
            archive.add(thread).unwrap();
        }
    }
    archive.finish(1, 10, 7).unwrap();
    let Some(text) = printed(folder.path(), &["--show-global-defs"]) else { return };
    let groups: Vec<_> = text.lines().filter(|line| line.starts_with("GROUP")).collect();
    let of = |kind: &str| groups.iter().filter(|line| line.contains(kind)).collect::<Vec<_>>();
    assert_eq!((of("COMM_LOCATIONS").len(), of("COMM_GROUP").len()), (1, 2), "{groups:?}");
    assert!(
        of("COMM_LOCATIONS")[0].contains("4 Members: \"0 initial\" <0>, \"1 worker\" <1>, \"0 initial\" <2>"),
        "{groups:?}"
    );
    printed(folder.path(), &[]).unwrap();
}

#[test]
fn locations_share_the_file_that_defines_nothing_and_are_read_if_they_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = Archive::create(folder.path()).unwrap();
    let node = archive.node("vm");
    let process = archive.process("./heat", node);
    let region = archive.region("smooth", "heat.c", 10, Role::PARALLEL, Paradigm::OPENMP);
    let file = |number: u64| folder.path().join(format!("traces/{number}.def"));
    for number in 0..5 {
        if number == 3 {
            // The name of a link that can't be made.
            fs::write(file(number), "an older archive").unwrap();
        }
        let mut thread = archive.location("worker", process).unwrap();
        thread.enter(number, region).unwrap();
        thread.leave(number, region).unwrap();
        archive.add(thread).unwrap();
    }
    archive.finish(0, 5, 7).unwrap();
    let inodes = [0, 1, 2, 3, 4].map(|number| fs::metadata(file(number)).unwrap().ino());
    assert!(inodes[0] == inodes[1] && inodes[1] == inodes[2] && inodes[2] != inodes[3] && inodes[3] == inodes[4]);
    let Some(text) = printed(folder.path(), &[]) else { return };
    assert_eq!(text.lines().filter(|line| line.starts_with("LEAVE")).count(), 5);
}
