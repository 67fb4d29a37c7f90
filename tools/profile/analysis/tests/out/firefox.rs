//! Checks of the file for the Firefox Profiler against the rules of its format (`src/types/profile.ts` of version 58).

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use profile_analysis::out::firefox;
use serde_json::{Value, json};

use super::sampled::{BEGAN, MS, Stacks, recording};

fn written() -> Value {
    let stacks = Stacks::new();
    let mut out = Vec::new();
    firefox::write(&mut out, &recording(), stacks.samples()).unwrap();
    serde_json::from_slice(&out).unwrap()
}

fn length(table: &Value) -> u64 {
    table["length"].as_u64().unwrap_or_else(|| panic!("{table}"))
}

/// Asserts that a table has these columns, each with as many rows as the table's length.
fn is_table(table: &Value, columns: &[&str]) {
    for column in columns {
        assert!(table[column].is_array(), "no column {column}: {table}");
    }
    for (name, column) in table.as_object().unwrap().iter().filter(|(_, column)| column.is_array()) {
        assert_eq!(column.as_array().unwrap().len() as u64, length(table), "{name}");
    }
}

/// Asserts that all values that are not null are indices of a table.
fn are_indices(table: &Value, column: &str, of: u64) {
    for index in table[column].as_array().unwrap().iter().filter(|index| !index.is_null()) {
        assert!(index.as_u64().is_some_and(|index| index < of), "{column}: {index} of {of}");
    }
}

