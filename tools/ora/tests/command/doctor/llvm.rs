//! Programs compiled by clang on the real LLVM runtime, whose tool we are: they are seen, and their own tools get their events through us.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::harness::{Answer, Folder, doctor, headers, tool5};
use crate::harness::ORA;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Answers before and after a run.
fn ask(program: &Path, variables: &[(&str, &str)]) -> [Answer; 2] {
    [&[][..], &["--run"]].map(|words| Answer::of(doctor(words).envs(variables.iter().copied()), program, &[]))
}

#[test]
fn a_program_by_clang_is_seen() {
    let folder = Folder::new();
    let Some(program) = folder.clang("region", "clang", &[]) else { return };
    let [before, ran] = ask(&program, &[]);
    for answer in [&before, &ran] {
        answer.expect("seen", &[]);
        assert_eq!(answer.runtimes(), [("libomp", "reported")]);
    }
    assert_eq!(ran.json["run"]["regions"], 1);
    let bound = ran.json["run"]["bindings"].as_array().unwrap();
    let to_runtime = |binding: &&Value| binding["role"] == "to_telling_runtime";
    assert!(bound.iter().filter(to_runtime).any(|it| it["functions"].to_string().contains("__kmpc_fork_call")));
    let output = doctor(&["--"]).arg(&program).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("reported: libora.so is its OMPT tool"), "{said}");
}

#[test]
fn the_table_of_events_says_what_is_refused() {
    let folder = Folder::new();
    let Some(program) = folder.clang("region", "clang", &[]) else { return };
    let mut table: Vec<u64> = Vec::new();
    for event in Answer::about(&program).json["events"].as_array().unwrap().iter().filter(|e| e["raised"] == "no") {
        table.extend(event["numbers"].as_array().unwrap().iter().filter_map(Value::as_u64));
    }
    let collector = folder.compile("registers", "registers.so", &["-shared", "-fPIC", &headers()]);
    let output =
        Command::new(ORA).args(["run", "--collector"]).arg(collector).arg("--").arg(&program).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let refused: Vec<u64> = said.split_whitespace().map(|number| number.parse().unwrap()).collect();
    assert_eq!(refused, table, "{said}");
}

#[test]
fn all_tools_behind_us_are_asked_and_attached() {
    let folder = Folder::new();
    let Some(program) = folder.clang("region", "clang", &[]) else { return };
    let (five, two) = (folder.tool("tool5", "five.so", &[]), folder.tool("tool2", "two.so", &[]));
    let list = format!("{}:{}", five.display(), folder.tool("tool5", "second.so", &[]).display());
    let variables = [("OMP_TOOL_LIBRARIES", list.as_str()), ("LD_PRELOAD", text(&two))];
    let expected = |outcome: &str| {
        ["tr2 two.so preloaded", "openmp_5 five.so omp_tool_libraries", "openmp_5 second.so omp_tool_libraries"]
            .map(|tool| format!("{tool} {outcome}"))
    };
    let [before, ran] = ask(&program, &variables);
    before.expect("seen", &[]);
    assert_eq!(before.tools(), expected("asked"));
    ran.expect("seen", &[]);
    assert_eq!(ran.tools(), expected("attached"));
    let [_, declined] = ask(&program, &[&variables[..], &[("TOOL5", "decline")]].concat());
    declined.expect("partly_seen", &["tool_declined"]);
    assert!(declined.tools()[1..].iter().all(|line| line.ends_with("declined")), "{:?}", declined.tools());
    // The user may have redirected the runtime's log; the library's own record is complete.
    let [_, own] = ask(&program, &[&variables[..], &[("OMP_TOOL_VERBOSE_INIT", "stderr")]].concat());
    assert_eq!(own.tools(), expected("attached"));
}

