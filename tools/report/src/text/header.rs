//! Who was watched, and how well.

use super::Sheet;
use crate::printable::Shown;
use crate::profile::{ProcessFacts, Profile};
use crate::quantity::{count, percent, time};
use crate::user_model::View;

/// With fewer samples even large shares are chance.
const FEW: u64 = 100;

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
        self.field("processes", &processes(profile));
        let (begin, end) = profile.span_ns();
        self.field("duration", &time(end.saturating_sub(begin) as f64));
        let outside = profile.threads.iter().filter(|thread| thread.outside).count();
        let inside = profile.threads.len() - outside;
        let threads =
            if outside == 0 { inside.to_string() } else { format!("{inside}, and {outside} outside of OpenMP") };
        self.field("threads", &threads);
        self.field("samples", &samples(profile));
        let total = self.report.sums.total;
        let part = |ns| format!("{} ({} %)", time(ns as f64), percent(ns as f64, total.total_ns() as f64));
        let work = format!("OpenMP Work {}, OpenMP Wait {}", part(total.work_ns), part(total.wait_ns));
        self.field("their time", &format!("{}: {work}", time(total.total_ns() as f64)));
        let more = self.report.outside.total.cpu_ns;
        let more = if more == 0 { String::new() } else { format!(", and {} outside of OpenMP", time(more as f64)) };
        self.field("CPU time", &format!("{}{more}", time(total.cpu_ns as f64)));
        self.field("surroundings", &surroundings(profile));
        for note in notes(profile, total.samples) {
            self.line(&format!("Note: {note}."));
        }
    }

    fn field(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.line(&format!("{name:<14}{value}"));
        }
    }
}

/// What the first process had to run on, and its settings: the others' are the same, or known to who started them.
fn surroundings(profile: &Profile) -> String {
    let Some(facts) = profile.processes.first().map(|process| &process.facts) else { return String::new() };
    let allowed = facts.processors.map(|allowed| count(u64::from(allowed), "processor allowed", "processors allowed"));
    let quota = facts.quota.map(|quota| format!("a quota of {quota:.2}"));
    let settings = facts.environment.iter().map(|(name, value)| format!("{}={}", name.shown(), value.shown()));
    allowed.into_iter().chain(quota).chain(settings).collect::<Vec<_>>().join(", ")
}

/// Nothing where there is one that is no rank.
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

fn samples(profile: &Profile) -> String {
    let threads = &profile.threads;
    let sum = |of: &dyn Fn(&crate::profile::ThreadFacts) -> u64| threads.iter().map(of).sum::<u64>();
    let (delivered, lost, waits) =
        (sum(&|thread| thread.delivered), sum(&|thread| thread.lost), sum(&|thread| thread.at_waits));
    // Of a thread whose end was not seen nobody knows what was asked.
    let ended = || threads.iter().filter_map(|thread| Some((thread.asked?, thread.delivered)));
    let (asked, of_these): (u64, u64) = ended().fold((0, 0), |sum, (a, d)| (sum.0 + a, sum.1 + d));
    let mut text = format!("{delivered} delivered");
    if asked > 0 {
        let share = percent(of_these as f64, asked as f64);
        text = format!("{asked} asked for, {of_these} delivered ({share} %), {lost} lost");
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

fn notes(profile: &Profile, samples: u64) -> Vec<String> {
    let mut notes = Vec::new();
    let several = profile.processes.len() > 1;
    for process in &profile.processes {
        let who = match (several, process.facts.rank, process.facts.pid) {
            (false, ..) => String::new(),
            (true, Some(rank), _) => format!("rank {rank}: "),
            (true, None, Some(pid)) => format!("process {pid}: "),
            (true, None, None) => format!("{}: ", process.folder.shown()),
        };
        let went_on = profile.processes.iter().any(|other| is_continued_by(process, other));
        notes.extend(of_process(process, went_on).into_iter().map(|note| who.clone() + &note));
    }
    if samples == 0 {
        notes.push("there are no samples, so there is nothing to show".to_owned());
    } else if samples < FEW {
        notes.push(format!(
            "{samples} samples are few: take shares as hints only, or profile for longer (-F asks for more)"
        ));
    }
    notes
}

/// Whether `next` is a program that the process has executed in place of this one.
fn is_continued_by(process: &ProcessFacts, next: &ProcessFacts) -> bool {
    let number = |process: &ProcessFacts| (process.facts.pid, process.facts.rank, process.facts.host.clone());
    process.facts.pid.is_some() && number(process) == number(next) && next.folder > process.folder
}

fn of_process(process: &ProcessFacts, went_on: bool) -> Vec<String> {
    let mut notes: Vec<String> =
        process.facts.troubles.iter().map(|trouble| trouble.trim_end_matches('.').to_owned()).collect();
    if !process.ended && !went_on {
        notes.push("its end was not seen (killed, or it runs still); this is what was written until then".to_owned());
    }
    if process.damaged > 0 {
        notes.push(format!("{} of its file could not be read", count(process.damaged as u64, "word", "words")));
    }
    if process.without_region > 0 {
        let samples = count(process.without_region, "sample lies", "samples lie");
        notes.push(format!("{samples} in regions whose begin is not in the file: their stacks are not joined"));
    }
    let reasons = [
        "were too deep",
        "went through code of no known file",
        "went through code that can't be unwound",
        "could not be read",
    ];
    if process.unnamed_python {
        notes.push(
            "Python's functions have no names here: CPython 3.12 and later gives them with `python3 -X perf`"
                .to_owned(),
        );
    }
    for (number, reason) in process.cut.iter().zip(reasons).filter(|(number, _)| **number > 0) {
        notes.push(format!("the stacks of {} {reason}: frames are missing", count(*number, "sample", "samples")));
    }
    notes
}
