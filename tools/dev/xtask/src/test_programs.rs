//! Runs the workspace's tests, which cargo builds in one step and which then run in parallel lanes.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::test_compiler::{self, STARTERS};
use crate::{root::Root, workspace};

/// Timeout of a test program; some take some minutes with `--long`.
const LONGEST_RUN: Duration = Duration::from_secs(2 * 60 * 60);

/// Number of packages, counted from the first of the starters, whose tests take minutes.
const LARGE: usize = 2;

/// Build of the documentation, which runs in parallel with the tests.
const DOCUMENTATION: &str = "documentation";

/// Programs with their own `main`, which print no result line.
const WITHOUT_RESULT: [&str; 3] = ["fuzz (test replay)", "fuzz (test replay_plain)", DOCUMENTATION];

/// Test program, or a cargo command that runs in parallel with these.
pub(crate) struct Program {
    /// Package and target, for messages.
    name: String,
    pub(crate) command: Command,
}

/// Option of Rust's test harness that adds the slow tests, which have `#[ignore]`.
pub(crate) const WITH_SLOW: &str = "--include-ignored";

/// Runs test programs with these environment variables and, in parallel, the `builds`. Without `all`, slow tests are omitted.
pub(crate) fn run(
    mut programs: Vec<Program>,
    builds: Vec<Program>,
    variables: &[(&str, OsString)],
    all: bool,
) -> Result<()> {
    let output = workspace::target().join("tmp/test-output");
    std::fs::create_dir_all(&output).with_context(|| format!("can't create {}", output.display()))?;
    programs.sort_by_key(rank);
    if all {
        let with_harness = programs.iter_mut().filter(|program| has_harness(&program.name));
        with_harness.for_each(|program| _ = program.command.arg(WITH_SLOW));
    }
    // A lane of their own: one after the other with the small programs they would take longer than the two large ones.
    let mut lanes = BTreeMap::from([(LARGE + 1, builds)]);
    for program in programs {
        let lane = match rank(&program).min(LARGE) {
            // In parallel, slow tests of these two packages would take longer than one after the other, because waiting threads spin.
            large if all && large < LARGE => 0,
            lane => lane,
        };
        lanes.entry(lane).or_default().push(program);
    }
    thread::scope(|scope| {
        let run = |(lane, programs): (usize, _)| {
            let output = output.join(lane.to_string());
            scope.spawn(move || each(programs, variables, &output))
        };
        let lanes: Vec<_> = lanes.into_iter().map(run).collect();
        let results = lanes.into_iter().map(|lane| lane.join().unwrap_or_else(|_| bail!("a lane has panicked")));
        let failed: Vec<_> = results.filter_map(|result| Some(result.err()?.to_string())).collect();
        ensure!(failed.is_empty(), "{}", failed.join("\n"));
        Ok(())
    })
}

/// Builds the test programs of a package, and runs their tests in a root that shows the project: those whose names contain one of `words`,
/// or all if there are none.
pub(crate) fn run_in(
    root: &Root,
    package: &str,
    words: &[String],
    variables: &[(impl AsRef<OsStr>, OsString)],
) -> Result<()> {
    let in_root = |Program { name, command }| {
        let folder = command.get_current_dir().context("a test program has no folder")?;
        let mut there = root.command_in(folder, command.get_program());
        there.arg(WITH_SLOW).args(words).envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Ok(Program { name, command: there })
    };
    let (programs, _) = built(&["--package", package], &["--test", "*"])?;
    let programs = programs.into_iter().map(in_root);
    each(programs.collect::<Result<_>>()?, variables, &root.folder().with_extension("output"))
}

/// Runs some tests of a package, one at a time, while nothing else runs: figures have tighter bounds there.
pub(crate) fn run_alone(package: &str, words: &[&str], variables: &[(&str, OsString)]) -> Result<()> {
    // Built alone, the package's libraries would have other features, and would be recompiled.
    let (mut programs, _) = build(true)?;
    programs.retain(|program| program.name.starts_with(&format!("{package} (test ")));
    for Program { command, .. } in &mut programs {
        command.arg(WITH_SLOW).args(words).args(["--test-threads", "1"]).env("ORA_TEST_IDLE", "1");
    }
    each(programs, variables, &workspace::target().join("tmp/test-output/alone"))
}

/// Runs programs one after the other; fails, after all have run, if one did.
fn each(programs: Vec<Program>, variables: &[(impl AsRef<OsStr>, OsString)], output: &Path) -> Result<()> {
    let mut failed = Vec::new();
    for Program { name, mut command } in programs {
        command.envs(variables.iter().map(|(key, value)| (key, value)));
        match one(&name, &mut command, output) {
            Ok(true) => {}
            Ok(false) => failed.push(name),
            Err(error) => failed.push(format!("{name}: {error:#}")),
        }
    }
    ensure!(failed.is_empty(), "failed:\n  {}", failed.join("\n  "));
    Ok(())
}

