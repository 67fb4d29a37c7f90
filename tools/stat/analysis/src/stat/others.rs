//! The processes that the program started: their sum, then the most expensive ones.

use std::collections::{BTreeMap, BTreeSet};

use profile_analysis::job::Job;
use terminal::page::{Page, Tone};
use terminal::quantity::{count, percent, time};
use untrusted::figure::Total;

use super::child;
use super::facts;
use super::report::{Report, Shown};
use crate::hints;

/// Number of processes in the list, unless the user asks for all.
const SHOWN: usize = 10;

/// Appends at most `rows` of them. In a job, lists the ranks that differ, unless the user asks for all.
pub(super) fn render(out: &mut Page, report: &Report<'_>, rows: usize) {
    let (others, job) = (report.others.as_slice(), report.last.job.as_ref());
    if others.is_empty() {
        return;
    }
    let (all, job) = (job, job.filter(|_| rows != usize::MAX));
    let mut dearest: Vec<&Shown<'_>> = others.iter().collect();
    dearest.sort_by(|one, other| other.figures.elapsed_ns.mean.total_cmp(&one.figures.elapsed_ns.mean));
    let differ: BTreeSet<usize> = job.map(Job::differences).iter().flatten().map(|one| one.rank).collect();
    let is_like_the_others = |rank: Option<(usize, u32)>| rank.is_some_and(|(place, _)| !differ.contains(&place));
    dearest.retain(|other| job.is_none_or(|job| !is_like_the_others(rank_of(job, other))));
    let order = match (job, dearest.is_empty()) {
        (None, _) => "; those with the most time of threads first:",
        (Some(_), false) => "; the ranks that differ, and what is not a rank:",
        (Some(_), true) => "",
    };
    out.blank();
    out.heading(&format!("Other processes that used OpenMP: {}", others.len()));
    if others.len() > 1 {
        sum(out, others, order);
    }
    // The process that is shown in full has this finding as well, if it concerns that.
    let is_told =
        report.subject.as_ref().is_some_and(|subject| shared_processors(std::slice::from_ref(subject)).is_some());
    if let Some(text) = shared_processors(others).filter(|_| !is_told) {
        out.paragraph(3, "Finding: ", &text, Tone::Finding);
    }
    let mut notes: BTreeMap<String, usize> = BTreeMap::new();
    for note in others.iter().flat_map(|other| hints::about(other.process, false, None)) {
        *notes.entry(note).or_default() += 1;
    }
    notes.retain(|_, times| *times > 1);
    let shown = if rows == usize::MAX { rows } else { rows.min(SHOWN) };
    for other in dearest.iter().take(shown) {
        let rank = all.and_then(|job| rank_of(job, other)).map(|(_, number)| number);
        child::render(out, other, rank, |note| !notes.contains_key(note));
    }
    if let Some(more) = others.len().checked_sub(shown.min(dearest.len())).filter(|more| *more > 0) {
        out.text(3, &format!("and {more} more (`--rows all` shows them)"));
    }
    for (note, times) in &notes {
        out.paragraph(3, "Note: ", &format!("in {times} of these processes: {note}."), Tone::Note);
    }
}

/// The finding about all processes, taken from the one that loses the most.
fn shared_processors(others: &[Shown<'_>]) -> Option<String> {
    let found = others.iter().filter_map(|Shown { process, figures }| {
        process.together?;
        let facts = facts::of(process, figures);
        let finding = advice::findings(&facts).into_iter().find(|it| it.id == advice::PROCESSES)?;
        Some((finding.costs_ns, finding.text(facts.wall_ns)))
    });
    found.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, text)| text)
}

/// The rank that a process is: its index in the job, and its number.
fn rank_of(job: &Job, Shown { process, .. }: &Shown<'_>) -> Option<(usize, u32)> {
    let mut ranks = job.ranks.iter().enumerate();
    ranks.find(|(_, rank)| rank.pid == Some(process.who.pid)).map(|(place, rank)| (place, rank.number))
}

fn sum(out: &mut Page, others: &[Shown<'_>], order: &str) {
    let sum = |of: &dyn Fn(&Shown<'_>) -> f64| others.iter().map(of).sum::<f64>();
    let elapsed = sum(&|other| other.figures.elapsed_ns.mean);
    let threads = others.iter().map(|other| other.process.count(|_| true)).total();
    let regions = others.iter().map(|other| other.process.sum(|thread| thread.forks)).total();
    out.text(
        3,
        &format!(
            "all of them: CPU time {}, {}, {}, OpenMP Work {} %, OpenMP Wait {} %{order}",
            time(sum(&|other| other.figures.cpu_ns.mean)),
            count(threads, "thread", "threads"),
            count(regions, "parallel region", "parallel regions"),
            percent(sum(&|other| other.figures.work_ns.mean), elapsed),
            percent(sum(&|other| other.figures.wait_ns.mean), elapsed),
        ),
    );
}
