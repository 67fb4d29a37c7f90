//! `ora trace`: its recordings of programs of all kinds, and the reports on them.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::harness::{Folder, ORA, errors, json, ora, run, text};
use crate::reference::document;
use crate::skips::has;

/// Runs the program; the trace is written to the folder `trace`.
fn trace(folder: &Folder, options: &[&str], program: &Path, arguments: &[&str]) -> Output {
    let to = folder.file("trace");
    let _ = fs::remove_dir_all(&to);
    run(ora(&["trace", "-o"]).arg(&to).args(options).arg("--").arg(program).args(arguments))
}

/// Slice, as in the file for the Firefox Profiler.
#[derive(Debug)]
struct Marker {
    name: String,
    place: String,
    length_ms: f64,
}

/// Slices of the trace.
fn markers(folder: &Folder) -> Vec<Marker> {
    let file = folder.file("markers.json");
    run(ora(&["report", "--firefox"]).arg(&file).arg(folder.file("trace")));
    let document: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let texts = document["shared"]["stringArray"].as_array().unwrap();
    let of_thread = |thread: &Value| {
        let markers = &thread["markers"];
        let names = markers["name"].as_array().unwrap().iter().enumerate();
        let marker = |(at, name): (usize, &Value)| Marker {
            name: texts[usize::try_from(name.as_u64().unwrap()).unwrap()].as_str().unwrap().to_owned(),
            place: markers["data"][at]["place"].as_str().unwrap_or_default().to_owned(),
            length_ms: markers["endTime"][at].as_f64().unwrap() - markers["startTime"][at].as_f64().unwrap(),
        };
        names.map(marker).collect::<Vec<_>>()
    };
    document["threads"].as_array().unwrap().iter().flat_map(of_thread).collect()
}

fn program(folder: &Folder) -> std::path::PathBuf {
    folder.compile("traced", "traced", &["-g", "-fopenmp"])
}

/// Content of `ora report --json` for a trace.
fn report(folder: &Folder) -> Value {
    let output = run(ora(&["report", "--json", "--rows", "all"]).arg(folder.file("trace")));
    assert!(output.status.success(), "{}", errors(&output));
    document(&output.stdout)
}

/// Checks that the counts of a trace, of `ora stat` and of `ora tasks` agree for one program.
fn counts_agree(folder: &Folder, program: &Path) {
    let arguments = ["regions", "25"];
    let output = trace(folder, &[], program, &arguments);
    assert_eq!((output.status.code(), text(&output)), (Some(0), "done\n".to_owned()), "{}", errors(&output));
    let traced = &report(folder)["processes"][0];
    let counts = &traced["counts"];
    let stat = &json(&[], program, &arguments)["runs"][0]["processes"][0];
    let waits = &stat["waits"];
    let number = |value: &Value| value.as_u64().unwrap();
    assert_eq!(number(&counts["regions"]), number(&stat["regions_total"]["count"]));
    assert_eq!(number(&counts["implicit_barriers"]), number(&waits["implicit_barrier"]), "{waits}");
    assert_eq!(number(&counts["explicit_barriers"]), number(&waits["explicit_barrier"]), "{waits}");
    // `ora stat` counts the end of a taskgroup as a taskwait.
    assert_eq!(number(&counts["taskwaits"]) + number(&counts["taskgroups"]), number(&waits["taskwait"]), "{waits}");
    let file = folder.file("tasks.json");
    run(ora(&["tasks", "--json", "-o"]).arg(&file).arg("--").arg(program).args(arguments));
    let tasks: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    for key in ["tasks_created", "tasks_executed"] {
        assert_eq!(counts[key], tasks["processes"][0][key], "{key}");
    }
    // What the program executes 25 times, with two threads.
    for (key, expected) in
        [("regions", 25), ("implicit_tasks", 50), ("tasks_created", 75), ("criticals", 50), ("locks", 50)]
    {
        assert_eq!(counts[key], expected, "{key}: {counts}");
    }
    assert_eq!((&traced["lost_events"], &traced["has_ended"]), (&0.into(), &true.into()));
    assert_eq!(traced["threads"].as_array().unwrap().len(), 2);
}

