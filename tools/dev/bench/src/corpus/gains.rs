//! Time that a cure gains: interleaved runs of the program and its twin.

use std::process::Stdio;
use std::time::Instant;

use ::corpus::{Case, Member};
use anyhow::{Context, Result};
use serde::Serialize;

use super::build::Built;
use crate::samples::middle;

/// Percentage beyond the spread that a cure may cost.
const COSTS: f64 = 2.0;

/// Gain of a cure.
#[derive(Serialize)]
pub(super) struct Gain {
    /// Part of the program's time that the twin saves: the median over the pairs.
    pub(super) percent: f64,
    /// Half of the interquartile range of the pairs.
    pub(super) spread: f64,
    /// Part that the finding promised.
    pub(super) predicted: Option<f64>,
    /// Fault of the gain, if there is one.
    pub(super) note: Option<String>,
}

/// Runs both in turn; a different one goes first each time.
pub(super) fn measure(case: &Case, faulty: &Built, cured: &Built, pairs: u32, predicted: Option<f64>) -> Result<Gain> {
    let (mut gains, mut same) = (Vec::new(), true);
    for pair in 0..pairs {
        let run = |member| time(case, member, if member == Member::Program { faulty } else { cured });
        let ((before, one), (after, other)) = if pair % 2 == 0 {
            (run(Member::Program)?, run(Member::Twin)?)
        } else {
            let twin = run(Member::Twin)?;
            (run(Member::Program)?, twin)
        };
        same &= one == other;
        gains.push((1.0 - after / before) * 100.0);
    }
    gains.sort_by(f64::total_cmp);
    let at = |part: usize| gains.get(gains.len() * part / 4).copied().unwrap_or(0.0);
    let spread = (at(3) - at(1)) / 2.0;
    let percent = middle(gains).context("pairs were run")?;
    let note = if !same {
        Some("has another result".to_owned())
    } else if percent < -COSTS - spread {
        Some(format!("is slower by {:.1} %", -percent))
    } else {
        let is_less = |promised: f64| percent + spread < promised / 2.0;
        predicted.filter(|promised| is_less(*promised)).map(|promised| format!("gains {percent:.1} % of {promised} %"))
    };
    Ok(Gain { percent, spread, predicted, note })
}

/// Time and output of a run.
fn time(case: &Case, member: Member, built: &Built) -> Result<(f64, Vec<u8>)> {
    let mut command = built.command(case, member, &[])?;
    let begin = Instant::now();
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output()?;
    let mut lines: Vec<_> = output.stdout.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    // Processes write in arbitrary order.
    lines.sort();
    Ok((begin.elapsed().as_secs_f64(), lines.concat()))
}
