//! `ora tasks` on programs with known numbers of tasks.

mod llvm;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::harness::{Folder, ORA, errors, ora, run, text};
use crate::reference::document;

fn tasks(options: &[&str], program: &Path, arguments: &[&str]) -> Output {
    run(ora(&["tasks"]).args(options).arg("--").arg(program).args(arguments))
}

fn json(options: &[&str], program: &Path, arguments: &[&str]) -> Value {
    let folder = Folder::new();
    let file = folder.file("out.json");
    let output = run(ora(&["tasks"])
        .args(options)
        .args(["-o", file.to_str().unwrap(), "--"])
        .arg(program)
        .args(arguments)
        .env("OMP_CANCELLATION", "true"));
    assert_eq!(errors(&output), "");
    document(fs::read(&file).unwrap())
}

fn profile(program: &Path, arguments: &[&str]) -> Value {
    json(&["--json"], program, arguments)["processes"][0].clone()
}

fn number(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("{of} is no number"))
}

/// Lines of a program's source that contain these words.
fn lines_with(name: &str, words: &str) -> Vec<u64> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/programs").join(name);
    let source = fs::read_to_string(source).unwrap();
    (1..).zip(source.lines()).filter(|(_, line)| line.contains(words)).map(|(number, _)| number).collect()
}

fn fib(folder: &Folder) -> PathBuf {
    folder.compile("fib", "fib", &["-fopenmp", "-g"])
}

#[test]
fn tasks_may_nest_deep() {
    let folder = Folder::new();
    let program = folder.compile("nested", "nested", &["-fopenmp", "-g"]);
    for deep in [5_000, 50_000] {
        let process = profile(&program, &[&deep.to_string()]);
        let counts = ["tasks_created", "tasks_executed", "tasks_too_deep"].map(|key| number(&process[key]));
        assert_eq!(counts, [deep, deep, 0]);
        let constructs = process["constructs"].as_array().unwrap();
        assert_eq!(constructs.len(), 1, "{constructs:#?}");
        let counts = ["tasks", "started", "too_deep", "depth_max"].map(|key| number(&constructs[0][key]));
        assert_eq!(counts, [deep, deep, 0, deep]);
        assert_eq!(number(&constructs[0]["execution_ns"]["count"]), deep);
    }
}

/// A thread's table has 192 places. Calls at further ones are not followed again and again, which would need reads. Following
/// takes most of the first round.
#[test]
fn places_are_followed_once_which_is_overhead_and_those_beyond_the_table_are_one_row() {
    let folder = Folder::new();
    let program = folder.compile("task_places", "places", &["-fopenmp"]);
    let file = folder.file("out.json");
    let output = run(ora(&["tasks", "--json", "-o"]).arg(&file).arg("--").arg(&program));
    let object: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let process = &object["processes"][0];
    let counts = ["tasks_created", "tasks_executed"].map(|key| number(&process[key]));
    assert_eq!(counts, [4 * 400; 2]);
    let constructs = process["constructs"].as_array().unwrap();
    let more: Vec<_> = constructs.iter().filter(|construct| construct["place"]["kind"] == "more").collect();
    assert_eq!(more.iter().map(|construct| number(&construct["tasks"])).collect::<Vec<_>>(), [4 * (400 - 192)]);
    let printed: Vec<f64> = text(&output).split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert!(printed[0] < 100.0, "{printed:?}");
    let watching = process["watching_ns"].as_f64().unwrap();
    assert!(watching > printed[1] / 2.0, "{watching} of {printed:?}");
    let table = errors(&run(ora(&["tasks", "--"]).arg(&program)));
    assert!(table.contains("created at more than 192 places"), "{table}");
}

#[test]
fn a_tool_of_ompt_takes_no_creation_away() {
    let folder = Folder::new();
    let program = folder.compile("tasks", "tasks", &["-fopenmp", "-g"]);
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../headers");
    let tool = folder.compile("tool5", "libtool5.so", &["-shared", "-fPIC", "-I", headers.to_str().unwrap()]);
    let file = folder.file("out.json");
    let mut ora = ora(&["tasks", "--json", "-o"]);
    let output = run(ora.arg(&file).arg("--").arg(&program).arg("taskloop").env("OMP_TOOL_LIBRARIES", &tool));
    assert!(output.status.success(), "{}", errors(&output));
    let object: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let process = &object["processes"][0];
    assert_eq!([number(&process["tasks_created"]), number(&process["tasks_executed"])], [8, 8]);
}

