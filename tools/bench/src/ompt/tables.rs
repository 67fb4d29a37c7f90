//! The tables of `bench ompt`.

use std::fmt::Write;

use super::Report;
use super::figures::{Figure, event, events, is_comparable, over, question};
use super::goals::{Verdict, goals};
use super::rows::{FAMILIES, Family, PLACES, QUESTIONS, construct_title, meets};
use super::way::{Interface, Way};
use crate::tables::{line, number, title};

/// How wide what a row is about is.
const ABOUT: usize = 40;

/// All tables, as text.
pub(crate) fn print(report: &Report) -> String {
    let mut text = String::new();
    let out = &mut text;
    line(out, &format!("library: {}", report.library.display()));
    let libomp = report.libomp.as_ref().map_or("its own".to_owned(), |folder| format!("that in {}", folder.display()));
    line(out, &format!("clang: {}; libomp: {libomp}", report.clang));
    let (rounds, batches, processors) = (report.rounds, report.batches, report.processors);
    line(out, &format!("{rounds} rounds over all ways, {batches} batches each; {processors} processors"));
    event_table(out, report);
    whole_table(out, report);
    construct_table(out, report);
    query_table(out, report);
    goal_table(out, report);
    text
}

/// Each family with each of its constructs.
fn each_row(mut each: impl FnMut(&Family, &str, &str)) {
    for family in FAMILIES {
        for construct in family.constructs {
            each(family, construct, &family.key(construct));
        }
    }
}

/// A row's first cell.
fn about(family: &Family, construct: &str) -> String {
    format!("{:20} {:19}", family.title, construct_title(construct))
}

/// Three cells each of best times, middle times and instructions. `mark` says that these are not to be relied on.
fn figures(cost: impl Fn(Interface) -> Option<Figure>, mark: bool) -> String {
    let costs = Interface::EVERY.map(cost);
    let cells = |value: fn(Figure) -> Option<f64>, mark: &str| {
        costs.iter().fold(" ".to_owned(), |cells, cost| {
            let cell = cost.and_then(value).map_or("-".to_owned(), |value| format!("{}{mark}", number(value)));
            format!("{cells} {cell:>7}")
        })
    };
    let instructions = cells(|cost| cost.instructions, if mark { "*" } else { "" });
    format!("{}{}{instructions}", cells(|cost| Some(cost.best), ""), cells(|cost| Some(cost.median), ""))
}

/// The two lines above such cells.
fn head(out: &mut String, before: [&str; 2], after: &str) {
    let names = Interface::EVERY.iter().fold(" ".to_owned(), |names, interface| format!("{names} {interface:>7}"));
    let groups = ["best, ns", "median, ns", "instructions"].map(|name| format!("{name:>25}")).concat();
    let [above, below] = before;
    line(out, &format!("{above}{groups}"));
    line(out, &format!("{below}{}{after}", names.repeat(3)));
}

fn event_table(out: &mut String, report: &Report) {
    title(out, "Events: what each costs over a tool that has registered nothing");
    let names = Interface::EVERY.iter().fold(" ".repeat(ABOUT), |names, interface| format!("{names} {interface:>6}"));
    let above = format!("{:ABOUT$} {:>20}", "", "events a construct");
    head(out, [&above, &names], "   ours/libomp TR2/libomp");
    each_row(|family, construct, row| {
        let counts = Interface::EVERY.map(|interface| {
            let count = events(report, row, interface).map_or("-".to_owned(), |count| format!("{count:.2}"));
            format!(" {count:>6}")
        });
        let ratio = |interface| {
            if events(report, row, interface).is_none() {
                return "-".to_owned();
            }
            if !is_comparable(report, row, interface) {
                return "counts differ".to_owned();
            }
            let medians = event(report, row, interface).zip(event(report, row, Interface::Native));
            let medians = medians.map(|(here, there)| (here.median, there.median));
            // What costs nothing is no measure; what seems to cost less is noise.
            medians
                .filter(|(here, there)| *here >= 0.0 && *there > 0.5)
                .map_or("-".to_owned(), |(here, there)| format!("{:.2}", here / there))
        };
        let (about, counts) = (about(family, construct), counts.concat());
        let cells = figures(|interface| event(report, row, interface), meets(construct));
        line(out, &format!("{about}{counts}{cells} {:>13} {:>13}", ratio(Interface::Ours), ratio(Interface::Tr2)));
    });
    line(out, "* Two threads that wait for one another: who waits, and how often, differs from run to run.");
}

