//! Compilers, runtimes and programs that the gate and the tests need.
//!
//! A name in `PATH` says little: `mpicc` comes without MPI's headers, clang without OpenMP's, valgrind without the symbols that it
//! needs of the dynamic linker. So each requirement is tried, by a minimal program that it compiles and runs, once in a process.
//! For each part that is missing or incomplete one line is printed; with `CI=true` that is a failure.
#![allow(clippy::panic, reason = "a harness has only one way to say that a test has failed")]

pub mod skips;
mod table;
mod trial;

use std::env;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::{Once, OnceLock};

pub use table::*;
use trial::Trial;

/// The release of LLVM that the gate takes, and that tables name.
pub const LLVM: &str = "19";

/// The release of LLVM that is tested: `ORA_TEST_LLVM`, else that of the gate.
pub fn llvm() -> &'static str {
    static RELEASE: OnceLock<String> = OnceLock::new();
    RELEASE.get_or_init(|| env::var("ORA_TEST_LLVM").unwrap_or_else(|_| LLVM.to_owned()))
}

/// True if what is missing is a failure: on the gate's own machine.
pub fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|ci| ci == "true")
}

/// A part of the machine, and how it is tried.
#[derive(Debug)]
pub struct Requirement {
    /// Name in messages. In this and all other texts `{llvm}` is the release of LLVM.
    name: &'static str,
    /// Packages of Debian's that bring it.
    packages: &'static [&'static str],
    /// Consequence of its absence; `None`: nothing works without it.
    without: Option<&'static str>,
    /// True if only the long gate needs it.
    long: bool,
    trial: Trial,
    obstacle: OnceLock<Option<String>>,
    said: Once,
}

impl Requirement {
    const fn new(name: &'static str, packages: &'static [&'static str], trial: Trial) -> Self {
        Self { name, packages, without: None, long: false, trial, obstacle: OnceLock::new(), said: Once::new() }
    }

    const fn or(mut self, without: &'static str) -> Self {
        self.without = Some(without);
        self
    }

    const fn for_long(mut self) -> Self {
        self.long = true;
        self
    }

    /// Name in messages.
    pub fn name(&self) -> String {
        with_release(self.name)
    }

    /// Packages of Debian's that bring it.
    pub fn packages(&self) -> impl Iterator<Item = String> {
        self.packages.iter().map(|package| with_release(package))
    }

    /// Consequence of its absence; `None`: nothing works without it.
    pub fn without(&self) -> Option<&'static str> {
        self.without
    }

    /// True if only the long gate needs it.
    pub fn is_for_long(&self) -> bool {
        self.long
    }

    /// The programs and files that it consists of.
    pub fn programs(&self) -> impl Iterator<Item = String> {
        self.trial.programs().map(with_release)
    }

    /// The fault found by trying it, once in a process; `None`: it works.
    pub fn obstacle(&self) -> Option<&str> {
        self.obstacle.get_or_init(|| self.tried(&env::var_os("PATH").unwrap_or_default())).as_deref()
    }

    /// Tries it with the programs in these folders.
    pub fn tried(&self, path: &OsStr) -> Option<String> {
        self.trial.run(path).err()
    }

    /// The fault and the next step; `None`: it works.
    pub fn complaint(&self) -> Option<String> {
        let obstacle = self.obstacle()?;
        let packages: Vec<_> = self.packages().collect();
        Some(format!("{}: {obstacle} (Debian: {})", self.name(), packages.join(", ")))
    }

    /// True if it works. If not, the test is skipped.
    ///
    /// # Panics
    /// With `CI=true`, if it doesn't work; where only the long gate needs it, there.
    pub fn is_here(&self, test: impl Display) -> bool {
        let Some(complaint) = self.complaint() else { return true };
        let is_needed = !self.long || env::var_os("ORA_COMPAT").is_some_and(|matrix| matrix == "full");
        assert!(!(is_ci() && is_needed), "{complaint}; CI must run every test");
        skips::skip(test, &complaint);
        // Rust's harness shows no output of a test that passes; this it doesn't catch.
        self.said.call_once(|| _ = writeln!(io::stderr(), "\nSKIPPED: all that needs {complaint}"));
        false
    }
}

/// The text with the release of LLVM.
fn with_release(text: &str) -> String {
    text.replace("{llvm}", llvm())
}
