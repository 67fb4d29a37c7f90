//! Checks that `bench ompt` works and that its comparisons are valid, with whole programs on both runtimes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

use std::process::Command;

use compat_tests::library::libora;
use compat_tests::llvm::{clang_is_here, omp_tools};
use compat_tests::valgrind::valgrind_is_here;
use serde_json::{Map, Value};

#[test]
fn a_quick_run_has_every_row_and_tools_get_as_many_events_on_both_runtimes() {
    let test = "a quick run of `bench ompt`";
    if !clang_is_here(test) || omp_tools(test).is_none() {
        return;
    }
    let counted = valgrind_is_here(test);
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(["ompt", "--quick", "--json", "--library"]).arg(libora());
    command.args((!counted).then_some("--no-instructions"));
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{errors}", output.status);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();

    let rows = |name: &str| report[name].as_object().unwrap_or_else(|| panic!("no {name}: {report}"));
    let times = rows("constructs");
    assert_eq!(times.len(), 23, "{times:?}");
    for (row, ways) in times {
        let ways = ways.as_object().unwrap();
        assert!(has_two_times(ways, ["bare", "off", "attached", "callback", "all"]), "{row}: {ways:?}");
        assert!(has_two_times(ways, ["native_bare", "native_attached", "native_callback", "native_all"]), "{row}");
        let events = |way: &str| report["events"][row][way][0].as_f64();
        let (here, there) = (events("callback").unwrap(), events("native_callback").unwrap());
        assert!(here >= 1.0 && (here - there).abs() < 0.01, "{row}: {here} events on libgomp, {there} on libomp");
        if ways.contains_key("tr2_callback") {
            let tr2 = events("tr2_callback").unwrap();
            assert!((tr2 - there).abs() < 0.01, "{row}: {tr2} events of TR2, {there} on libomp");
        }
    }
    for question in ["state", "parallel_info", "task_info", "thread_data"] {
        for place in ["outside", "inside"] {
            let ways = report["queries"][format!("{question}_{place}")].as_object().unwrap();
            assert!(has_two_times(ways, ["attached", "native_attached"]), "{question} {place}: {ways:?}");
        }
    }
    if counted {
        for (samples, row, way) in [
            ("construct_instructions", "mutex lock", "callback"),
            ("construct_instructions", "mutex lock", "native_callback"),
            ("query_instructions", "state_outside", "attached"),
            ("query_instructions", "state_outside", "native_attached"),
        ] {
            let instructions = report[samples][row][way][0].as_f64().unwrap();
            assert!((1.0..100_000.0).contains(&instructions), "{row} ({way}): {instructions} instructions");
        }
    }
}

/// True if each way has two times, one for each round.
fn has_two_times<const N: usize>(ways: &Map<String, Value>, names: [&str; N]) -> bool {
    names.iter().all(|way| {
        let times = ways.get(*way).and_then(Value::as_array);
        times.is_some_and(|times| times.len() == 2 && times.iter().all(|ns| ns.as_f64().is_some_and(|ns| ns > 0.0)))
    })
}
