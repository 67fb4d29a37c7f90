//! The gate: every check and every test, quickest first.

use std::cell::RefCell;
use std::ffi::OsString;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use crate::test_programs::Program;
use crate::{
    archive, autogroup, book, distro, exports, fetched, headers, install, layers, needs, panics, portable, prose,
    published, release, root, runtimes, sanitizers, size, test_programs, workspace,
};

/// Steps that have passed, with their times.
struct Gate {
    begun: Instant,
    passed: RefCell<Vec<(&'static str, Duration)>>,
}

impl Gate {
    fn start() -> Self {
        Self { begun: Instant::now(), passed: RefCell::default() }
    }

    /// Runs one step; a failure ends the gate.
    fn step<T>(&self, name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        println!("\n==> {name}");
        let begun = Instant::now();
        let done = work().with_context(|| format!("the gate stops at `{name}`"))?;
        println!("==> {name}: {:.1} s", begun.elapsed().as_secs_f64());
        self.passed.borrow_mut().push((name, begun.elapsed()));
        Ok(done)
    }

    /// Runs cargo as one step.
    fn cargo(&self, name: &'static str, arguments: &[&str], variables: &[(&str, OsString)]) -> Result<()> {
        self.step(name, || {
            workspace::run(workspace::cargo().args(arguments).envs(variables.iter().map(|(key, value)| (key, value))))
        })
    }
}

/// Runs what reads the sources, and needs no build.
fn sources(gate: &Gate) -> Result<()> {
    gate.cargo("format", &["fmt", "--all", "--check"], &[])?;
    gate.step("layers", layers::check)?;
    gate.step("language", || prose::check(false))
}

/// Runs clippy in the products' profile, so that macros and build scripts are compiled once for both.
fn clippy(gate: &Gate) -> Result<()> {
    let clippy =
        ["clippy", "--release", "--workspace", "--all-targets", "--features", "bench/measure", "--", "-D", "warnings"];
    gate.cargo("clippy", &clippy, &[])
}

/// Runs the checks that need no build of the product.
pub(crate) fn checks() -> Result<()> {
    let gate = Gate::start();
    gate.step("install what is missing", || needs::install(false))?;
    sources(&gate).and_then(|()| clippy(&gate))
}

/// Runs the gate; with `long` also the slow steps. Slow tests run only with `long` or `all`.
pub(crate) fn run(long: bool, all: bool) -> Result<()> {
    let gate = Gate::start();
    let mut warnings = gate.step("install what is missing", || needs::install(long))?;
    let _groups = autogroup::Off::on_ci();
    sources(&gate)?;
    let (programs, python) = thread::scope(|scope| {
        // It mostly waits for the network.
        let python = scope.spawn(fetched::python);
        let programs = products(&gate, long)?;
        let python = gate.step("Python packages", || {
            python.join().map_err(|_| anyhow!("the preparation of Python has panicked"))?
        })?;
        anyhow::Ok((programs, python))
    })?;
    let (python, warning) = python;
    warnings.extend(warning);
    let mut variables = vec![("ORA_LIB", workspace::library()?.into_os_string())];
    variables.extend(python.map(|python| ("ORA_TEST_PYTHON", python)));
    if long {
        prepare_longer(&gate, &mut variables, &mut warnings)?;
    }
    // The rest takes longer to compile than to check: `cargo xtask ci` has it as jobs.
    let builds = if long {
        vec![test_programs::documentation(&[]), test_programs::models(), test_programs::examples()]
    } else {
        vec![test_programs::documentation(&published::CRATES), test_programs::examples()]
    };
    gate.step("tests", || test_programs::run(programs, builds, &variables, all || long))?;
    if long {
        let exact = ["known_causes::", "agreement::", "trace_findings::"];
        gate.step("figures on an idle machine", || test_programs::run_alone("ora-cli", &exact, &variables))?;
        run_longer(&gate, &mut warnings)?;
    }
    println!();
    for (name, took) in gate.passed.take() {
        println!("{:>8.1} s  {name}", took.as_secs_f64());
    }
    for warning in &warnings {
        println!("WARNING: {warning}");
    }
    println!("gate passed in {:.1} s", gate.begun.elapsed().as_secs_f64());
    Ok(())
}

/// Builds the products and all tests, and checks the products. Returns the test programs.
fn products(gate: &Gate, long: bool) -> Result<Vec<Program>> {
    // In one step, because the compilation of tests keeps the processors busy while a large crate is compiled on one of them.
    let (programs, are_linted) = gate.step("build and lint, with tests", || test_programs::build(long))?;
    // What was compiled earlier may not have been linted. And clippy sees what the crates' tests leave out.
    if long || !are_linted {
        clippy(gate)?;
    }
    gate.cargo("build", &["build", "--release"], &[])?;
    gate.step("imported symbols", || {
        portable::imports::have_old_versions(&install::binaries(&workspace::target().join("release")))
    })?;
    gate.step("headers", || headers::generate(true))?;
    gate.step("documents", book::check)?;
    gate.step("exports", || exports::list(true))?;
    gate.step("size", size::check)?;
    gate.step("panics", panics::check)?;
    gate.step("installation", install::check)?;
    gate.step("published crates", published::build)?;
    Ok(programs)
}

/// Prepares the programs and runtimes without which some tests would be skipped.
fn prepare_longer(
    gate: &Gate,
    variables: &mut Vec<(&'static str, OsString)>,
    warnings: &mut Vec<String>,
) -> Result<()> {
    variables.push(("ORA_COMPAT", OsString::from("full")));
    if requirements::CHROMIUM.obstacle().is_none() {
        variables.push(("ORA_TEST_CHROMIUM", OsString::from(requirements::BROWSER)));
    }
    variables.extend(fetched::firefox_profiler(warnings).map(|profiler| ("ORA_TEST_FIREFOX_PROFILER", profiler)));
    gate.step("archive for static programs", || {
        variables.push(("ORA_POMP_ARCHIVE", archive::build()?));
        Ok(())
    })?;
    gate.step("OpenMP runtimes, tools", || {
        variables.extend(["ORA_TEST_RUNTIMES", "ORA_TEST_TOOLS"].into_iter().zip(runtimes::prepare(warnings)?));
        Ok(())
    })
}

/// Cargo commands that only the long gate runs.
const LONG_RUNS: [(&str, &str); 7] = [
    ("clippy, library for static programs", "clippy --release --package ora --lib --features linked -- -D warnings"),
    ("fuzz", "run --release --package fuzz -- --minutes 5"),
    ("fuzz, parsers", "run --release --package fuzz -- --parser all --minutes 1"),
    ("fuzz, damaged recordings", "run --release --package parsers --bin recordings -- 10000"),
    ("fuzz, short arrays", "run --release --package fuzz --bin throughput -- --minutes 1 --threads 2 --runtime embed"),
    ("on libgomp", "run --release --package fuzz --bin throughput -- --minutes 1 --threads 2 --runtime libgomp"),
    ("signal stress test, all runtimes", "run --quiet --release --package compat-tests --bin signal_stress -- 100"),
];

/// Runs the slow steps.
fn run_longer(gate: &Gate, warnings: &mut Vec<String>) -> Result<()> {
    for (name, arguments) in LONG_RUNS {
        let arguments: Vec<_> = arguments.split(' ').collect();
        gate.cargo(name, &arguments, &[("ORA_LIB", workspace::library()?.into())])?;
    }
    if requirements::VALGRIND.obstacle().is_none() {
        gate.step("valgrind", || sanitizers::check("memcheck"))?;
    }
    if requirements::CLANG_TSAN_SO.obstacle().is_none() {
        gate.step("sanitizers", || ["address", "thread"].into_iter().try_for_each(sanitizers::check))?;
    }
    gate.step("book", book::build)?;
    if release::changes()?.is_empty() {
        gate.step("release, built twice", release::reproduces)?;
    } else {
        warnings.push("no release is built, as files differ from the commit: its packages are SKIPPED".to_owned());
    }
    if let Some(obstacle) = root::obstacle() {
        warnings.push(format!("packages and compat tests are not tried in other systems: {obstacle}: SKIPPED"));
        return Ok(());
    }
    if release::changes()?.is_empty() {
        gate.step("packages in other systems", release::trial::all)?;
    }
    for (name, release, gcc) in distro::RUNS {
        gate.step(name, || distro::run(release, Some(gcc), &[]))?;
    }
    Ok(())
}
