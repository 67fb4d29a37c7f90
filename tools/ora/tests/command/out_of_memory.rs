//! Refused memory: each request of the preloaded libraries fails in turn, and then all requests from each one on. The program behaves as it
//! does without `ora`, and the output names what is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use compat_tests::suite::{chosen, whole_matrix};
use serde_json::Value;

use crate::harness::{Folder, errors, ora, run};
use crate::skips::skip;

/// Number of requests that are refused one by one.
fn most() -> u32 {
    if whole_matrix() { 40 } else { 12 }
}

/// A command, the library that it preloads, and a program for it.
struct Watched<'a> {
    command: &'a [&'a str],
    library: &'a str,
    program: &'a Path,
    arguments: &'a [&'a str],
}

impl Watched<'_> {
    /// Runs the program with a library that refuses the memory requests of the command's library that `REFUSE` selects. The shell in
    /// between is watched as well, and all its requests are granted.
    fn run(&self, folder: &Folder, refusing: &Path, refuse: &str) -> Output {
        let out = folder.file("out");
        let _ = fs::remove_dir_all(&out);
        let _ = fs::remove_file(&out);
        let preload = format!("LD_PRELOAD={}:$LD_PRELOAD exec \"$@\"", refusing.display());
        let mut command = ora(self.command);
        command.arg("-o").arg(out).args(["--", "sh", "-c", &preload, "sh"]);
        command.arg(self.program).args(self.arguments);
        command.env("REFUSE_IN", self.library).env("REFUSE", refuse).env("REFUSE_TELL", folder.file("requests"));
        run(&mut command)
    }

    /// Refuses requests for more than this many bytes.
    fn without_large(&self, folder: &Folder, bytes: u32) -> Output {
        let refusing = refusing(folder);
        let whole = self.run(folder, &refusing, "0");
        let output = self.run(folder, &refusing, &format!("{bytes}>"));
        assert_eq!((output.status, &output.stdout), (whole.status, &whole.stdout), "{}", errors(&output));
        output
    }

    /// Refuses each request in turn, and all requests from each one on. `told` returns true if a run's output names what is missing, or if
    /// nothing is missing; its arguments are the refused request and the run.
    fn endures(&self, folder: &Folder, told: &dyn Fn(&str, &Output) -> bool) {
        let refusing = refusing(folder);
        let whole = self.run(folder, &refusing, "0");
        assert!(told("0", &whole), "{}", errors(&whole));
        let requests: u32 = fs::read_to_string(folder.file("requests")).unwrap().trim().parse().unwrap();
        assert!(requests > 2, "{requests}");
        for number in 1..=requests.min(most()) {
            for kind in chosen(&["", "+"], number as usize) {
                let refused = format!("{number}{kind}");
                let output = self.run(folder, &refusing, &refused);
                assert_eq!(
                    (output.status, &output.stdout),
                    (whole.status, &whole.stdout),
                    "{refused}: {}",
                    errors(&output)
                );
                assert!(told(&refused, &output), "{refused}: {}", errors(&output));
            }
        }
    }
}

/// Library that refuses memory.
fn refusing(folder: &Folder) -> PathBuf {
    let source = "../../compat-tests/collectors/refuse.c";
    folder.build(source, "librefuse.so", &["-shared", "-fPIC", "-pthread", "-D_GNU_SOURCE"])
}

/// True if the first request was refused, alone or with all others.
fn is_first(refused: &str) -> bool {
    refused.trim_end_matches('+') == "1"
}

/// JSON output of a run.
fn table(folder: &Folder) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.file("out")).unwrap()).expect("the output is JSON")
}

/// The first request of both collectors is for the memory that they share with the command: without it they don't start, and the process
/// appears to have no runtime.
fn was_not_reached(process: &Value) -> bool {
    process["runtimes"] == Value::Array(Vec::new())
}

#[test]
fn stat_goes_on_without_memory() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let (library, arguments) = ("libora_collectors.so", &["20", "3"]);
    let watched = Watched { command: &["stat", "--json"], library, program: &program, arguments };
    watched.endures(&folder, &|refused, _| {
        let process = &table(&folder)["runs"][0]["processes"][0];
        process["regions_total"]["count"] == 20 || is_first(refused) && was_not_reached(process)
    });
}

#[test]
fn tasks_go_on_without_memory() {
    let folder = Folder::new();
    let program = folder.program("fib");
    let (library, arguments) = ("libora_collectors.so", &["10"]);
    let watched = Watched { command: &["tasks", "--json"], library, program: &program, arguments };
    watched.endures(&folder, &|refused, _| {
        let table = table(&folder);
        let process = &table["processes"][0];
        let is_whole = process["tasks_created"] == 176 && process["tasks_executed"] == 176;
        let is_told = table["threads_left_out"] != 0 || process["tasks_too_deep"] != 0;
        is_whole || is_told || is_first(refused) && was_not_reached(process)
    });
}

