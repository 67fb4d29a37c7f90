//! `ora diff`: its output for two outputs of `ora stat --json`, two profiles and two traces, and its exit codes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};

use crate::harness::{Folder, errors, ora, run, stat, text};
use crate::reference;

/// Writes a file like `ora stat --json -r`: for each run the wall time, and the time of a region in milliseconds, with its line.
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
    // A faster run is not a failure.
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
    // Single runs have only means.
    let [before, after] =
        [("c", 100.0), ("d", 110.0)].map(|(name, wall)| measurement(&folder, name, 10, &[(wall, 1.0)]));
    let output = diff(&["--fail-above", "5%"], &before, &after);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("noise can't be distinguished from change"), "{}", text(&output));
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
        ("{}", "not an output of `ora stat --json`"),
        ("x", "not an output of `ora stat --json`"),
        ("{\"schema\":\"ora-stat\",\"version\":1}", "version 1"),
        ("{\"schema\":\"ora-stat\",\"version\":2}", "no run"),
    ] {
        fs::write(&other, content).unwrap();
        let output = diff(&[], &other, &file);
        assert_eq!(output.status.code(), Some(2), "{content}");
        assert!(errors(&output).contains(says), "{}", errors(&output));
    }
}

/// Records the program that other tests trace as well: a region that ends late, or one after the other.
fn recorded(folder: &Folder, command: &str, name: &str, how: &[&str]) -> PathBuf {
    recorded_by(folder, &[command], name, how)
}

/// Like [`recorded`], for a trace with samples.
fn sampled(folder: &Folder, name: &str, how: &[&str]) -> PathBuf {
    recorded_by(folder, &["trace", "--sample", "1000"], name, how)
}

fn recorded_by(folder: &Folder, command: &[&str], name: &str, how: &[&str]) -> PathBuf {
    let program = folder.compile("traced", "traced", &["-g", "-fopenmp"]);
    let to = folder.file(name);
    let output = run(ora(command).arg("-o").arg(&to).arg("--").arg(program).args(how));
    assert!(output.status.success(), "{}", errors(&output));
    to
}

fn document(before: &Path, after: &Path) -> Value {
    let output = diff(&["--json"], before, after);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    reference::document(&output.stdout)
}

#[test]
fn two_traces_are_compared_by_region_and_by_wait() {
    let folder = Folder::new();
    let before = recorded(&folder, "trace", "before", &["late"]);
    let after = recorded(&folder, "trace", "after", &["regions", "3"]);
    let same = document(&before, &before);
    for kind in ["regions", "waits", "activities"] {
        let rows = same[kind].as_array().unwrap();
        assert!(!rows.is_empty() && rows.iter().all(|row| row["change"] == 0.0), "{kind}: {same:#}");
    }
    assert!(same["waits"][0]["name"].as_str().unwrap().contains(" in late at traced.c:"), "{same:#}");
    // The worker waits at the barrier for the other thread, which sleeps.
    assert!(same["regions"][0]["wait_before_ns"].as_f64().unwrap() > 50e6, "{same:#}");
    let other = document(&before, &after);
    let has = |list: &str, name: &str| {
        other[list].as_array().unwrap().iter().any(|it| it["name"].as_str().unwrap().contains(name))
    };
    assert!(has("regions_gone", "late at traced.c:") && has("regions_new", "regions at traced.c:"), "{other:#}");
    assert!(has("waits_gone", "barrier in late"), "{other:#}");
    let said = text(&diff(&[], &before, &after));
    assert!(said.contains("gone") && said.contains("waits of all threads"), "{said}");
}

