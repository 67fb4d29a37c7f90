//! Cost of an event on one thread.

use std::process::Command;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::programs::output;

/// Rate at which the program never has to wait, and seconds, so that there are ten million events.
const RATE: u64 = 1_000_000_000;
const SECONDS: f64 = 0.01;

/// Locks that nobody else wants, of one thread.
#[derive(Debug, Serialize)]
pub(super) struct EventCost {
    events: u64,
    /// Least time of all rounds, in nanoseconds an event.
    bare_ns: f64,
    traced_ns: f64,
}

impl EventCost {
    /// Runs the program of that in turns: bare, and as the other function says.
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
                let (events, seconds) = text.trim().split_once(' ').context("two words expected")?;
                cost.events = events.parse()?;
                *best = best.min(seconds.parse::<f64>()? * 1e9 / cost.events as f64);
            }
        }
        Ok(cost)
    }

    pub(super) fn line(&self) -> String {
        let Self { events, bare_ns, traced_ns } = self;
        let more = traced_ns - bare_ns;
        format!("{events} events of one thread: {more:.1} ns an event, {bare_ns:.1} without `ora trace`")
    }
}
