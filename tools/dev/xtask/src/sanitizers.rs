//! The library with a sanitizer's instrumentation, under its unit tests and the programs of the compat tests; and the
//! unit tests under valgrind.
//!
//! The instrumentation needs flags of nightly compilers: `RUSTC_BOOTSTRAP=1`, for these builds only, never for a
//! product. Its runtime is clang's, and preloaded into each program.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::test_programs::WITH_SLOW;
use crate::workspace;

const TARGET: &str = "x86_64-unknown-linux-gnu";
const RUNTIMES: &str = "/usr/lib/llvm-19/lib/clang/19/lib/linux";
/// Crates whose code runs in other people's programs. The profiler is left out: it interposes the same functions as
/// sanitizers.
const CRATES: &str = "ora ompt-core ora-system ora-runtimes ora-stat-collector ora-stat-layout ora-client ora-request-log \
    ora-profile-format ora-validate-tool";

/// A sanitizer, with its flags and tests.
struct Sanitizer {
    name: &'static str,
    flags: &'static str,
    variable: &'static str,
    options: &'static str,
    /// Modules of the compat tests.
    tests: &'static str,
    /// Compat tests that can't run with the sanitizer.
    without: &'static [&'static str],
    /// Runtimes of the throughput driver.
    throughput: &'static [&'static str],
}

/// AddressSanitizer. Tests are left out that compare memory, limits and refusals with those of the bare program, have
/// stacks of a few kilobytes or code at fixed addresses, bring a sanitizer of their own, or have the library in an
/// archive.
fn address() -> Sanitizer {
    Sanitizer {
        name: "asan",
        flags: "-Zsanitizer=address",
        variable: "ASAN_OPTIONS",
        options: "detect_leaks=0",
        tests: "task_id_queries blocked counts embed endings hostile_tools kernels many_ids ompt5 ompt5_sampling \
            ompt5_discovery llvm_runtime llvm_runtime_collectors llvm_runtime_tools llvm_runtime_tr2 \
            llvm_runtime_discovery tool_in_program pomp predecessors private_bindings private_runtimes sampling \
            session_stress sessions three_interfaces tr2 tr2_programs transparency waits loading",
        without: &[
            // The program joins a thread twice, which AddressSanitizer ends it for.
            "the_main_thread_may_end_before_another",
            // A program with more rights loads no sanitizer.
            "a_program_with_more_rights",
            "a_program_with_the_archive_and_a_tool_has_one_definition",
            // It compares the memory of processes.
            "libgomps_that_come_and_go",
            "helgrind",
        ],
        throughput: &["embed", "libgomp"],
    }
}

/// ThreadSanitizer. It doesn't see the synchronization inside of OpenMP runtimes. So its tests are programs with little
/// other synchronization. No report is suppressed: to compare a report's names, the sanitizer takes the dynamic linker's
/// lock under one of its own, which hangs beside a thread that walks the list of loaded objects.
fn thread() -> Sanitizer {
    Sanitizer {
        name: "tsan",
        flags: "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer",
        variable: "TSAN_OPTIONS",
        options: "ignore_noninstrumented_modules=1",
        tests: "embed session_stress sessions waits",
        without: &["helgrind"],
        throughput: &["embed"],
    }
}

/// The unit tests under valgrind's memcheck; a finding is a failure.
pub(crate) fn memcheck() -> Result<()> {
    let mut unit = workspace::cargo();
    unit.args(["test", "--release", "--quiet", "--lib"]);
    unit.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "valgrind --quiet --error-exitcode=9 --leak-check=no");
    workspace::run(in_crates(&mut unit))
}

/// Runs the tests with each sanitizer; a finding is a failure.
pub(crate) fn check() -> Result<()> {
    workspace::run(workspace::cargo().args([
        "build",
        "--release",
        "--quiet",
        "--package",
        "fuzz",
        "--bin",
        "throughput",
    ]))?;
    for sanitizer in [address(), thread()] {
        sanitizer.check()?;
    }
    Ok(())
}

/// True if the sanitizers' runtimes are installed.
pub(crate) fn are_here() -> bool {
    ["asan", "tsan"].iter().all(|name| runtime(name).is_file())
}

fn runtime(name: &str) -> PathBuf {
    Path::new(RUNTIMES).join(format!("libclang_rt.{name}-x86_64.so"))
}

fn in_crates(command: &mut Command) -> &mut Command {
    CRATES.split_whitespace().fold(command, |command, name| command.args(["--package", name]))
}

impl Sanitizer {
    /// Path of the sanitizer's runtime.
    fn runtime(&self) -> Result<PathBuf> {
        let file = runtime(self.name);
        if !file.is_file() {
            bail!("{} is missing. Next: apt-get install libclang-rt-19-dev", file.display());
        }
        Ok(file)
    }

    /// Cargo command that builds with the instrumentation.
    fn cargo(&self, command: &str) -> Command {
        let mut cargo = workspace::cargo();
        cargo.args([command, "--release", "--quiet", "--target", TARGET]);
        cargo.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", self.flags).env("CARGO_TARGET_DIR", self.folder());
        cargo.env(self.variable, self.options);
        cargo
    }

    fn folder(&self) -> PathBuf {
        workspace::target().join(self.name)
    }

    fn check(&self) -> Result<()> {
        let runtime = self.runtime()?;
        println!("{}: the library", self.name);
        workspace::run(self.cargo("build").args(["--package", "ora"]))?;
        let library = self.folder().join(TARGET).join("release/libora.so");
        // Rust's own test harness is not made for ThreadSanitizer: it was compiled without.
        if self.name == "asan" {
            println!("{}: unit tests", self.name);
            workspace::run(in_crates(self.cargo("test").arg("--lib")))?;
        }
        println!("{}: programs", self.name);
        let mut programs = workspace::cargo();
        programs.args(["test", "--release", "--quiet", "--package", "compat-tests", "--test", "all", "--"]);
        programs.arg(WITH_SLOW);
        self.tests.split_whitespace().for_each(|test| _ = programs.arg(format!("{test}::")));
        self.without.iter().for_each(|test| _ = programs.args(["--skip", test]));
        programs.env("ORA_TEST_SANITIZER", &runtime).env("ORA_LIB", &library).env(self.variable, self.options);
        workspace::run(&mut programs)?;
        for kind in self.throughput {
            println!("{}: short arrays of requests, {kind}", self.name);
            let mut driver = Command::new(workspace::target().join("release/throughput"));
            driver.args(["--threads", "4", "--millions", "2", "--runtime", kind, "--library"]).arg(&library);
            workspace::run(driver.env("LD_PRELOAD", &runtime).env(self.variable, self.options))?;
        }
        Ok(())
    }
}
