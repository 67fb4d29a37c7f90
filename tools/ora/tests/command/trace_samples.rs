//! `ora trace --sample`: samples and events of one run in one folder, and `ora report` on both.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};
use crate::reference::document;

/// Runs the program with samples; the recording is in the folder `both`.
fn sampled(folder: &Folder, options: &[&str], program: &Path, arguments: &[&str]) -> Output {
    let to = folder.file("both");
    let _ = fs::remove_dir_all(&to);
    run(ora(&["trace", "--sample", "1000", "-o"]).arg(&to).args(options).arg("--").arg(program).args(arguments))
}

fn program(folder: &Folder) -> PathBuf {
    folder.compile("traced", "traced", &["-g", "-fopenmp"])
}

/// Content of a file that `ora report` writes with this option.
fn written(folder: &Folder, option: &str, of: &str) -> Vec<u8> {
    let file = folder.file("written");
    let output = run(ora(&["report", option]).arg(&file).arg(folder.file(of)));
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), ""), "{option}: {}", errors(&output));
    fs::read(&file).unwrap()
}

fn json_of(folder: &Folder) -> Value {
    let output = run(ora(&["report", "--json"]).arg(folder.file("both")));
    assert!(output.status.success(), "{}", errors(&output));
    document(&output.stdout)
}

/// Names of the processes' folders, in order, and whether each contains events.
fn processes(folder: &Folder) -> Vec<(String, bool)> {
    let entries = fs::read_dir(folder.file("both")).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = entries
        .map(|path| {
            assert!(path.join("records").is_file(), "{path:?}");
            (path.file_name().unwrap().to_str().unwrap().to_owned(), path.join("events").is_file())
        })
        .collect();
    found.sort();
    found
}

#[test]
fn samples_and_events_share_a_folder() {
    let folder = Folder::new();
    let output = sampled(&folder, &[], &program(&folder), &["busy", "100"]);
    let said = errors(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), "done\n"), "{said}");
    assert!(said.contains("the trace is in") && said.contains(" samples of 2 threads; signals: "), "{said}");
    let found = processes(&folder);
    assert!(matches!(&found[..], [(_, true)]), "{found:?}");

    let document = json_of(&folder);
    let (traced, profiled) = (&document["processes"][0], &document["profile"]);
    assert_eq!((&document["schema"], &profiled["schema"]), (&"ora-trace".into(), &"ora-report".into()));
    // The document contains what the recorder makes the profiler write, and its own data.
    assert!(traced["runtime"].as_str().unwrap().starts_with("GNU libgomp"), "{traced:#}");
    assert_eq!((&traced["counts"]["regions"], &traced["pid"]), (&1.into(), &profiled["processes"][0]["pid"]));
    assert!(traced["regions"][0]["place"]["function"] == "regions", "{traced:#}");
    let work = profiled["functions"].as_array().unwrap().iter().find(|function| function["name"] == "work").unwrap();
    assert!(work["own"]["samples"].as_u64() > Some(10), "{work:#}");

    let shown = text(&run(ora(&["report"]).arg(folder.file("both"))));
    for part in ["Trace of '", "for whom the longest was", "OpenMP profile of ", "Functions, those with the most time"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
#[ignore = "slow: --all runs it"]
fn every_form_has_both() {
    let folder = Folder::new();
    sampled(&folder, &[], &program(&folder), &["busy", "100"]);
    let firefox: Value = serde_json::from_slice(&written(&folder, "--firefox", "both")).unwrap();
    let [initial, worker] = &firefox["threads"].as_array().unwrap()[..] else { panic!("{:#}", firefox["threads"]) };
    let length = |thread: &Value, part: &str| thread[part]["length"].as_u64().unwrap();
    assert!(length(initial, "samples") > 10 && length(initial, "markers") > 2 && length(worker, "markers") > 2);
    let page = String::from_utf8(written(&folder, "--html", "both")).unwrap();
    // The line of the loop, by name and number, with its text; and the tasks.
    for part in [
        "\"stacks\":{\"names\":[[\"",
        "\"text\":\"    for (int i = 0; i < n; i++) sink = i * 0.5;\"",
        "task at traced.c:",
    ] {
        let part = part.replace('<', "\\u003c");
        assert!(page.contains(&part), "{part}");
    }
    let perfetto = written(&folder, "--perfetto", "both");
    let has = |text: &str| perfetto.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has("implicit task") && has("work"));
    assert!(String::from_utf8(written(&folder, "--folded", "both")).unwrap().contains("main;work "));
    assert!(written(&folder, "--flame", "both").starts_with(b"<?xml"));
    assert!(!written(&folder, "--paraver", "both").is_empty());
}