#[test]
fn counts_are_those_of_stat_and_tasks() {
    let folder = Folder::new();
    counts_agree(&folder, &program(&folder));
}

#[test]
fn counts_are_those_of_stat_and_tasks_on_llvms_runtime() {
    let folder = Folder::new();
    if let Some(program) = folder.clang("traced", "clang", &["-std=gnu11", "-g", "-O1", "-fopenmp"]) {
        counts_agree(&folder, &program);
    }
}

/// Each chunk of the file contains one event of the recorder's own, so that chunks end after each kind of event in turn.
#[test]
#[ignore = "slow: --all runs it"]
fn regions_and_tasks_are_known_across_chunks() {
    let folder = Folder::new();
    let program = program(&folder);
    trace(&folder, &["--events", "regions"], &program, &["regions", "20000"]);
    let document = report(&folder);
    let regions = document["processes"][0]["regions"].as_array().unwrap();
    assert_eq!(regions.len(), 20_000);
    let is_whole =
        |region: &&Value| region["is_over"] == true && region["team"] == 2 && region["place"]["function"] == "regions";
    assert_eq!(regions.iter().filter(is_whole).count(), 20_000);

    trace(&folder, &["--events", "tasks"], &program, &["regions", "5000"]);
    let counts = report(&folder)["processes"][0]["counts"].clone();
    assert_eq!([&counts["tasks_created"], &counts["tasks_executed"]], [&15_000, &15_000], "{counts}");
    let tasks: Vec<_> = markers(&folder).into_iter().filter(|marker| marker.name == "task").collect();
    assert!(tasks.iter().all(|task| task.place.contains("traced.c:")), "{:?}", tasks.first());
    assert_eq!(tasks.len(), 15_000);
}

/// Numbers of events in an OTF2 archive, according to OTF2's own command.
#[test]
fn an_otf2_archive_has_the_same_counts() {
    let folder = Folder::new();
    trace(&folder, &[], &program(&folder), &["regions", "25"]);
    let to = folder.file("archive");
    let written = run(ora(&["report", "--otf2"]).arg(&to).arg(folder.file("trace")));
    assert!(written.status.success(), "{}", errors(&written));
    if !has(&compat_tests::requirements::OTF2_PRINT) {
        return;
    }
    let output = run(Command::new("otf2-print").arg(to.join("traces.otf2")));
    assert!(output.status.success() && output.stderr.is_empty(), "{}", errors(&output));
    let text = text(&output);
    let count = |event: &str| text.lines().filter(|line| line.split(' ').next() == Some(event)).count();
    for (event, expected) in [
        ("THREAD_FORK", 25),
        ("THREAD_JOIN", 25),
        ("THREAD_TEAM_BEGIN", 50),
        ("THREAD_TEAM_END", 50),
        ("THREAD_TASK_CREATE", 75),
        ("THREAD_TASK_COMPLETE", 75),
        ("THREAD_ACQUIRE_LOCK", 100),
        ("THREAD_RELEASE_LOCK", 100),
    ] {
        assert_eq!(count(event), expected, "{event}");
    }
    assert_eq!(count("ENTER"), count("LEAVE"));
    assert!(text.contains("\"critical at traced.c:"), "{text}");
}