/// Runs one test program; returns true if all its tests passed. If not, its whole output is printed.
fn one(name: &str, command: &mut Command, output: &Path) -> Result<bool> {
    let begun = Instant::now();
    println!("begins  {name}");
    // A file instead of a pipe, which a process that a test leaves running would keep open. The file is new, so that such a process doesn't
    // write to the next test's file.
    let _ = std::fs::remove_file(output);
    let file = File::create(output).with_context(|| format!("can't create {}", output.display()))?;
    let again = file.try_clone().context("can't share the output file")?;
    let child = command.stdin(Stdio::null()).stdout(file).stderr(again).spawn();
    let mut child = child.with_context(|| format!("can't start {}", Path::new(command.get_program()).display()))?;
    let status = loop {
        if let Some(status) = child.try_wait().context("can't wait for a test program")? {
            break status;
        }
        if begun.elapsed() > LONGEST_RUN {
            child.kill().context("can't end a test program")?;
            println!("{name} ran for {} s, and is ended. Its last lines name the tests.", LONGEST_RUN.as_secs());
        }
        thread::sleep(Duration::from_millis(50));
    };
    let said = String::from_utf8_lossy(&std::fs::read(output).unwrap_or_default()).into_owned();
    let took = begun.elapsed().as_secs_f64();
    let results: Vec<_> = said.lines().filter_map(counts).collect();
    // If a test ends the process with code 0, the tests after it would count as passed.
    let ended = !results.is_empty() || !has_harness(name);
    if status.success() && ended {
        let (passed, slow) = results.iter().fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
        let more = if slow > 0 { format!(" and {slow} slow ones left out") } else { String::new() };
        println!("ok      {name}: {passed} tests{more}, {took:.1} s");
    } else {
        println!("FAILED  {name}: {status}, {took:.1} s\n{said}");
    }
    Ok(status.success() && ended)
}

/// True for the programs that use Rust's test harness, which are all but a few.
fn has_harness(name: &str) -> bool {
    !WITHOUT_RESULT.contains(&name)
}

/// Numbers of passed and of ignored tests in `test result: ok. 12 passed; 0 failed; 3 ignored; ...`.
fn counts(line: &str) -> Option<(usize, usize)> {
    let (_, rest) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let count = |what: &str| rest.split("; ").find_map(|part| part.strip_suffix(what)?.trim().parse().ok());
    Some((count("passed")?, count("ignored")?))
}

/// Builds all test programs and the programs that they start, so that each crate is compiled once for all of them. Also returns true if
/// all were compiled now, which means that they were linted. With `benchmarks`, also those that run
/// the benchmarks for a minute.
pub(crate) fn build(benchmarks: bool) -> Result<(Vec<Program>, bool)> {
    let mut kinds = vec!["--tests", "--examples"];
    if benchmarks {
        kinds.extend(["--features", "bench/measure"]);
    }
    let (mut programs, are_linted) = built(&["--workspace", "--exclude", "xtask"], &kinds)?;
    // Built together with the others, this program's libraries would have more features than they were compiled with.
    let (own, is_linted) = built(&["--package", "xtask"], &["--bins"])?;
    programs.extend(own);
    Ok((programs, are_linted && is_linted))
}

/// Builds the test programs of these kinds. Also returns true if all were compiled now, and linted.
fn built(packages: &[&str], kinds: &[&str]) -> Result<(Vec<Program>, bool)> {
    let mut command = workspace::cargo();
    command.args(["test", "--release", "--no-run", "--message-format", "json-render-diagnostics"]);
    command.args(packages).args(kinds);
    let lints = test_compiler::set(&mut command);
    // Cargo shows its progress on stderr.
    let messages = workspace::read(command.stderr(Stdio::inherit()))?;
    let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    let built: Vec<_> = messages.filter_map(|message| Some((program(&message)?, is_new(&message)))).collect();
    ensure!(!built.is_empty(), "cargo has named no test program of `{}`", kinds.join(" "));
    let are_linted = lints && built.iter().all(|(_, is_new)| *is_new);
    Ok((built.into_iter().map(|(program, _)| program).collect(), are_linted))
}

/// True if cargo compiled the artifact of this message now.
fn is_new(message: &Value) -> bool {
    message.get("fresh") == Some(&Value::Bool(false))
}

