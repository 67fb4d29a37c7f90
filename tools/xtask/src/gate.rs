//! The gate: every check and every test, quickest first.

use std::ffi::OsString;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::{
    archive, book, exports, firefox_profiler, headers, install, layers, needs, panics, prose, python, runtimes,
    sanitizers, signal_stress, test_programs, workspace,
};

/// The steps that have passed, with their times.
struct Gate {
    begun: Instant,
    passed: Vec<(&'static str, Duration)>,
}

impl Gate {
    /// Runs one step; a failure ends the gate.
    fn step(&mut self, name: &'static str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        println!("\n==> {name}");
        let begun = Instant::now();
        let result = work();
        let took = begun.elapsed();
        if let Err(error) = result {
            println!(
                "==> {name} failed after {:.1} s; {} steps passed before it",
                took.as_secs_f64(),
                self.passed.len()
            );
            return Err(error.context(format!("the gate stops at `{name}`")));
        }
        println!("==> {name}: {:.1} s", took.as_secs_f64());
        self.passed.push((name, took));
        Ok(())
    }

    /// Runs cargo as one step.
    fn cargo(&mut self, name: &'static str, arguments: &[&str], variables: &[(&str, OsString)]) -> Result<()> {
        self.step(name, || {
            workspace::run(workspace::cargo().args(arguments).envs(variables.iter().map(|(key, value)| (key, value))))
        })
    }
}

/// Runs the gate; with `long` also the slow steps.
pub(crate) fn run(long: bool) -> Result<()> {
    let mut gate = Gate { begun: Instant::now(), passed: Vec::new() };
    let mut warnings = Vec::new();
    gate.step("install what is missing", || {
        warnings = needs::install(long)?;
        Ok(())
    })?;
    // Most of it is waiting for the network.
    let python = thread::spawn(python::prepare);
    checks(&mut gate)?;
    let mut variables = vec![("ORA_LIB", workspace::existing_library(None)?.into_os_string())];
    gate.step("Python packages", || {
        let (python, warning) = python.join().map_err(|_| anyhow!("the preparation of Python has panicked"))??;
        variables.extend(python.map(|python| ("ORA_TEST_PYTHON", python)));
        warnings.extend(warning);
        Ok(())
    })?;
    if long {
        prepare_longer(&mut gate, &mut variables, &mut warnings)?;
    }
    gate.step("tests", || test_programs::run(&variables))?;
    if long {
        run_longer(&mut gate, &mut warnings)?;
    }
    println!();
    for (name, took) in &gate.passed {
        println!("{:>8.1} s  {name}", took.as_secs_f64());
    }
    for warning in &warnings {
        println!("WARNING: {warning}");
    }
    println!("gate passed: {} steps in {:.1} s", gate.passed.len(), gate.begun.elapsed().as_secs_f64());
    Ok(())
}

/// Runs the checks that execute no program.
fn checks(gate: &mut Gate) -> Result<()> {
    gate.cargo("format", &["fmt", "--all", "--check"], &[])?;
    gate.step("layers", layers::check)?;
    gate.step("language", || prose::check(false))?;
    gate.cargo("clippy", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    gate.cargo("build", &["build", "--release"], &[])?;
    gate.step("headers", || headers::generate(true))?;
    gate.step("documents", book::check)?;
    gate.step("exports", || exports::list(true, None))?;
    gate.step("panics", || panics::check(None, false).and_then(|()| panics::sampler::check(false)))?;
    gate.step("installation", install::check::folder)?;
    let models = [
        ("RUSTFLAGS", OsString::from("--cfg loom")),
        ("CARGO_TARGET_DIR", workspace::target().join("loom").into_os_string()),
    ];
    gate.cargo(
        "models (loom)",
        &["test", "--release", "--package", "system", "--package", "ompt-core", "--package", "runtimes", "--lib"],
        &models,
    )?;
    let strict = [("RUSTDOCFLAGS", OsString::from("-D warnings"))];
    gate.cargo("docs", &["doc", "--workspace", "--no-deps", "--quiet"], &strict)
}

/// Prepares the programs and runtimes that the tests need to run completely.
fn prepare_longer(
    gate: &mut Gate,
    variables: &mut Vec<(&'static str, OsString)>,
    warnings: &mut Vec<String>,
) -> Result<()> {
    variables.push(("ORA_COMPAT", OsString::from("full")));
    if Path::new(needs::BROWSER).is_file() {
        variables.push(("ORA_TEST_CHROMIUM", OsString::from(needs::BROWSER)));
    }
    variables.extend(firefox_profiler::prepare(warnings)?.map(|profiler| ("ORA_TEST_FIREFOX_PROFILER", profiler)));
    gate.step("archive for static programs", || {
        variables.push(("ORA_POMP_ARCHIVE", archive::build()?));
        Ok(())
    })?;
    gate.step("OpenMP runtimes", || {
        variables.push(("ORA_TEST_RUNTIMES", runtimes::prepare(warnings)?));
        Ok(())
    })
}

/// Runs the slow steps.
fn run_longer(gate: &mut Gate, warnings: &mut Vec<String>) -> Result<()> {
    gate.cargo("fuzz", &["run", "--release", "--package", "fuzz", "--", "--minutes", "5"], &[])?;
    let parsers = ["run", "--release", "--package", "fuzz", "--", "--parser", "all", "--minutes", "1"];
    gate.cargo("fuzz, parsers", &parsers, &[])?;
    for runtime in ["embed", "libgomp"] {
        let program = ["run", "--release", "--package", "fuzz", "--bin", "throughput", "--"];
        let arguments = [&program[..], &["--minutes", "1", "--threads", "2", "--runtime", runtime]].concat();
        gate.cargo("fuzz, short arrays", &arguments, &[])?;
    }
    gate.step("signal stress test", signal_stress::collector_queries)?;
    gate.step("signal stress test, all runtimes", || signal_stress::all_interfaces(100, &[]))?;
    if needs::in_path("valgrind") {
        gate.step("valgrind", || signal_stress::valgrind().and_then(|()| sanitizers::memcheck()))?;
    }
    if sanitizers::are_here() {
        gate.step("sanitizers", sanitizers::check)?;
    }
    gate.step("book", book::build)?;
    if needs::is_root() {
        gate.step("Debian package", install::check::package)?;
    } else {
        warnings
            .push("the Debian package is not tried on an empty system, which only root can make: SKIPPED".to_owned());
    }
    Ok(())
}
