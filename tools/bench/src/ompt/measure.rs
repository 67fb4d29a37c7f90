//! Runs the programs of `bench ompt`: times round after round, events, instructions.

use std::collections::BTreeMap;

use anyhow::Result;

use super::programs::{Built, Program};
use super::rows::{FAMILIES, Family, questions};
use super::way::{Interface, Registered, Way};
use crate::callgrind;
use crate::programs::{SHIFTS, output};
use crate::rounds::rows;
use crate::samples::Samples;

/// How many of a construct run while its events are counted.
const EVENTS: &str = "400";
/// How many constructs or questions the shorter run under callgrind has: many, since what LLVM's threads do around them
/// differs from run to run.
const COUNT: u32 = 20_000;
/// What a quick run counts the instructions of.
const QUICK: [&str; 2] = ["lock", "state_outside"];

/// Nanoseconds of constructs and of questions, one value a round.
pub(crate) fn times(built: &Built, rounds: u32, batches: u32) -> Result<(Samples<Way>, Samples<Way>)> {
    let (mut constructs, mut queries) = (Samples::default(), Samples::default());
    let batches = batches.to_string();
    for round in 0..rounds {
        eprint!("\rround {} of {rounds}", round + 1);
        let shift = (round % SHIFTS).to_string();
        for family in FAMILIES {
            // All ways, one right after the other; another one goes first each time.
            let mut ways: Vec<Way> = family.ways().collect();
            let first = round as usize % ways.len();
            ways.rotate_left(first);
            for way in ways {
                let mut command = built.command(Program::Constructs, way, callbacks(family, way));
                command.args(["time", &batches]).args(family.constructs).env("BENCH_SHIFT", &shift);
                for (construct, value) in rows(&output(&mut command)?)? {
                    constructs.add(&family.key(&construct), way, value);
                }
            }
        }
        let mut interfaces = Interface::EVERY;
        interfaces.rotate_left(round as usize % Interface::EVERY.len());
        for interface in interfaces {
            let way = interface.attached();
            let mut command = built.command(Program::Queries, way, "");
            for (question, value) in rows(&output(command.args(["time", &batches]).args(questions(interface)))?)? {
                queries.add(&question, way, value);
            }
        }
    }
    eprintln!();
    Ok((constructs, queries))
}

/// How many events a tool hears of one construct, on all threads.
pub(crate) fn events(built: &Built) -> Result<Samples<Way>> {
    let mut samples = Samples::default();
    for family in FAMILIES {
        for way in family.ways().filter(|way| way.tool().is_some_and(|(_, asked)| asked != Registered::Nothing)) {
            let mut command = built.command(Program::Constructs, way, callbacks(family, way));
            command.args(["count", EVENTS]).args(family.constructs).env("BENCH_COUNT", "1");
            for (construct, value) in rows(&output(&mut command)?)? {
                samples.add(&family.key(&construct), way, value);
            }
        }
    }
    Ok(samples)
}

/// Instructions of constructs and of questions; of a few of them in a quick run.
pub(crate) fn instructions(built: &Built, quick: bool) -> Result<(Samples<Way>, Samples<Way>)> {
    let (mut constructs, mut queries) = (Samples::default(), Samples::default());
    let wanted = |name: &str| !quick || QUICK.contains(&name);
    // What a tool has registered for another row says nothing about this one; all else is counted once.
    let mut known: BTreeMap<(&str, Way), f64> = BTreeMap::new();
    for family in FAMILIES {
        for construct in family.constructs.iter().copied().filter(|construct| wanted(construct)) {
            let key = family.key(construct);
            eprint!("\rinstructions of {key:36}");
            for way in family.ways().filter(|way| is_counted(*way)) {
                let rows_own = way.tool().is_some_and(|(_, asked)| asked == Registered::Rows);
                let value = match known.get(&(construct, way)) {
                    Some(value) if !rows_own => *value,
                    _ => each(built, Program::Constructs, construct, way, callbacks(family, way))?,
                };
                known.insert((construct, way), value);
                constructs.add(&key, way, value);
            }
        }
    }
    for interface in Interface::EVERY {
        for question in questions(interface).iter().filter(|question| wanted(question)) {
            eprint!("\rinstructions of {question:36}");
            let way = interface.attached();
            queries.add(question, way, each(built, Program::Queries, question, way, "")?);
        }
    }
    eprintln!();
    Ok((constructs, queries))
}

/// Level 0 is counted by `bench` itself; what all events together take is no row's.
fn is_counted(way: Way) -> bool {
    way != Way::Off && way.tool().is_none_or(|(_, asked)| asked != Registered::All)
}

/// What the tool of a way registers for a family.
fn callbacks(family: &Family, way: Way) -> &'static str {
    way.tool().and_then(|(interface, _)| family.callbacks(interface)).unwrap_or_default()
}

fn each(built: &Built, program: Program, row: &str, way: Way, callbacks: &str) -> Result<f64> {
    let total = |count: u32| {
        let arguments = ["run", &count.to_string(), row];
        callgrind::counted(built.path(program, way), &arguments, None, |command| built.watch(command, way, callbacks))
    };
    Ok((total(2 * COUNT)? - total(COUNT)?) / f64::from(COUNT))
}