#[test]
fn a_tool_in_the_executable_is_behind_us_too() {
    let folder = Folder::new();
    let Some(program) = folder.clang("region", "own", &[&tool5(), &headers()]) else { return };
    let [before, ran] = ask(&program, &[]);
    before.expect("seen", &[]);
    assert_eq!(before.tools(), ["openmp_5 own executable asked"]);
    ran.expect("seen", &[]);
    assert_eq!(ran.tools(), ["openmp_5 own executable attached"]);
    assert_eq!(ran.json["run"]["regions"], 1);
}

#[test]
fn a_silenced_runtime_is_named_by_all_commands() {
    let folder = Folder::new();
    let Some(program) = folder.clang("region", "clang", &[]) else { return };
    for answer in ask(&program, &[("OMP_TOOL", "disabled")]) {
        answer.expect("not_seen", &["omp_tool_disabled"]);
        assert_eq!(answer.runtimes(), [("libomp", "undisturbed")]);
    }
    for command in ["stat", "tasks"] {
        let output =
            Command::new(ORA).args([command, "--"]).arg(&program).env("OMP_TOOL", "disabled").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.matches("ora: OMP_TOOL=disabled").count(), 1, "{said}");
        assert!(said.contains("is OMP_TOOL=disabled set?"), "{said}");
    }
}

#[test]
fn where_the_library_is_off_the_runtime_asks_the_tool_itself() {
    let folder = Folder::new();
    let Some(program) = folder.clang("region", "clang", &[]) else { return };
    let five = folder.tool("tool5", "five.so", &[]);
    let [before, ran] = ask(&program, &[("OMP_TOOL_LIBRARIES", text(&five)), ("ORA_DISABLE", "1")]);
    before.expect("not_seen", &["disabled"]);
    assert_eq!(before.tools(), ["openmp_5 five.so omp_tool_libraries runtime_asks"]);
    assert_eq!(ran.tools(), ["openmp_5 five.so omp_tool_libraries attached"]);
}

#[test]
fn beside_llvms_runtime_libgomp_has_no_tools_of_openmp_5() {
    let folder = Folder::new();
    if folder.clang("region", "clang", &[]).is_none() {
        return;
    }
    let (five, two) = (folder.tool("tool5", "five.so", &[]), folder.tool("tool2", "two.so", &[]));
    let own = ["-fopenmp", "-Wl,--no-as-needed", "-lgomp", "/usr/lib/llvm-19/lib/libomp.so.5"];
    let both = folder.compile("region", "both", &own);
    let [before, ran] = ask(&both, &[("OMP_TOOL_LIBRARIES", text(&five)), ("LD_PRELOAD", text(&two))]);
    before.expect("partly_seen", &["tool_left_to_runtime"]);
    assert_eq!(before.tools(), ["tr2 two.so preloaded asked", "openmp_5 five.so omp_tool_libraries asked"]);
    assert_eq!(ran.tools(), ["tr2 two.so preloaded attached", "openmp_5 five.so omp_tool_libraries not_asked"]);
}

#[test]
fn a_tool_that_brings_a_runtime_of_its_own_is_named_and_stays_with_libgomp() {
    let folder = Folder::new();
    if folder.clang("region", "clang", &[]).is_none() {
        return;
    }
    let five = folder.tool(
        "tool5",
        "five.so",
        &["-Wl,--no-as-needed", "-Wl,-rpath,/usr/lib/llvm-19/lib", "/usr/lib/llvm-19/lib/libomp.so.5"],
    );
    for variable in ["OMP_TOOL_LIBRARIES", "LD_PRELOAD"] {
        let [before, ran] = ask(&folder.region(), &[(variable, text(&five))]);
        before.expect("seen", &[]);
        assert!(before.json["facts"].to_string().contains("five.so brings a runtime of its own"), "{:#}", before.json);
        assert!(before.tools()[0].ends_with(" asked"), "{:?}", before.tools());
        assert!(ran.tools()[0].ends_with(" attached"), "{:?}", ran.tools());
        assert_eq!(ran.json["run"]["regions"], 1);
    }
}
