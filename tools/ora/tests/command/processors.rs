//! Time on a processor, without one, and blocked, compared with programs that measure it by their own clocks (`programs/truth.c`). Other
//! load makes threads wait for processors, but changes neither their CPU time nor their sleeps.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Folder, errors, json, ora, run, text};

const MS: u64 = 1_000_000;

/// Time that may count for the activity before or after its own: the kernel adds to a thread's running time when its clock ticks and when it
/// takes the processor from the thread (Linux, kernel/sched/fair.c, `update_curr`). At 100 Hz, the least that kernels have.
const TICK: u64 = 10 * MS;

fn ns(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("{of} is no time"))
}

/// Runs `programs/truth.c`; returns the JSON object of the first process that used OpenMP, and the CPU time that it has printed.
fn truth(words: &[&str]) -> (Value, u64) {
    let folder = Folder::new();
    let program = folder.program("truth");
    watched(&folder, &program, words)
}

fn watched(folder: &Folder, program: &Path, words: &[&str]) -> (Value, u64) {
    let file = folder.file("out.json");
    let output = run(ora(&["stat", "--json", "-o"]).arg(&file).arg("--").arg(program).args(words));
    let document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let processes = document["runs"][0]["processes"].as_array().unwrap();
    let process = processes.iter().find(|process| process["regions_total"]["count"] != 0).unwrap().clone();
    check_sums(&process);
    let printed = text(&output);
    let cpu_ns = printed.lines().find_map(|line| line.strip_prefix("process ")?.parse().ok());
    (process, cpu_ns.unwrap_or_else(|| panic!("{printed} {}", errors(&output))))
}

const PARTS: [&str; 4] = ["running_ns", "ready_ns", "blocked_ns", "unknown_ns"];

/// Checks that the parts of each thread's time add up to it, and the threads' times to the process's.
fn check_sums(process: &Value) {
    let sum = |of: &Value| of.as_object().unwrap().values().map(ns).sum::<u64>();
    let threads = process["threads"].as_array().unwrap();
    for of in threads.iter().chain([process]) {
        assert_eq!(PARTS.iter().map(|part| ns(&of[part])).sum::<u64>(), sum(&of["time_ns"]), "{of:#}");
        let running = sum(&of["running_by_activity_ns"]);
        // The part of each activity is rounded down.
        assert!(running <= ns(&of["running_ns"]) && running + 1000 >= ns(&of["running_ns"]), "{of:#}");
        for (activity, part) in of["running_by_activity_ns"].as_object().unwrap() {
            assert!(ns(part) <= ns(&of["time_ns"][activity]) + 1, "{activity}: {of:#}");
        }
    }
    for part in PARTS {
        assert_eq!(threads.iter().map(|thread| ns(&thread[part])).sum::<u64>(), ns(&process[part]));
    }
}

