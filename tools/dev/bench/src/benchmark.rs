//! Benchmarks: each prepares subjects, passes them to the one runner, and formats the results as tables.

use anyhow::Result;

use crate::answer::Answer;
use crate::options::{Name, Options};
use crate::programs::Programs;
use crate::{all, constructs, corpus, growth, kernels, libomp, ompt, pomp, profile, tasks, trace, tune};

/// Runs the benchmark.
pub(crate) fn run(name: Name, options: &Options) -> Result<Answer> {
    let packages: &[&str] = match name {
        Name::All | Name::Profile => &["ora", "ora-cli", "ora-profile-collector"],
        Name::Trace => &["ora", "ora-cli", "ora-trace-recorder"],
        Name::Tune => &["ora", "ora-cli", "ora-stat-collector"],
        Name::Growth => &[
            "ora",
            "ora-cli",
            "ora-stat-collector",
            "ora-profile-collector",
            "ora-trace-recorder",
            "ora-race-detector",
            "ora-exec-guard",
        ],
        Name::Corpus => {
            &["ora", "ora-cli", "ora-stat-collector", "ora-profile-collector", "ora-race-detector", "ora-exec-guard"]
        }
        _ => &["ora"],
    };
    let programs = Programs::build(options.library.clone(), packages)?;
    match name {
        Name::Constructs => constructs::measure(&programs, options),
        Name::All => all::measure(&programs, options),
        Name::Tune => tune::measure(&programs, options),
        Name::Growth => growth::measure(&programs, options),
        Name::Corpus => corpus::measure(&programs, options),
        Name::Trace => trace::measure(&programs, options),
        Name::Tasks => tasks::measure(&programs, options),
        Name::Pomp => pomp::measure(&programs, options),
        Name::Bots => kernels::measure(&programs, options),
        Name::Ompt => ompt::measure(&programs, options),
        Name::Libomp => libomp::measure(&programs, options),
        Name::Profile => profile::measure(&programs, options),
    }
}
