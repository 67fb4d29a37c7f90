//! Subjects of `bench ompt`: times of constructs and queries, events, instructions.

use std::collections::BTreeMap;

use anyhow::Result;

use super::programs::{Built, Program};
use super::rows::{FAMILIES, Family, query_names};
use super::way::{Interface, Registered, Way};
use crate::programs::SHIFTS;
use crate::runner::{self, Counted, Counting, Subject};
use crate::samples::Samples;

/// Repetitions of a construct while its events are counted.
const EVENTS: &str = "400";
/// Constructs or queries in the shorter run under callgrind: a large number, because the work of LLVM's threads around them differs from
/// run to run.
const COUNT: u32 = 20_000;
/// Rows whose instructions a quick run counts.
const QUICK: [&str; 2] = ["lock", "state_outside"];

/// Nanoseconds of constructs.
pub(super) fn constructs(built: &Built, rounds: u32, batches: u32) -> Result<Samples<Way>> {
    let subject = |family: &'static Family| Subject {
        name: family.title.to_owned(),
        ways: family.ways().collect(),
        command: Box::new(move |way, round| {
            let mut command = built.command(Program::Constructs, way, callbacks(family, way));
            command.args(["time", &batches.to_string()]).args(family.constructs);
            command.env("BENCH_SHIFT", (round % SHIFTS).to_string());
            Ok(command)
        }),
        values: Box::new(|reading| runner::rows(&reading.text, &family.key(""))),
    };
    runner::together(rounds, &FAMILIES.iter().map(subject).collect::<Vec<_>>())
}

/// Nanoseconds of queries.
pub(super) fn queries(built: &Built, rounds: u32, batches: u32) -> Result<Samples<Way>> {
    let subject = Subject {
        name: "queries".to_owned(),
        ways: Interface::EVERY.map(Interface::attached).to_vec(),
        command: Box::new(|way: Way, _| {
            let mut command = built.command(Program::Queries, way, "");
            let interface = way.tool().map_or(Interface::Ours, |(interface, _)| interface);
            command.args(["time", &batches.to_string()]).args(query_names(interface));
            Ok(command)
        }),
        values: Box::new(|reading| runner::rows(&reading.text, "")),
    };
    runner::together(rounds, &[subject])
}

/// Number of events that one construct reports to a tool, on all threads.
pub(super) fn events(built: &Built) -> Result<Samples<Way>> {
    let is_notified = |way: &Way| way.tool().is_some_and(|(_, registered)| registered != Registered::Nothing);
    let subject = |family: &'static Family| Subject {
        name: format!("events of {}", family.title),
        ways: family.ways().filter(is_notified).collect(),
        command: Box::new(move |way, _| {
            let mut command = built.command(Program::Constructs, way, callbacks(family, way));
            command.args(["count", EVENTS]).args(family.constructs).env("BENCH_COUNT", "1");
            Ok(command)
        }),
        values: Box::new(|reading| runner::rows(&reading.text, &family.key(""))),
    };
    runner::together(1, &FAMILIES.iter().map(subject).collect::<Vec<_>>())
}

/// Instructions of constructs; of a few of them in a quick run.
pub(super) fn construct_instructions(built: &Built, counts: bool, quick: bool) -> Result<Samples<Way>> {
    let rows =
        || FAMILIES.iter().flat_map(|family| family.constructs.iter().map(move |construct| (family, *construct)));
    let mut counted: Vec<Counted<'_, Way>> = Vec::new();
    // A tool's other registrations don't affect a row. All other ways are counted once, with this row.
    let mut known: BTreeMap<(&str, Way), String> = BTreeMap::new();
    for (family, construct) in rows().filter(|(_, construct)| counts && is_wanted(construct, quick)) {
        let row = family.key(construct);
        let counts = |way: &Way| is_counted(*way) && (is_of_row(*way) || !known.contains_key(&(construct, *way)));
        let ways: Vec<Way> = family.ways().filter(counts).collect();
        known.extend(ways.iter().map(|way| ((construct, *way), row.clone())));
        counted.push(Counted {
            row,
            ways,
            counting: Counting::Twice(COUNT),
            within: None,
            command: Box::new(move |way, count| {
                let mut command = built.command(Program::Constructs, way, callbacks(family, way));
                command.args(["run", &count.to_string(), construct]);
                Ok(command)
            }),
        });
    }
    let mut samples = runner::instructions(&counted)?;
    for (family, construct) in rows() {
        let row = family.key(construct);
        for way in family.ways().filter(|way| !is_of_row(*way)) {
            if let Some(from) = known.get(&(construct, way)).filter(|from| **from != row) {
                samples.copy(from, &row, way);
            }
        }
    }
    Ok(samples)
}

/// Instructions of queries; of one of them in a quick run.
pub(super) fn query_instructions(built: &Built, counts: bool, quick: bool) -> Result<Samples<Way>> {
    let mut counted = Vec::new();
    for interface in Interface::EVERY {
        for query in query_names(interface).into_iter().filter(|query| counts && is_wanted(query, quick)) {
            counted.push(Counted {
                row: query.clone(),
                ways: vec![interface.attached()],
                counting: Counting::Twice(COUNT),
                within: None,
                command: Box::new(move |way, count| {
                    let mut command = built.command(Program::Queries, way, "");
                    command.args(["run", &count.to_string(), &query]);
                    Ok(command)
                }),
            });
        }
    }
    runner::instructions(&counted)
}

fn is_wanted(name: &str, quick: bool) -> bool {
    !quick || QUICK.contains(&name)
}

/// True if the tool has registered the row's events.
fn is_of_row(way: Way) -> bool {
    way.tool().is_some_and(|(_, registered)| registered == Registered::Rows)
}

/// True if instructions are counted for this way. `bench constructs` counts level 0; the cost of all events together doesn't belong to a
/// row.
fn is_counted(way: Way) -> bool {
    way != Way::Off && way.tool().is_none_or(|(_, registered)| registered != Registered::All)
}

/// Callbacks that the tool of a way registers for a family.
fn callbacks(family: &Family, way: Way) -> &'static str {
    way.tool().and_then(|(interface, _)| family.callbacks(interface)).unwrap_or_default()
}