fn whole_table(out: &mut String, report: &Report) {
    title(out, "Constructs with those callbacks: what each costs over the bare program");
    let above = format!("{:ABOUT$} {:>15}", "", "bare, ns");
    head(out, [&above, &format!("{:ABOUT$} {:>7} {:>7}", "", "gcc", "clang")], "");
    each_row(|family, construct, row| {
        let bare = |way| report.constructs.best(row, way).map_or("-".to_owned(), number);
        let cost = |interface: Interface| over(report, row, interface.callback(), interface.bare());
        let (about, cells) = (about(family, construct), figures(cost, meets(construct)));
        line(out, &format!("{about} {:>7} {:>7}{cells}", bare(Way::Bare), bare(Way::NativeBare)));
    });
}

fn construct_table(out: &mut String, report: &Report) {
    title(out, "Constructs: best time of all rounds, in ns");
    let (ours, native): (Vec<Way>, Vec<Way>) = Way::EVERY.iter().partition(|way| !way.is_native());
    line(out, &format!("{:ABOUT$} {:<80}  {:<40}", "", "  gcc, libgomp", "  clang, libomp"));
    let cells = |ways: &[Way], cell: &dyn Fn(Way) -> String| {
        ways.iter().fold(String::new(), |cells, way| format!("{cells} {:>9}", cell(*way)))
    };
    let row = |about: &str, cell: &dyn Fn(Way) -> String| {
        format!("{about:ABOUT$} {}  {}", cells(&ours, cell), cells(&native, cell))
    };
    line(out, &row("", &|way| way.to_string()));
    each_row(|family, construct, key| {
        let best = |way| report.constructs.best(key, way).map_or("-".to_owned(), number);
        line(out, &row(&about(family, construct), &best));
    });
}

fn query_table(out: &mut String, report: &Report) {
    title(out, "Queries on one thread, with a tool that has registered nothing");
    head(out, [&" ".repeat(ABOUT), &format!("{:15} {:24}", "OpenMP 5", "(TR2)")], "");
    for (place, place_title) in PLACES {
        for asked in QUESTIONS {
            let tr2 = asked.tr2.map_or(String::new(), |name| format!("({name})"));
            let names = format!("{:15} {tr2:12}", asked.v5);
            let cost = |interface| question(report, &asked.key(interface, place)?, interface);
            let place = place_title.split_whitespace().next().unwrap_or_default();
            line(out, &format!("{:ABOUT$}{}", format!("{names} {place}"), figures(cost, false)));
        }
    }
}

fn goal_table(out: &mut String, report: &Report) {
    title(out, "Goals: not dearer than on LLVM's own runtime, per event and per query (ours, theirs)");
    line(out, &format!("{:54} {:>15} {:>15} {:>15}", "", "best, ns", "median, ns", "instructions"));
    let goals = goals(report);
    for goal in &goals {
        let (here, there) = (goal.here, goal.there);
        let pair = |a: f64, b: f64| format!("{:>7} {:>7}", number(a), number(b));
        let instructions = here.instructions.zip(there.instructions).map_or(" ".repeat(15), |(a, b)| pair(a, b));
        let mut row = format!("{:54} {} {}", goal.what, pair(here.best, there.best), pair(here.median, there.median));
        let _ = write!(row, " {instructions}  {:6}", goal.times().title());
        if let Some(verdict) = goal.instructions() {
            let _ = write!(row, "  in instructions: {}", verdict.title());
        }
        line(out, &row);
    }
    let count = |verdict: Verdict| goals.iter().filter(|goal| goal.times() == verdict).count();
    let counted: Vec<_> = goals.iter().filter_map(super::goals::Goal::instructions).collect();
    let met = counted.iter().filter(|verdict| **verdict == Verdict::Met).count();
    let (all, near) = (goals.len(), count(Verdict::Near));
    line(
        out,
        &format!(
            "By the times {} of {all} are met, {near} near; by instructions {met} of {}.",
            count(Verdict::Met),
            counted.len()
        ),
    );
    line(out, "near: either by the best rounds or by the middle of all rounds, not by both.");
}

#[cfg(test)]
mod tests {
    use super::super::figures::sample;
    use super::*;

    #[test]
    fn a_row_whose_counts_differ_says_so_and_has_no_ratio() {
        let row = |report: &Report| {
            let text = print(report);
            text.lines().find(|line| line.starts_with("work ") && line.contains("loop")).unwrap().to_owned()
        };
        assert!(row(&sample(2.0)).ends_with("0.75          1.75"), "{}", row(&sample(2.0)));
        assert!(row(&sample(3.0)).ends_with("counts differ          1.75"), "{}", row(&sample(3.0)));
    }
}
