//! `bench all`: each runtime, level and construct, and whole programs, in one interleaved run.

mod bootstrap;
mod growth;
mod levels;
mod subjects;
mod tables;

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

use crate::answer::Answer;
use crate::options::Options;
use crate::programs::Programs;
use crate::requests::Requests;
use crate::runner::{self, Counted, Counting};
use crate::samples::Samples;
use growth::Growth;
use levels::Levels;
use subjects::{Prepared, Runtime};

/// All results.
#[derive(Serialize)]
struct Report {
    rounds: u32,
    /// Reasons why a runtime or a program is missing.
    missing: BTreeMap<String, String>,
    /// Nanoseconds, by runtime and row.
    constructs: BTreeMap<Runtime, Samples>,
    /// Nanoseconds of CPU time, by runtime and row.
    programs: BTreeMap<Runtime, Samples>,
    /// Instructions of a construct on one thread, by runtime and row.
    instructions: BTreeMap<Runtime, Samples>,
    growth: Growth,
    /// Costs of requests, if all is measured and clang is installed.
    requests: Option<Requests>,
}

/// Repetitions of a construct in the shorter run of instruction counting.
const COUNT: u32 = 1000;

pub(crate) fn measure(programs: &Programs, options: &Options) -> Result<Answer> {
    let rounds = options.rounds(15, 2);
    let levels = Levels::find(programs)?;
    let mut missing = BTreeMap::new();
    let all = subjects::prepare(programs, options, &mut missing)?;
    let in_rounds: Vec<&Prepared> = all.iter().filter(|prepared| !prepared.is_live()).collect();
    let subjects: Vec<_> = in_rounds.iter().map(|prepared| prepared.subject(&levels, &levels::EVERY)).collect();
    let samples = runner::rounds(rounds, &subjects)?;
    let (mut constructs, mut whole) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
    for (prepared, samples) in in_rounds.iter().zip(samples) {
        let by_runtime = if prepared.is_whole() { &mut whole } else { &mut constructs };
        by_runtime.entry(prepared.runtime).or_default().push(samples);
    }
    let merged = |by_runtime: BTreeMap<Runtime, Vec<Samples>>| {
        by_runtime.into_iter().map(|(runtime, samples)| (runtime, samples.into_iter().collect())).collect()
    };
    let mut instructions = BTreeMap::new();
    for prepared in all.iter().filter(|prepared| options.counts() && !prepared.constructs().is_empty()) {
        instructions.insert(prepared.runtime, runner::instructions(&counted(programs, prepared, options.quick))?);
    }
    let growth = Growth::measure(&levels, &all, options.quick)?;
    let wants_requests = options.only.is_empty() && !missing.contains_key(Runtime::Libomp.title());
    let requests = wants_requests.then(|| Requests::measure(programs, rounds, options.counts())).transpose()?;
    let report = Report {
        rounds,
        missing,
        constructs: merged(constructs),
        programs: merged(whole),
        instructions,
        growth,
        requests,
    };
    Answer::new(programs, &report, tables::page(&report))
}

fn counted<'a>(programs: &'a Programs, prepared: &'a Prepared, quick: bool) -> Vec<Counted<'a, crate::mode::Mode>> {
    let rows = prepared.constructs().iter().take(if quick { 1 } else { usize::MAX });
    let counted = rows.map(|row| Counted {
        row: (*row).to_owned(),
        ways: levels::COUNTED.to_vec(),
        counting: Counting::Twice(COUNT),
        within: None,
        command: Box::new(move |level, count| {
            let mut command = programs.command(&prepared.program, level, ["run", row, &count.to_string()]);
            command.env("OMP_NUM_THREADS", "1");
            Ok(command)
        }),
    });
    counted.collect()
}
