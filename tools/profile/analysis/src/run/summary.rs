//! Summary that `ora profile` prints at the end of a run.

use std::fmt::Write;

use terminal::page::{Page, Tone};

use terminal::quantity::{count, size};

use super::ending::Ending;
use super::totals::Totals;
use crate::text::FINDING;

/// Prefix of each line, which distinguishes it from the program's own output.
const LABEL: &str = "ora: ";

/// Some lines about a profile. `name`: its folder, as it is to be typed; `found`: the results of the profile.
pub fn page(name: &str, totals: &Totals, ending: &Ending, found: &[String]) -> Page {
    let mut out = Page::default();
    let mut say = |text: &str| out.paragraph(0, LABEL, text, Tone::Plain);
    totals.unreadable.iter().for_each(|problem| say(problem));
    if totals.processes == 0 && totals.unreadable.is_empty() {
        say("no profile: the collector never ran in the program. `ora doctor -- PROGRAM` says why");
    }
    if totals.processes == 0 {
        return out;
    }
    say(&format!(
        "the profile is in {name} ({}): {}, {}, {}",
        size(totals.bytes),
        count(totals.processes as u64, "process", "processes"),
        count(totals.threads, "thread", "threads"),
        count(totals.samples, "sample", "samples"),
    ));
    say(&signals(totals));
    if let Some(death) = &ending.death {
        say(&format!("the program {death}; what was collected until then is there"));
    }
    if let Some(advice) = ending.advice {
        say(advice);
    }
    let killed = usize::from(ending.death.is_some());
    if totals.vanished > killed {
        say(&format!(
            "{} ended without exit handlers, or went on as a program that could not write here, of which nothing is known: \
             another root, container or user, a cleaned environment, a static program",
            count((totals.vanished - killed) as u64, "process", "processes"),
        ));
    }
    errors(totals).iter().for_each(|error| say(error));
    if totals.samples == 0 && totals.errors.is_empty() && totals.vanished == 0 {
        say(
            "0 samples because the program used less CPU time than there is between two of them: try a higher rate, -F 1000",
        );
    } else if let Some(missing) = totals.signals.text() {
        say(&missing);
    }
    for line in found {
        let tone = if line.starts_with(FINDING) { Tone::Finding } else { Tone::Plain };
        out.paragraph(0, LABEL, line, tone);
    }
    out.paragraph(0, LABEL, &format!("next: ora report {name}"), Tone::Plain);
    out
}

/// Lines about the samples of a recording that also has events.
pub fn samples(totals: &Totals) -> Vec<String> {
    let counted = format!(
        "with {} of {}; {}",
        count(totals.samples, "sample", "samples"),
        count(totals.threads, "thread", "threads"),
        signals(totals)
    );
    totals.unreadable.iter().cloned().chain([counted]).chain(errors(totals)).collect()
}

/// Errors of the processes, as sentences.
fn errors(totals: &Totals) -> Vec<String> {
    let mut lines = Vec::new();
    if totals.refused_session {
        lines.push("states and regions are unknown where no session could be opened: `ora doctor` says why".to_owned());
    }
    lines.extend(totals.errors.iter().map(|(error, times)| {
        let times = if *times > 1 { format!(" (in {times} processes)") } else { String::new() };
        format!("{error}{times}")
    }));
    lines
}

fn signals(totals: &Totals) -> String {
    let mut text = format!("signals: {} arrived of {} requested", totals.signals.delivered, totals.signals.asked);
    if totals.signals.asked > 0 {
        let _ = write!(text, " ({} %)", totals.signals.delivered.saturating_mul(100).div_ceil(totals.signals.asked));
    }
    if totals.lost > 0 {
        let _ = write!(text, "; {} found no room", count(totals.lost, "sample", "samples"));
    }
    if totals.cut_off > 0 {
        let _ = write!(text, "; without those of {} that had not ended", count(totals.cut_off, "thread", "threads"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_that_of_the_two_counts_beside_it() {
        let text = |asked, delivered| {
            let mut totals = Totals::default();
            totals.signals.add(asked, delivered);
            signals(&totals)
        };
        assert_eq!(text(200, 199), "signals: 199 arrived of 200 requested (100 %)");
        assert_eq!(text(25, 26), "signals: 26 arrived of 25 requested (104 %)");
        assert_eq!(text(0, 1), "signals: 1 arrived of 0 requested");
    }
}
