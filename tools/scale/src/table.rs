//! The measurement as text.

use std::fmt::Write;

use advice::Place;
use terminal::page::{Column, Page, Table, Tone};
use terminal::quantity::{count, percent, time};

use super::grown;
use super::scaling::{ASLEEP, Point, SCALES, Scaling};

/// Maximum number of rows for regions.
const ROWS: usize = 10;
/// Columns of the drawing.
const DRAWN: usize = 50;
/// Maximum number of findings.
const FINDINGS: usize = 3;
/// Part of the ideal speed-up that serial code has to cost to be reported.
const SERIAL: f64 = 0.1;
/// More time than this, as a multiple of what it would be if each thread executed everything, is not explained by that.
const COPIES: f64 = 1.25;
/// Part of the median from which on the runs' spread is shown.
const SPREAD: f64 = 0.1;

/// Page for a terminal. `repeat` is the number of runs with each number of threads.
pub fn page(name: &str, repeat: u32, scaling: &Scaling) -> Page {
    let mut out = Page::default();
    out.blank();
    let runs = count(u64::from(repeat), "run", "runs");
    out.heading(&format!("Scaling of '{name}' ({runs} for each number of threads; medians):"));
    for sentence in sentences(scaling).into_iter().chain(findings(scaling)) {
        out.paragraph(3, "Finding: ", &sentence, Tone::Finding);
        out.blank();
    }
    out.table(points(scaling));
    out.text(3, "efficiency = parallel (running, of the threads' wall time) x computation (running time with the fewest threads / here)");
    out.blank();
    out.table(drawing(scaling));
    out.blank();
    out.table(regions(scaling));
    for note in notes(scaling) {
        out.blank();
        out.paragraph(3, "Note: ", &note, Tone::Note);
    }
    out.blank();
    out
}

/// Number of threads from which on more threads don't make it faster, and the reasons.
pub(crate) fn sentences(scaling: &Scaling) -> Vec<String> {
    let (Some(first), Some(last), Some(best)) = (scaling.points.first(), scaling.points.last(), scaling.best()) else {
        return Vec::new();
    };
    // Times of a program without OpenMP prove nothing about threads.
    if !scaling.has_regions() {
        let text = "No parallel region was seen in any run, so the times say nothing about OpenMP: `ora doctor -- PROGRAM` says whether \
                    one would be seen.";
        return vec![text.to_owned()];
    }
    if first.threads == last.threads {
        return Vec::new();
    }
    if let Some(team) = scaling.fixed_team() {
        return vec![format!(
            "The largest team had {} in all runs, whatever OMP_NUM_THREADS was: the program sets the number itself, or its runtime reads \
             another variable or has a limit. These times say nothing about more threads.",
            count(team, "thread", "threads")
        )];
    }
    let threads = |point: &Point| count(u64::from(point.threads), "thread", "threads");
    let lacking = scaling.lacks_processors(best).then(|| lacking(scaling, best));
    let mut text = if best.threads != first.threads {
        format!("With {} it is {:.2} times as fast as with {}", threads(best), best.speedup, first.threads)
    } else if let Some(maybe) = scaling.may_be_best() {
        format!(
            "With {} it is {:.2} times as fast as with {} by the medians, but single runs differ so much that this may be chance: repeat \
             it with more runs (-r)",
            threads(maybe),
            maybe.speedup,
            first.threads
        )
    } else if let Some(lacking) = &lacking {
        format!("With more than {} it was not faster in these runs, in which {lacking}", threads(first))
    } else {
        format!("With more than {} it does not get faster", threads(first))
    };
    if best.threads != first.threads && best.threads != last.threads {
        let _ = match &lacking {
            Some(lacking) => write!(text, "; runs with more were not faster, but {lacking}"),
            None => write!(text, "; more make it no faster"),
        };
        let _ = write!(text, " ({:.2} times with {})", last.speedup, last.threads);
    }
    let mut all = vec![format!("{text}.")];
    if first.team == 0 {
        all.push(format!(
            "With {} no parallel region was seen, so other code may have run: what takes longer with more is not known.",
            threads(first)
        ));
    }
    // With a few threads a small part costs little.
    let costs = |part: f64| {
        let missing = part * (f64::from(last.threads) - 1.0);
        missing / (1.0 + missing)
    };
    let matters = |part: &f64| first.threads == 1 && *part >= 0.05 && costs(*part) >= SERIAL;
    if let Some(bound) = scaling.serial_part().filter(matters) {
        all.push(format!(
            "With 1 thread {} % of the time is outside of parallel regions: by that alone no number of threads can make it more \
             than {:.1} times as fast.",
            percent(bound, 1.0),
            1.0 / bound
        ));
    }
    // The sentence has figures of samples: the number of threads is theirs.
    let slower = scaling.sampled().and_then(|point| Some((point, point.computation.filter(|less| *less < SCALES)?)));
    if let Some(locks) = grown::locks(&scaling.grown).filter(|_| scaling.sleeps()) {
        all.push(format!("With {} the threads sleep in their work. {locks}.", threads(last)));
    } else if let Some((point, less)) = slower {
        let copies = f64::from(point.threads) / f64::from(first.threads);
        let why = grown::sentence(&scaling.grown, 1.0 / less > COPIES * copies).unwrap_or_else(|| {
            "All threads together do more work (each executes the whole loop, or tasks and chunks are small), or they slow each other \
             down by false sharing, the memory's bandwidth, locks of libraries or a lower clock rate: `perf stat` counts instructions, \
             cache misses and cycles"
                .to_owned()
        });
        all.push(format!(
            "With {} the threads run for {:.2} times as long in all as with {}. {why}.",
            threads(point),
            1.0 / less,
            first.threads
        ));
    }
    all
}

