//! `ora diff`: what it says of two outputs of `ora stat --json`, and how it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

use crate::harness::{Folder, errors, ora, run, stat, text};

/// A file as `ora stat --json -r` writes it: for each run the wall time, and of a region the time and the line, in
/// milliseconds.
fn measurement(folder: &Folder, name: &str, line: u32, runs: &[(f64, f64)]) -> PathBuf {
    let run = |(wall, region): &(f64, f64)| {
        let region = json!({
            "function": "smooth", "file": "/home/heat.c", "line": line, "object": "heat", "address": "0x1234",
            "total_ns": region * 1e6, "wait_ns": 5,
        });
        json!({ "wall_ns": wall * 1e6, "processes": [{ "cpu_ns": null, "time_ns": { "work": 7 }, "regions": [region] }] })
    };
    let runs: Vec<Value> = runs.iter().map(run).collect();
    let document = json!({ "schema": "ora-stat", "version": 2, "command": ["./heat"], "runs": runs });
    let path = folder.file(name);
    fs::write(&path, document.to_string()).unwrap();
    path
}

fn diff(options: &[&str], before: &Path, after: &Path) -> Output {
    run(ora(&["diff"]).args(options).arg(before).arg(after))
}

#[test]
fn a_change_beyond_the_noise_fails() {
    let folder = Folder::new();
    let before = measurement(&folder, "a", 10, &[(100.0, 50.0), (101.0, 51.0), (99.0, 49.0)]);
    let after = measurement(&folder, "b", 12, &[(120.0, 70.0), (121.0, 71.0), (119.0, 69.0)]);
    let output = diff(&["--fail-above", "10%"], &before, &after);
    assert_eq!(output.status.code(), Some(1), "{}", errors(&output));
    let said = text(&output);
    for part in ["+20.0 %", "more", "wall time", "+40.0 %", "smooth at heat.c:10", "3 runs before, 3 runs after"] {
        assert!(said.contains(part), "{part}:\n{said}");
    }
    assert_eq!(diff(&["--fail-above", "25%"], &before, &after).status.code(), Some(0));
    // Faster is no failure.
    assert_eq!(diff(&["--fail-above", "10%"], &after, &before).status.code(), Some(0));
}

#[test]
fn noise_does_not_fail() {
    let folder = Folder::new();
    let before = measurement(&folder, "a", 10, &[(80.0, 50.0), (120.0, 51.0), (100.0, 49.0)]);
    let after = measurement(&folder, "b", 10, &[(90.0, 50.0), (135.0, 51.0), (105.0, 49.0)]);
    let output = diff(&["--fail-above", "5%", "--json"], &before, &after);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["schema"], &document["wall"]["verdict"]), (&"ora-diff".into(), &"noise".into()));
    let region = &document["regions"][0];
    assert_eq!(
        (&region["before_ns"], &region["change"], &region["wait_after_ns"]),
        (&5e7.into(), &0.0.into(), &5.0.into())
    );
    // Of single runs the means are all that is known.
    let [before, after] =
        [("c", 100.0), ("d", 110.0)].map(|(name, wall)| measurement(&folder, name, 10, &[(wall, 1.0)]));
    let output = diff(&["--fail-above", "5%"], &before, &after);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("noise can't be told from change"), "{}", text(&output));
}

#[test]
fn regions_of_one_side_are_named() {
    let folder = Folder::new();
    let before = measurement(&folder, "a", 10, &[(100.0, 50.0)]);
    let after = folder.file("b");
    fs::write(&after, fs::read_to_string(&before).unwrap().replace("smooth", "relax")).unwrap();
    let said = text(&diff(&[], &before, &after));
    assert!(said.contains("gone") && said.contains("smooth at heat.c:10"), "{said}");
    assert!(said.contains("new") && said.contains("relax at heat.c:10"), "{said}");
}

#[test]
fn what_stat_writes_is_compared_and_nothing_else() {
    let folder = Folder::new();
    let (program, file) = (folder.program("regions"), folder.file("out.json"));
    stat(&["--json", "-r", "2", "-o", file.to_str().unwrap()], &program, &["20"]);
    let output = diff(&[], &file, &file);
    assert!(output.status.success() && text(&output).contains("+0.0 %"), "{}{}", text(&output), errors(&output));
    let other = folder.file("other.json");
    for (content, says) in [
        ("{}", "no output of `ora stat --json`"),
        ("x", "no output of `ora stat --json`"),
        ("{\"schema\":\"ora-stat\",\"version\":1}", "version 1"),
        ("{\"schema\":\"ora-stat\",\"version\":2}", "no run"),
    ] {
        fs::write(&other, content).unwrap();
        let output = diff(&[], &other, &file);
        assert_eq!(output.status.code(), Some(2), "{content}");
        assert!(errors(&output).contains(says), "{}", errors(&output));
    }
}
