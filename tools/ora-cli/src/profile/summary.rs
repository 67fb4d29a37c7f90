//! What `ora profile` says at the end.

use std::fmt::Write;

use super::place::Place;
use super::tally::Tally;
use crate::ending::Ending;
use crate::quantity::count;

/// Some lines.
pub(crate) fn text(place: &Place, tally: &Tally, ending: Ending) -> String {
    let mut out = String::new();
    let name = place.shown();
    for problem in &tally.unreadable {
        let _ = writeln!(out, "ora: {problem}");
    }
    if tally.processes == 0 && tally.unreadable.is_empty() {
        let _ =
            writeln!(out, "ora: no profile: the collector never ran in the program. `ora doctor -- PROGRAM` tells why");
    }
    if tally.processes == 0 {
        return out;
    }
    let _ = writeln!(
        out,
        "ora: the profile is in {name} ({}): {}, {}, {}",
        size(tally.bytes),
        count(tally.processes as u64, "process", "processes"),
        count(tally.threads, "thread", "threads"),
        count(tally.samples, "sample", "samples"),
    );
    let _ = write!(out, "ora: signals: {} arrived of {} asked for", tally.delivered, tally.asked);
    if tally.asked > 0 {
        let _ = write!(out, " ({} %)", (tally.delivered * 100).div_ceil(tally.asked).min(100));
    }
    if tally.lost > 0 {
        let _ = write!(out, "; {} found no room", count(tally.lost, "sample", "samples"));
    }
    if tally.cut_off > 0 {
        let _ = write!(out, "; without those of {} that had not ended", count(tally.cut_off, "thread", "threads"));
    }
    let _ = writeln!(out);
    if matches!(ending, Ending::Signal(_)) {
        let _ = writeln!(out, "ora: the program {ending}; what was collected until then is there");
    }
    let killed = usize::from(matches!(ending, Ending::Signal(_)));
    if tally.vanished > killed {
        let _ = writeln!(
            out,
            "ora: {} ended without exit handlers, or went on as a program that could not write here, of which nothing is known: \
             another root, container or user, a cleaned environment, a static program",
            count((tally.vanished - killed) as u64, "process", "processes"),
        );
    }
    if tally.refused_session {
        let _ = writeln!(
            out,
            "ora: states and regions are unknown where no session could be opened: `ora doctor` tells why"
        );
    }
    for (trouble, times) in &tally.troubles {
        let _ = write!(out, "ora: {trouble}");
        let _ = if *times > 1 { writeln!(out, " (in {times} processes)") } else { writeln!(out) };
    }
    if tally.samples == 0 && tally.troubles.is_empty() && tally.vanished == 0 {
        let _ = writeln!(
            out,
            "ora: 0 samples because the program used less CPU time than there is between two of them: try a higher rate, -F 1000"
        );
    } else if tally.events && tally.asked >= 20 && tally.delivered * 10 < tally.asked * 9 {
        let _ = writeln!(
            out,
            "ora: no signal comes while a thread is in the kernel or blocks it, none is taken where looking at deep stacks \
             would take more than half of the time, and a thread that sleeps all the time has a timer, which goes by the kernel's \
             tick: that time is in the next sample. Timers alone have nothing of this (--signal 59, and a rate of 100)"
        );
    }
    let _ = writeln!(out, "ora: next: ora report {name}");
    out
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
