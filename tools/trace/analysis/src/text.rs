//! The report of a trace, as text.

use std::collections::BTreeSet;

use advice::Finding;
use profile_analysis::text::FINDING;
use rustc_hash::FxHashMap;
use terminal::page::{Column, Page, Table, Tone};
use terminal::printable::command_line;
use terminal::quantity::{count, time};

use crate::cause::{Cause, Causes};
use crate::run::of_first;
use crate::waits_by_place::{self, WaitSum};
use crate::{Site, Timeline, facts};

/// The reports of all processes, one below the other; if there are several ranks, preceded by the job. At most `most`
/// rows per table.
pub fn all(timelines: &[Timeline], most: usize) -> Page {
    let mut out = Page::default();
    let mut is_told = false;
    if let Some(job) = job(timelines) {
        out.heading(&job);
        out.blank();
    }
    for (number, timeline) in timelines.iter().enumerate() {
        if number > 0 {
            out.blank();
        }
        let mut found = facts::findings(timeline);
        // The finding about all processes is shown only once.
        found.retain(|finding| !is_told || finding.id != advice::PROCESSES);
        is_told |= found.iter().any(|finding| finding.id == advice::PROCESSES);
        out.append(process(timeline, &found, most));
    }
    out
}

/// A line about the ranks of a job. `None` if there are fewer than two.
fn job(timelines: &[Timeline]) -> Option<String> {
    let ranks: Vec<&Timeline> = timelines.iter().filter(|timeline| timeline.facts.rank.is_some()).collect();
    let numbers: BTreeSet<Option<u32>> = ranks.iter().map(|rank| rank.facts.rank).collect();
    let hosts: BTreeSet<Option<&str>> = ranks.iter().map(|rank| rank.facts.host.as_deref()).collect();
    let threads = ranks.iter().map(|rank| rank.threads.len() as u64).sum();
    let longest_ns = ranks.iter().map(|rank| rank.end_ns.saturating_sub(rank.begin_ns)).max()?;
    (numbers.len() > 1).then(|| {
        let (ranks, machines) = (numbers.len() as u64, hosts.len() as u64);
        format!(
            "Job of {} on {}: {}, {}",
            count(ranks, "rank", "ranks"),
            count(machines, "machine", "machines"),
            count(threads, "thread", "threads"),
            time(longest_ns as f64)
        )
    })
}

/// The report of a process, with at most `most` rows per table.
pub fn page(timeline: &Timeline, most: usize) -> Page {
    process(timeline, &facts::findings(timeline), most)
}

fn process(timeline: &Timeline, found: &[Finding], most: usize) -> Page {
    let mut out = Page::default();
    let rank = timeline.facts.rank.map_or_else(String::new, |rank| format!("rank {rank}, "));
    out.heading(&format!("Trace of {rank}'{}':", command_line(&timeline.facts.command)));
    summary(&mut out, timeline);
    for finding in found {
        out.blank();
        out.paragraph(3, FINDING, &finding.text(facts::wall_ns(timeline)), Tone::Finding);
    }
    out.blank();
    counts(&mut out, timeline);
    waits(&mut out, timeline, most);
    regions(&mut out, timeline, most);
    out
}

const FIELD: usize = 18;

