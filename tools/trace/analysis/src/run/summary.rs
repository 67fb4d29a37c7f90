//! Summary that `ora trace` prints at the end of a run.

use std::io;

use profile_analysis::run::Ending;
use terminal::page::{Page, Tone};
use terminal::quantity::{count, size};

use super::totals::Totals;

/// Prefix of each line, which distinguishes it from the program's own output.
const LABEL: &str = "ora: ";

/// One line about the copy of a trace that is still being recorded. `name`: its folder, as it is to be typed.
pub fn dumped(name: &str, totals: &Totals, pid: u32) -> Page {
    let mut out = Page::default();
    let text = format!(
        "what process {pid} has recorded so far is in {} ({}): {}, {}; it continues. Look at it: ora report {}",
        name,
        size(totals.bytes),
        count(totals.threads, "thread", "threads"),
        count(totals.events, "event", "events"),
        name,
    );
    out.paragraph(0, LABEL, &text, Tone::Plain);
    out
}

/// Some lines about a trace. `name`: its folder, as it is to be typed; `samples`: lines about samples.
pub fn page(name: &str, totals: &Totals, ending: &Ending, samples: &[String]) -> Page {
    let mut out = Page::default();
    let mut say = |text: &str| out.paragraph(0, LABEL, text, Tone::Plain);
    totals.unreadable.iter().for_each(|problem| say(problem));
    if totals.processes == 0 {
        if totals.unreadable.is_empty() {
            say("no trace: no OpenMP runtime has started the recorder. `ora doctor -- PROGRAM` says why");
        }
        samples.iter().for_each(|line| say(line));
        return out;
    }
    say(&format!(
        "the trace is in {name} ({}): {}, {}, {}",
        size(totals.bytes),
        count(totals.processes as u64, "process", "processes"),
        count(totals.threads, "thread", "threads"),
        count(totals.events, "event", "events"),
    ));
    samples.iter().for_each(|line| say(line));
    if totals.events == 0 && totals.error == 0 {
        say(
            "no event: the threads executed no OpenMP construct, or one region that had begun before. `ora profile` shows what they do",
        );
    }
    if totals.slow_regions > 0 {
        let slow = count(totals.slow_regions, "region", "regions");
        say(&format!("{slow} took longer than --slow{}", of_first(totals.windows, totals.slow_regions)));
    }
    if totals.overwritten > 0 {
        say(&format!(
            "{} overwritten by newer ones",
            count(totals.overwritten, "older event was", "older events were")
        ));
    }
    if totals.error != 0 {
        let error = io::Error::from_raw_os_error(i32::try_from(totals.error).unwrap_or(0));
        let error = without_number(&error);
        say(&format!("the recording ended early: {error}. Free some disk space (or raise `ulimit -f`), or use --last"));
    }
    if let Some(error) = &totals.unpacked {
        say(&format!("the trace is as large as it was recorded, since it can't be packed: {}", without_number(error)));
    }
    if totals.lost > 0 {
        say(&format!("{} lost", count(totals.lost, "event was", "events were")));
    }
    if let Some(death) = &ending.death {
        say(&format!("the program {death}; what was recorded until then is there"));
    } else if totals.open > 0 {
        say(&format!(
            "{} ended without exit handlers, went on as another program, or still running",
            count(totals.open as u64, "process", "processes"),
        ));
    }
    if let Some(advice) = ending.advice {
        say(advice);
    }
    say(&format!("look at it: ora report {name}"));
    out
}

/// Says that only the first slow regions are kept, if there were more.
pub(crate) fn of_first(kept: u64, slow: u64) -> String {
    if kept < slow { format!("; the events of the first {kept} are kept") } else { String::new() }
}

/// The system's description of an error.
fn without_number(error: &io::Error) -> String {
    error.to_string().split(" (os error").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use terminal::page::Paper;

    #[test]
    fn slow_regions_are_counted_beyond_those_that_are_kept() {
        let said = |slow_regions, windows| {
            let totals = Totals { processes: 1, slow_regions, windows, ..Totals::default() };
            page("t", &totals, &Ending::default(), &[]).render(Paper::default())
        };
        let more = said(240, 128);
        assert!(more.contains("240 regions took longer than --slow; the events of the first 128 are kept"), "{more}");
        let all = said(3, 3);
        assert!(all.contains("3 regions took longer than --slow") && !all.contains("the first"), "{all}");
    }
}
