//! Checks that `bench all` works: each program at each level, on both runtimes.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop where it stands")]

use std::path::Path;
use std::process::Command;

use compat_tests::library::libora;
use serde_json::Value;

#[test]
fn a_quick_run_has_every_level_on_both_runtimes() {
    // `ora` and its collector are in the library's folder.
    let library = libora();
    if !Path::new(&library).with_file_name("ora").is_file() {
        return eprintln!("SKIP: a quick run of `bench all`: the command `ora` is not built beside libora.so");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(["all", "--quick", "--json", "--library"]).arg(library);
    let whole = std::env::var_os("ORA_COMPAT").is_some_and(|which| which == "full");
    if !whole {
        command.args(["--no-instructions", "--only", "nqueens,live"]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (runtime, compiler) in [("libgomp", "gcc"), ("libomp", "clang")] {
        if let Some(why) = report["missing"].get(format!("{runtime} ({compiler})")) {
            eprintln!("SKIP: {runtime} in `bench all`: {why}");
            continue;
        }
        let tables = if whole { vec!["programs", "constructs"] } else { vec!["programs"] };
        for table in tables {
            let rows = report[table][runtime].as_object().unwrap();
            assert!(!rows.is_empty(), "{report}");
            for (row, levels) in rows {
                assert_eq!(levels.as_object().unwrap().len(), 8, "{row}: {levels}");
                let positive = |values: &Value| values[0].as_f64().is_some_and(|value| value > 0.0);
                assert!(levels.as_object().unwrap().values().all(positive), "{row}: {levels}");
            }
        }
        assert_eq!(report["growth"]["live"][runtime].as_object().unwrap().len(), 2, "{report}");
    }
}
