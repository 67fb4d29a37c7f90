//! Compilers, runtimes and programs that the gate and the tests need.
//!
//! That a name is in `PATH` proves little: `mpicc` may be installed without MPI's headers, clang without OpenMP's, and valgrind without the
//! dynamic linker's symbols that it needs. So each requirement is tried once in a process: a minimal program is compiled and run. One line
//! is printed for each part that is missing or incomplete; with `CI=true` that is a failure.
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

/// Release of LLVM that the gate uses and that tables name.
pub const LLVM: &str = "19";

/// Release of LLVM under test: `ORA_TEST_LLVM`, or else the gate's.
pub fn llvm() -> &'static str {
    static RELEASE: OnceLock<String> = OnceLock::new();
    RELEASE.get_or_init(|| env::var("ORA_TEST_LLVM").unwrap_or_else(|_| LLVM.to_owned()))
}

/// True if a missing part is a failure, which it is on the gate's own machine.
pub fn is_ci() -> bool {
    env::var_os("CI").is_some_and(|ci| ci == "true")
}

/// Part of the machine, and how to try it.
#[derive(Debug)]
pub struct Requirement {
    /// Name in messages. In this and all other texts `{llvm}` is the release of LLVM.
    name: &'static str,
    /// Debian packages that contain it.
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

    /// Debian packages that contain it.
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

    /// The fault found by trying it, which happens once in a process; `None` if it works.
    pub fn obstacle(&self) -> Option<&str> {
        self.obstacle.get_or_init(|| self.tried(&env::var_os("PATH").unwrap_or_default())).as_deref()
    }

    /// Tries it with the programs in these folders; returns the fault, or `None` if it works.
    pub fn tried(&self, path: &OsStr) -> Option<String> {
        self.trial.run(path).err()
    }

    /// The fault and the Debian packages that cure it; `None` if it works.
    pub fn complaint(&self) -> Option<String> {
        let obstacle = self.obstacle()?;
        let packages: Vec<_> = self.packages().collect();
        Some(format!("{}: {obstacle} (Debian: {})", self.name(), packages.join(", ")))
    }

    /// True if it works. If not, prints that the test is skipped.
    ///
    /// # Panics
    /// With `CI=true`, if it doesn't work. A part that only the long gate needs may be missing from the short one.
    pub fn is_here(&self, test: impl Display) -> bool {
        let Some(complaint) = self.complaint() else { return true };
        let is_needed = !self.long || env::var_os("ORA_COMPAT").is_some_and(|matrix| matrix == "full");
        assert!(!(is_ci() && is_needed), "{complaint}; CI must run every test");
        skips::skip(test, &complaint);
        // Rust's harness hides the output of a test that passes, but doesn't capture what is written like this.
        self.said.call_once(|| _ = writeln!(io::stderr(), "\nSKIPPED: all that needs {complaint}"));
        false
    }
}

/// The text with the release of LLVM.
fn with_release(text: &str) -> String {
    text.replace("{llvm}", llvm())
}
