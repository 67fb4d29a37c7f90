//! Head of the report: processes, settings, and quality of the samples.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Sheet;
use super::summary::work_and_wait;
use crate::job;
use crate::profile::{ProcessFacts, Profile};
use crate::report::MIN_SAMPLES;
use crate::undelivered::Undelivered;
use crate::user_model::View;
use terminal::page::Tone;
use terminal::printable::Shown;
use terminal::quantity::{count, percent, time};
use untrusted::figure::Total;

/// Largest number of samples a second and thread that can be asked for.
const MAX_RATE: u64 = 10_000;
/// Maximum number of processes that a note names.
const NAMED: usize = 3;

impl Sheet<'_, '_> {
    pub(super) fn header(&mut self) {
        let profile = self.report.profile;
        let view = match profile.view {
            View::User => "user's",
            View::Expert => "expert's",
            View::Machine => "machine's",
        };
        let name = profile.processes.first().map_or_else(String::new, |process| process.facts.name());
        self.title(&format!("OpenMP profile of '{name}', {view} view"));
        if let Some(job) = &self.report.job {
            job::text::render(&mut self.out, job, self.rows == usize::MAX);
            self.title("All processes");
        }
        self.field("processes", &processes(profile));
        let (begin, end) = profile.span_ns();
        self.field("duration", &time(end.saturating_sub(begin) as f64));
        let outside = profile.threads.iter().filter(|thread| thread.outside).count();
        let inside = profile.threads.len() - outside;
        let in_teams = profile.threads.iter().filter(|thread| thread.in_teams && !thread.outside).count();
        let mut threads = inside.to_string();
        // A first thread that only waits for others.
        let has_regions = profile.processes.iter().any(|process| process.last_region > 0);
        if has_regions && (1..inside).contains(&in_teams) {
            threads += &format!(" ({in_teams} of them in teams)");
        }
        if outside > 0 {
            threads += &format!(", and {outside} outside of OpenMP");
        }
        self.field("threads", &threads);
        self.field("samples", &samples(profile));
        let total = self.report.sums.total;
        let work = work_and_wait(self.report);
        self.field("their time", &format!("{}: {work}", time(total.total_ns() as f64)));
        let more = self.report.outside.total.cpu_ns;
        let more = if more == 0 { String::new() } else { format!(", and {} outside of OpenMP", time(more as f64)) };
        self.field("CPU time", &format!("{}{more}", time(total.cpu_ns as f64)));
        self.field("surroundings", &surroundings(profile));
        for note in undelivered(profile).into_iter().chain(notes(&profile.processes, total.samples)) {
            self.out.paragraph(3, "Note: ", &format!("{note}."), Tone::Note);
        }
    }

    fn field(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.out.field(3, name, 14, value);
        }
    }
}

/// Processors and settings of the first process. Those of the others are the same, or known to the user who started
/// them.
fn surroundings(profile: &Profile) -> String {
    let Some(facts) = profile.processes.first().map(|process| &process.facts) else { return String::new() };
    let allowed = facts.processors.map(|allowed| count(u64::from(allowed), "processor allowed", "processors allowed"));
    let quota = facts.quota.map(|quota| format!("a quota of {quota:.2}"));
    let settings = facts.environment.iter().map(|(name, value)| format!("{}={}", name.shown(), value.shown()));
    allowed.into_iter().chain(quota).chain(settings).collect::<Vec<_>>().join(", ")
}