#[test]
fn every_task_is_counted_at_the_line_that_creates_it() {
    let folder = Folder::new();
    let process = profile(&fib(&folder), &["10"]);
    // 2 for n, plus those of n - 1 and of n - 2: 2 * (fib(n + 1) - 1).
    assert_eq!([number(&process["tasks_created"]), number(&process["tasks_executed"])], [176, 176]);
    let constructs = process["constructs"].as_array().unwrap();
    let mut places: Vec<(u64, String)> = Vec::new();
    for construct in constructs {
        let place = &construct["place"];
        assert!(place["file"].as_str().unwrap().ends_with("fib.c"), "{place}");
        places.push((number(&place["line"]), place["function"].as_str().unwrap().to_owned()));
        for (key, count) in [("tasks", 88), ("started", 88), ("undeferred", 0), ("children_max", 2)] {
            assert_eq!(number(&construct[key]), count, "{key} of {construct}");
        }
        for times in ["creation_ns", "waiting_ns", "execution_ns"] {
            let times = &construct[times];
            assert_eq!(number(&times["count"]), 88, "{times}");
            let [min, mean, max] = ["min", "mean", "max"].map(|key| times[key].as_f64().unwrap());
            assert!(0.0 <= min && min <= mean && mean <= max, "{times}");
        }
        let shares = construct["by_thread"].as_array().unwrap();
        assert_eq!(shares.iter().map(|share| number(&share["executed"])).sum::<u64>(), 88);
    }
    places.sort();
    let wanted: Vec<(u64, String)> =
        lines_with("fib.c", "omp task shared").into_iter().map(|line| (line, "fib".to_owned())).collect();
    assert_eq!(places, wanted);
    // Tasks with n >= 2 wait for two children; among the 176, those are the calls with two tasks each, except for the first.
    let suspended = constructs.iter().map(|construct| number(&construct["suspension_ns"]["count"])).sum::<u64>();
    assert_eq!(suspended, 176 / 2 - 1);
    let levels: Vec<u64> =
        process["levels"].as_array().unwrap().iter().map(|level| number(&level["created"])).collect();
    assert_eq!(levels, [2, 4, 8, 16, 32, 52, 44, 16, 2]);
}

#[test]
fn without_debug_information_a_symbol_or_an_offset_remains() {
    let folder = Folder::new();
    let names = |program: &Path| {
        let process = profile(program, &["8"]);
        let constructs = process["constructs"].as_array().unwrap().clone();
        assert_eq!(constructs.len(), 2);
        let places = constructs.iter().map(|construct| construct["place"].clone());
        places.collect::<Vec<Value>>()
    };
    for place in names(&folder.program("fib")) {
        assert_eq!((&place["kind"], &place["function"]), (&"symbol".into(), &"fib".into()), "{place}");
    }
    for place in names(&folder.compile("fib", "stripped", &["-fopenmp", "-s"])) {
        assert_eq!((&place["kind"], &place["object"]), (&"offset".into(), &"stripped".into()), "{place}");
        assert!(place["name"].as_str().unwrap().starts_with("stripped+0x"), "{place}");
    }
    for place in names(&folder.compile("fib", "fixed", &["-fopenmp", "-g", "-no-pie", "-fno-plt", "-O0"])) {
        assert_eq!((&place["kind"], &place["function"]), (&"line".into(), &"fib".into()), "{place}");
    }
}

#[test]
fn undeferred_tasks_do_not_wait() {
    let folder = Folder::new();
    let process = profile(&folder.compile("tasks", "tasks", &["-fopenmp", "-g"]), &["undeferred"]);
    let construct = &process["constructs"][0];
    let counts = ["tasks", "undeferred", "started"].map(|key| number(&construct[key]));
    assert_eq!(counts, [30, 20, 30]);
    assert_eq!(number(&construct["waiting_ns"]["count"]), 10);
    assert_eq!(number(&construct["execution_ns"]["count"]), 30);
    assert_eq!(construct["cleanup_ns"], Value::Null);
}