fn check_thread(thread: &Value, strings: u64, sources: u64) {
    for text in ["name", "pid", "processType", "processName"] {
        assert!(thread[text].is_string(), "{text}");
    }
    assert!(thread["tid"].is_string() && thread["isMainThread"].is_boolean());
    assert!(thread["processStartupTime"].is_number() && thread["registerTime"].is_number());
    assert_eq!(thread["pausedRanges"], serde_json::json!([]));
    let table = |name: &str| &thread[name];
    is_table(table("samples"), &["stack", "time", "weight", "threadCPUDelta"]);
    is_table(table("stackTable"), &["frame", "prefix"]);
    let columns = ["address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID"];
    is_table(table("frameTable"), &[&columns[..], &["line", "column"]].concat());
    let columns = ["name", "isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber"];
    is_table(table("funcTable"), &columns);
    is_table(table("resourceTable"), &["lib", "name", "host", "type"]);
    is_table(table("nativeSymbols"), &["libIndex", "address", "name", "functionSize"]);
    is_table(table("markers"), &["data", "name", "startTime", "endTime", "phase", "category"]);
    are_indices(table("samples"), "stack", length(table("stackTable")));
    are_indices(table("stackTable"), "frame", length(table("frameTable")));
    are_indices(table("frameTable"), "func", length(table("funcTable")));
    are_indices(table("frameTable"), "category", 3);
    are_indices(table("funcTable"), "name", strings);
    are_indices(table("funcTable"), "source", sources);
    are_indices(table("resourceTable"), "name", strings);
    for resource in table("funcTable")["resource"].as_array().unwrap() {
        let resource = resource.as_i64().unwrap();
        assert!(resource >= -1 && resource < length(table("resourceTable")).cast_signed());
    }
    // A stack comes after its prefixes.
    for (index, prefix) in table("stackTable")["prefix"].as_array().unwrap().iter().enumerate() {
        assert!(prefix.is_null() || prefix.as_u64().unwrap() < index as u64);
    }
    let times: Vec<_> =
        table("samples")["time"].as_array().unwrap().iter().map(|time| time.as_f64().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(table("samples")["weightType"], "tracing-ms");
}

/// Names of a sample's functions from the root on, and of its category.
fn described(profile: &Value, thread: &Value, sample: usize) -> Option<(Vec<String>, String)> {
    let at = |table: &str, column: &str, index: u64| &thread[table][column][usize::try_from(index).unwrap()];
    let mut stack = thread["samples"]["stack"][sample].as_u64();
    let leaf = at("stackTable", "frame", stack?).as_u64().unwrap();
    let category = at("frameTable", "category", leaf).as_u64().unwrap();
    let mut functions = Vec::new();
    while let Some(index) = stack {
        let frame = at("stackTable", "frame", index).as_u64().unwrap();
        let function = at("frameTable", "func", frame).as_u64().unwrap();
        let name = at("funcTable", "name", function).as_u64().unwrap();
        functions
            .insert(0, profile["shared"]["stringArray"][usize::try_from(name).unwrap()].as_str().unwrap().to_owned());
        stack = at("stackTable", "prefix", index).as_u64();
    }
    let category = &profile["meta"]["categories"][usize::try_from(category).unwrap()]["name"];
    Some((functions, category.as_str().unwrap().to_owned()))
}

#[test]
fn the_file_keeps_the_rules_of_its_format() {
    let profile = written();
    let meta = &profile["meta"];
    assert_eq!(meta["preprocessedProfileVersion"], 58);
    assert_eq!((&meta["interval"], &meta["product"]), (&serde_json::json!(10.0), &serde_json::json!("heat")));
    for field in ["startTime", "processType", "stackwalk", "version"] {
        assert!(meta[field].is_number(), "{field}");
    }
    let categories = meta["categories"].as_array().unwrap();
    assert!(categories.iter().any(|category| category["color"] == "grey"), "the default category");
    assert!(categories.iter().all(|category| category["subcategories"][0] == "Other"));
    assert!(meta["markerSchema"].is_array() && profile["libs"].is_array());
    let strings = profile["shared"]["stringArray"].as_array().unwrap();
    assert_eq!(strings.iter().map(|text| text.as_str().unwrap()).collect::<BTreeSet<_>>().len(), strings.len());
    is_table(&profile["shared"]["sources"], &["uuid", "filename"]);
    are_indices(&profile["shared"]["sources"], "filename", strings.len() as u64);
    let threads = profile["threads"].as_array().unwrap();
    assert_eq!(threads.len(), 4);
    for thread in threads {
        check_thread(thread, strings.len() as u64, length(&profile["shared"]["sources"]));
    }
    let pids: Vec<_> = threads.iter().map(|thread| thread["pid"].as_str().unwrap()).collect();
    assert_eq!(pids, ["700", "700", "700.2", "700.2"]);
}

#[test]
fn threads_have_their_samples_in_the_order_of_time() {
    let profile = written();
    let thread = &profile["threads"][1];
    let samples = &thread["samples"];
    assert_eq!(length(samples), 24, "23 and the end");
    let list = |text: &[&str]| text.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let described = |sample| described(&profile, thread, sample);
    let work = list(&["main", "relax", "app::cell<int, char>(double)"]);
    let barrier = list(&["main", "relax", "<OMP-implicit_barrier>"]);
    assert_eq!(described(0), Some((work, "OpenMP Work".to_owned())));
    assert_eq!(described(1), Some((barrier, "OpenMP Wait".to_owned())));
    assert_eq!(described(21), Some((list(&["<OMP-idle>"]), "OpenMP Wait".to_owned())));
    assert_eq!(described(23), None);
    // Each interval begins where the one before it ends.
    let number = |column: &str, row: usize| samples[column][row].as_f64().unwrap();
    for row in 0..23 {
        let end = number("time", row) + number("weight", row);
        assert!((number("time", row + 1) - end).abs() < 1e-6, "row {row}");
    }
    assert!((number("time", 0) - 1.0).abs() < 1e-9);
    let weights: f64 = (0..24).map(|row| number("weight", row)).sum();
    assert!((weights - 1407.0).abs() < 1e-6);
    let cpu: u64 = samples["threadCPUDelta"].as_array().unwrap().iter().map(|ns| ns.as_u64().unwrap()).sum();
    assert_eq!(cpu, 107 * MS);
    assert_eq!(samples["threadCPUDelta"][0], 0);
    assert_eq!(samples["threadCPUDelta"][1], 9 * MS);
}

#[test]
fn a_function_is_one_whatever_the_line_and_the_stack() {
    let profile = written();
    let thread = &profile["threads"][1];
    let names = thread["funcTable"]["name"].as_array().unwrap();
    assert_eq!(names.iter().map(|name| name.as_u64()).collect::<BTreeSet<_>>().len(), names.len());
    let lines: Vec<_> = thread["frameTable"]["line"].as_array().unwrap().iter().map(Value::as_u64).collect();
    assert!(lines.contains(&Some(30)) && lines.contains(&Some(31)) && lines.contains(&None), "{lines:?}");
}

#[test]
fn a_thread_without_samples_is_there() {
    let mut out = Vec::new();
    firefox::write(&mut out, &recording(), []).unwrap();
    let profile: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(profile["threads"].as_array().unwrap().len(), 4);
    for thread in profile["threads"].as_array().unwrap() {
        check_thread(thread, 0, 0);
        assert_eq!(length(&thread["samples"]), 0);
    }
}

/// Two markers of a thread: a region, and the barrier in it.
fn marked() -> Value {
    let mut recording = recording();
    let marker = |name: &str, place: &str, begin: u64, end: u64, waits| firefox::Marker {
        name: name.into(),
        place: place.into(),
        begin_ns: BEGAN + begin * MS,
        end_ns: BEGAN + end * MS,
        waits,
    };
    recording.processes[0].threads[1].markers =
        vec![marker("region", "heat.c:24", 10, 40, false), marker("implicit barrier", "heat.c:24", 30, 39, true)];
    let stacks = Stacks::new();
    let mut out = Vec::new();
    firefox::write(&mut out, &recording, stacks.samples()).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn markers_have_their_times_places_and_categories() {
    let profile = marked();
    let thread = &profile["threads"][1];
    check_thread(thread, u64::MAX, u64::MAX);
    let markers = &thread["markers"];
    let index = |column: &str, row: usize| usize::try_from(markers[column][row].as_u64().unwrap()).unwrap();
    let name = |row| &profile["shared"]["stringArray"][index("name", row)];
    assert_eq!([name(0), name(1)], ["region", "implicit barrier"]);
    assert_eq!((&markers["startTime"], &markers["endTime"]), (&json!([10.0, 30.0]), &json!([40.0, 39.0])));
    let categories = &profile["meta"]["categories"];
    let category = |row| &categories[index("category", row)]["name"];
    assert_eq!([category(0), category(1)], ["OpenMP Work", "OpenMP Wait"]);
    assert_eq!(markers["phase"], json!([1, 1]));
    // Each marker's data is of a kind that is described, with all its fields.
    let schema = &profile["meta"]["markerSchema"][0];
    for data in markers["data"].as_array().unwrap() {
        assert_eq!(data["type"], schema["name"]);
        for field in schema["fields"].as_array().unwrap() {
            assert!(data[field["key"].as_str().unwrap()].is_string(), "{data}");
        }
    }
}

/// Uses the profiler itself: it reads the file, and shows the same times.
#[test]
fn the_profiler_shows_the_times_that_the_file_was_made_of() {
    let Some(profiler) = std::env::var_os("ORA_TEST_FIREFOX_PROFILER") else {
        eprintln!(
            "SKIP: the_profiler_shows_the_times_that_the_file_was_made_of: ORA_TEST_FIREFOX_PROFILER names no profiler"
        );
        return;
    };
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("profiler-{}", std::process::id()));
    std::fs::create_dir_all(&home).unwrap();
    let path = home.join("profile.json");
    std::fs::write(&path, serde_json::to_vec(&marked()).unwrap()).unwrap();
    let ask = |words: &[&str]| {
        let output = Command::new(&profiler).args(words).env("HOME", &home).output().unwrap();
        (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    // It answers once its server has read the file.
    let mut info = ask(&["load", path.to_str().unwrap()]);
    for _ in 0..50 {
        info = ask(&["profile", "info"]);
        if info.0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let selected = ask(&["thread", "select", "t-1"]);
    let functions = ask(&["thread", "functions", "--include-idle"]);
    let samples = ask(&["thread", "samples", "--include-idle"]);
    let markers = ask(&["thread", "markers"]);
    ask(&["stop", "--all"]);
    let _ = std::fs::remove_dir_all(&home);
    let all = format!("{}\n{}\n{}\n{}\n{}", info.1, selected.1, functions.1, samples.1, markers.1);
    assert!(info.0 && selected.0 && functions.0 && samples.0 && markers.0, "{all}");
    let shows = |text: &str, words: &[&str]| text.lines().any(|line| words.iter().all(|word| line.contains(word)));
    assert!(shows(&info.1, &["rank 0 [pid 700]", "212.000ms"]), "CPU time of a process: {all}");
    assert!(shows(&functions.1, &["<OMP-implicit_barrier>", "self: 300ms"]), "{all}");
    assert!(shows(&functions.1, &["<OMP-idle>", "self: 1s"]), "{all}");
    assert!(shows(&functions.1, &["heat!relax", "total: 405ms"]), "{all}");
    assert!(shows(&samples.1, &["OpenMP Wait", "1300"]), "{all}");
    assert!(shows(&samples.1, &["OpenMP Work", "107"]), "{all}");
    assert!(shows(&markers.1, &["region", "30ms"]) && shows(&markers.1, &["implicit barrier", "9ms"]), "{all}");
}
