//! The page for browsers: one view for each process that used OpenMP.

mod answer;
mod rows;
mod tables;

use page::{Document, Line, Quantity, View};
use symbols::source::Sources;
use terminal::quantity::count;

use super::facts;
use super::report::{Report, Shown};
use crate::exit::Exit;
use crate::hints;

/// Maximum number of processes with a view of their own, besides the subject.
const MAX_VIEWS: usize = 31;
/// Maximum length of a line of text, in characters.
const LONGEST: usize = 160;

/// The page of some runs of a program. `why_unseen`: reason and remedy, if it is certain that nothing in it can be
/// seen.
pub fn document(
    name: &str,
    report: &Report<'_>,
    why_unseen: Option<&(String, String)>,
    sources: &mut Sources,
) -> Document {
    let mut views: Vec<View> = Vec::new();
    match &report.subject {
        Some(subject) => views.push(view(report, subject, true, sources)),
        None => views.push(View {
            name: name.to_owned(),
            about: vec![Quantity::Time(report.wall_ns.mean)],
            notes: vec![hints::not_seen(why_unseen) + "."],
            ..View::default()
        }),
    }
    let mut others: Vec<&Shown<'_>> = report.others.iter().collect();
    others.sort_by(|one, other| other.figures.elapsed_ns.mean.total_cmp(&one.figures.elapsed_ns.mean));
    let left_out = others.len().saturating_sub(MAX_VIEWS);
    others.truncate(MAX_VIEWS);
    views.extend(others.into_iter().map(|other| view(report, other, false, sources)));
    if let Some(first) = views.first_mut() {
        first.tables.extend(tables::processes(report));
        if left_out > 0 {
            first.notes.push(format!("{} have no view of their own.", count(left_out as u64, "process", "processes")));
        }
    }
    Document { title: format!("OpenMP statistics of {name}"), views, chart: None }
}

fn view(report: &Report<'_>, shown: &Shown<'_>, is_subject: bool, sources: &mut Sources) -> View {
    let Shown { process, figures } = shown;
    let mut view = View { total_ns: rows::whole(figures.elapsed_ns.mean), ..View::default() };
    view.name = format!("process {}: {}", process.who.pid, process.who.command.raw());
    let wall = if is_subject { report.wall_ns } else { figures.wall_ns };
    view.about = vec![
        Quantity::Time(wall.mean),
        count(rows::whole(figures.threads.mean), "thread", "threads").into(),
        count(rows::whole(figures.regions.mean), "parallel region", "parallel regions").into(),
    ];
    if report.runs > 1 {
        let runs = count(report.runs as u64, "run", "runs");
        view.about.push(format!("means of {runs}, \u{b1} {:.1} %", 100.0 * wall.deviation / wall.mean.max(1.0)).into());
    }
    let facts = facts::of(process, figures);
    let findings = advice::findings(&facts);
    view.findings = findings.iter().map(|finding| finding.on_page(facts.wall_ns, facts.all_ns)).collect();
    view.silence = answer::silence(process);
    view.tiles = answer::tiles(process, figures, wall);
    view.rows = rows::of(figures);
    add_lines(&mut view, sources);
    view.tables = tables::of(figures);
    let run = is_subject.then_some(report.last);
    view.notes = hints::about(process, !report.others.is_empty(), run).into_iter().map(|note| note + ".").collect();
    if is_subject {
        view.notes.extend(report.last.exit.advice().map(|advice| format!("{advice}.")));
    }
    add_facts(&mut view, report, shown, is_subject);
    view
}

/// The lines of the regions' directives, with their text.
fn add_lines(view: &mut View, sources: &mut Sources) {
    for row in &mut view.rows {
        let Some(line) = row.place.rsplit_once(':').and_then(|(_, line)| line.parse().ok()) else { continue };
        let text = sources.at(&row.file, line).map(|text| text.trim_end().chars().take(LONGEST).collect());
        if text.is_some() {
            row.lines.push((view.lines.len(), row.ns));
            view.lines.push(Line { file: row.file.clone(), line, text, all_ns: row.ns, strip: String::new() });
        }
    }
}

fn add_facts(view: &mut View, report: &Report<'_>, Shown { process, figures }: &Shown<'_>, is_subject: bool) {
    view.fact("command", process.who.command.raw());
    view.fact("OpenMP runtime", process.who.runtime_line());
    if is_subject && report.last.exit != Exit::Code(0) {
        view.fact("ended", report.last.exit.to_string());
    }
    view.fact("CPU time", Quantity::Time(figures.cpu_ns.mean));
    if let Some(allowed) = process.processors_allowed {
        view.fact("processors allowed", Quantity::Count(allowed.into()));
    }
    if let Some(quota) = process.quota {
        view.fact("quota of processors", Quantity::Number(quota));
    }
    for (name, value) in &process.settings {
        view.fact(name.raw(), value.raw());
    }
    view.fact("time that watching added, of all threads", Quantity::Time(figures.watching_ns.mean));
    view.fact("runs", Quantity::Count(report.runs as u64));
    view.fact("ora", env!("CARGO_PKG_VERSION"));
    view.exports = [
        ("ora stat -- PROGRAM", "the same as text"),
        ("ora stat --json -o FILE -- PROGRAM", "all figures as JSON"),
        ("ora profile -- PROGRAM", "functions, lines and stacks as well"),
        ("ora trace -- PROGRAM", "what happened when, and who waited for whom"),
    ]
    .map(|(command, what)| (command.to_owned(), what.to_owned()))
    .to_vec();
}
