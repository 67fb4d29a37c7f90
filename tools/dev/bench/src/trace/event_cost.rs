//! Cost of an event on one thread.

use std::process::Command;

use anyhow::{Result, bail};
use serde::Serialize;

use crate::programs::output;

/// Rate at which the program never has to wait, and duration in seconds, which together give ten million events.
const RATE: u64 = 1_000_000_000;
const SECONDS: f64 = 0.01;

/// Cost of an event: uncontended locks on one thread.
#[derive(Debug, Serialize)]
pub(super) struct EventCost {
    events: u64,
    /// Least CPU time of all rounds, in nanoseconds per event.
    bare_ns: f64,
    traced_ns: f64,
}

impl EventCost {
    /// Runs the program in turn bare and traced, as the two functions say.
    ///
    /// # Errors
    /// If a run fails.
    pub(super) fn measure(
        rounds: u32,
        bare: impl Fn() -> Command,
        traced: impl Fn() -> Result<Command>,
    ) -> Result<Self> {
        let mut cost = Self { events: 0, bare_ns: f64::INFINITY, traced_ns: f64::INFINITY };
        for _ in 0..rounds {
            for (mut command, best) in [(bare(), &mut cost.bare_ns), (traced()?, &mut cost.traced_ns)] {
                let text = output(command.args([RATE.to_string(), SECONDS.to_string(), "1".to_owned()]))?;
                let said = Said::of(&text)?;
                cost.events = said.events;
                *best = best.min(said.cpu_seconds * 1e9 / said.events as f64);
            }
        }
        Ok(cost)
    }

    pub(super) fn line(&self) -> String {
        let Self { events, bare_ns, traced_ns } = self;
        let more = traced_ns - bare_ns;
        format!(
            "{events} events of one thread: {more:.1} ns of CPU time each, beside {bare_ns:.1} of the program's own"
        )
    }
}

/// Output of the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    pub(super) events: u64,
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
}

impl Said {
    /// # Errors
    /// If the text is not such an output.
    pub(super) fn of(text: &str) -> Result<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[events, seconds, cpu_seconds] = words.as_slice() else { bail!("three words expected in `{text}`") };
        Ok(Self { events: events.parse()?, seconds: seconds.parse()?, cpu_seconds: cpu_seconds.parse()? })
    }
}