#[test]
fn tasks_of_a_region_inside_of_a_task_are_on_the_first_level() {
    let folder = Folder::new();
    let process = profile(&folder.program("tasks"), &["inner"]);
    let levels = process["levels"].as_array().unwrap();
    assert_eq!((levels.len(), number(&levels[0]["created"])), (1, 2), "{levels:?}");
}

/// 2000 tasks of a few nanoseconds, one of which takes 20 ms, as if its thread had lost its processor: the mean is 10 us.
#[test]
fn a_task_that_is_held_up_changes_no_median_and_no_advice() {
    let folder = Folder::new();
    let program = folder.compile("tasks", "tasks", &["-fopenmp", "-g"]);
    let process = profile(&program, &["held_up"]);
    let times = &process["constructs"][0]["execution_ns"];
    let of = |key: &str| times[key].as_f64().unwrap();
    let sorted = ["min", "lower_quartile", "median", "upper_quartile", "max"].map(of);
    assert!(sorted.is_sorted(), "{times}");
    assert!(of("median") * 3.0 < of("mean") && of("max") > 15e6, "{times}");
    let table = errors(&tasks(&[], &program, &["held_up"]));
    let (before, _) = table.split_once(" of them in one task would save").unwrap_or_else(|| panic!("{table}"));
    let together: u64 = before.split_whitespace().next_back().unwrap().parse().unwrap();
    // The mean would suggest two.
    assert!(together > 3, "{table}");
}

#[test]
fn a_taskloop_is_one_place_and_its_chunks_are_its_tasks() {
    let folder = Folder::new();
    let process = profile(&folder.compile("tasks", "tasks", &["-fopenmp", "-g"]), &["taskloop"]);
    assert_eq!(number(&process["tasks_created"]), 8);
    let line = lines_with("tasks.c", "omp taskloop")[0];
    let constructs = process["constructs"].as_array().unwrap();
    // The part that the other thread ran can't be distinguished from other taskloops.
    let known = |construct: &&Value| construct["place"]["kind"] != "taskloop_chunk";
    for construct in constructs.iter().filter(known) {
        let found = number(&construct["place"]["line"]);
        assert!((line..line + 2).contains(&found), "{construct}");
    }
    assert!(constructs.iter().filter(known).count() <= 1, "{constructs:?}");
    assert_eq!(constructs.iter().map(|construct| number(&construct["tasks"])).sum::<u64>(), 8);
}

#[test]
fn cancelled_tasks_are_created_and_never_run() {
    let folder = Folder::new();
    let program = folder.program("tasks");
    let process = profile(&program, &["cancelled"]);
    assert_eq!([number(&process["tasks_created"]), number(&process["tasks_executed"])], [20, 1]);
    let table = errors(&run(ora(&["tasks", "--"]).arg(&program).arg("cancelled").env("OMP_CANCELLATION", "true")));
    assert!(table.contains("19 never ran"), "{table}");
}

#[test]
fn the_program_stays_as_it_is() {
    let folder = Folder::new();
    let output = tasks(&[], &fib(&folder), &["12"]);
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(7), "144\n"));
    let table = errors(&output);
    for said in ["464 created at 2 places", "fib at fib.c:", "not visible", "11 levels deep", "exit code 7"] {
        assert!(table.contains(said), "no {said:?} in {table}");
    }
    let wide: Vec<&str> = table.lines().filter(|line| line.len() > 100 && !line.contains('/')).collect();
    assert!(wide.is_empty(), "{wide:#?}");
}

#[test]
fn a_killed_program_leaves_its_tasks_behind() {
    let folder = Folder::new();
    let program = fib(&folder);
    let object = json(&["--json"], &program, &["9", "kill"]);
    assert_eq!((&object["signal"], &object["exit_code"]), (&Value::from(9), &Value::Null));
    assert_eq!(number(&object["processes"][0]["tasks_executed"]), 108);
}

