//! `ora diff`: changes between two measurements by `ora stat --json`, two profiles, or two traces, with or without samples.

mod compare;
mod difference;
mod json;
mod recording;
mod side;
mod stat;
mod text;

use anyhow::{Result, bail};

use crate::args::Diff;
use crate::exit::{Exit, Failure};
use crate::output::{Answer, Output};

use difference::Difference;
use side::Side;
use terminal::printable::Shown;

/// The wall-clock time has grown by more than `--fail-above` allows.
const SLOWER: u8 = 1;
/// There is nothing to compare.
const NOTHING: u8 = 2;

/// # Errors
/// If there is nothing to compare, or the output can't be written.
pub(crate) fn diff(args: &Diff) -> Result<Exit> {
    let read = |path| Side::read(path).map_err(|error| Failure { code: NOTHING, message: format!("{error:#}") });
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    let Some(pairs) = difference::pairs(&before, &after) else {
        let kind = |sides: &[Side]| sides.first().map(|side| side.origin).unwrap_or_default();
        let message = format!(
            "{} is {}, and {} is {}: compare two of one kind",
            args.before.shown(),
            kind(&before),
            args.after.shown(),
            kind(&after)
        );
        return Err(Failure { code: NOTHING, message }.into());
    };
    let Some(difference) = Difference::of(&pairs) else { bail!("there is no time to compare with") };
    let answer = if args.json {
        Answer::Json(json::document(&difference)?)
    } else {
        Answer::Page(text::page(&difference, args.max), args.screen)
    };
    Output::file_or(args.output.as_deref(), Output::Stdout)?.write(&answer)?;
    let is_slower = args.fail_above.is_some_and(|part| difference.is_above(part));
    Ok(Exit::Code(if is_slower { SLOWER } else { 0 }))
}

/// Parses a part: `5%` or `5`.
pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse::<f64>();
    let percent = number.ok().filter(|percent| percent.is_finite() && (0.0..=1e6).contains(percent));
    percent.map(|percent| percent / 100.0).ok_or_else(|| "a percentage such as 5%".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_percentages() {
        assert_eq!((percent("5%"), percent("2.5"), percent("0%")), (Ok(0.05), Ok(0.025), Ok(0.0)));
        assert!(["", "%", "-1%", "x", "NaN", "inf"].iter().all(|text| percent(text).is_err()));
    }
}
