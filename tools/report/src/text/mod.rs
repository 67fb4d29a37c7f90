//! The report for people: a terminal's text.

mod calls;
mod header;
mod tables;

use std::fmt::Write as _;

use crate::printable::Shown;
use crate::quantity::{Unit, percent};
use crate::report::Report;

/// What all tables share.
struct Sheet<'r, 'p> {
    report: &'r Report<'p>,
    unit: Unit,
    /// Most rows of a table.
    rows: usize,
    out: String,
}

/// The report; `rows`: at most so many in each table.
pub fn render(report: &Report<'_>, rows: usize) -> String {
    let unit = Unit::for_up_to(report.sums.total.total_ns() as f64);
    let mut sheet = Sheet { report, unit, rows, out: String::new() };
    sheet.header();
    if report.sums.total.samples > 0 {
        sheet.functions();
        sheet.lines();
        sheet.calls();
        sheet.regions();
        sheet.waits();
        sheet.threads();
        sheet.advice();
    }
    sheet.outside();
    sheet.out.push('\n');
    sheet.out
}

impl Sheet<'_, '_> {
    fn line(&mut self, line: &str) {
        // Names in it are others': no line of theirs begins here.
        let _ = writeln!(self.out, "{}", format!("   {}", line.shown()).trim_end());
    }

    fn title(&mut self, title: &str) {
        let _ = writeln!(self.out, "\n {}\n", title.shown());
    }

    /// A time in the sheet's unit.
    fn time(&self, ns: u64) -> String {
        self.unit.show(ns as f64)
    }

    /// A part of all the threads' time.
    fn share(&self, ns: u64) -> String {
        percent(ns as f64, self.report.sums.total.total_ns() as f64)
    }

    /// What did not fit in.
    fn more(&mut self, all: usize, what: &str) {
        if let Some(more) = all.checked_sub(self.rows).filter(|more| *more > 0) {
            self.line(&format!("and {more} more {what} (`--max all` shows them)"));
        }
    }

    fn advice(&mut self) {
        if self.report.advice.is_empty() {
            return;
        }
        self.title("Advice");
        let report = self.report;
        report.advice.iter().for_each(|advice| self.line(&format!("- {}", advice.text)));
    }
}
