//! Sixteen threads open, change and close sessions at random, while regions, tasks and locks run: for seconds by default, for minutes with
//! `ORA_COMPAT=full`. The program checks its results, each answer, and that nothing is left afterwards.

use std::path::Path;
use std::time::Duration;

use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::clang_is_here;
use compat_tests::run::Launch;
use compat_tests::suite::whole_matrix;

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

fn endures(forge: &Forge, program: &Path, add: impl FnOnce(Launch) -> Launch) {
    let seconds: u16 = if whole_matrix() { 60 } else { 1 };
    let launch = Launch::of(forge, program).arg(&seconds.to_string()).with_ora();
    let outcome = add(launch).within(Duration::from_secs(120) + Duration::from_secs(seconds.into())).run().succeeded();
    assert_eq!((outcome.text().as_str(), outcome.stderr.as_slice()), ("", b"".as_slice()), "{}", outcome.describe());
}

#[test]
#[ignore = "slow: --all runs it"]
fn sessions_may_come_and_go_on_sixteen_threads() {
    let forge = forge();
    endures(&forge, &forge.program("session_storm.c"), |launch| launch);
}

#[test]
fn sessions_may_come_and_go_beside_tools_that_do_the_same() {
    let forge = forge();
    endures(&forge, &forge.program("session_storm.c"), |launch| {
        let launch = launch.with_tool(&forge.tool("tools5/every.cc")).with_tool(&forge.tool("tr2/every.cc"));
        launch.env("TOOL_STORM", "1").env("TOOL_ASKS", "1")
    });
}

#[test]
#[ignore = "slow: --all runs it"]
fn sessions_may_come_and_go_on_sixteen_threads_beside_llvms_runtime() {
    if clang_is_here("sessions_may_come_and_go_on_sixteen_threads_beside_llvms_runtime") {
        let forge = forge();
        let flags = ["-O2", "-g", "-fopenmp", "-pthread"];
        let program = forge.build(Language::ClangC11, &["programs/session_storm.c"], &flags, "-clang");
        endures(&forge, &program, Launch::awake);
    }
}
