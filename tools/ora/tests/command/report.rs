//! `ora report` on the recordings of a program that never ran.

use std::fs;
use std::path::{Path, PathBuf};

use profile_format::simulated::Simulated;
use profile_format::{FILE, Record, info};
use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};
use crate::reference::document;

/// Region of two threads: one works, and the other waits for it and for a critical section.
fn program(rank: u32) -> Simulated {
    let mut file = Simulated::new();
    let rank = rank.to_string();
    file.add(Record::Info { key: info::RANK, value: rank.as_bytes() });
    file.add(Record::Info { key: info::RANKS, value: b"2" });
    file.region(1, 0, 0, &[4100, 3100, 1200, 1100, 5300, 1900]);
    let stacks = [
        file.stack(&[1300, 2100, 3100, 1200, 1100, 5300, 1900]),
        file.stack(&[2200, 2100, 5100]),
        file.stack(&[2200, 1300, 2100, 5100]),
    ];
    for number in 0..60 {
        file.sample(0, 1, 2, stacks[0]);
        let (state, stack) = if number < 40 { (3, stacks[1]) } else { (9, stacks[2]) };
        file.sample(1, 1, state, stack);
    }
    file
}

/// Profile of two ranks.
pub(crate) fn profile(folder: &Folder) -> PathBuf {
    let profile = folder.file("profile");
    for rank in 0..2 {
        let process = profile.join(format!("rank-{rank}.pid-471{rank}"));
        fs::create_dir_all(&process).unwrap();
        fs::write(process.join(FILE), program(rank).bytes).unwrap();
    }
    profile
}

fn report(options: &[&str], folders: &[&Path]) -> std::process::Output {
    run(ora(&["report"]).args(options).args(folders))
}

#[test]
fn the_report_is_on_stdout_and_has_every_part() {
    let folder = Folder::new();
    let profile = profile(&folder);
    let output = report(&[], &[&profile]);
    assert_eq!((output.status.code(), errors(&output)), (Some(0), String::new()));
    let found = text(&output);
    for part in [
        "OpenMP profile of './prog 10', user's view",
        "processes     2   (ranks 0 to 1 of 2)",
        "their time    2.400 s: OpenMP Work 1.200 s (50.00 %), OpenMP Wait 1.200 s (50.00 %)",
        "<OMP-implicit_barrier>",
        "rank 1, 0",
        "imbalance in the region prog+0x4b0",
        "% of the threads' time is waits for critical sections, 100.00 % of that in prog+0x513",
        "rank 0, rank 1: its end was not seen",
    ] {
        assert!(found.contains(part), "{part} is not in\n{found}");
    }
    let one = text(&report(&[], &[&profile.join("rank-1.pid-4711")]));
    assert!(one.contains("their time    1.200 s") && one.contains("(rank 1 of 2)"), "{one}");
}

#[test]
fn the_parts_add_up_in_every_view() {
    let folder = Folder::new();
    let profile = profile(&folder);
    for view in ["user", "expert", "machine"] {
        let object: Value = serde_json::from_str(&text(&report(&["--json", "--view", view], &[&profile]))).unwrap();
        let ns = |of: &Value, key: &str| of[key].as_u64().unwrap();
        let total = &object["total"];
        assert_eq!(ns(total, "work_ns") + ns(total, "wait_ns"), ns(total, "total_ns"));
        for list in ["functions", "calls"] {
            let own = object[list].as_array().unwrap().iter().map(|one| ns(&one["own"], "total_ns")).sum::<u64>();
            assert_eq!(own, ns(total, "total_ns"), "{list}");
        }
        let threads = object["threads"].as_array().unwrap();
        assert_eq!(threads.iter().map(|one| ns(&one["sum"], "total_ns")).sum::<u64>(), ns(total, "total_ns"));
        assert_eq!((threads.len(), &object["view"]), (4, &Value::from(view)));
    }
}

#[test]
fn the_json_is_a_valid_document() {
    let folder = Folder::new();
    document(report(&["--json"], &[&profile(&folder)]).stdout);
}

#[test]
fn what_is_no_profile_is_told() {
    let folder = Folder::new();
    let empty = folder.file("empty");
    fs::create_dir_all(&empty).unwrap();
    let output = report(&[], &[&empty]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).contains("empty: the folder is empty. Name the folder of a profile"),
        "{}",
        errors(&output)
    );
    fs::create_dir_all(empty.join("pid-1")).unwrap();
    let output = report(&[], &[&empty]);
    assert_eq!(output.status.code(), Some(2));
    let said = "empty: there is neither a profile by `ora profile` nor a trace by `ora trace` in this folder";
    assert!(errors(&output).contains(said), "{}", errors(&output));
    fs::write(empty.join("pid-1").join(FILE), "something else").unwrap();
    let output = report(&[], &[&empty]);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("records: not a file of `ora profile`"), "{}", errors(&output));
}

#[test]
fn a_profile_without_samples_says_so() {
    let folder = Folder::new();
    let mut file = Simulated::new();
    file.add(Record::Info { key: info::TROUBLE, value: b"the program blocks the signal" });
    fs::create_dir_all(folder.file("p")).unwrap();
    fs::write(folder.file("p").join(FILE), file.bytes).unwrap();
    let found = text(&report(&["-o", folder.file("out").to_str().unwrap()], &[&folder.file("p")]));
    assert_eq!(found, "");
    let found = fs::read_to_string(folder.file("out")).unwrap();
    assert!(
        found.contains("Note: the program blocks the signal.") && found.contains("there are no samples"),
        "{found}"
    );
}

#[test]
fn without_a_folder_it_is_the_newest_profile_here() {
    let folder = Folder::new();
    fs::create_dir_all(folder.file("empty")).unwrap();
    let here = folder.file("empty").parent().unwrap().to_owned();
    let output = run(ora(&["report"]).current_dir(&here));
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    for (name, age) in [("a-old", 100), ("b-new", 0), ("c-older", 200)] {
        let process = here.join(name).join("pid-1");
        fs::create_dir_all(&process).unwrap();
        fs::write(process.join(FILE), program(0).bytes).unwrap();
        let file = fs::File::options().write(true).open(process.join(FILE)).unwrap();
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(age)).unwrap();
    }
    let output = run(ora(&["report"]).current_dir(&here));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert_eq!(errors(&output), "ora: the newest profile here is in b-new\n");
    assert!(text(&output).contains("OpenMP profile of"));
}