/// Each thread's stack of tasks grows as tasks nest.
#[test]
#[ignore = "slow: --all runs it"]
fn tasks_that_nest_deeper_than_there_is_memory_are_told() {
    let folder = Folder::new();
    let program = folder.compile("nested", "nested", &["-fopenmp", "-g"]);
    let (library, arguments) = ("libora_collectors.so", &["540000"]);
    let watched = Watched { command: &["tasks"], library, program: &program, arguments };
    watched.without_large(&folder, 95 << 20);
    let said = fs::read_to_string(folder.file("out")).unwrap();
    assert!(said.contains(" of 540000 tasks ran nested so deep that the system refused memory"), "{said}");
    assert!(!said.contains("had not ended") && !said.contains("cut-off  "), "{said}");
    let watched = Watched { command: &["tasks", "--json"], ..watched };
    watched.without_large(&folder, 95 << 20);
    let table = table(&folder);
    let process = &table["processes"][0];
    let [executed, too_deep] = ["tasks_executed", "tasks_too_deep"].map(|key| process[key].as_u64().unwrap());
    assert!(too_deep > 0, "{process:#}");
    assert_eq!((executed + too_deep, &process["cut_off"]), (540_000, &Value::Null));
    let constructs = process["constructs"].as_array().unwrap();
    assert_eq!((constructs.len(), &constructs[0]["too_deep"]), (1, &process["tasks_too_deep"]));
}

#[test]
#[ignore = "slow: --all runs it"]
fn profiles_go_on_without_memory() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let (library, arguments) = ("libora_profiler.so", &["3000", "3"]);
    let watched = Watched { command: &["profile", "-F", "1000"], library, program: &program, arguments };
    watched.endures(&folder, &|_, output| {
        let said = errors(output);
        // One process is the shell, the other one is the program.
        let is_whole = said.contains(": 2 processes, ") && !said.contains(", 0 samples");
        is_whole || ["refuses", "no memory"].iter().any(|words| said.contains(words))
    });
}

/// No matter how short the program is: what is missing is known when it starts.
#[test]
fn profiles_tell_what_takes_more_memory_than_there_is() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let (library, arguments) = ("libora_profiler.so", &["1", "3"]);
    let watched = Watched { command: &["profile", "-F", "1000"], library, program: &program, arguments };
    let said = errors(&watched.without_large(&folder, 1 << 20));
    assert!(said.contains("no memory for the list of loaded code: stacks have their first frame only"), "{said}");
    assert!(said.contains("no memory for the call stacks of parallel regions: regions have none"), "{said}");
}

/// Program for the validator; `None` without clang.
fn by_clang(folder: &Folder, name: &str) -> Option<PathBuf> {
    folder.clang(name, name, &["-std=gnu11", "-g", "-O1", "-fopenmp"])
}

/// The validator's memory may grow beyond the reserved size.
#[test]
#[ignore = "slow: --all runs it"]
fn validation_goes_on_where_large_requests_are_refused() {
    let folder = Folder::new();
    let Some(program) = by_clang(&folder, "regions") else { return };
    let (library, arguments) = ("libora_validator.so", &["40000", "3"]);
    let watched = Watched { command: &["validate", "--json"], library, program: &program, arguments };
    watched.without_large(&folder, 1 << 22);
    assert_eq!(table(&folder)["processes"][0]["short_of_memory"], true);
}

/// The validator's memory of one region may also grow beyond the reserved size.
#[test]
fn a_region_of_very_many_singles_is_validated_where_large_requests_are_refused() {
    if !whole_matrix() {
        return skip("a long run has half a million singles");
    }
    let folder = Folder::new();
    let Some(program) = by_clang(&folder, "singles") else { return };
    let (library, arguments) = ("libora_validator.so", &["530000", "2"]);
    let watched = Watched { command: &["validate", "--json"], library, program: &program, arguments };
    watched.without_large(&folder, 5 << 20);
    let process = &table(&folder)["processes"][0];
    assert_eq!((&process["short_of_memory"], &process["violations"]), (&false.into(), &Value::Array(Vec::new())));
}

#[test]
fn validation_goes_on_without_memory() {
    let folder = Folder::new();
    let Some(program) = by_clang(&folder, "regions") else { return };
    let (library, arguments) = ("libora_validator.so", &["20", "3"]);
    let watched = Watched { command: &["validate", "--json"], library, program: &program, arguments };
    watched.endures(&folder, &|refused, _| {
        let table = table(&folder);
        let process = &table["processes"][0];
        let is_whole = refused == "0" && process["short_of_memory"] == false;
        // Without the shared memory there is no slot for the process.
        is_whole || process["short_of_memory"] == true || is_first(refused) && process.is_null()
    });
}
