//! Builds the fuzz targets on the stable toolchain, with the coverage instrumentation of cargo-fuzz; but only the project's own library is
//! instrumented. This makes the target three times as fast, and the coverage contains no branches of the reference.
//!
//! Cargo passes flags either to all crates or to none. So this command also serves as cargo's wrapper around rustc.

use anyhow::{Context, Result, ensure};
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

/// Crates of the library.
const LIBRARY: [&str; 4] = ["ora", "runtimes", "ompt_core", "system"];
/// Crates that parse untrusted bytes, and parsers that they use.
const PARSERS: [&str; 12] = [
    "system",
    "runtimes",
    "ora_profiler",
    "profile_format",
    "race_format",
    "trace_format",
    "trace_analysis",
    "decode",
    "ora_request_log",
    "profile_analysis",
    "symbols",
    "gimli",
];
/// Traces comparisons in these crates as well, because the formats determine the numbers in a file.
const COMPARED: &str = "-Cllvm-args=-sanitizer-coverage-trace-compares";
/// Checks arithmetic in the project's own crates, except for the profiler, which contains gimli's generic code.
const CHECKED: [&str; 2] = ["-Coverflow-checks=on", "-Cdebug-assertions=on"];
/// Coverage of every edge, for libFuzzer. Comparisons are not traced: the files' own language determines the numbers, and the parser of the
/// list of mappings would take most of the time.
const COVERAGE: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=3",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Ccodegen-units=1",
];
/// Coverage for `llvm-cov`, with names that it can read even if it was built without zlib.
const MEASURED: [&str; 3] =
    ["-Cinstrument-coverage", "-Cllvm-args=-enable-name-compression=false", "-Ccodegen-units=1"];
/// Coverage of branches, for compilers that permit it.
const BRANCHES: &str = "-Zcoverage-options=branch";
const WRAPS: &str = "ORA_FUZZ_WRAPS_RUSTC";

/// Kind of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// The request target, for libFuzzer.
    Guided,
    /// The parser target, for libFuzzer.
    Parsers,
    /// The request target with AddressSanitizer.
    Asan,
    /// The request target with coverage for `llvm-cov`.
    Measured,
}

impl Build {
    /// Name by which the rustc wrapper identifies the build.
    fn word(self) -> &'static str {
        match self {
            Self::Guided | Self::Asan => "guided",
            Self::Parsers => "parsers",
            Self::Measured => "measured",
        }
    }
}

/// True if the compiler accepts unstable flags.
fn is_bootstrapping() -> bool {
    env::var_os("RUSTC_BOOTSTRAP").is_some_and(|value| value == "1")
}

/// The project's folder.
pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Folder for builds, found files and copies.
pub(crate) fn out_dir() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| project().join("target"), PathBuf::from).join("fuzz")
}

/// Builds the target of a project, and returns its path. `name` is its folder. Cargo doesn't distinguish two copies of a project and
/// doesn't notice changed flags, so each copy and each set of flags needs its own folder.
pub(crate) fn target(project: &Path, name: &str, build: Build) -> Result<PathBuf> {
    let out = out_dir().join(name);
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(project).env("CARGO_TARGET_DIR", &out);
    // Wraps only crates of the workspace, except when building parsers.
    let wrapper = if build == Build::Parsers { "RUSTC_WRAPPER" } else { "RUSTC_WORKSPACE_WRAPPER" };
    cargo.env(wrapper, env::current_exe()?).env(WRAPS, build.word());
    let (package, program) = if build == Build::Parsers { ("parsers", "parser") } else { ("fuzz", "target") };
    cargo.args(["build", "--quiet", "--release", "--features=libfuzzer", "--package", package, "--bin", program]);
    // With an explicit target, build scripts and macros don't get the flags.
    const TARGET: &str = "x86_64-unknown-linux-gnu";
    cargo.args(["--target", TARGET]);
    if build == Build::Asan {
        cargo.env("RUSTFLAGS", "-Zsanitizer=address");
    }
    let status = cargo.status().context("cargo starts")?;
    ensure!(status.success(), "the target does not build ({status})");
    Ok(out.join(TARGET).join("release").join(program))
}

/// If this process is the wrapper, runs rustc, with the coverage flags where they belong. Returns otherwise.
///
/// # Errors
/// If rustc does not start.
pub(crate) fn wrap_rustc() -> Result<()> {
    let Some(wanted) = env::var_os(WRAPS) else { return Ok(()) };
    let mut arguments = env::args_os().skip(1);
    let mut rustc = Command::new(arguments.next().context("cargo names rustc")?);
    let arguments = arguments.collect::<Vec<OsString>>();
    let mut names = arguments.iter().skip_while(|argument| *argument != "--crate-name").skip(1);
    let name = names.next();
    let is = |known: &str| name.is_some_and(|name| name == known);
    // After the arguments: the first one may be the compiler, if rustc is another wrapper.
    rustc.args(&arguments);
    if wanted == "parsers" {
        if PARSERS.iter().any(|known| is(known)) {
            rustc.args(COVERAGE).arg(COMPARED).args(if is("gimli") || is("ora_profiler") { &[][..] } else { &CHECKED });
        }
    } else if LIBRARY.iter().any(|known| is(known)) {
        if wanted != "measured" {
            rustc.args(COVERAGE);
        } else {
            rustc.args(MEASURED).args(is_bootstrapping().then_some(BRANCHES));
        }
    } else if wanted == "measured" && is("target") {
        // The program itself contains the code that writes the counts.
        rustc.args(MEASURED);
    }
    exit(rustc.status().context("rustc starts")?.code().unwrap_or(1));
}

/// Command that runs the target.
pub(crate) fn run(target: &Path) -> Command {
    let mut command = Command::new(target);
    // Marks must be in real stack frames instead of the sanitizer's.
    command.env("ASAN_OPTIONS", "detect_stack_use_after_return=0");
    command
}
