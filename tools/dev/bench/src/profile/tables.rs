//! Tables of `bench profile`.

use super::Report;
use super::programs::title;
use super::ways::Way;
use crate::samples::{Samples, middle};
use crate::table::{Page, Table, percent};

pub(super) fn page(report: &Report) -> Page {
    let mut page = Page::default();
    page.line(&format!("{} rounds over all", report.rounds));
    page.line(
        "More than the bare program takes: by the best of all rounds, and the middle of the rounds. CPU: of all threads.",
    );
    page.line("\"around\": what the command takes beside the program's work, more than the bare program does.");
    for (name, samples) in &report.runs {
        page.table(&one(name, samples));
    }
    for (name, why) in &report.missing {
        page.line(&format!("\n{name}: not to be had: {why}"));
    }
    page
}

fn one(name: &str, samples: &Samples<Way>) -> Table {
    let work = samples.median("wall_ns", Way::Bare).unwrap_or(f64::NAN) / 1e6;
    let head = ["wall, best", "middle", "CPU, best", "middle", "goal", "around, ms", "on disk, kB"];
    let mut table = Table::new(&format!("{} ({name}): {work:.0} ms", title(name)), "", head);
    let shown = |percent: Option<f64>| percent.map_or("-".to_owned(), |percent| format!("{percent:+.1} %"));
    for way in samples.ways("wall_ns").filter(|way| *way != Way::Bare) {
        let more = |row: &str| {
            let best = samples.best(row, way).zip(samples.best(row, Way::Bare)).map(|(a, b)| percent(a, b));
            [shown(best), shown(samples.paired(row, way, Way::Bare, percent))]
        };
        let beside = |of: Way| {
            let whole = samples.pairs("whole_ns", of, of).into_iter().flatten();
            let work = samples.pairs("wall_ns", of, of).into_iter().flatten();
            whole.zip(work).map(|((whole, _), (work, _))| whole - work).collect::<Vec<_>>()
        };
        let around = beside(way).iter().zip(beside(Way::Bare)).map(|(its, bare)| (its - bare) / 1e6).collect();
        let around = format!("{:.0}", middle(around).unwrap_or(f64::NAN));
        let goal = way.goal().map_or(String::new(), |goal| format!("{goal:.0} %"));
        let bytes = samples.last("bytes", [way]).filter(|bytes| *bytes > 0.0);
        let size = bytes.map_or(String::new(), |bytes| format!("{:.0}", (bytes / 1000.0).floor()));
        let figures = [more("wall_ns"), more("cpu_ns")].into_iter().flatten();
        table.row(&way.to_string(), figures.chain([goal, around, size]));
    }
    table
}
