//! Jobs of CI that are not the gate.

use std::process::Command;

use anyhow::Result;
use clap::ValueEnum;

use crate::{gate, published, test_programs, workspace};

/// A job of CI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Job {
    /// Format, layers, language and clippy
    Check,
    /// The product with the oldest Rust that is promised, which rustup has to have
    Msrv,
    /// The documentation of all crates, without a warning
    Documentation,
    /// The models of the lock-free types
    Models,
    /// Requests and parsers of outside bytes, a minute each
    Fuzz,
    /// Known faults, licenses and sources of the crates that are used; needs cargo-deny
    Advisories,
    /// The crates for crates.io, built from their packages
    Crates,
    /// The workflows of CI; needs actionlint and zizmor
    Workflows,
}

/// Runs a job.
pub(crate) fn run(job: Job) -> Result<()> {
    let cargo = |line: &str| workspace::run(workspace::cargo().args(line.split_whitespace()));
    match job {
        Job::Check => gate::checks(),
        // `CARGO` would be the cargo that runs this program.
        Job::Msrv => workspace::run(Command::new("rustup").current_dir(workspace::root()).env_remove("CARGO").args([
            "run",
            env!("CARGO_PKG_RUST_VERSION"),
            "cargo",
            "build",
            "--locked",
            "--target-dir",
            "target/msrv",
        ])),
        Job::Documentation => workspace::run(&mut test_programs::documentation(&[]).command),
        Job::Models => workspace::run(&mut test_programs::models().command),
        Job::Fuzz => cargo("run --release --package fuzz -- --minutes 1")
            .and_then(|()| cargo("run --release --package fuzz -- --parser all --minutes 1")),
        Job::Advisories => cargo("deny --all-features check"),
        Job::Crates => published::build(),
        Job::Workflows => {
            ["actionlint -no-color", "zizmor --offline --no-progress .github"].iter().try_for_each(|line| {
                let mut words = line.split(' ');
                let program = words.next().unwrap_or_default();
                workspace::run(Command::new(program).current_dir(workspace::root()).args(words))
            })
        }
    }
}
