//! Growth of the cost of watching: with threads, far more than there are processors, and with tasks that are alive simultaneously.

use std::collections::BTreeMap;
use std::ffi::OsString;

use anyhow::Result;
use serde::Serialize;

use super::levels::{COUNTED, Levels};
use super::subjects::{Prepared, Runtime};
use crate::mode::Mode;
use crate::runner::{self, Subject};
use crate::samples::Samples;

/// Sizes of the team.
const THREADS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Constructs that are measured on each team.
const CONSTRUCTS: [&str; 3] = ["dynamic_1", "tasks_of_all", "critical"];
const LIVE: [u32; 5] = [1, 1_000, 100_000, 1_000_000, 10_000_000];
/// Limit on libomp: it takes minutes for more tasks, with or without `libora.so`.
const LIVE_ON_LIBOMP: u32 = 1_000_000;

/// Times by runtime; the rows are the construct and the number of threads, or the number of tasks.
#[derive(Serialize)]
pub(super) struct Growth {
    pub(super) rounds: u32,
    /// Nanoseconds per construct.
    pub(super) threads: BTreeMap<Runtime, Samples>,
    /// Nanoseconds per task.
    pub(super) live: BTreeMap<Runtime, Samples>,
}

impl Growth {
    pub(super) fn measure(levels: &Levels<'_>, all: &[Prepared], quick: bool) -> Result<Self> {
        let rounds = if quick { 1 } else { 5 };
        let (mut threads, mut live) = (BTreeMap::new(), BTreeMap::new());
        for prepared in all {
            let (by_runtime, subjects) = if prepared.is_live() {
                (&mut live, tasks(levels, prepared, quick))
            } else {
                (&mut threads, teams(levels, prepared, quick))
            };
            if !subjects.is_empty() {
                by_runtime.insert(prepared.runtime, runner::together(rounds, &subjects)?);
            }
        }
        Ok(Self { rounds, threads, live })
    }
}

/// Subjects with a set of constructs on growing teams.
fn teams<'a>(levels: &'a Levels<'_>, prepared: &'a Prepared, quick: bool) -> Vec<Subject<'a, Mode>> {
    let sizes = THREADS.into_iter().take(if quick { 2 } else { THREADS.len() });
    let sizes = sizes.filter(|_| !prepared.constructs().is_empty());
    let subject = |threads: u32| {
        let arguments: Vec<OsString> = ["time", "3"].iter().chain(&CONSTRUCTS).map(OsString::from).collect();
        // Threads that spin would only wait for processors that other threads occupy.
        let passive = Some(("OMP_WAIT_POLICY", "passive"));
        prepared.subject_with(levels, &COUNTED, arguments, threads, passive, &row(threads))
    };
    sizes.map(subject).collect()
}

/// Subjects with growing numbers of tasks that are alive simultaneously.
fn tasks<'a>(levels: &'a Levels<'_>, prepared: &'a Prepared, quick: bool) -> Vec<Subject<'a, Mode>> {
    let most = if prepared.runtime == Runtime::Libomp { LIVE_ON_LIBOMP } else { u32::MAX };
    let counts = LIVE.into_iter().take(if quick { 2 } else { LIVE.len() }).filter(|count| *count <= most);
    let subject = |count: u32| {
        let stack = Some(("OMP_STACKSIZE", "12G"));
        prepared.subject_with(levels, &COUNTED, vec![count.to_string().into()], 2, stack, &row(count))
    };
    counts.map(subject).collect()
}

/// Prefix of a row's name; sorts by number.
fn row(number: u32) -> String {
    format!("{number:>10} ")
}
