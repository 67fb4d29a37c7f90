//! Tables of `bench ompt`.

use super::Report;
use super::figures::{Figure, event, events, is_comparable, over, query_cost};
use super::goals::{Goal, goals};
use super::rows::{FAMILIES, Family, PLACES, QUERIES, construct_title, meets};
use super::way::{Interface, Way};
use crate::table::{Page, Table, cell, number};
use crate::verdict::Verdict;

/// All tables.
pub(super) fn page(report: &Report) -> Page {
    let mut page = Page::default();
    let libomp = report.libomp.as_ref().map_or("its own".to_owned(), |folder| format!("that in {}", folder.display()));
    page.line(&format!("clang: {}; libomp: {libomp}", report.clang));
    page.line(&format!("{} rounds over all ways, {} batches each", report.rounds, report.batches));
    page.table(&event_table(report));
    page.line("* Two threads that wait for one another: who waits, and how often, differs from run to run.");
    page.table(&whole_table(report));
    page.table(&construct_table(report));
    page.table(&query_table(report));
    goal_table(&mut page, report);
    page
}

/// Calls `each` for each family with each of its constructs.
fn each_row(mut each: impl FnMut(&Family, &str, &str)) {
    for family in FAMILIES {
        for construct in family.constructs {
            each(family, construct, &family.key(construct));
        }
    }
}

/// First cell of a row.
fn about(family: &Family, construct: &str) -> String {
    format!("{:20} {}", family.title, construct_title(construct))
}

/// Heads of a table with such first cells; the heads `before` come first.
fn head<'a>(before: &'a [&'a str]) -> impl Iterator<Item = String> + use<'a> {
    let figures = ["best, ns", "median, ns", "instructions"].into_iter();
    let figures = figures.flat_map(|what| {
        Interface::EVERY.map(|interface| match interface {
            Interface::Ours => format!("{what}: {interface}"),
            _ => interface.to_string(),
        })
    });
    before.iter().map(|cell| (*cell).to_owned()).chain(figures)
}

/// Three cells each for best times, median times and instructions. `mark` marks the instructions as unreliable.
fn figures(cost: impl Fn(Interface) -> Option<Figure>, mark: bool) -> impl Iterator<Item = String> {
    let costs = Interface::EVERY.map(cost);
    let cells = move |value: fn(Figure) -> Option<f64>, mark: &'static str| {
        costs.map(|cost| cost.and_then(value).map_or("-".to_owned(), |value| format!("{}{mark}", number(value))))
    };
    let instructions = cells(|cost| cost.instructions, if mark { "*" } else { "" });
    [cells(|cost| Some(cost.best), ""), cells(|cost| Some(cost.median), ""), instructions].into_iter().flatten()
}

fn event_table(report: &Report) -> Table {
    let names = ["events: ours", "libomp", "TR2"];
    let ratios = ["ours/libomp", "TR2/libomp"].map(str::to_owned);
    let title = "Events: how many a construct has, and what each costs over a tool that has registered nothing";
    let mut table = Table::new(title, "", head(&names).chain(ratios));
    each_row(|family, construct, row| {
        let counts = Interface::EVERY
            .map(|interface| events(report, row, interface).map_or("-".to_owned(), |count| format!("{count:.2}")));
        let ratio = |interface| {
            if events(report, row, interface).is_none() {
                return "-".to_owned();
            }
            if !is_comparable(report, row, interface) {
                return "counts differ".to_owned();
            }
            let medians = event(report, row, interface).zip(event(report, row, Interface::Native));
            let medians = medians.map(|(here, there)| (here.median, there.median));
            // A cost of zero can't be the base of a ratio, and a negative cost is noise.
            medians
                .filter(|(here, there)| *here >= 0.0 && *there > 0.5)
                .map_or("-".to_owned(), |(here, there)| format!("{:.2}", here / there))
        };
        let cells = figures(|interface| event(report, row, interface), meets(construct));
        let ratios = [ratio(Interface::Ours), ratio(Interface::Tr2)];
        table.row(&about(family, construct), counts.into_iter().chain(cells).chain(ratios));
    });
    table
}

