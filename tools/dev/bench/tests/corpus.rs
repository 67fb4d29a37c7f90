//! Checks what `ora` reports about those cases of the corpus that rest on counts instead of times, which are races and hangs; and that no
//! cure does harm.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::path::Path;
use std::process::Command;

use compat_tests::library::libora;
use corpus::{Command as Watched, Verdict};
use serde_json::Value;

#[test]
fn races_and_hangs_are_named_first_and_no_cure_does_harm() {
    // `ora` and its collectors are in the library's folder.
    let library = libora();
    if !Path::new(&library).with_file_name("ora").is_file() {
        return eprintln!("SKIP: cases of the corpus: the command `ora` is not built beside libora.so");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    let output = command.args(["corpus", "--quick", "--json", "--library"]).arg(library).output().unwrap();
    assert!(output.status.success(), "{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let mut failed = Vec::new();
    for case in corpus::all().unwrap().iter().filter(|case| case.open.is_none()) {
        let row = rows.iter().find(|row| row.get("name") == Some(&case.name.clone().into())).unwrap();
        let is = |verdict: Verdict| row.get("verdict") == Some(&verdict.to_string().into());
        let is_certain = matches!(case.command, Watched::Race | Watched::Hang);
        let is_twin_clean = case.open_twin || row.get("twin") == Some(&Value::Null);
        if is(Verdict::Harmful) || is_certain && !(is(Verdict::RightFirst) && is_twin_clean) {
            failed.push(row.to_string());
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
