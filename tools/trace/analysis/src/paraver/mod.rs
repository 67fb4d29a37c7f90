//! A trace for Paraver, in three files of text: the records (`.prv`), the names of their numbers (`.pcf`), and those of the rows
//! (`.row`), according to "Paraver: Parallel Program Visualization and Analysis tool, Tracefile description" (version 3.1).
//!
//! Types of events and numbers of states are those that Extrae gives to OpenMP, so that Paraver's own configurations apply.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

mod labels;
mod records;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::Timeline;
use crate::cause::Causes;
use crate::{flow, steps};
use labels::Places;
use records::{Record, Row};

/// Writes the processes of a trace to `path`, which should end in `.prv`, and to `.pcf` and `.row` files next to it.
///
/// # Errors
/// If a file can't be written.
pub fn write(path: &Path, timelines: &[Timeline]) -> io::Result<()> {
    let begin_ns = timelines.iter().map(|timeline| timeline.begin_ns).min().unwrap_or(0);
    let end_ns = timelines.iter().map(|timeline| timeline.end_ns).max().unwrap_or(begin_ns);
    let mut places = Places::default();
    let mut records = Vec::new();
    let mut cpus = 0;
    for (task, timeline) in (1..).zip(timelines) {
        let mut created = steps::creations(timeline);
        for number in (0..).take(timeline.threads.len()) {
            let created = created.remove(&number).unwrap_or_default();
            records::of_thread(timeline, Row::of(cpus, task, number), created, &mut places, &mut records);
        }
        let flows = flow::all(timeline, &Causes::of(timeline));
        records.extend(flows.iter().filter_map(|flow| records::of_flow(timeline, flow, task, cpus)));
        cpus += u32::try_from(timeline.threads.len()).unwrap_or(u32::MAX);
    }
    // Records of one moment keep their order.
    records.sort_by_key(Record::at_ns);
    let mut to = BufWriter::new(File::create(path)?);
    header(&mut to, timelines, end_ns.saturating_sub(begin_ns), cpus)?;
    for record in &records {
        record.write(&mut to, begin_ns)?;
    }
    to.flush()?;
    labels::write(&path.with_extension("pcf"), &places)?;
    labels::write_rows(&path.with_extension("row"), timelines, cpus)
}

/// The first line: time of day, length, processors, and threads of each process. There is one processor for each thread: the
/// actual ones are not recorded.
fn header(to: &mut dyn Write, timelines: &[Timeline], length_ns: u64, cpus: u32) -> io::Result<()> {
    let seconds = timelines.first().map_or(0, |timeline| timeline.header.begin_real_ns / 1_000_000_000);
    let (day, month, year) = date(seconds / 86_400);
    let (hour, minute) = (seconds / 3600 % 24, seconds / 60 % 60);
    let tasks: Vec<_> = timelines.iter().map(|timeline| format!("{}:1", timeline.threads.len())).collect();
    writeln!(
        to,
        "#Paraver ({day:02}/{month:02}/{year} at {hour:02}:{minute:02}):{length_ns}_ns:1({cpus}):1:{}({})",
        timelines.len(),
        tasks.join(",")
    )
}

/// Day, month and year of a day since 1970-01-01 (proleptic Gregorian calendar; with eras of 400 years that start in
/// March).
fn date(days: u64) -> (u64, u64, u64) {
    const ERA: u64 = 146_097;
    let from = days + 719_468;
    let (era, day) = (from / ERA, from % ERA);
    let year = (day - day / 1460 + day / 36_524 - day / (ERA - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (day, month, year + era * 400 + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        for (days, expected) in
            [(0, (1, 1, 1970)), (59, (1, 3, 1970)), (19_782, (29, 2, 2024)), (20_783, (26, 11, 2026))]
        {
            assert_eq!(date(days), expected, "{days}");
        }
    }
}