/// Paraver's events by type and value, and the Firefox Profiler's markers by name.
#[test]
fn files_for_paraver_and_firefox_have_the_same_counts() {
    let folder = Folder::new();
    trace(&folder, &[], &program(&folder), &["regions", "25"]);
    let (records, profile) = (folder.file("trace.prv"), folder.file("firefox.json"));
    let mut command = ora(&["report", "--paraver"]);
    let written = run(command.arg(&records).arg("--firefox").arg(&profile).arg(folder.file("trace")));
    assert!(written.status.success(), "{}", errors(&written));
    let text = fs::read_to_string(&records).unwrap();
    for (event, expected) in
        [("60000001:3", 25), ("60000001:0", 25), ("60000024:0", 75), ("60000023:0", 75), ("60000006:6", 100)]
    {
        let count = text.lines().filter(|line| line.starts_with("2:") && line.ends_with(&format!(":{event}"))).count();
        assert_eq!(count, expected, "{event}");
    }
    let profile: Value = serde_json::from_slice(&fs::read(&profile).unwrap()).unwrap();
    let name_of = |index: &Value| {
        let at = usize::try_from(index.as_u64().unwrap()).unwrap();
        profile["shared"]["stringArray"][at].as_str().unwrap()
    };
    let threads = profile["threads"].as_array().unwrap().iter();
    let names: Vec<_> = threads.flat_map(|it| it["markers"]["name"].as_array().unwrap()).map(name_of).collect();
    for (name, expected) in [("region", 25), ("implicit task", 50), ("critical", 50), ("task", 75)] {
        assert_eq!(names.iter().filter(|it| **it == name).count(), expected, "{name}");
    }
}

#[test]
fn a_killed_program_leaves_what_it_did() {
    let folder = Folder::new();
    let output = trace(&folder, &[], &program(&folder), &["kill", "7"]);
    assert_eq!(output.status.signal(), Some(libc::SIGKILL), "{}", errors(&output));
    assert!(errors(&output).contains("what was recorded until then is there"), "{}", errors(&output));
    let traced = &report(&folder)["processes"][0];
    assert_eq!((&traced["counts"]["regions"], &traced["has_ended"]), (&7.into(), &false.into()));
    assert!(traced["regions"].as_array().unwrap().iter().all(|region| region["is_over"] == true));
}

