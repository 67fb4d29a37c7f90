//! Warnings of the library on stderr: each line is printed once per process, none is with `ORA_QUIET=1`, and no program waits or dies
//! because of a warning.

use std::io::{Write, pipe};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use compat_tests::forge::{Forge, Language};
use compat_tests::library::libora;
use compat_tests::llvm::clang_is_here;
use compat_tests::run::Launch;

fn forge() -> Forge {
    Forge::at(env!("CARGO_TARGET_TMPDIR"))
}

/// Checks that a program which causes a warning prints it once, that its forked child doesn't repeat it, and that `ORA_QUIET=1` silences
/// it.
fn is_said_once(launch: &dyn Fn() -> Launch, line: &str) {
    let outcome = launch().run().succeeded();
    assert_eq!(String::from_utf8_lossy(&outcome.stderr), format!("{line}\n"), "{}", outcome.describe());
    let quiet = launch().env("ORA_QUIET", "1").run().succeeded();
    assert_eq!(String::from_utf8_lossy(&quiet.stderr), "", "{}", quiet.describe());
    assert_eq!(quiet.stdout, outcome.stdout);
}

#[test]
fn values_that_no_setting_has_are_named_once() {
    let forge = forge();
    let program = forge.program("endings.c");
    let with = |name: &'static str, value: &'static str| {
        let (forge, program) = (&forge, &program);
        move || Launch::of(forge, program).threads(4).arg("fork-first").with_ora().env(name, value)
    };
    let line = |name: &str, choices: &str| format!("ora: {name}=maybe is ignored: it can be {choices}");
    is_said_once(&with("ORA_DISABLE", "maybe"), &line("ORA_DISABLE", "0 or 1"));
    is_said_once(&with("ORA_IBAR", "maybe"), &line("ORA_IBAR", "early or late"));
    is_said_once(&with("ORA_TR2_THREAD_IDS", "maybe"), &line("ORA_TR2_THREAD_IDS", "unique or reused"));
    is_said_once(&with("ORA_OMPT", "maybe"), &line("ORA_OMPT", "6.0, 5.2, 5.1 or 5.0"));
    is_said_once(&with("ORA_IBAR", ""), "ora: ORA_IBAR= is ignored: it can be early or late");
    let tool = forge.tool("tools5/every.cc");
    let program = forge.program("churn.c");
    let launch =
        || Launch::of(&forge, &program).threads(2).arg("20").with_ora().with_tool(&tool).env("OMP_TOOL", "maybe");
    is_said_once(&launch, &line("OMP_TOOL", "enabled or disabled"));
    let odd = with("ORA_QUIET", "maybe")().run().succeeded();
    assert_eq!(String::from_utf8_lossy(&odd.stderr), line("ORA_QUIET", "0 or 1") + "\n");
}

#[test]
fn refused_memory_is_named_once() {
    let forge = forge();
    let flags = ["-O2", "-shared", "-fPIC", "-pthread"];
    let refuse = forge.build(Language::C11, &["collectors/refuse.c"], &flags, ".so");
    let (program, collector) = (forge.program("endings.c"), forge.collector("armed.c"));
    let launch = || {
        let launch = Launch::of(&forge, &program).threads(4).arg("fork-first").with_ora().with_preload(&refuse);
        launch.with_collector(&collector).env("REFUSE", "1+")
    };
    is_said_once(&launch, "ora: the system refuses memory: some threads and regions go unreported");
}

#[test]
fn a_runtime_that_asks_for_no_tool_is_named_once() {
    if !clang_is_here("a_runtime_that_asks_for_no_tool_is_named_once") {
        return;
    }
    let forge = forge();
    let program = forge.build(Language::ClangC11, &["programs/nested.c"], &["-O1", "-g", "-fopenmp"], "-warned");
    let storm = forge.collector("storm.c");
    let launch = || {
        Launch::of(&forge, &program).threads(4).awake().with_ora().with_collector(&storm).env("OMP_TOOL", "disabled")
    };
    let line = "keeps this program's OpenMP runtime (LLVM's or Intel's) from reporting events: unset it";
    is_said_once(&launch, &format!("ora: OMP_TOOL=disabled {line}"));
}

/// Runs a program that causes a warning, with this stderr.
fn with_stderr(stderr: Stdio, watched: bool) -> ExitStatus {
    let forge = forge();
    let mut command = Command::new(forge.program("nested.c"));
    command.env("OMP_NUM_THREADS", "4").stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    if watched {
        command.env("LD_PRELOAD", libora()).env("ORA_IBAR", "maybe");
    }
    let mut child = command.spawn().expect("the program starts");
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            return status;
        }
        let waits = begun.elapsed() > Duration::from_secs(30);
        if waits {
            child.kill().expect("a child of ours");
            child.wait().expect("a child of ours");
        }
        assert!(!waits, "the program waits for a reader of stderr");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_program_whose_errors_nobody_reads_does_not_die_of_a_warning() {
    for watched in [false, true] {
        let (reader, writer) = pipe().expect("a pipe");
        drop(reader);
        let status = with_stderr(writer.into(), watched);
        assert!(status.success(), "watched {watched}: {status}");
    }
}

#[test]
fn a_program_whose_errors_nobody_reads_yet_does_not_wait_for_that() {
    for watched in [false, true] {
        let (reader, mut writer) = pipe().expect("a pipe");
        // As much as a pipe holds.
        writer.write_all(&[b'.'; 1 << 16]).expect("room in the pipe");
        let status = with_stderr(writer.into(), watched);
        assert!(status.success(), "watched {watched}: {status}");
        drop(reader);
    }
}
