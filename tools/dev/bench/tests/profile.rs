//! Checks that `bench profile` works: each program runs bare and under each available profiler.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

use std::path::Path;
use std::process::Command;

use compat_tests::library::libora;
use serde_json::Value;

#[test]
fn a_quick_run_has_every_program_under_every_profiler() {
    // `ora` and its collector are in the library's folder.
    let library = libora();
    if !Path::new(&library).with_file_name("ora").is_file() {
        return eprintln!("SKIP: a quick run of `bench profile`: the command `ora` is not built beside libora.so");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(["profile", "--quick", "--passive", "--json", "--library"]).arg(library);
    // Each run of perf takes a second or two in addition to the program.
    let only: &[&str] = if std::env::var_os("ORA_COMPAT").is_some_and(|which| which == "full") {
        &["regions", "region_work", "often", "barriers", "tasks", "stencil"]
    } else {
        &["often"]
    };
    command.args(["--only", &only.join(",")]);
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{errors}", output.status);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let programs = report["runs"].as_object().unwrap();
    assert_eq!(programs.len(), only.len(), "{report}");
    let mut ways = vec!["bare", "again", "ora100", "ora1000"];
    for (profiler, both) in [("perf", ["perf100", "perf1000"]), ("gprofng", ["gprofng100", "gprofng1000"])] {
        // The report contains the reason why a profiler isn't available.
        match report["missing"].get(profiler) {
            Some(why) => eprintln!("SKIP: {profiler} in `bench profile`: {why}"),
            None => ways.extend(both),
        }
    }
    for (program, rows) in programs {
        for way in &ways {
            let positive = |row: &str| rows[row][way][0].as_f64().is_some_and(|value| value > 0.0);
            assert!(["wall_ns", "cpu_ns", "whole_ns"].iter().all(|row| positive(row)), "{program}, {way}: {rows}");
            let profiled = !["bare", "again"].contains(way);
            assert_eq!(positive("bytes"), profiled, "{program}, {way}: {rows}");
        }
    }
}
