//! `ora run --log-requests` on real collectors, and `ora decode` on its output.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;
use std::{fs, iter};

use serde_json::Value;

use crate::harness::{Folder, errors, ora, run, text};
use crate::reference::document;

fn logged(log: &Path, collector: Option<&Path>, program: &Path) -> Command {
    let mut command = ora(&["run", "--log-requests"]);
    command.arg(log);
    if let Some(collector) = collector {
        command.arg("--collector").arg(collector);
    }
    command.arg("--").arg(program);
    command
}

fn decoded(log: &Path) -> (Output, Value) {
    let output = run(ora(&["decode", "--json"]).arg(log));
    let json = document(&output.stdout);
    (output, json)
}

fn calls(json: &Value) -> Vec<&Value> {
    json["log"]["items"].as_array().unwrap().iter().filter(|item| item["kind"] == "call").collect()
}

/// Names of the answers to the entries of a call.
fn answers(call: &Value) -> Vec<&str> {
    let entries = call["entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["reply"]["ec"]["name"].as_str().unwrap_or("-")).collect()
}

#[test]
fn a_packed_batch_of_35_is_logged_before_and_after() {
    let folder = Folder::new();
    let (log, program) = (folder.file("out.log"), folder.program("regions"));
    let output = run(logged(&log, Some(&folder.library("batch")), &program).args(["3", "5"]));
    assert_eq!((output.status.code(), text(&output)), (Some(5), "6\n".to_owned()), "{}", errors(&output));

    let (output, json) = decoded(&log);
    assert_eq!((output.status.code(), &json["well_formed"]), (Some(0), &true.into()), "{}", text(&output));
    let items = json["log"]["items"].as_array().unwrap();
    assert_eq!(items[0]["command"][1], "3");
    assert!(items[1]["library"].as_str().unwrap().ends_with("/libora.so"), "{}", items[1]);
    assert_eq!(items[1]["program"], program.canonicalize().unwrap().to_str().unwrap());

    let calls = calls(&json);
    assert_eq!(answers(calls[0]), ["OMP_ERRCODE_OK"]);
    let batch = calls[1];
    let of_event = |event| match event {
        15 | 16 | 26 | 27 => "OMP_ERRCODE_UNSUPPORTED",
        _ => "OMP_ERRCODE_OK",
    };
    assert_eq!(answers(batch), (1..=35).map(of_event).collect::<Vec<_>>());
    let entry = &batch["entries"][34];
    assert_eq!((&entry["offset"], &entry["event"]["number"]), (&(34 * 28).into(), &35.into()));
    assert_eq!((&entry["callback"]["layout"], &entry["ec_in"]), (&"packed".into(), &0.into()));
    assert_eq!((&batch["end_offset"], &batch["result"]), (&(35 * 28).into(), &0.into()));

    // Each region's FORK and JOIN make requests on the first thread; workers make requests as well.
    let asked: Vec<_> = calls.iter().filter(|call| call["entries"].as_array().unwrap().len() == 3).collect();
    assert!(asked.len() >= 6 && asked.iter().any(|call| call["tid"] != call["pid"]), "{}", asked.len());
    let fork = asked.iter().find(|call| call["tid"] == call["pid"]).unwrap();
    assert_eq!(answers(fork), ["OMP_ERRCODE_OK", "OMP_ERRCODE_OK", "OMP_ERRCODE_MEM_TOO_SMALL"]);
    assert_eq!(fork["entries"][0]["reply"]["values"][0]["name"], "THR_OVHD_STATE");
    assert_eq!(fork["entries"][1]["reply"]["values"][0]["id"], 1);
    let waits = |call: &Value| call["entries"][0]["reply"]["rsz"] == 12;
    let waiting = asked.iter().find(|call| waits(call)).expect("some callback comes in a barrier");
    assert_eq!(waiting["entries"][0]["reply"]["values"][1]["at"], 4);

    let told = text(&run(ora(&["decode"]).arg(&log)));
    assert!(told.contains(&format!("\n{} calls\n", calls.len())), "{told}");
    assert!(told.contains("   952  OMP_REQ_REGISTER (1), sz 28 = 16 + 12 of mem\n"), "{told}");
}

#[test]
fn a_sampling_collector_is_logged_from_its_signal_handler() {
    let folder = Folder::new();
    let (log, program) = (folder.file("out.log"), folder.program("spin"));
    let output = run(logged(&log, Some(&folder.library("batch")), &program).env("BATCH_SAMPLE", "1"));
    assert!(output.status.success(), "{}", errors(&output));
    let said = errors(&output);
    let samples: usize = said.trim().strip_suffix(" samples").unwrap().parse().unwrap();
    assert!(samples > 0, "{said}");

    let (output, json) = decoded(&log);
    assert_eq!(output.status.code(), Some(0), "{}", text(&run(ora(&["decode"]).arg(&log))));
    assert_eq!((&json["log"]["damage"], &json["log"]["lost_records"]), (&Value::Array(vec![]), &0.into()));
    let calls = calls(&json);
    assert!(calls.len() >= samples + 2, "{} calls, {samples} samples", calls.len());
    // Each number is used exactly once.
    let mut numbers: Vec<u64> = calls.iter().map(|call| call["call"].as_u64().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert!(calls.iter().all(|call| call["result"] == 0));
}

#[test]
fn nothing_behind_a_buffer_is_read_and_no_other_file_is_written_to() {
    let folder = Folder::new();
    let (log, program) = (folder.file("out.log"), folder.program("edges"));
    let output = run(logged(&log, None, &program).arg(folder.file("own")));
    assert_eq!((output.status.code(), text(&output)), (Some(0), "ready\n".to_owned()), "{}", errors(&output));
    assert_eq!(fs::read(folder.file("own")).unwrap(), b"");

    let (output, json) = decoded(&log);
    assert_eq!(output.status.code(), Some(1));
    let calls = calls(&json);
    let shape = |call: &&Value| {
        let good = call["well_formed"].as_bool().unwrap();
        (call["entries"].as_array().unwrap().len(), call["result"].as_i64().unwrap(), good)
    };
    assert_eq!(
        calls.iter().map(shape).collect::<Vec<_>>(),
        [
            (1, 0, true),
            (1, 0, true),
            (0, 0, true),
            (0, -1, false),
            (0, -1, false),
            (1, -1, false),
            (0, -1, false),
            (0, -1, false),
            (1, 0, true),
            (1, 0, true),
            (1, 0, true),
        ]
    );
    assert!(calls.iter().all(|call| call["faults"].as_array().unwrap().is_empty()));
    assert!(calls[3]["end"].as_str().unwrap().contains("sz 18"));
    assert!(calls[6]["end"].as_str().unwrap().contains("NULL"));
    assert!(calls[7]["end"].as_str().unwrap().contains("multiple of 4"));
    assert_ne!(calls[10]["pid"], calls[9]["pid"], "the last one is the child's");
}

#[test]
fn a_call_that_never_came_back_is_there_with_its_buffer() {
    let folder = Folder::new();
    let (log, program) = (folder.file("out.log"), folder.program("edges"));
    let output = run(logged(&log, None, &program).arg(folder.file("own")).arg("crash"));
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{}", errors(&output));
    let (output, json) = decoded(&log);
    assert_eq!(output.status.code(), Some(1));
    let calls = calls(&json);
    let last = calls.last().unwrap();
    assert_eq!((&last["result"], calls.len()), (&Value::Null, 12));
    assert_eq!(json["log"]["damage"], Value::Array(vec![]));
    let end = last["end"].as_str().unwrap();
    assert!(end.starts_with("OMP_REQ_PAUSE (7), sz 2147483644: "), "{end}");
    assert!(text(&run(ora(&["decode"]).arg(&log))).contains("HAS NOT RETURNED"));
}

/// Kills the child with SIGKILL once its log contains this many bytes.
fn kill_at(child: &mut Child, log: &Path, bytes: u64) {
    for _ in 0..3000 {
        if fs::metadata(log).is_ok_and(|about| about.len() > bytes) {
            break;
        }
        sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
}

#[test]
fn what_was_recorded_survives_sigkill() {
    let folder = Folder::new();
    let (log, program) = (folder.file("out.log"), folder.program("busy"));
    let mut child = logged(&log, Some(&folder.library("batch")), &program).stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    kill_at(&mut child, &log, 200_000);
    let (_, json) = decoded(&log);
    let calls = calls(&json);
    assert!(calls.len() > 300, "{}", calls.len());
    assert!(calls.iter().take(200).all(|call| call["result"] == 0));
    assert_eq!(answers(calls[1]).len(), 35);
    // At most one call is open on each thread.
    let open: Vec<_> = calls.iter().filter(|call| call["result"].is_null()).collect();
    assert!(open.len() <= 3, "{}", open.len());
}

#[test]
fn a_log_that_cannot_be_written_ends_the_run_before_it_begins() {
    let output = run(&mut ora(&["run", "--log-requests", "/no/such/folder/x.log", "--", "echo", "hello"]));
    assert_eq!((output.status.code(), text(&output)), (Some(125), String::new()));
    assert!(errors(&output).contains("cannot write the log /no/such/folder/x.log"), "{}", errors(&output));
}

#[test]
fn a_cut_log_is_read_up_to_the_cut_and_beyond() {
    let folder = Folder::new();
    let (log, program) = (folder.file("out.log"), folder.program("regions"));
    run(logged(&log, Some(&folder.library("batch")), &program).arg("2"));
    let whole = fs::read(&log).unwrap();
    let count = |bytes: &[u8]| {
        fs::write(&log, bytes).unwrap();
        let (_, json) = decoded(&log);
        (calls(&json).len(), json["log"]["damage"].as_array().unwrap().len())
    };
    let (all, none) = count(&whole);
    assert!(all > 5 && none == 0);
    for cut in [1, 3, 63, 65] {
        let (left, damaged) = count(&whole[..whole.len() - cut]);
        assert!((all - 1..=all).contains(&left) && damaged == 1, "{left} of {all}, {damaged}");
    }
    let hurt: Vec<u8> = whole[..100].iter().chain(iter::repeat_n(&0, 7)).chain(&whole[100..]).copied().collect();
    let (left, damaged) = count(&hurt);
    assert!(left >= all - 1 && damaged > 0, "{left} of {all}, {damaged}");
}

#[test]
fn damage_and_changes_are_in_the_json() {
    let folder = Folder::new();
    let (log, buffer) = (folder.file("out.log"), folder.file("buffer"));
    assert!(run(logged(&log, Some(&folder.library("batch")), &folder.program("regions")).arg("2")).status.success());
    // Appends bytes that are not a record.
    fs::write(&log, [fs::read(&log).unwrap(), vec![7; 9]].concat()).unwrap();
    fs::write(&buffer, [16, 0, 0, 0, 0].map(i32::to_ne_bytes).concat()).unwrap();

    let (_, log) = decoded(&log);
    let (_, buffer) = decoded(&buffer);
    assert!(log["log"]["damage"][0]["bytes"].is_u64(), "{log}");
    let entries: Vec<_> = calls(&log).into_iter().flat_map(|call| call["entries"].as_array().unwrap()).collect();
    assert!(entries.iter().any(|entry| entry["reply"]["changed"].is_object()));
    assert!(entries.iter().any(|entry| entry["reply"]["values"][0].is_object()));
    assert!(buffer["buffer"]["entries"][0]["answers"][0]["when"].is_string(), "{buffer}");
}