/// Clause about threads that lacked processors in the runs with more threads than the best one.
fn lacking(scaling: &Scaling, best: &Point) -> String {
    let more = scaling.points.iter().filter(|point| point.threads > best.threads);
    let shares: Vec<f64> = more.map(|point| point.without_processor).collect();
    let (least, most) = (shares.iter().copied().fold(1.0, f64::min), shares.iter().copied().fold(0.0, f64::max));
    let range = if shares.len() > 1 { format!("{} to ", percent(least, 1.0)) } else { String::new() };
    format!("threads lacked processors for {range}{} % of their time", percent(most, 1.0))
}

/// Findings that may be about threads without processors, and are the first ones of a run if they are.
const WITHOUT_PROCESSORS: [&str; 4] = ["busy_machine", "spinning", "processes", "small_regions"];
/// Limit of measurements in which threads lacked processors.
const TAKING_TURNS: &str = " Threads that seldom run at the same time do not show how they slow each other down (false sharing, the memory's \
                     bandwidth, locks): measure where each thread has a processor.";

/// Findings with the most threads.
fn findings(scaling: &Scaling) -> impl Iterator<Item = String> {
    scaling.points.last().filter(|_| scaling.points.len() > 1).into_iter().flat_map(|last| {
        let team = scaling.fixed_team().unwrap_or(last.threads.into());
        let threads = count(team, "thread", "threads");
        // The table shows what fewer threads gain.
        last.findings
            .iter()
            .filter(|finding| finding.id != "crowded")
            .filter(|finding| finding.id != ASLEEP || grown::locks(&scaling.grown).is_none())
            .take(FINDINGS)
            .map(move |finding| {
                let takes_turns = finding.is_first && WITHOUT_PROCESSORS.contains(&finding.id);
                let remark = if takes_turns { TAKING_TURNS } else { "" };
                format!("With {threads}: {}{remark}", finding.text(last.wall_ns))
            })
    })
}

fn points(scaling: &Scaling) -> Table {
    let mut table = Table::new(
        3,
        vec![
            Column::figure("threads", 7),
            Column::figure("wall time", 12),
            Column::figure("+- %", 8).spare(1),
            Column::figure("speed-up", 10),
            Column::figure("efficiency %", 14),
            Column::figure("parallel %", 12).spare(2),
            Column::figure("computation %", 15).spare(3),
        ],
    );
    for point in &scaling.points {
        let share = |part: Option<f64>| part.map_or_else(|| "-".to_owned(), |part| percent(part, 1.0));
        table.row([
            point.threads.to_string(),
            time(point.wall_ns),
            percent(spread(point), 1.0),
            format!("{:.2}", point.speedup),
            percent(point.efficiency, 1.0),
            share(point.parallel),
            share(point.computation),
        ]);
    }
    table
}

/// Half of the range, as a part of the median.
fn spread(point: &Point) -> f64 {
    let (first, last) = (point.walls_ns.first().copied(), point.walls_ns.last().copied());
    (last.unwrap_or_default() - first.unwrap_or_default()) / 2.0 / point.wall_ns.max(1.0)
}