fn summary(out: &mut Page, timeline: &Timeline) {
    let header = &timeline.header;
    if !timeline.runtime.is_empty() {
        out.field(3, "runtime", FIELD, &timeline.runtime);
    }
    let length_ns = timeline.end_ns.saturating_sub(timeline.begin_ns);
    out.field(3, "time", FIELD, &time(length_ns as f64));
    let threads = count(timeline.threads.len() as u64, "thread", "threads");
    let events = count(timeline.counts.events, "event", "events");
    out.field(3, "recorded", FIELD, &format!("{events} of {threads}"));
    let all_ns: f64 = timeline.threads.iter().map(|thread| (thread.end_ns - thread.begin_ns) as f64).sum();
    let share = timeline.recorder_ns as f64 / all_ns.max(1.0) * 100.0;
    out.field(
        3,
        "recorder",
        FIELD,
        &format!("{} to get room ({share:.2} % of the threads' time)", time(timeline.recorder_ns as f64)),
    );
    if let Some(efficiency) = timeline.efficiency() {
        out.field(3, "efficiency", FIELD, &efficiency.text());
    }
    if header.last_ns > 0 {
        let last = format!("the last {} of each thread", time(header.last_ns as f64));
        out.field(3, "kept", FIELD, &last);
    }
    if header.slow_ns > 0 {
        let slow = count(header.slow_regions, "region", "regions");
        let kept = of_first(header.windows.len() as u64, header.slow_regions);
        out.field(3, "kept", FIELD, &format!("{slow} of at least {}{kept}", time(header.slow_ns as f64)));
    }
    for note in notes(timeline) {
        out.paragraph(3, "Note: ", &note, Tone::Note);
    }
}

/// Notes on missing parts of the trace.
pub(crate) fn notes(timeline: &Timeline) -> Vec<String> {
    let header = &timeline.header;
    let mut notes = Vec::new();
    let mut note = |number: u64, one, many, rest: &str| {
        if number > 0 {
            notes.push(count(number, one, many) + rest);
        }
    };
    let before = timeline.threads_begun_before() as u64;
    let rest = " in a region that had begun before the recording: its place isn't known";
    note(before, "thread was", "threads were", rest);
    note(header.overwritten, "older event was", "older events were", " overwritten by newer ones");
    let rest = " lost because the recording was full: the end of the run is missing, or threads beyond the first 8,192";
    note(header.lost, "event was", "events were", rest);
    note(timeline.counts.unknown, "event is", "events are", " of a kind that this ora doesn't know");
    note(timeline.counts.threads_left_out, "thread", "threads", " without any event left out");
    if let Some(waits) = timeline.unrecorded_waits() {
        notes.push(format!("{waits} are not recorded and look like work: no efficiency, nothing about uneven shares"));
    }
    if header.end.is_none() {
        let open = "the process was killed, ended by a system call of its own, or runs still: what it recorded until then is shown";
        notes.push(open.to_owned());
    }
    notes
}

fn counts(out: &mut Page, timeline: &Timeline) {
    let mut table = Table::new(3, vec![Column::figure("count", 10), Column::name("of")]);
    for (name, number) in timeline.counts.named().into_iter().filter(|(_, number)| *number > 0) {
        table.row([number.to_string(), name.to_owned()]);
    }
    out.table(table);
}

/// Time since the start of the trace.
fn since(timeline: &Timeline, at_ns: u64) -> String {
    format!("{:.6}", at_ns.saturating_sub(timeline.begin_ns) as f64 / 1e9)
}

fn waits(out: &mut Page, timeline: &Timeline, most: usize) {
    let waits = waits_by_place::of(timeline);
    if waits.is_empty() {
        return;
    }
    let causes = Causes::of(timeline);
    out.blank();
    out.text(3, "waits by place, and for whom the longest was:");
    let columns = vec![
        Column::figure("waited", 12),
        Column::figure("waits", 10).spare(1),
        Column::figure("longest", 12),
        Column::figure("at, s", 12).spare(3),
        Column::label("  by", 14).full_name("thread of the longest").spare(2),
        Column::name_within("wait", 32),
        Column::name("the longest was for"),
    ];
    let mut table = Table::new(3, columns);
    for wait in waits.iter().take(most) {
        let WaitSum { count, idle_ns, longest } = wait;
        let Some(slice) = timeline.slice(longest.thread, longest.slice) else { continue };
        let cause = causes.cause(longest.thread, slice);
        table.row([
            time(*idle_ns as f64),
            count.to_string(),
            time(longest.idle_ns as f64),
            since(timeline, slice.begin_ns),
            format!("  {}", timeline.thread_name(longest.thread as usize)),
            wait.name(timeline),
            cause.map_or_else(String::new, |cause| describe(timeline, cause)),
        ]);
    }
    out.table(table);
    more(out, waits.len(), most);
}