#[test]
fn children_are_counted_on_their_own_unless_they_are_not_followed() {
    let folder = Folder::new();
    let program = folder.program("tasks");
    let counts = |options: &[&str]| {
        let object = json(options, &program, &["fork"]);
        let processes = object["processes"].as_array().unwrap().iter();
        let told = processes.map(|p| (p["origin"].as_str().unwrap().to_owned(), number(&p["tasks_executed"])));
        told.collect::<Vec<_>>()
    };
    assert_eq!(counts(&["--json"]), [("started".to_owned(), 5), ("forked".to_owned(), 10)]);
    assert_eq!(counts(&["--json", "--no-follow"]), [("started".to_owned(), 5)]);
    let table = errors(&tasks(&[], &program, &["fork"]));
    assert!(table.contains("Other processes that used tasks: 1") && table.contains("10 tasks created"), "{table}");
}

#[test]
fn every_thread_has_its_row() {
    let folder = Folder::new();
    let process = profile(&folder.program("tasks"), &["threads"]);
    let threads = process["threads"].as_array().unwrap();
    assert_eq!(threads.len(), 9);
    assert_eq!(threads.iter().map(|thread| number(&thread["created"])).collect::<Vec<_>>(), [8; 9]);
    assert_eq!(threads.iter().map(|thread| number(&thread["executed"])).sum::<u64>(), 72);
    let few = errors(&tasks(&["--rows", "2"], &folder.program("tasks"), &["threads"]));
    assert!(few.contains("and 7 more"), "{few}");
}

#[test]
fn a_program_without_tasks_gets_a_hint() {
    let folder = Folder::new();
    let table = errors(&tasks(&[], &folder.program("regions"), &["2"]));
    assert!(table.contains("no task was seen"), "{table}");
    let table = errors(&run(ora(&["tasks"]).args(["--", "/bin/echo", "x"])));
    assert!(table.contains("no OpenMP runtime was loaded with the program"), "{table}");
    let static_one = folder.compile("fib", "static", &["-fopenmp", "-static"]);
    let table = errors(&tasks(&[], &static_one, &["5"]));
    assert!(table.contains("linked statically"), "{table}");
}

#[test]
fn the_tree_is_a_part_of_the_document() {
    let folder = Folder::new();
    let document = json(&["--json", "--tree"], &fib(&folder), &["14"]);
    assert!(document["tree"]["tasks"][0]["parent_id"].is_u64());
    assert!(document["processes"][0]["constructs"][0]["by_thread"][0].is_object());
}

#[test]
fn a_runtime_that_embeds_the_library_is_not_the_place() {
    let folder = Folder::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../compat-tests/embed");
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../headers");
    let libraries = Path::new(ORA).parent().unwrap();
    let gcc = |arguments: &[&str], to: &str, source: &str| {
        let mut gcc = Command::new("gcc");
        gcc.args(["-O1", "-g", "-pthread", "-I"]).arg(&headers).arg("-o").arg(folder.file(to));
        let done = gcc.arg(sources.join(source)).args(arguments).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    let find = |folder: &Path| format!("-Wl,-rpath,{}", folder.display());
    let [own, ours] = [folder.file(""), libraries.to_owned()].map(|folder| find(&folder));
    let at = |folder: &Path| format!("-L{}", folder.display());
    let [own_at, ours_at] = [folder.file(""), libraries.to_owned()].map(|folder| at(&folder));
    gcc(&["-shared", "-fPIC", &ours_at, &ours, "-lora"], "libteams.so", "teams.c");
    gcc(&[&own_at, &own, &ours, "-lteams"], "teams", "teams_program.c");
    let process = profile(&folder.file("teams"), &[]);
    assert_eq!(number(&process["tasks_executed"]), 36);
    let construct = &process["constructs"][0];
    assert_eq!(construct["place"]["function"], "body", "{construct}");
    assert_eq!(number(&construct["tasks"]), 36, "{construct}");
    // On this runtime the clean-up is visible.
    assert_eq!(number(&construct["cleanup_ns"]["count"]), 36, "{construct}");
}
