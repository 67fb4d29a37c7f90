//! The report as text for people.

mod calls;
mod header;
mod runtimes;
mod summary;
mod tables;

use crate::report::Report;
use terminal::page::{Page, Paper, Tone};
use terminal::quantity::{Unit, percent};

pub(crate) use header::{notes, samples};
pub use summary::{FINDING, summary};

/// Settings that all tables share.
struct Sheet<'r, 'p> {
    report: &'r Report<'p>,
    unit: Unit,
    /// Largest number of rows of a table.
    rows: usize,
    out: Page,
}

/// The report as text for a file, with at most `rows` rows in each table.
pub fn render(report: &Report<'_>, rows: usize) -> String {
    page(report, rows).render(Paper::default())
}

/// The report as a page: first the total time and findings, then the details.
pub fn page(report: &Report<'_>, rows: usize) -> Page {
    let unit = Unit::for_up_to(report.sums.total.total_ns() as f64);
    let mut sheet = Sheet { report, unit, rows, out: Page::default() };
    sheet.header();
    if report.sums.total.samples > 0 {
        sheet.findings();
        sheet.processes();
        sheet.regions();
        sheet.waits();
        sheet.functions();
        sheet.lines();
        sheet.calls();
        sheet.runtimes();
        sheet.threads();
    }
    sheet.outside();
    sheet.out.blank();
    sheet.out
}

impl Sheet<'_, '_> {
    fn line(&mut self, line: &str) {
        self.out.text(3, line);
    }

    fn title(&mut self, title: &str) {
        self.out.blank();
        self.out.heading(title);
    }

    /// Formats a time in the sheet's unit.
    fn time(&self, ns: u64) -> String {
        self.unit.show(ns as f64)
    }

    /// Formats a time as a part of all the threads' time.
    fn share(&self, ns: u64) -> String {
        percent(ns as f64, self.report.sums.total.total_ns() as f64)
    }

    /// Adds a line about rows that were left out.
    fn more(&mut self, all: usize, what: &str) {
        if let Some(more) = all.checked_sub(self.rows).filter(|more| *more > 0) {
            self.line(&format!("and {more} more {what} (`--rows all` shows them)"));
        }
    }

    fn findings(&mut self) {
        for finding in &self.report.findings {
            self.out.blank();
            self.out.paragraph(3, FINDING, &finding.text(self.report.wall_ns), Tone::Finding);
        }
        if let Some(excluded) = &self.report.excluded {
            self.out.blank();
            self.out.paragraph(3, "Note: ", &format!("{excluded}."), Tone::Note);
        }
    }
}
