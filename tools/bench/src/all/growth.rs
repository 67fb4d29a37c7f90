//! How the cost of watching grows: with threads, far beyond the processors, and with tasks that are alive at once.

use std::collections::BTreeMap;
use std::ffi::OsString;

use anyhow::Result;
use serde::Serialize;

use super::levels::{COUNTED, Levels};
use super::subjects::{Host, Subject};
use crate::rows::Mode;
use crate::samples::Samples;

/// Sizes of the team.
const THREADS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// What they do.
const CONSTRUCTS: [&str; 3] = ["dynamic_1", "tasks_of_all", "critical"];
const LIVE: [u32; 5] = [1, 1_000, 100_000, 1_000_000, 10_000_000];
/// LLVM's runtime takes minutes for more, with or without us.
const LIVE_ON_LIBOMP: u32 = 1_000_000;

/// By host; the rows are the construct and the number of threads, or the number of tasks.
#[derive(Serialize)]
pub(super) struct Growth {
    pub(super) rounds: u32,
    /// Nanoseconds of a construct.
    pub(super) threads: BTreeMap<Host, Samples>,
    /// Nanoseconds of a task.
    pub(super) live: BTreeMap<Host, Samples>,
}

impl Growth {
    pub(super) fn measure(levels: &Levels<'_>, subjects: &[Subject], quick: bool) -> Result<Self> {
        let rounds = if quick { 1 } else { 5 };
        let (mut threads, mut live) = (BTreeMap::new(), BTreeMap::new());
        for round in 0..rounds {
            for subject in subjects {
                eprint!("\rgrowth, round {} of {rounds}: {:32}", round + 1, subject.title());
                for level in COUNTED {
                    if subject.is_live() {
                        tasks(levels, level, subject, quick, live.entry(subject.host).or_default())?;
                    } else if !subject.constructs().is_empty() {
                        teams(levels, level, subject, quick, threads.entry(subject.host).or_default())?;
                    }
                }
            }
        }
        eprintln!();
        Ok(Self { rounds, threads, live })
    }
}

fn teams(levels: &Levels<'_>, level: Mode, subject: &Subject, quick: bool, samples: &mut Samples) -> Result<()> {
    for threads in THREADS.into_iter().take(if quick { 2 } else { THREADS.len() }) {
        let arguments: Vec<OsString> = ["time", "3"].iter().chain(&CONSTRUCTS).map(OsString::from).collect();
        // Threads that spin would only wait for each other's processors.
        let values = subject.run_with(levels, level, &arguments, threads, &[("OMP_WAIT_POLICY", "passive")])?;
        for (construct, value) in values {
            samples.add(&row(&construct, threads), level, value);
        }
    }
    Ok(())
}

fn tasks(levels: &Levels<'_>, level: Mode, subject: &Subject, quick: bool, samples: &mut Samples) -> Result<()> {
    let most = if subject.host == Host::Libomp { LIVE_ON_LIBOMP } else { u32::MAX };
    for count in LIVE.into_iter().take(if quick { 2 } else { LIVE.len() }).filter(|count| *count <= most) {
        let values = subject.run_with(levels, level, &[count.to_string().into()], 2, &[("OMP_STACKSIZE", "12G")])?;
        values.values().for_each(|value| samples.add(&row("", count), level, *value));
    }
    Ok(())
}

/// Sorts by number.
pub(super) fn row(construct: &str, number: u32) -> String {
    format!("{construct:14}{number:>10}")
}