/// Line about ranks; empty if none of the processes has a rank.
fn processes(profile: &Profile) -> String {
    let facts = || profile.processes.iter().map(|process| &process.facts);
    let mut text = profile.processes.len().to_string();
    let ranks: Vec<u32> = facts().filter_map(|facts| facts.rank).collect();
    if let (Some(first), Some(last)) = (ranks.iter().min(), ranks.iter().max()) {
        let all = facts().filter_map(|facts| facts.ranks).max();
        let all = all.map_or_else(String::new, |all| format!(" of {all}"));
        text += &if first == last {
            format!("   (rank {first}{all})")
        } else {
            format!("   (ranks {first} to {last}{all})")
        };
    }
    let mut hosts: Vec<&str> = facts().filter_map(|facts| facts.host.as_deref()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    match &hosts[..] {
        [host] => text += &format!("   on {host}"),
        [_, ..] => text += &format!("   on {} machines", hosts.len()),
        [] => {}
    }
    text
}

pub(crate) fn samples(profile: &Profile) -> String {
    let threads = &profile.threads;
    let sum = |of: &dyn Fn(&crate::profile::ThreadFacts) -> u64| threads.iter().map(of).total();
    let (delivered, lost, waits) =
        (sum(&|thread| thread.delivered), sum(&|thread| thread.lost), sum(&|thread| thread.at_waits));
    // Without a thread's end the number of requested samples is unknown.
    let ended = || threads.iter().filter_map(|thread| Some((thread.asked?, thread.delivered)));
    let (asked, of_these): (u64, u64) = ended().fold((0, 0), |sum, (a, d)| (sum.0 + a, sum.1 + d));
    let mut text = format!("{delivered} delivered");
    if asked > 0 {
        let share = percent(of_these as f64, asked as f64);
        text = format!("{asked} requested, {of_these} delivered ({share} %), {lost} lost");
        if delivered > of_these {
            let more = delivered - of_these;
            text += &format!("; {more} of threads whose end was not seen");
        }
    } else if lost > 0 {
        text += &format!(", {lost} lost");
    }
    if waits > 0 {
        text += &format!("; {waits} more at ends of waits");
    }
    let facts = profile.processes.iter().map(|process| &process.facts).next();
    if let Some((rate, clock)) = facts.and_then(|facts| Some((facts.rate?, facts.clock.as_deref()?))) {
        let clock = if clock == "wall" { "wall-clock" } else { "CPU" };
        let source = facts.and_then(|facts| facts.timer.as_deref());
        let source = if source == Some("perf") { ", by perf events" } else { "" };
        text += &format!("   ({rate} a second of each thread's {clock} time{source})");
    }
    text
}

/// Number of requested samples that were not delivered, and the reason.
pub(crate) fn undelivered(profile: &Profile) -> Option<String> {
    let mut counts = Undelivered::default();
    for thread in &profile.threads {
        let Some(asked) = thread.asked else { continue };
        counts.add(asked, thread.delivered);
        let rate = profile.processes.get(thread.process as usize).and_then(|process| process.facts.rate);
        counts.add_late(thread.late_ns, rate.unwrap_or(0));
    }
    counts.text()
}

pub(crate) fn notes(all: &[ProcessFacts], samples: u64) -> Vec<String> {
    let mut found: Vec<(Note, Vec<&ProcessFacts>)> = Vec::new();
    let last = last_programs(all);
    for process in all {
        let went_on = last.get(&identity(process)).is_some_and(|last| *last > process.folder.as_path());
        for note in of_process(process, went_on) {
            match found.iter_mut().find(|(known, _)| known.is_like(&note)) {
                Some((known, processes)) => {
                    known.number = known.number.saturating_add(note.number);
                    processes.push(process);
                }
                None => found.push((note, vec![process])),
            }
        }
    }
    let several = all.len() > 1;
    let line = |(note, processes): &(Note, Vec<&ProcessFacts>)| {
        if several { format!("{}: {}", names(processes), note.text()) } else { note.text() }
    };
    let mut notes: Vec<String> = found.iter().map(line).collect();
    let programs = programs(all);
    if programs.len() > 1 {
        notes.push(format!(
            "all figures are sums over recordings of different programs ({}): `ora diff` compares two",
            programs.join(", ")
        ));
    }
    if samples == 0 {
        notes.push("there are no samples, so there is nothing to show".to_owned());
    } else if samples < MIN_SAMPLES {
        let rates = all.iter().filter_map(|process| process.facts.rate);
        let rate = u64::from(rates.min().unwrap_or(100));
        // Twice as many as are needed: some samples are taken at the ends of waits, however many are asked for.
        let enough = (2 * rate * MIN_SAMPLES / samples).next_multiple_of(100).min(MAX_RATE);
        notes.push(format!(
            "there are only {samples} samples, so shares are hints. From {MIN_SAMPLES} on the report also says which causes it excludes: \
             profile for longer, or take more (-F {enough})"
        ));
    }
    notes
}

/// The programs of the recordings: each recording is a folder with its processes, the first of which was started by
/// `ora`.
fn programs(all: &[ProcessFacts]) -> Vec<&str> {
    let mut first: BTreeMap<&Path, &ProcessFacts> = BTreeMap::new();
    for process in all.iter().filter(|process| !process.facts.command.is_empty()) {
        let place = process.folder.parent().unwrap_or(&process.folder);
        let known = first.entry(place).or_insert(process);
        if process.facts.began_real_ns < known.facts.began_real_ns {
            *known = process;
        }
    }
    let programs = first.into_values().filter_map(|process| process.facts.command.first());
    programs.map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Names some processes, for the beginning of a line.
fn names(processes: &[&ProcessFacts]) -> String {
    let some: Vec<String> = processes.iter().take(NAMED).map(|process| process.name()).collect();
    match processes.len().saturating_sub(some.len()) {
        0 => some.join(", "),
        more => format!("{} and {more} more", some.join(", ")),
    }
}

/// A process, which may execute several programs in turn (`exec`): its number, rank and machine.
type Identity<'a> = (Option<u32>, Option<u32>, Option<&'a str>);

fn identity(process: &ProcessFacts) -> Identity<'_> {
    (process.facts.pid, process.facts.rank, process.facts.host.as_deref())
}