/// Position of a program in the order: those that start others come first.
fn rank(program: &Program) -> usize {
    let package = program.name.split(' ').next().unwrap_or_default();
    STARTERS.iter().position(|starter| *starter == package).unwrap_or(STARTERS.len())
}

/// Test program that a message of cargo announces ("Cargo book", "JSON messages", "Artifact messages").
fn program(message: &Value) -> Option<Program> {
    if message.get("reason")? != "compiler-artifact" || message.get("profile")?.get("test")? != true {
        return None;
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let executable = text(message.get("executable")?)?;
    let folder = PathBuf::from(text(message.get("manifest_path")?)?).parent()?.to_path_buf();
    let target = message.get("target")?;
    let kind = target.get("kind")?.get(0)?.as_str()?;
    let package = package(message.get("package_id")?.as_str()?, &folder);
    let name = format!("{package} ({kind} {})", target.get("name")?.as_str()?);
    let mut command = Command::new(executable);
    // As cargo runs it ("Cargo book", "Environment variables Cargo sets for crates"), except for the path of libraries, which would be that
    // of the running program.
    command.current_dir(&folder).env_remove("LD_LIBRARY_PATH").env_remove("CARGO_MANIFEST_PATH");
    command.env("CARGO_MANIFEST_DIR", &folder).env("CARGO_PKG_NAME", &package);
    if STARTERS.contains(&package.as_str()) && env::var_os("RUST_TEST_THREADS").is_none() {
        // Some of their tests sleep.
        let tests = thread::available_parallelism().map_or(2, |processors| processors.get() + 1);
        command.env("RUST_TEST_THREADS", tests.to_string());
    }
    Some(Program { name, command })
}

/// Name of a package in its id, `path+file:///folder#name@1.0.0` or, if name and folder are the same, `...#1.0.0`.
fn package(id: &str, folder: &Path) -> String {
    let behind = id.rsplit_once('#').map_or(id, |(_, behind)| behind);
    match behind.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    }
}

/// Builds the documentation of these crates, or of all of them if there are none; a warning is an error.
pub(crate) fn documentation(crates: &'static [&str]) -> Program {
    let mut command = idly(["doc", "--release", "--no-deps"]);
    command.env("RUSTDOCFLAGS", "-D warnings").args(crates.iter().flat_map(|name| ["--package", name]));
    if crates.is_empty() {
        command.arg("--workspace");
    }
    Program { name: DOCUMENTATION.to_owned(), command }
}

/// Models of the lock-free types. They run for a second or two; most of the time is spent on compiling `loom`.
pub(crate) fn models() -> Program {
    let packages = ["--package", "ora-system", "--package", "ompt-core", "--package", "ora-runtimes"];
    let mut command = idly(["test", "--lib"].into_iter().chain(packages));
    command.env("RUSTFLAGS", "--cfg loom").env("CARGO_TARGET_DIR", workspace::target().join("loom"));
    Program { name: "models (loom)".to_owned(), command }
}

/// Cargo command at a lower priority than the tests, some of which sleep.
fn idly(arguments: impl IntoIterator<Item = &'static str>) -> Command {
    let cargo = workspace::cargo();
    let mut command = Command::new("nice");
    command.args(["-n", "5"]).arg(cargo.get_program()).args(arguments).current_dir(workspace::root());
    command
}

/// Examples in the documentation, which only cargo can run.
pub(crate) fn examples() -> Program {
    let mut command = workspace::cargo();
    command.args(["test", "--release", "--workspace", "--doc", "--no-fail-fast"]);
    Program { name: "examples of the documentation".to_owned(), command }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_named_in_its_id_or_by_its_folder() {
        let folder = Path::new("/p/tools/hang");
        assert_eq!(package("path+file:///p/tools/hang#0.1.0", folder), "hang");
        assert_eq!(package("path+file:///p/ora/runtimes#other@0.1.0", folder), "other");
    }

    #[test]
    fn passed_and_ignored_tests_are_counted() {
        let line = "test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(counts(line), Some((12, 3)));
        assert_eq!(counts("test a ... ok"), None);
    }

    #[test]
    fn only_test_programs_are_run() {
        let message = |test: bool| {
            serde_json::json!({
                "reason": "compiler-artifact", "package_id": "path+file:///p/ora#0.1.0", "manifest_path": "/p/ora/Cargo.toml",
                "target": { "kind": ["test"], "name": "wire" }, "profile": { "test": test }, "executable": "/p/target/wire",
                "fresh": test,
            })
        };
        assert_eq!(program(&message(true)).unwrap().name, "ora (test wire)");
        assert!(program(&message(false)).is_none());
        assert!(!is_new(&message(true)) && is_new(&message(false)));
    }
}
