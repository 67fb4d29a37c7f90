//! Accuracy of times, tested with programs that sleep for known times. A loaded machine makes sleeps longer, never shorter.

use crate::harness::{Folder, json};
use serde_json::Value;

const MS: u64 = 1_000_000;

fn ns(of: &Value) -> u64 {
    of.as_u64().unwrap_or_else(|| panic!("{of} is no time"))
}

#[test]
fn an_imbalance_of_three_to_one_shows_as_work_and_as_barrier() {
    let folder = Folder::new();
    let object = json(&[], &folder.program("imbalance"), &[]);
    let process = &object["runs"][0]["processes"][0];
    let [master, worker] = [0, 1].map(|place| &process["threads"][place]["time_ns"]);
    // The worker sleeps for 100 + 1 ms in regions, then waits for the master's other 200 ms, and then is idle for 200 ms.
    assert!(ns(&master["work"]) >= 301 * MS, "{process}");
    assert!(ns(&worker["work"]) >= 101 * MS && ns(&worker["work"]) < ns(&master["work"]), "{process}");
    assert!(ns(&worker["implicit_barrier"]) >= 50 * MS, "{process}");
    assert!(ns(&master["implicit_barrier"]) < ns(&worker["implicit_barrier"]), "{process}");
    // Barrier and idle time are distinguished, although the library reports both at the same moment.
    assert!(ns(&worker["idle"]) >= 199 * MS, "{process}");
    assert!(ns(&master["serial"]) >= 200 * MS, "{process}");
    let pair = ns(&worker["work"]) + ns(&worker["implicit_barrier"]);
    assert!(pair < ns(&master["work"]) + 150 * MS, "no idle time is called barrier: {process}");

    let imbalance = &process["load_imbalance"];
    let [max, mean] = ["max_work_ns", "mean_work_ns"].map(|key| imbalance[key].as_f64().unwrap());
    // Two regions of two threads each; times are whole nanoseconds.
    assert!((imbalance["value"].as_f64().unwrap() - (max - mean) / max).abs() < 1e-6, "{process}");
    // The master has the larger share of both regions, in which it sleeps for 301 ms. Its work, but not its share, includes the creation of
    // each team, up to 1 ms of which may happen while the master is already in its body, and the time for which the master or the worker
    // that it waits for had no processor.
    let work = ns(&master["work"]) as f64;
    let ready = ns(&process["ready_ns"]) as f64;
    assert!(max <= work && max >= work - 2e6 - ready && max >= 299e6 - ready, "{process}");
    assert_eq!(process["idle_guessed_ns"], 0);
}

#[test]
fn tasks_that_are_run_in_a_barrier_are_work() {
    let folder = Folder::new();
    let object = json(&[], &folder.program("tasks"), &["asleep"]);
    let time = &object["runs"][0]["processes"][0]["time_ns"];
    assert!(ns(&time["work"]) >= 200 * MS, "{time}");
    // This is the time of two threads, both of which waited only for the last task.
    let waits = ns(&time["implicit_barrier"]) + ns(&time["explicit_barrier"]);
    assert!(waits < 100 * MS, "{time}");
    assert_eq!(ns(&time["taskwait"]), 0);
    // The second thread sleeps in the task for which the first one waits.
    let object = json(&[], &folder.program("tasks"), &["awaited"]);
    let time = &object["runs"][0]["processes"][0]["time_ns"];
    assert!(ns(&time["taskwait"]) >= 50 * MS && ns(&time["work"]) >= 100 * MS, "{time}");
}

#[test]
fn each_wait_is_counted_once_and_lasts_as_long_as_the_sleep() {
    let folder = Folder::new();
    let object = json(&[], &folder.program("constructs"), &[]);
    let process = &object["runs"][0]["processes"][0];
    let waits = &process["waits"];
    assert_eq!((&waits["lock"], &waits["critical"], &waits["explicit_barrier"]), (&1.into(), &1.into(), &2.into()));
    assert_eq!((&waits["ordered"], &waits["atomic"]), (&0.into(), &0.into()));
    // The second thread requests the lock, and the first one sleeps for 100 ms after that.
    assert!(ns(&process["time_ns"]["lock"]) >= 50 * MS, "{process}");
    assert!(ns(&process["time_ns"]["critical"]) >= 50 * MS, "{process}");
    let critical = |place: usize| ns(&process["threads"][place]["time_ns"]["critical"]);
    assert_eq!(critical(0), 0);
    assert!(critical(1) < 2 * ns(&process["threads"][0]["time_ns"]["work"]), "{process}");
    assert_eq!(process["regions_total"]["count"], 3);
}

#[test]
#[ignore = "slow: --all runs it"]
fn threads_without_number_share_their_rows_and_none_is_lost() {
    let folder = Folder::new();
    let object = json(&[], &folder.program("many"), &["4000"]);
    let run = &object["runs"][0];
    let process = &run["processes"][0];
    assert_eq!(run["threads_left_out"], 0);
    assert_eq!(process["regions_total"]["count"], 8001);
    let threads = process["threads"].as_array().unwrap();
    let turns: u64 = threads.iter().map(|thread| ns(&thread["threads_in_turn"])).sum();
    assert_eq!(turns, 8002, "one new thread for each inner region, and the outer two");
    assert!(threads.len() < 5000, "{}", threads.len());
}
