//! Jobs of CI that are neither the gate nor a command of cargo's.

use anyhow::Result;
use clap::ValueEnum;

use crate::{gate, published, test_programs, workspace};

/// A job of CI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Job {
    /// Format, layers, language and clippy
    Check,
    /// The documentation of all crates, without a warning
    Documentation,
    /// The models of the lock-free types
    Models,
    /// The crates for crates.io, built from their packages
    Crates,
}

/// Runs a job.
pub(crate) fn run(job: Job) -> Result<()> {
    match job {
        Job::Check => gate::checks(),
        Job::Documentation => workspace::run(&mut test_programs::documentation(&[]).command),
        Job::Models => workspace::run(&mut test_programs::models().command),
        Job::Crates => published::build(),
    }
}
