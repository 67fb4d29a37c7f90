//! Runs programs under the validator.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use compat_tests::forge::{Forge, Language};
use compat_tests::llvm::{clang_is_here, omp_tools};
use compat_tests::run::Launch;
use validate_layout::rule::Rule;
use validate_layout::shared_table::SharedTable;

/// Timeout of a run; a busy machine is slow.
const LONG: Duration = Duration::from_secs(120);

/// Mode of the validator in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It recognizes the runtime that it checks.
    Usual,
    /// It does not recognize the runtime.
    Strict,
    /// It checks the runtime against OpenMP 5.2.
    Spec,
}

/// Paths of the compiled program, and of the fault injector.
pub(crate) struct Native {
    program: PathBuf,
    injector: PathBuf,
}

/// The rules that were checked, and those that were violated.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) checked: BTreeSet<Rule>,
    pub(crate) broken: BTreeSet<Rule>,
}

/// Path of the library under test, which cargo puts next to the test.
pub(crate) fn validator() -> PathBuf {
    let own = env::current_exe().unwrap();
    let found =
        own.ancestors().skip(1).take(2).map(|folder| folder.join("libora_validator.so")).find(|file| file.is_file());
    found.unwrap_or_else(|| panic!("libora_validator.so is not beside {}", own.display()))
}

impl Native {
    /// Compiles both. `None`, with a message, if clang is missing.
    pub(crate) fn new(test: &str) -> Option<Self> {
        // omp.h is installed together with the header for tools.
        if !clang_is_here(test) || omp_tools(test).is_none() {
            return None;
        }
        let forge = Forge::at(env!("CARGO_TARGET_TMPDIR"));
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let source = |name: &str| here.join(name).to_str().unwrap().to_owned();
        let parts =
            ["start", "entry_points", "callbacks", "tasks"].map(|part| source(&format!("fault_injector/{part}.c")));
        let parts = parts.each_ref().map(String::as_str);
        let injector = forge.build(Language::ClangC11, &parts, &["-O1", "-g", "-shared", "-fPIC"], ".so");
        let program = forge.build(
            Language::ClangC11,
            &[&source("programs/constructs.c")],
            &["-O1", "-g", "-fopenmp", "-fopenmp-version=51", "-Wno-uninitialized"],
            "",
        );
        Some(Self { program, injector })
    }

    /// Runs the program under the validator, with an injected fault.
    pub(crate) fn run(&self, fault: &str, mode: Mode) -> Run {
        let shared = SharedTable::create().unwrap();
        let launch = Launch::of(&Forge::at(env!("CARGO_TARGET_TMPDIR")), &self.program).awake().threads(2);
        let launch = launch.within(LONG).with_preload(&self.injector).with_preload(&validator());
        let launch = launch.env("FAULT", fault).env("STRICT", if mode == Mode::Strict { "1" } else { "0" });
        let launch = if mode == Mode::Spec { launch.env("ORA_VALIDATE_SPEC", "5.2") } else { launch };
        let outcome = launch.env("ORA_VALIDATE_FILE", &shared.path()).env("OMP_CANCELLATION", "true").run();
        assert!(outcome.status.success() && outcome.text() == "done\n", "{fault}: {}", outcome.describe());
        let process =
            shared.table().processes().next().unwrap_or_else(|| panic!("{fault}: the validator was not called"));
        let with = |wanted: fn((u64, u64)) -> u64| {
            Rule::ALL.iter().copied().filter(|rule| wanted(process.counts.of(*rule)) > 0).collect()
        };
        Run { checked: with(|(checks, _)| checks), broken: with(|(_, broken)| broken) }
    }

    /// Repeats a run until it has a result that depends on chance, such as the thread that runs a task. Ten runs are
    /// enough for that.
    pub(crate) fn repeat(&self, run: &mut Run, fault: &str, mode: Mode, has_come: impl Fn(&Run) -> bool) {
        for _ in 1..10 {
            if has_come(run) {
                return;
            }
            let again = self.run(fault, mode);
            run.checked.extend(again.checked);
            run.broken.extend(again.broken);
        }
    }
}

/// Runs a program without and with the validator: it ends in the same way, and no rule is violated.
pub(crate) fn goes_by_the_rules(launch: impl Fn() -> Launch) {
    goes_by_the_rules_behind(launch, |launch| launch);
}

/// Runs a program like [`goes_by_the_rules`], with the validator after the libraries that `before` preloads.
pub(crate) fn goes_by_the_rules_behind(launch: impl Fn() -> Launch, before: impl Fn(Launch) -> Launch) {
    let launch = || launch().within(LONG);
    let bare = launch().run();
    let shared = SharedTable::create().unwrap();
    let watched = before(launch()).with_preload(&validator()).env("ORA_VALIDATE_FILE", &shared.path()).run();
    assert_eq!(watched.status, bare.status, "{}", watched.describe());
    let mut complaints = String::new();
    for process in shared.table().processes() {
        for slot in process.findings() {
            let rule = Rule::ALL[slot.rule.load(Relaxed) as usize].about().id;
            writeln!(complaints, "{rule}: {}", slot.text.get()).unwrap();
        }
    }
    assert!(complaints.is_empty(), "{complaints}{}", watched.describe());
    assert!(shared.table().processes().next().is_some(), "the validator was not called: {}", watched.describe());
}

/// The rules that a program's runtime violates.
pub(crate) fn broken_rules(launch: impl Fn() -> Launch) -> BTreeSet<Rule> {
    let shared = SharedTable::create().unwrap();
    let launch = launch().within(LONG).with_preload(&validator()).env("ORA_VALIDATE_FILE", &shared.path());
    let _ = launch.run().succeeded();
    let process = shared.table().processes().next().expect("the validator was not called");
    Rule::ALL.iter().copied().filter(|rule| process.counts.of(*rule).1 > 0).collect()
}
