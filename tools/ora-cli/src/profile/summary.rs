//! Summary that `ora profile` prints at the end of a run.

use std::fmt::Write;

use report::page::{Page, Tone};
use report::text::ADVICE;

use super::place::Place;
use super::tally::Tally;
use crate::ending::Ending;
use crate::quantity::count;

/// Begins each line: the program's own are around them.
const LABEL: &str = "ora: ";

/// Some lines. `found`: what the profile says.
pub(crate) fn page(place: &Place, tally: &Tally, ending: Ending, found: &[String]) -> Page {
    let mut out = Page::default();
    let mut say = |text: &str| out.paragraph(0, LABEL, text, Tone::Plain);
    let name = place.shown();
    tally.unreadable.iter().for_each(|problem| say(problem));
    if tally.processes == 0 && tally.unreadable.is_empty() {
        say("no profile: the collector never ran in the program. `ora doctor -- PROGRAM` says why");
    }
    if tally.processes == 0 {
        return out;
    }
    say(&format!(
        "the profile is in {name} ({}): {}, {}, {}",
        size(tally.bytes),
        count(tally.processes as u64, "process", "processes"),
        count(tally.threads, "thread", "threads"),
        count(tally.samples, "sample", "samples"),
    ));
    say(&signals(tally));
    if matches!(ending, Ending::Signal(_)) {
        say(&format!("the program {ending}; what was collected until then is there"));
    }
    if let Some(advice) = ending.advice() {
        say(advice);
    }
    let killed = usize::from(matches!(ending, Ending::Signal(_)));
    if tally.vanished > killed {
        say(&format!(
            "{} ended without exit handlers, or went on as a program that could not write here, of which nothing is known: \
             another root, container or user, a cleaned environment, a static program",
            count((tally.vanished - killed) as u64, "process", "processes"),
        ));
    }
    if tally.refused_session {
        say("states and regions are unknown where no session could be opened: `ora doctor` says why");
    }
    for (trouble, times) in &tally.troubles {
        let times = if *times > 1 { format!(" (in {times} processes)") } else { String::new() };
        say(&format!("{trouble}{times}"));
    }
    if tally.samples == 0 && tally.troubles.is_empty() && tally.vanished == 0 {
        say(
            "0 samples because the program used less CPU time than there is between two of them: try a higher rate, -F 1000",
        );
    } else if tally.events && tally.asked >= 20 && tally.delivered * 10 < tally.asked * 9 {
        say("time in the kernel and asleep has no signals: it is in the next sample (`ora profile --help`)");
    }
    for line in found {
        let tone = if line.starts_with(ADVICE) { Tone::Finding } else { Tone::Plain };
        out.paragraph(0, LABEL, line, tone);
    }
    out.paragraph(0, LABEL, &format!("next: ora report {name}"), Tone::Plain);
    out
}

fn signals(tally: &Tally) -> String {
    let mut text = format!("signals: {} arrived of {} asked for", tally.delivered, tally.asked);
    if tally.asked > 0 {
        let _ = write!(text, " ({} %)", (tally.delivered * 100).div_ceil(tally.asked).min(100));
    }
    if tally.lost > 0 {
        let _ = write!(text, "; {} found no room", count(tally.lost, "sample", "samples"));
    }
    if tally.cut_off > 0 {
        let _ = write!(text, "; without those of {} that had not ended", count(tally.cut_off, "thread", "threads"));
    }
    text
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