/// Adds a line about rows that were left out.
fn more(out: &mut Page, all: usize, most: usize) {
    if let Some(more) = all.checked_sub(most).filter(|more| *more > 0) {
        out.text(3, &format!("and {} (`--rows all` shows all)", count(more as u64, "more place", "more places")));
    }
}

/// Describes the other side of a wait.
pub(crate) fn describe(timeline: &Timeline, cause: Cause) -> String {
    let name = |thread: u32| timeline.thread_name(thread as usize);
    match cause {
        Cause::LastArrival { thread, .. } => format!("{}, the last to arrive", name(thread)),
        Cause::Holder { thread, slice } => match timeline.slice(thread, slice) {
            Some(held) => {
                format!("{}, in {} for {}", name(thread), timeline.describe(held), time(held.length_ns() as f64))
            }
            None => name(thread),
        },
        Cause::LastTask { task } => match timeline.task(task) {
            Some(task) => {
                let place = timeline.sites.get(task.code).map(Site::place).filter(|place| !place.is_empty());
                let place = place.map_or_else(|| "a task".to_owned(), |place| format!("the task at {place}"));
                let length_ns = task.ended_ns.saturating_sub(task.begun_ns);
                format!("{place} on {}, {}", name(task.last.0), time(length_ns as f64))
            }
            None => "a task".to_owned(),
        },
    }
}

/// Sums over the regions of one place.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) count: u64,
    pub(crate) total_ns: u64,
    pub(crate) longest_ns: u64,
    /// Start of the longest, and the thread that started it.
    pub(crate) longest_at_ns: u64,
    pub(crate) longest_by: u32,
    pub(crate) team: u32,
}

/// Sums over the regions of each place, the most expensive one first, with their return address.
pub(crate) fn sums(timeline: &Timeline) -> Vec<(u64, Sums)> {
    let mut sums: FxHashMap<u64, Sums> = FxHashMap::default();
    for region in timeline.regions.iter().filter(|region| region.is_over && !region.is_league) {
        let sum = sums.entry(region.code).or_default();
        let length_ns = region.end_ns.saturating_sub(region.begin_ns);
        sum.count += 1;
        sum.total_ns = sum.total_ns.saturating_add(length_ns);
        if sum.count == 1 || length_ns > sum.longest_ns {
            (sum.longest_ns, sum.longest_at_ns, sum.longest_by) = (length_ns, region.begin_ns, region.thread);
        }
        sum.team = sum.team.max(region.team);
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_unstable_by_key(|(code, sum)| (std::cmp::Reverse(sum.total_ns), *code));
    sums
}

fn regions(out: &mut Page, timeline: &Timeline, most: usize) {
    let sums = sums(timeline);
    if sums.is_empty() {
        return;
    }
    out.blank();
    let columns = vec![
        Column::figure("count", 10),
        Column::figure("total", 12),
        Column::figure("mean", 12).spare(1),
        Column::figure("longest", 12),
        Column::figure("at, s", 12).full_name("start of the longest").spare(4),
        Column::label("  by", 14).full_name("thread of the longest").spare(3),
        Column::figure("threads", 9).spare(2),
        Column::name("parallel region"),
    ];
    let mut table = Table::new(3, columns);
    let all = sums.len();
    for (code, sum) in sums.into_iter().take(most) {
        table.row([
            sum.count.to_string(),
            time(sum.total_ns as f64),
            time(sum.total_ns as f64 / sum.count as f64),
            time(sum.longest_ns as f64),
            since(timeline, sum.longest_at_ns),
            format!("  {}", timeline.thread_name(sum.longest_by as usize)),
            sum.team.to_string(),
            place(timeline, code),
        ]);
    }
    out.table(table);
    more(out, all, most);
}

fn place(timeline: &Timeline, code: u64) -> String {
    timeline.sites.get(code).map_or_else(|| "(unknown)".to_owned(), Site::whole)
}