fn assert_near(seen: u64, truth: u64, process: &Value) {
    assert!(seen.abs_diff(truth) * 20 <= truth, "{seen} is not {truth}: {process:#}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn three_threads_on_one_processor_are_ready_without_one_most_of_the_time() {
    let (process, cpu_ns) = truth(&["spin", "3"]);
    assert_near(ns(&process["running_ns"]), cpu_ns, &process);
    assert_near(ns(&process["cpu_ns"]), cpu_ns, &process);
    assert!(ns(&process["running_ns"]) <= ns(&process["wall_ns"]), "one processor: {process:#}");
    // While one of the three runs, the other two don't: the ready time is at least the running time of two of them.
    assert!(ns(&process["ready_ns"]) >= ns(&process["running_ns"]) / 2, "{process:#}");
    assert_eq!(process["surroundings"]["processors_allowed"], 1, "{process:#}");
    assert!(ns(&process["running_by_activity_ns"]["work"]) >= 540 * MS, "{process:#}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn more_threads_than_processors_are_the_first_finding() {
    let folder = Folder::new();
    let table = errors(&run(ora(&["stat", "--"]).arg(folder.program("truth")).args(["spin", "3"])));
    let finding = table.find("Finding: 3 OpenMP threads for 1 processor");
    assert!(
        table.contains("(the affinity mask allows 1 of ")
            && table.contains("threads were ready without a processor for ")
    );
    assert!(finding.is_some() && finding < table.find("wall time"), "{table}");
    for said in ["OMP_THREAD_LIMIT=1", "CPU time  ", "no processor  ", "1 processor allowed", "all  no processor\n"] {
        assert!(table.contains(said), "no {said:?} in {table}");
    }
}

#[test]
fn a_thread_that_sleeps_is_blocked_and_one_that_spins_is_running() {
    let (process, cpu_ns) = truth(&["sleep"]);
    assert_near(ns(&process["running_ns"]), cpu_ns, &process);
    let [first, second] = [0, 1].map(|place| &process["threads"][place]);
    // 300 ms in the region and 100 ms after it are running time; another 200 ms after it are asleep.
    assert!(ns(&first["running_ns"]) >= 400 * MS - TICK && ns(&first["blocked_ns"]) >= 199 * MS, "{process:#}");
    assert!(ns(&first["running_by_activity_ns"]["work"]) >= 300 * MS - TICK, "{process:#}");
    let serial = ns(&first["running_by_activity_ns"]["serial"]);
    assert!((100 * MS - TICK..200 * MS).contains(&serial), "{process:#}");
    // The other thread sleeps for 300 ms in the region, and then in the pool.
    assert!(ns(&second["blocked_ns"]) >= 500 * MS && ns(&second["running_ns"]) < 50 * MS, "{process:#}");
    assert!(ns(&second["running_by_activity_ns"]["work"]) < 50 * MS, "{process:#}");
    assert_eq!(process["time_source"], "schedstat");
}

#[test]
#[ignore = "slow: --all runs it"]
fn waits_that_spin_are_running_and_waits_that_sleep_are_not() {
    let folder = Folder::new();
    let program = folder.program("truth");
    let waits = |policy: &str| {
        let file = folder.file("out.json");
        let mut ora = ora(&["stat", "--json", "-o"]);
        run(ora.arg(&file).arg("--").arg(&program).arg("uneven").env("OMP_WAIT_POLICY", policy));
        let document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let process = document["runs"][0]["processes"][0].clone();
        check_sums(&process);
        assert_eq!(process["surroundings"]["environment"]["OMP_WAIT_POLICY"], policy, "{process:#}");
        let part = |of: &str| ns(&process[of]["implicit_barrier"]) as f64;
        assert!(part("time_ns") >= 100e6, "{process:#}");
        (part("running_by_activity_ns") / part("time_ns"), ns(&process["ready_ns"]) as f64 / part("time_ns"), process)
    };
    let (running, _, process) = waits("passive");
    assert!(running < 0.3, "{running}: {process:#}");
    // Other load may take the processor away from a spinning thread.
    let (running, ready, process) = waits("active");
    assert!(running + ready > 0.7, "{running} {ready}: {process:#}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn of_a_program_that_is_killed_the_time_up_to_its_last_events_is_known() {
    let (process, cpu_ns) = truth(&["killed"]);
    assert_near(ns(&process["running_ns"]), cpu_ns, &process);
    assert!(ns(&process["unknown_ns"]) > 0, "{process:#}");
    assert_near(ns(&process["cpu_ns"]), cpu_ns, &process);
    assert_eq!(process["end"], "silent");
}

#[test]
fn a_forked_child_has_a_time_of_its_own() {
    let (process, cpu_ns) = truth(&["child"]);
    assert_eq!((&process["origin"], &process["end"]), (&Value::from("forked"), &Value::from("exited")));
    assert_near(ns(&process["running_ns"]), cpu_ns, &process);
    assert_near(ns(&process["cpu_ns"]), cpu_ns, &process);
}

#[test]
#[ignore = "slow: --all runs it"]
fn where_schedstat_cannot_be_read_the_time_without_a_processor_is_an_estimate() {
    let (process, cpu_ns) = truth(&["filtered", "3"]);
    assert_eq!(process["time_source"], "cpu_clock", "{process:#}");
    assert_near(ns(&process["running_ns"]), cpu_ns, &process);
    assert!(ns(&process["ready_ns"]) >= ns(&process["running_ns"]) / 2, "{process:#}");
}

#[test]
fn the_settings_in_force_are_those_that_the_program_has_set_itself() {
    let folder = Folder::new();
    let object = json(&[], &folder.program("truth"), &["setting"]);
    let environment = &object["runs"][0]["processes"][0]["surroundings"]["environment"];
    assert_eq!(environment["OMP_SCHEDULE"], "dynamic,3", "{environment}");
    assert_eq!(environment["OMP_WAIT_POLICY"], "passive", "{environment}");
    assert!(environment.as_object().unwrap().keys().all(|name| name.contains("MP_")), "{environment}");
}

#[test]
fn quotas_and_masks_come_from_the_system() {
    let folder = Folder::new();
    let program = folder.program("regions");
    let object = json(&[], &program, &[]);
    let around = &object["runs"][0]["processes"][0]["surroundings"];
    let nproc = text(&run(Command::new("nproc").env_remove("OMP_NUM_THREADS").env_remove("OMP_THREAD_LIMIT")));
    assert_eq!(around["processors_allowed"], nproc.trim().parse::<u64>().unwrap(), "{around}");
    assert!(around["quota"].is_null() || around["quota"].as_f64().unwrap() > 0.0, "{around}");
}

#[test]
#[ignore = "slow: --all runs it"]
fn a_profile_says_how_threads_passed_their_time_and_what_they_had() {
    let folder = Folder::new();
    let (program, profile) = (folder.program("asleep"), folder.file("profile"));
    let output = run(ora(&["profile", "-o"]).arg(&profile).arg("--").arg(&program).env("OMP_NUM_THREADS", "2"));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let said = text(&run(ora(&["report"]).arg(&profile)));
    assert!(said.contains(" allowed, OMP_") && said.contains("OMP_NUM_THREADS=2"), "{said}");
    let said = text(&run(ora(&["report", "--json"]).arg(&profile)));
    let report: Value = serde_json::from_str(&said).unwrap();
    let process = &report["processes"][0];
    assert_eq!(process["surroundings"]["environment"]["OMP_NUM_THREADS"], "2", "{process}");
    assert!(process["surroundings"]["processors_allowed"].as_u64() >= Some(1), "{process}");
    let names = ["running_ns", "ready_ns", "blocked_ns"];
    let mut sums = [0; 3];
    for thread in report["threads"].as_array().unwrap() {
        let parts = names.map(|name| ns(&thread[name]));
        let lived = ns(&thread["end_ns"]) - ns(&thread["begin_ns"]);
        // The kernel counts a turn on a processor when the turn is over.
        assert!(parts.iter().sum::<u64>() >= lived && parts[0] < lived + 20_000_000, "{thread}");
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
    }
    assert_eq!(names.map(|name| ns(&process[name])), sums);
    // The program sleeps for at least two thirds of its time.
    assert!(sums[2] > sums[0], "{process}");
}
