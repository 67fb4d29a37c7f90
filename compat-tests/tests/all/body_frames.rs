//! Frames of tasks whose bodies have returned, and of those that call the tool: a tool that unwinds the stack attributes the frames above
//! an exit frame to the program.

use std::collections::BTreeSet;
use std::path::PathBuf;

use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::{self, clang_is_here};
use compat_tests::run::{Launch, Outcome};

fn program(forge: &Forge, compiler: Language) -> PathBuf {
    let mut flags = vec!["-O2", "-fopenmp", "-rdynamic", "-pthread"];
    if compiler == Language::ClangC11 {
        flags.extend(llvm::flags());
    }
    forge.build(compiler, &["programs/body_frames.c"], &flags, &format!("-{compiler:?}"))
}

fn lines(outcome: &Outcome) -> BTreeSet<String> {
    outcome.text().lines().map(str::to_owned).collect()
}

/// Reports after a body, by every member of a team.
const BEHIND: [&str; 6] = ["barrier-begin", "wait-begin", "signal", "wait-end", "barrier-end", "implicit-task-end"];

/// All reports on libgomp.
fn expected() -> BTreeSet<String> {
    let members = ["primary", "worker"];
    let behind = members.iter().flat_map(|member| BEHIND.map(|moment| format!("{member} {moment} -/- -/enter")));
    let before = members.map(|member| format!("{member} implicit-task-begin -/- -/enter"));
    let others = [
        "primary parallel-begin -/enter",
        "primary parallel-end -/enter",
        "primary task-complete -/- exit/enter",
        "primary control exit/enter -/enter",
        "primary control -/enter",
    ];
    behind.chain(before).chain(others.map(str::to_owned)).collect()
}

#[test]
fn a_task_whose_body_has_returned_has_no_exit_frame() {
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let outcome = Launch::of(&forge, &program(&forge, Language::C11)).awake().with_ora().run().succeeded();
    assert_eq!(lines(&outcome), expected(), "{}", outcome.describe());
}

/// There, a worker reports the end of its barrier when it is in the pool, without a task; an undeferred task keeps its frame a little
/// longer; and the end of a region of one thread is reported inside the region.
#[test]
fn llvms_runtime_has_the_same_frames() {
    if !clang_is_here("llvms_runtime_has_the_same_frames") {
        return;
    }
    let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
    let program = program(&forge, Language::ClangC11);
    let differs = |line: &&String| {
        line.starts_with("worker") && line.contains("-end ")
            || line.contains("task-complete")
            || line.contains("parallel-end")
    };
    for launch in [Launch::of(&forge, &program), Launch::of(&forge, &program).with_ora()] {
        let outcome = launch.awake().run().succeeded();
        let (reports, expected) = (lines(&outcome), expected());
        let [reports, expected] =
            [&reports, &expected].map(|lines| lines.iter().filter(|line| !differs(line)).collect::<BTreeSet<_>>());
        assert_eq!(reports, expected, "{}", outcome.describe());
    }
}
