//! Runner of all benchmarks: times in rounds, and instruction counts.
//!
//! In each round, all ways of a subject run one after the other, and a different one goes first each time, so that a disturbance affects
//! all ways alike.

use std::fmt::Display;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::callgrind;
use crate::programs::output;
use crate::samples::Samples;

/// A way to run a program: tool and runtime.
pub(crate) trait Way: Copy + Ord + Display {}

impl<W: Copy + Ord + Display> Way for W {}

/// Named values of one run.
pub(crate) type Values = Vec<(String, f64)>;

/// Output of one run.
pub(crate) struct Reading<W> {
    pub(crate) way: W,
    pub(crate) text: String,
    /// Time of the whole command.
    pub(crate) elapsed: Duration,
}

/// Function that reads the values of one run.
pub(crate) type Read<'a, W> = Box<dyn Fn(&Reading<W>) -> Result<Values> + 'a>;

/// A program that is run in several ways, with a function that reads its output.
pub(crate) struct Subject<'a, W> {
    /// Name that is shown while it runs.
    pub(crate) name: String,
    pub(crate) ways: Vec<W>,
    /// Command for a way and a round.
    pub(crate) command: Box<dyn Fn(W, u32) -> Result<Command> + 'a>,
    pub(crate) values: Read<'a, W>,
}

/// Runs all subjects in rounds; returns the values of each subject.
pub(crate) fn rounds<W: Way>(rounds: u32, subjects: &[Subject<'_, W>]) -> Result<Vec<Samples<W>>> {
    let mut all: Vec<Samples<W>> = subjects.iter().map(|_| Samples::default()).collect();
    for round in 0..rounds {
        for (subject, samples) in subjects.iter().zip(&mut all) {
            eprint!("\rround {} of {rounds}: {:40}", round + 1, subject.name);
            for way in rotated(&subject.ways, round) {
                let mut command = (subject.command)(way, round)?;
                let begun = Instant::now();
                let text = output(&mut command).with_context(|| format!("{}, {way}", subject.name))?;
                let reading = Reading { way, text, elapsed: begun.elapsed() };
                let values = (subject.values)(&reading).with_context(|| format!("{}, {way}", subject.name))?;
                values.iter().for_each(|(row, value)| samples.add(row, way, *value));
            }
        }
    }
    eprintln!();
    Ok(all)
}

/// Runs all subjects in rounds; returns the values of all subjects together. Their rows must have different names.
pub(crate) fn together<W: Way>(number: u32, subjects: &[Subject<'_, W>]) -> Result<Samples<W>> {
    Ok(rounds(number, subjects)?.into_iter().collect())
}

/// The ways in the order of a round: a different one goes first each time.
fn rotated<W: Copy>(ways: &[W], round: u32) -> Vec<W> {
    let mut ways = ways.to_vec();
    let first = round as usize % ways.len().max(1);
    ways.rotate_left(first);
    ways
}

/// Method of counting instructions.
#[derive(Clone, Copy)]
pub(crate) enum Counting {
    /// Difference between a run of this many repetitions and a run of half as many, divided by that half.
    Twice(u32),
    /// A whole run, divided by its number of repetitions.
    Whole(f64),
}

/// A row whose instructions are counted in several ways.
pub(crate) struct Counted<'a, W> {
    pub(crate) row: String,
    pub(crate) ways: Vec<W>,
    pub(crate) counting: Counting,
    /// Restricts the count to this function of the program.
    pub(crate) within: Option<&'static str>,
    /// Command for a way and a number of repetitions.
    pub(crate) command: Box<dyn Fn(W, u32) -> Result<Command> + 'a>,
}

/// Counts the instructions of each row in each of its ways, all threads together.
pub(crate) fn instructions<W: Way>(all: &[Counted<'_, W>]) -> Result<Samples<W>> {
    let mut samples = Samples::default();
    for counted in all {
        eprint!("\rinstructions of {:40}", counted.row);
        for way in counted.ways.iter().copied() {
            let total = |count: u32| callgrind::total(&(counted.command)(way, count)?, counted.within);
            let each = match counted.counting {
                Counting::Twice(count) => (total(2 * count)? - total(count)?) / f64::from(count),
                Counting::Whole(parts) => total(1)? / parts,
            };
            samples.add(&counted.row, way, each);
        }
    }
    eprintln!();
    Ok(samples)
}

/// Parses lines that consist of a name and a number; prepends `before` to each name.
pub(crate) fn rows(text: &str, before: &str) -> Result<Values> {
    text.lines()
        .map(|line| {
            let (name, value) = line.split_once(' ').with_context(|| format!("no value in `{line}`"))?;
            Ok((format!("{before}{name}"), value.parse().with_context(|| format!("no number in `{line}`"))?))
        })
        .collect()
}

/// Parses a text that consists of a number.
pub(crate) fn number(text: &str) -> Result<f64> {
    text.trim().parse().with_context(|| format!("no number in `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_run_in_each_round_and_another_one_is_first() {
        let run = |first: u32| rotated(&['a', 'b', 'c'], first).into_iter().collect::<String>();
        assert_eq!([0, 1, 2, 3].map(run), ["abc", "bca", "cab", "abc"]);
        let subject = Subject {
            name: "echo".to_owned(),
            ways: vec!["one", "two"],
            command: Box::new(|way, round| {
                let mut command = Command::new("echo");
                command.args([way, &round.to_string()]);
                Ok(command)
            }),
            values: Box::new(|reading| rows(&reading.text, "row ")),
        };
        let samples = together(3, &[subject]).unwrap();
        assert_eq!(
            samples.pairs("row one", "one", "one").unwrap().collect::<Vec<_>>(),
            [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]
        );
        assert_eq!(samples.best("row two", "two"), Some(0.0));
        assert_eq!(samples.best("row one", "two"), None);
    }

    #[test]
    fn what_is_no_number_says_so() {
        assert!(rows("a 1\nb x\n", "").unwrap_err().to_string().contains("`b x`"));
        assert!(number("12 1").is_err() && number(" 12\n").is_ok_and(|value| value == 12.0));
    }
}