#[test]
fn forked_children_and_executed_programs_have_folders_of_their_own() {
    let folder = Folder::new();
    let program = program(&folder);
    for (how, regions) in [("fork", [3, 1]), ("exec", [3, 3])] {
        let output = trace(&folder, &[], &program, &[how, "3"]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let document = report(&folder);
        let processes = document["processes"].as_array().unwrap();
        let mut counts: Vec<_> = processes.iter().map(|it| it["counts"]["regions"].as_u64().unwrap()).collect();
        counts.sort_unstable_by_key(|count| std::cmp::Reverse(*count));
        assert_eq!(counts, regions, "{how}: {document:#}");
        assert_eq!(processes[0]["pid"] == processes[1]["pid"], how == "exec");
    }
    let output =
        trace(&folder, &["--no-follow"], Path::new("sh"), &["-c", &format!("{} regions; true", program.display())]);
    assert!(errors(&output).contains("no trace"), "{}", errors(&output));
}

#[test]
fn a_limit_on_files_ends_the_recording_and_not_the_program() {
    let folder = Folder::new();
    let (program, to) = (program(&folder), folder.file("trace"));
    let line = format!("ulimit -f 100 && exec {ORA} trace -o {} -- {} locks 100000", to.display(), program.display());
    let output = run(Command::new("bash").args(["-c", &line]));
    assert_eq!((output.status.code(), text(&output)), (Some(0), "done\n".to_owned()), "{}", errors(&output));
    assert!(errors(&output).contains("File too large") && errors(&output).contains("lost"), "{}", errors(&output));
    let traced = &report(&folder)["processes"][0];
    let all = traced["events"].as_u64().unwrap() + traced["lost_events"].as_u64().unwrap();
    // Three events each time, plus a few for the region.
    assert!((300_000..300_100).contains(&all), "{traced:#}");
    assert!(traced["events"].as_u64().unwrap() > 1000, "{traced:#}");
    let shown = run(ora(&["report"]).arg(&to));
    assert!(text(&shown).contains("lost because the recording was full"), "{}", text(&shown));
}

#[test]
fn a_wait_names_the_thread_that_is_waited_for() {
    let folder = Folder::new();
    let program = program(&folder);
    trace(&folder, &[], &program, &["late"]);
    let longest = &report(&folder)["processes"][0]["longest_waits"][0];
    assert_eq!((&longest["kind"], &longest["cause"]["kind"]), (&"explicit barrier".into(), &"last_arrival".into()));
    assert_ne!(longest["thread"], longest["cause"]["thread"]);
    assert!(longest["idle_ns"].as_u64().unwrap() > 100_000_000, "{longest:#}");
    assert_eq!(longest["place"]["function"], "late");

    trace(&folder, &[], &program, &["contended"]);
    let document = report(&folder);
    let waits = document["processes"][0]["longest_waits"].as_array().unwrap();
    let lock = waits.iter().find(|wait| wait["kind"] == "wait for lock").unwrap();
    assert_eq!(lock["cause"]["kind"], "holder", "{lock:#}");
    assert_ne!(lock["thread"], lock["cause"]["thread"]);
    assert!(lock["idle_ns"].as_u64().unwrap() > 100_000_000, "{lock:#}");
}

#[test]
fn events_can_be_chosen() {
    let folder = Folder::new();
    let program = program(&folder);
    trace(&folder, &["--events", "regions"], &program, &["regions", "5"]);
    let counts = report(&folder)["processes"][0]["counts"].clone();
    assert_eq!((&counts["regions"], &counts["implicit_tasks"]), (&5.into(), &10.into()));
    for none in ["tasks_created", "explicit_barriers", "locks", "criticals"] {
        assert_eq!(counts[none], 0, "{none}");
    }
    trace(&folder, &["--events", "tasks,locks"], &program, &["regions", "5"]);
    let counts = report(&folder)["processes"][0]["counts"].clone();
    let found = [&counts["regions"], &counts["tasks_created"], &counts["locks"], &counts["implicit_barriers"]];
    assert_eq!(found, [0, 15, 10, 0].map(Value::from).each_ref());
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_flight_recorder_keeps_the_newest() {
    let folder = Folder::new();
    let program = program(&folder);
    // Three million events, of which a thread keeps a million.
    let output = trace(&folder, &["--last", "10s"], &program, &["locks", "1000000"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let said = errors(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("2 threads") && said.contains("overwritten by newer ones"), "{said}");
    let traced = report(&folder)["processes"][0].clone();
    let events = traced["events"].as_u64().unwrap();
    assert!((1_000_000..1_100_000).contains(&events), "{events}");
    let all = events + traced["overwritten_events"].as_u64().unwrap();
    assert!((3_000_000..3_010_000).contains(&all), "{traced:#}");
    let bytes: u64 = fs::read_dir(folder.file("trace"))
        .unwrap()
        .map(|process| process.unwrap().path().join("events").metadata().unwrap().len())
        .sum();
    assert!(bytes < 20_000_000, "{bytes}");
}

#[test]
fn a_flight_recorder_keeps_what_happened_in_slow_regions() {
    let folder = Folder::new();
    let output = trace(&folder, &["--slow", "100ms"], &program(&folder), &["slow", "50"]);
    let said = errors(&output);
    assert!(said.contains("took longer than --slow"), "{said}");
    let regions: Vec<_> = markers(&folder).into_iter().filter(|marker| marker.name == "region").collect();
    // Of 101 regions only the slow one is drawn, and others that were equally slow on a busy machine.
    assert!((1..100).contains(&regions.len()), "{regions:?}");
    assert!(
        regions.iter().all(|region| region.place.contains("traced.c:") && region.length_ms >= 100.0),
        "{regions:?}"
    );
    assert!(said.contains(&format!("{} region", regions.len())), "{said} {regions:?}");
}

#[test]
fn the_newest_trace_is_reported_and_no_other_is_overwritten() {
    let folder = Folder::new();
    let program = program(&folder);
    let here = folder.file("here");
    fs::create_dir(&here).unwrap();
    let first = run(ora(&["trace", "--"]).arg(&program).current_dir(&here));
    assert!(errors(&first).contains("ora report ora-trace\n"), "{}", errors(&first));
    let second = run(ora(&["trace", "--"]).arg(&program).current_dir(&here));
    assert!(errors(&second).contains("this one goes to ora-trace.2"), "{}", errors(&second));
    let shown = run(ora(&["report"]).current_dir(&here));
    assert!(errors(&shown).contains("the newest trace here is in ora-trace.2"), "{}", errors(&shown));
    let said = text(&shown);
    for part in ["Trace of '", "parallel regions", "for whom the longest was", "regions at traced.c:"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let refused = run(ora(&["trace", "-o", "ora-trace", "--"]).arg(&program).current_dir(&here));
    assert_eq!(refused.status.code(), Some(125), "{}", errors(&refused));
    assert!(errors(&refused).contains("has a trace already"), "{}", errors(&refused));
}

#[test]
fn what_a_trace_does_not_have_is_refused() {
    let folder = Folder::new();
    trace(&folder, &[], &program(&folder), &["regions", "1"]);
    let to = folder.file("trace");
    let flame = run(ora(&["report", "--flame"]).arg(folder.file("x.svg")).arg(&to));
    assert_eq!(flame.status.code(), Some(125));
    assert!(errors(&flame).contains("use `ora profile`"), "{}", errors(&flame));
    let events = fs::read_dir(&to).unwrap().next().unwrap().unwrap().path().join("events");
    fs::write(&events, "something else").unwrap();
    let other = run(ora(&["report"]).arg(&to));
    assert_eq!(other.status.code(), Some(2), "{}", errors(&other));
    assert!(errors(&other).contains("not a file of `ora trace`"), "{}", errors(&other));
}

/// The second library is mapped where the first one was, which returns. All return addresses are the same.
#[test]
fn libraries_that_replace_each_other_keep_their_names() {
    let folder = Folder::new();
    let program = folder.compile("libraries", "libraries", &["-DCLOSE", "-Wl,--no-as-needed", "-fopenmp", "-ldl"]);
    let library = |name: &str| {
        let options = ["-g", "-shared", "-fPIC", "-fopenmp", &format!("-DNAME={name}")];
        folder.compile("in_library", &format!("{name}.so"), &options).to_str().unwrap().to_owned()
    };
    let (first, second) = (library("first_one"), library("second_one"));
    let arguments = [&first, "first_one", &second, "second_one", &first, "first_one"];
    for options in [&[][..], &["--sample", "1000"]] {
        let output = trace(&folder, options, &program, &arguments);
        assert_eq!(text(&output), "3\n", "{}", errors(&output));
        let markers = markers(&folder);
        for name in ["region", "task"] {
            let of = markers.iter().filter(|marker| marker.name == name && marker.length_ms > 0.0);
            let places: Vec<&str> = of.map(|marker| marker.place.split(' ').next().unwrap()).collect();
            assert_eq!(places.len(), 3, "{markers:?}");
            let of = |function| places.iter().filter(|place| **place == function).count();
            assert_eq!((of("first_one"), of("second_one")), (2, 1), "{name}: {markers:?}");
        }
        let document = report(&folder).to_string();
        let shown = text(&run(ora(&["report"]).arg(folder.file("trace"))));
        let page = folder.file("page.html");
        run(ora(&["report", "--html"]).arg(&page).arg(folder.file("trace")));
        let page = fs::read_to_string(page).unwrap();
        for (said, function) in [(document, r#""second_one","#), (shown, "second_one at "), (page, "second_one at ")] {
            assert!(said.contains(function) && said.contains(&function.replace("second", "first")), "{said}");
        }
    }
}