/// A bar for each number of threads: the speed-up, and its distance to the ideal one.
fn drawing(scaling: &Scaling) -> Table {
    let columns = vec![
        Column::figure("threads", 7),
        Column::figure("speed-up", 10),
        Column::name("= speed-up  . what is missing to that of as many threads"),
    ];
    let mut table = Table::new(3, columns);
    let Some((first, last)) = scaling.points.first().zip(scaling.points.last()) else { return table };
    let ideal = |point: &Point| f64::from(point.threads) / f64::from(first.threads);
    let columns = |speedup: f64| rounded(speedup / ideal(last).max(1.0) * DRAWN as f64).clamp(1, DRAWN * 2);
    for point in &scaling.points {
        let (reached, wanted) = (columns(point.speedup), columns(ideal(point)));
        let bar = "=".repeat(reached) + &".".repeat(wanted.saturating_sub(reached));
        table.row([point.threads.to_string(), format!("{:.2}", point.speedup), bar]);
    }
    table
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number of columns")]
fn rounded(columns: f64) -> usize {
    columns.round() as usize
}

fn regions(scaling: &Scaling) -> Table {
    let mut columns: Vec<Column> = scaling
        .points
        .iter()
        .map(|point| Column::figure(count(u64::from(point.threads), "thread", "threads"), 13))
        .collect();
    columns.push(Column::figure("speed-up", 10));
    columns.push(Column::name("wall time in"));
    let mut table = Table::new(3, columns);
    for row in scaling.rows().into_iter().take(ROWS) {
        let mut cells: Vec<String> = row.walls_ns.iter().map(|ns| time(*ns)).collect();
        cells.push(if row.walls_ns.first().is_some_and(|ns| *ns > 0.0) {
            format!("{:.2}", row.speedup)
        } else {
            "-".to_owned()
        });
        cells.push(place_name(row.place.as_ref()));
        table.row(cells);
    }
    table
}

/// Name of a row for people.
pub(crate) fn place_name(place: Option<&Place>) -> String {
    match place {
        None => "code outside of regions".to_owned(),
        Some(place) => place.name.clone(),
    }
}

fn notes(scaling: &Scaling) -> Vec<String> {
    let mut notes = Vec::new();
    let other = scaling.points.iter().find(|point| point.team > 0 && point.team != u64::from(point.threads));
    if let Some(point) = other.filter(|_| scaling.fixed_team().is_none()) {
        notes.push(format!(
            "with OMP_NUM_THREADS={} the largest team had {}: the program sets the number itself, or its runtime has a limit.",
            point.threads,
            count(point.team, "thread", "threads")
        ));
    }
    if let Some(point) = scaling.points.iter().find(|point| spread(point) >= SPREAD) {
        notes.push(format!(
            "the runs with {} differ by up to {} %: measure on an idle machine, or with more runs (-r).",
            count(u64::from(point.threads), "thread", "threads"),
            percent(spread(point) * 2.0, 1.0)
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{Run, Subject};
    use crate::{Cause, Grown};
    use advice::Finding;

    /// Numbers of threads with the wall time, the running time and the part of the time without a processor.
    fn scaling(points: &[(u32, f64, f64, f64)], finding: Option<&Finding>) -> Scaling {
        let run = |&(threads, wall_ns, running_ns, without_processor): &(u32, f64, f64, f64)| {
            let findings = finding.filter(|_| threads > 1).into_iter().cloned().collect();
            let teams = vec![threads.into()];
            let subject = Subject { wall_ns, running_ns, without_processor, teams, regions: Vec::new(), findings };
            (threads, vec![Run { wall_ns, subject: Some(subject) }])
        };
        Scaling::of(&points.iter().map(run).collect::<Vec<_>>())
    }

    #[test]
    fn figures_of_samples_have_the_number_of_threads_at_which_they_were_taken() {
        let mut scaling = scaling(&[(1, 1e9, 1e9, 0.0), (2, 9e8, 1.8e9, 0.0), (4, 4e8, 1.5e9, 0.0)], None);
        assert_eq!(scaling.to_sample(), Some((1, 2)));
        let place = "main at a.c:1".to_owned();
        scaling.grown.push(Grown { place, cause: Cause::Work, before_ns: 1e9, after_ns: 1.8e9 });
        let said = sentences(&scaling).pop().unwrap();
        assert!(said.starts_with("With 2 threads the threads run for 1.80 times as long in all as with 1."), "{said}");
    }

    #[test]
    fn overlapping_runs_do_not_show_that_more_threads_are_no_faster() {
        let run = |threads: u32, wall_ns: f64| {
            let (findings, regions, teams) = (Vec::new(), Vec::new(), vec![threads.into()]);
            let subject = Subject { wall_ns, running_ns: 1e9, without_processor: 0.0, teams, regions, findings };
            Run { wall_ns, subject: Some(subject) }
        };
        let runs = |threads, walls: [f64; 3]| (threads, walls.map(|wall_ns| run(threads, wall_ns)).to_vec());
        let points = [runs(1, [2.8e8, 2.9e8, 2.9e8]), runs(2, [1.4e8, 1.4e8, 9e8])];
        let said = sentences(&Scaling::of(&points)).remove(0);
        assert!(said.starts_with("With 2 threads it is 2.07 times as fast as with 1 by the medians, but"), "{said}");
    }

    #[test]
    fn runs_whose_threads_lacked_processors_do_not_show_that_more_threads_are_no_faster() {
        let first = |points: &[(u32, f64, f64, f64)]| sentences(&scaling(points, None)).remove(0);
        let one = (1, 1e9, 1e9, 0.0);
        assert_eq!(first(&[one, (2, 1e9, 1e9, 0.02)]), "With more than 1 thread it does not get faster.");
        assert_eq!(
            first(&[one, (2, 1e9, 1e9, 0.71)]),
            "With more than 1 thread it was not faster in these runs, in which threads lacked processors for 71.00 % of their time."
        );
        // One number of threads had its processors, and was not faster.
        assert!(first(&[one, (2, 1e9, 1e9, 0.0), (4, 1e9, 1e9, 0.5)]).contains("does not get faster"));
        assert_eq!(
            first(&[one, (2, 5e8, 1e9, 0.0), (4, 5e8, 1e9, 0.3), (8, 5e8, 1e9, 0.4)]),
            "With 2 threads it is 2.00 times as fast as with 1; runs with more were not faster, but threads lacked processors for \
             30.00 to 40.00 % of their time (2.00 times with 8)."
        );
    }

    #[test]
    fn a_run_without_regions_is_not_compared_by_the_time_of_its_code() {
        let run = |(threads, teams, running_ns): (u32, Vec<u64>, f64)| {
            let (regions, findings) = (Vec::new(), Vec::new());
            let subject = Subject { wall_ns: 1e9, running_ns, without_processor: 0.0, teams, regions, findings };
            (threads, vec![Run { wall_ns: 1e9 / f64::from(threads), subject: Some(subject) }])
        };
        for running_ns in [0.0, 1e9] {
            let scaling = Scaling::of(&[run((1, vec![], running_ns)), run((2, vec![2], 2e9))]);
            let said = sentences(&scaling).join(" ");
            assert!(said.contains("With 1 thread no parallel region was seen") && !said.contains(" as long"), "{said}");
            assert_eq!(scaling.to_sample(), None);
        }
    }

    #[test]
    fn runs_with_the_same_teams_say_nothing_about_more_threads() {
        let said = |teams: [&[u64]; 2]| {
            let run = |(threads, teams): (u32, &[u64])| {
                let (teams, regions, findings) = (teams.to_vec(), Vec::new(), Vec::new());
                let subject =
                    Subject { wall_ns: 1e9, running_ns: 1e9, without_processor: 0.0, teams, regions, findings };
                (threads, vec![Run { wall_ns: 1e9, subject: Some(subject) }])
            };
            sentences(&Scaling::of(&[run((1, teams[0])), run((2, teams[1]))])).remove(0)
        };
        assert!(said([&[1, 4], &[1, 4]]).starts_with("The largest team had 4 threads in all runs, whatever"));
        assert!(said([&[1, 4], &[2, 4]]).contains("does not get faster"), "one place follows the variable");
    }

    #[test]
    fn findings_about_threads_without_processors_say_what_such_runs_do_not_show() {
        let remark = |finding: &Finding| {
            let scaling = scaling(&[(1, 1e9, 1e9, 0.0), (2, 1e9, 1e9, 0.5)], Some(finding));
            findings(&scaling).next().unwrap().contains(TAKING_TURNS)
        };
        let finding = |id, is_first| Finding {
            id,
            place: None,
            what: String::new(),
            fix: String::new(),
            costs_ns: 1e8,
            saves_ns: None,
            how_known: advice::HowKnown::Unknown,
            is_first,
        };
        for id in ["busy_machine", "spinning", "processes", "small_regions"] {
            assert!(remark(&finding(id, true)), "{id}");
        }
        assert!(!remark(&finding("small_regions", false)) && !remark(&finding("imbalance", true)));
    }
}