#[test]
fn a_region_of_several_processes_of_a_trace_is_one() {
    let folder = Folder::new();
    let program = folder.compile("traced", "traced", &["-g", "-fopenmp", "-fPIE", "-pie"]);
    let to = folder.file("both");
    let script = "$0 regions 3 & $0 regions 3 & wait";
    let output = run(ora(&["trace", "-o"]).arg(&to).args(["--", "sh", "-c", script]).arg(program));
    assert!(output.status.success(), "{}", errors(&output));
    let same = document(&to, &to);
    let names: Vec<_> =
        same["regions"].as_array().unwrap().iter().map(|region| region["name"].as_str().unwrap()).collect();
    assert!(names.len() == 1 && names[0].starts_with("regions at traced.c:"), "{names:?}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn traces_with_samples_are_compared_by_both() {
    let folder = Folder::new();
    let (before, after) = (sampled(&folder, "before", &["busy", "100"]), sampled(&folder, "after", &["late"]));
    let same = document(&before, &before);
    assert_eq!((&same["kind"], &same["left_out"]), (&"trace".into(), &Value::Null));
    let has = |part: &Value, list: &str, name: &str| {
        part[list].as_array().unwrap().iter().any(|it| it["name"].as_str().unwrap().contains(name))
    };
    // The events of a trace contain no functions and no CPU time; its samples do.
    assert!(has(&same, "regions", "regions at traced.c:") && same["cpu"].is_null(), "{same:#}");
    let samples = &same["profile"];
    assert!(has(samples, "functions", "work") && samples["cpu"]["change"] == 0.0, "{same:#}");
    let other = document(&before, &after);
    assert!(has(&other, "regions_new", "late at traced.c:"), "{other:#}");
    assert!(has(&other["profile"], "functions_gone", "work"), "{other:#}");
    let said = text(&diff(&[], &before, &after));
    for part in [", by events:", "waits of all threads", ", by samples:", "function, its own time"] {
        assert!(said.contains(part), "{part}: {said}");
    }

    // A part that only one side has is omitted.
    let (trace, profile) =
        (recorded(&folder, "trace", "trace", &["late"]), recorded(&folder, "profile", "profile", &["late"]));
    for (other, kind, missing, noun) in
        [(&trace, "trace", "profile", "samples"), (&profile, "profile", "trace", "events")]
    {
        let found = document(other, &after);
        assert_eq!((&found["kind"], &found["profile"]), (&kind.into(), &Value::Null), "{found:#}");
        assert_eq!(found["left_out"], json!({ "side": "after", "kind": missing }));
        let said = text(&diff(&[], &after, other));
        assert!(said.contains(&format!("only the measurement before has {noun}: they are left out")), "{said}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn two_profiles_are_compared_by_function_and_by_wait() {
    let folder = Folder::new();
    // Both wait for some tenths of a second, which gives samples of waits with the clock of any machine.
    let before = recorded(&folder, "profile", "before", &["late"]);
    let after = recorded(&folder, "profile", "after", &["contended"]);
    let busy = recorded(&folder, "profile", "busy", &["busy", "200"]);
    let same = document(&before, &before);
    for kind in ["regions", "functions", "waits", "activities"] {
        let rows = same[kind].as_array().unwrap();
        assert!(!rows.is_empty() && rows.iter().all(|row| row["change"] == 0.0), "{kind}: {same:#}");
    }
    let busy = document(&busy, &busy);
    assert!(busy["functions"].as_array().unwrap().iter().any(|it| it["name"] == "work"), "{busy:#}");
    let other = document(&before, &after);
    assert!(other["regions_gone"].as_array().unwrap().iter().any(|it| it["name"].as_str().unwrap().contains("late")));
    // Recordings of two kinds can't be compared.
    let trace = recorded(&folder, "trace", "trace", &["late"]);
    let output = diff(&[], &before, &trace);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        errors(&output).contains("is a profile, and")
            && errors(&output).contains("is a trace: compare two of one kind")
    );
    let output = diff(&[], &before, &folder.file("."));
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
}

#[test]
#[ignore = "slow: --all runs it"]
fn all_origins_are_in_the_json() {
    let folder = Folder::new();
    let before = measurement(&folder, "stat-before", 10, &[(100.0, 50.0), (101.0, 51.0)]);
    let after = folder.file("stat-after");
    fs::write(&after, fs::read_to_string(&before).unwrap().replace("smooth", "relax")).unwrap();
    let both = sampled(&folder, "both", &["busy", "100"]);
    let [profile, trace] = ["profile", "trace"].map(|command| recorded(&folder, command, command, &["late"]));
    let pairs = [
        (&before, &before),
        (&before, &after),
        (&profile, &profile),
        (&profile, &both),
        (&trace, &trace),
        (&both, &both),
        (&trace, &both),
        (&both, &sampled(&folder, "other", &["late"])),
    ];
    let documents = pairs.map(|(before, after)| document(before, after));
    for kind in ["stat", "profile", "trace"] {
        assert!(documents.iter().any(|document| document["kind"] == kind), "{kind}");
    }
    assert!(documents.iter().any(|document| document["left_out"]["side"].is_string()));
    assert!(documents.iter().any(|document| document["profile"]["functions_gone"][0]["name"].is_string()));
}