#[test]
fn a_profile_alone_has_a_page_and_a_file_for_perfetto() {
    let folder = Folder::new();
    let program = program(&folder);
    let profile = |name: &str, words: &[&str]| {
        run(ora(&["profile", "-F", "1000", "-o"]).arg(folder.file(name)).arg("--").arg(&program).args(words));
    };
    profile("profile", &["busy", "100"]);
    let page = String::from_utf8(written(&folder, "--html", "profile")).unwrap();
    for part in ["<title>Profile of ", "\"stacks\":{\"names\":[[\"", "\"name\":\"work\"", "\"serial\""] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // Its region has a wait of 0.2 s; the other program's region has hardly a sample.
    profile("late", &["late"]);
    let page = String::from_utf8(written(&folder, "--html", "late")).unwrap();
    assert!(page.contains("\"kind\":\"region\""), "{page}");
    assert!(written(&folder, "--perfetto", "profile").windows(6).any(|part| part == b"traced"));
    let refused = run(ora(&["report", "--paraver"]).arg(folder.file("x")).arg(folder.file("profile")));
    assert_eq!(refused.status.code(), Some(125));
    assert!(errors(&refused).contains("ora trace"), "{}", errors(&refused));
}

#[test]
fn children_and_executed_programs_have_both_in_folders_of_their_own() {
    let folder = Folder::new();
    let program = program(&folder);
    for how in ["fork", "exec"] {
        let output = sampled(&folder, &[], &program, &[how, "3"]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let found = processes(&folder);
        let [(one, true), (other, true)] = &found[..] else { panic!("{how}: {found:?}") };
        assert_eq!(other.strip_prefix(one.as_str()) == Some(".2"), how == "exec", "{found:?}");
        let document = json_of(&folder);
        let mut regions: Vec<_> =
            document["processes"].as_array().unwrap().iter().map(|it| it["counts"]["regions"].clone()).collect();
        regions.sort_by_key(|count| std::cmp::Reverse(count.as_u64()));
        assert_eq!(regions, if how == "fork" { [3, 1] } else { [3, 3] }, "{document:#}");
        assert_eq!(document["profile"]["processes"].as_array().unwrap().len(), 2);
    }
    // A shell has samples but no events. It executes the program in its own process, and in a child.
    let line = format!(
        "x=0; while [ $x -lt 20000 ]; do x=$((x+1)); done; {0} regions 2; exec {0} regions 3",
        program.display()
    );
    let output = sampled(&folder, &[], Path::new("sh"), &["-c", &line]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let found = processes(&folder);
    assert_eq!(found.iter().filter(|(_, has_events)| *has_events).count(), 2, "{found:?}");
    // The events of the second program in the shell's process are with its own samples, not with the shell's.
    let second = found.iter().find(|(name, _)| name.ends_with(".2")).unwrap();
    let first = found.iter().find(|(name, _)| second.0.strip_suffix(".2") == Some(name)).unwrap();
    assert_eq!((first.1, second.1), (false, true), "{found:?}");
    assert_eq!(json_of(&folder)["processes"].as_array().unwrap().len(), 2);
    let page = String::from_utf8(written(&folder, "--html", "both")).unwrap();
    assert_eq!(page.matches("\"resolutions\":").count(), 3, "the shell as well");
}

#[test]
fn a_killed_program_leaves_both() {
    let folder = Folder::new();
    let output = sampled(&folder, &[], &program(&folder), &["kill", "7"]);
    assert!(errors(&output).contains("what was recorded until then is there"), "{}", errors(&output));
    let found = processes(&folder);
    assert!(matches!(&found[..], [(_, true)]), "{found:?}");
    let document = json_of(&folder);
    assert_eq!(document["processes"][0]["counts"]["regions"], 7);
    assert_eq!(document["profile"]["processes"][0]["pid"], document["processes"][0]["pid"]);
}