/// The folder of the last program of each process whose number is known.
fn last_programs(all: &[ProcessFacts]) -> BTreeMap<Identity<'_>, &Path> {
    let mut last: BTreeMap<_, &Path> = BTreeMap::new();
    for process in all.iter().filter(|process| process.facts.pid.is_some()) {
        let known = last.entry(identity(process)).or_insert(&process.folder);
        *known = (*known).max(process.folder.as_path());
    }
    last
}

/// A note about a process. Notes of several processes are merged if they differ only in the number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Note {
    before: String,
    number: u64,
    /// Singular and plural of the counted thing. Empty: nothing is counted.
    counted: [&'static str; 2],
    after: &'static str,
}

impl Note {
    fn is_like(&self, other: &Self) -> bool {
        Self { number: other.number, ..self.clone() } == *other
    }

    fn text(&self) -> String {
        let [one, many] = self.counted;
        let counted = if one.is_empty() { String::new() } else { count(self.number, one, many) };
        format!("{}{counted}{}", self.before, self.after)
    }
}

fn of_process(process: &ProcessFacts, went_on: bool) -> Vec<Note> {
    let plain = |text: &str| Note { before: text.to_owned(), ..Note::default() };
    let mut notes: Vec<Note> = process.facts.errors.iter().map(|error| plain(error.trim_end_matches('.'))).collect();
    if !process.ended && !went_on {
        notes.push(plain(
            "its end was not seen: it was killed, ended by a direct system call, or is still running; the report has \
         what was written until then",
        ));
    }
    if process.has_linked_runtime {
        notes.push(plain(
            "no OpenMP runtime was seen: one is linked into the program statically, where its events can't be seen. What threads do in it \
             is known from their stacks only",
        ));
    }
    if process.unnamed_python {
        notes.push(plain(
            "Python's functions have no names here: CPython 3.12 and later gives them with `python3 -X perf`",
        ));
    }
    let mut counted = |before: &str, number: u64, counted, after| {
        if number > 0 {
            notes.push(Note { before: before.to_owned(), number, counted, after });
        }
    };
    counted("", process.damaged as u64, ["word", "words"], " of its file could not be read");
    counted(
        "",
        process.without_region,
        ["sample lies", "samples lie"],
        " in regions whose start is not in the file: their stacks are not joined",
    );
    let reasons = [
        " were too deep: frames are missing",
        " went through code of no known file: frames are missing",
        " went through code that can't be unwound: frames are missing",
        " could not be read: frames are missing",
    ];
    for (number, reason) in process.cut.iter().zip(reasons) {
        counted("the stacks of ", *number, ["sample", "samples"], reason);
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Facts;

    fn process(pid: u32, lost: u64) -> ProcessFacts {
        let facts = Facts { pid: Some(pid), errors: vec!["no room.".to_owned()], ..Facts::default() };
        ProcessFacts { facts, ended: true, without_region: lost, ..ProcessFacts::default() }
    }

    #[test]
    fn a_sum_over_recordings_of_different_programs_is_said() {
        let of = |folder: &str, program: &str, at_ns| {
            let command = vec![program.to_owned()];
            let facts = Facts { command, began_real_ns: Some(at_ns), ..Facts::default() };
            ProcessFacts { facts, ended: true, folder: folder.into(), ..ProcessFacts::default() }
        };
        let (first, child) = (of("a/pid-1", "./solve", 1), of("a/pid-2", "sh", 2));
        let notes = |all: &[ProcessFacts]| notes(all, 1000).join("\n");
        assert_eq!(notes(&[first.clone(), child.clone(), of("b/pid-3", "./solve", 3)]), "");
        let text = notes(&[child, first, of("b/pid-3", "./render", 3)]);
        assert!(text.contains("different programs (./render, ./solve)"), "{text}");
    }

    #[test]
    fn few_samples_exclude_nothing_and_the_note_says_how_to_get_more() {
        let at = |rate: u32| ProcessFacts {
            facts: Facts { rate: Some(rate), ..Facts::default() },
            ended: true,
            ..ProcessFacts::default()
        };
        let note = |rate, samples| notes(&[at(rate)], samples).pop().unwrap_or_default();
        assert!(note(100, 49).starts_with("there are only 49 samples") && note(100, 49).contains("From 100 on"));
        assert!(note(100, 49).ends_with("take more (-F 500)"), "{}", note(100, 49));
        assert!(note(5000, 7).ends_with("(-F 10000)"));
        assert_eq!(note(100, 100), "");
    }

    #[test]
    fn a_note_of_many_processes_is_one_line() {
        let many: Vec<_> = (1..=9).map(|pid| process(pid, u64::from(pid == 2 || pid == 3))).collect();
        let lost = "2 samples lie in regions whose start is not in the file: their stacks are not joined";
        let wanted =
            ["process 1, process 2, process 3 and 6 more: no room".to_owned(), format!("process 2, process 3: {lost}")];
        assert_eq!(notes(&many, 1000), wanted);
        assert_eq!(notes(&[process(1, 0)], 1000), ["no room"]);
    }
}