fn whole_table(report: &Report) -> Table {
    let title = "Constructs with those callbacks: what each costs over the bare program";
    let mut table = Table::new(title, "", head(&["bare, ns: gcc", "clang"]));
    each_row(|family, construct, row| {
        let bare = [Way::Bare, Way::NativeBare].map(|way| cell(report.constructs.best(row, way)));
        let cost = |interface: Interface| over(report, row, interface.callback(), interface.bare());
        table.row(&about(family, construct), bare.into_iter().chain(figures(cost, meets(construct))));
    });
    table
}

fn construct_table(report: &Report) -> Table {
    let title = "Constructs: best time of all rounds, in ns (the last four: clang, libomp)";
    let mut table = Table::new(title, "", Way::EVERY);
    each_row(|family, construct, key| {
        table.row(&about(family, construct), Way::EVERY.map(|way| cell(report.constructs.best(key, way))));
    });
    table
}

fn query_table(report: &Report) -> Table {
    let title = "Queries on one thread, with a tool that has registered nothing: OpenMP 5 (TR2)";
    let mut table = Table::new(title, "", head(&[]));
    for (place, place_title) in PLACES {
        for query in QUERIES {
            let tr2 = query.tr2.map_or(String::new(), |name| format!("({name})"));
            let cost = |interface| query_cost(report, &query.key(interface, place)?, interface);
            let place = place_title.split_whitespace().next().unwrap_or_default();
            table.row(&format!("{:15} {tr2:13} {place}", query.v5), figures(cost, false));
        }
    }
    table
}

fn goal_table(page: &mut Page, report: &Report) {
    let head = ["best, ns", "", "median, ns", "", "instructions", "", "by time", "by instructions"];
    let title = "Goals: not dearer than on LLVM's own runtime, per event and per query (ours, theirs)";
    let mut table = Table::new(title, "", head);
    let goals = goals(report);
    for goal in &goals {
        let (here, there) = (goal.here, goal.there);
        let pair = |a: f64, b: f64| [number(a), number(b)];
        let instructions = here.instructions.zip(there.instructions).map_or(Default::default(), |(a, b)| pair(a, b));
        let verdict = goal.instructions().map_or(String::new(), |verdict| verdict.to_string());
        let figures = [pair(here.best, there.best), pair(here.median, there.median), instructions];
        table.row(&goal.what, figures.into_iter().flatten().chain([goal.times().to_string(), verdict]));
    }
    page.table(&table);
    let count = |verdict: Verdict| goals.iter().filter(|goal| goal.times() == verdict).count();
    let counted: Vec<_> = goals.iter().filter_map(Goal::instructions).collect();
    let met = counted.iter().filter(|verdict| **verdict == Verdict::Met).count();
    let (all, near) = (goals.len(), count(Verdict::Near));
    page.line(&format!(
        "By the times {} of {all} are met, {near} near; by instructions {met} of {}.",
        count(Verdict::Met),
        counted.len()
    ));
    page.line("near: either by the best rounds or by the middle of all rounds, not by both.");
}

#[cfg(test)]
mod tests {
    use super::super::figures::sample;
    use super::*;

    #[test]
    fn a_row_whose_counts_differ_says_so_and_has_no_ratio() {
        let row = |report: &Report| {
            let text = page(report).to_string();
            text.lines().find(|line| line.starts_with("work ") && line.contains("loop")).unwrap().to_owned()
        };
        assert!(row(&sample(2.0)).ends_with("0.75        1.75"), "{}", row(&sample(2.0)));
        assert!(row(&sample(3.0)).ends_with("counts differ        1.75"), "{}", row(&sample(3.0)));
    }
}
