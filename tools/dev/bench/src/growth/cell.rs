//! Figures of one command in one dimension: CPU time, memory, and the exponent of their growth.

use serde::Serialize;

use super::dimension::Dimension;
use super::used::Used;
use crate::table::{Page, Table};

/// Minimum CPU time that makes a slope meaningful, in seconds and as a part of the bare program's.
const LITTLE_SECONDS: f64 = 0.01;
const LITTLE_PART: f64 = 0.05;

/// One command in one dimension.
#[derive(Serialize)]
pub(super) struct Cell {
    pub(super) command: String,
    dimension: &'static str,
    points: Vec<Point>,
    /// Slope of log(CPU time added) over the last factor of ten.
    exponent: Option<f64>,
    /// Slope of log(CPU time) of the bare program over the last factor of ten.
    bare_exponent: Option<f64>,
    /// CPU time added by each unit of the size, in microseconds, over the last factor of ten.
    microseconds_each: Option<f64>,
    /// Bytes of memory added by each unit of the size, over the last factor of ten.
    bytes_each: Option<f64>,
    /// Reason why there is no figure, or none for larger sizes.
    pub(super) note: Option<String>,
}

#[derive(Clone, Copy, Serialize)]
struct Point {
    size: u64,
    bare_seconds: f64,
    seconds: f64,
    mebibytes: f64,
    bare_mebibytes: f64,
}

impl Cell {
    pub(super) fn new(command: &str, dimension: &Dimension) -> Self {
        Self {
            command: command.to_owned(),
            dimension: dimension.name,
            points: Vec::new(),
            exponent: None,
            bare_exponent: None,
            microseconds_each: None,
            bytes_each: None,
            note: None,
        }
    }

    /// A cell that has no meaning.
    pub(super) fn without(command: &str, dimension: &Dimension, reason: &str) -> Self {
        Self { note: Some(format!("n/a: {reason}")), ..Self::new(command, dimension) }
    }

    /// Adds a size; `bare`: the same without the command.
    pub(super) fn add(&mut self, size: u64, bare: Used, with: Used) {
        self.points.push(Point {
            size,
            bare_seconds: bare.cpu_seconds,
            seconds: with.cpu_seconds,
            mebibytes: with.mebibytes,
            bare_mebibytes: bare.mebibytes,
        });
    }

    /// The largest size so far.
    pub(super) fn last_size(&self) -> Option<u64> {
        self.points.last().map(|point| point.size)
    }

    /// CPU time of the largest size so far, in seconds.
    pub(super) fn last_seconds(&self) -> f64 {
        self.points.last().map_or(0.0, |point| point.seconds)
    }

    /// Computes the slopes.
    pub(super) fn fit(&mut self) {
        let [.., before, last] = self.points.as_slice() else { return };
        // The time that a command takes for the smallest size doesn't depend on the size.
        let fixed = self.points.first().map_or(0.0, |first| (first.seconds - first.bare_seconds).max(0.0));
        let fixed = if self.points.len() > 2 { fixed } else { 0.0 };
        let added = |point: &Point| point.seconds - point.bare_seconds - fixed;
        let clear = |point: &Point| added(point).max(0.0) > (LITTLE_PART * point.bare_seconds).max(LITTLE_SECONDS);
        let tenfold = (last.size as f64 / before.size as f64).log10();
        let slope = |from: f64, to: f64| (to / from).log10() / tenfold;
        self.exponent = (clear(before) && clear(last)).then(|| slope(added(before), added(last)));
        let is_long = before.bare_seconds > LITTLE_SECONDS;
        self.bare_exponent = is_long.then(|| slope(before.bare_seconds, last.bare_seconds));
        let each = |last: f64, before: f64, sizes: u64| Some((last - before) / sizes as f64);
        let sizes = last.size - before.size;
        self.microseconds_each = each(1e6 * added(last), 1e6 * added(before), sizes);
        let memory = |point: &Point| (point.mebibytes - point.bare_mebibytes) * f64::from(1 << 20);
        self.bytes_each = each(memory(last), memory(before), sizes);
    }

    fn cells(&self) -> [String; 9] {
        let hundredths = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
        let last = self.points.last();
        let of = |value: fn(&Point) -> f64| last.map_or("n/a".to_owned(), |point| format!("{:.2}", value(point)));
        [
            last.map_or("n/a".to_owned(), |point| point.size.to_string()),
            of(|point| point.bare_seconds),
            of(|point| point.seconds),
            of(|point| point.bare_mebibytes),
            of(|point| point.mebibytes),
            hundredths(self.bare_exponent),
            hundredths(self.exponent),
            hundredths(self.microseconds_each),
            self.bytes_each.map_or("-".to_owned(), |bytes| format!("{bytes:.0}")),
        ]
    }

    /// The figures in one line.
    pub(super) fn text(&self) -> String {
        format!("{}: {} {}", self.command, self.cells().join("  "), self.note.as_deref().unwrap_or_default())
    }
}

/// Tables of all cells, one a dimension.
pub(super) fn page(dimensions: &[Dimension], cells: &[Cell]) -> Page {
    let mut page = Page::default();
    for dimension in dimensions {
        let head = ["size", "bare s", "with s", "bare MiB", "with MiB", "bare slope", "slope", "us each", "bytes each"];
        let mut table = Table::new(&format!("{}: {}", dimension.name, dimension.unit), "command", head);
        let mut notes = Vec::new();
        for cell in cells.iter().filter(|cell| cell.dimension == dimension.name) {
            table.row(&cell.command, cell.cells());
            notes.extend(cell.note.as_ref().map(|note| format!("{}: {note}", cell.command)));
        }
        page.table(&table);
        notes.iter().for_each(|note| page.line(note));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::growth::dimension;

    #[test]
    fn the_slope_is_that_of_what_was_added_without_what_nothing_costs() {
        let used = |cpu_seconds, mebibytes| Used { cpu_seconds, mebibytes };
        let mut cell = Cell::new("stat", &dimension::ALL[0]);
        for (size, bare, with) in [(1, 0.001, 0.101), (10, 0.1, 0.2), (100, 1.0, 1.2), (1000, 10.0, 20.1)] {
            cell.add(size, used(bare, 1.0), used(with, 1.0 + size as f64));
        }
        cell.fit();
        assert!(cell.exponent.is_some_and(|exponent| (exponent - 2.0).abs() < 0.01), "{:?}", cell.exponent);
        assert!(cell.bare_exponent.is_some_and(|exponent| (exponent - 1.0).abs() < 0.01));
        assert!(cell.bytes_each.is_some_and(|bytes| (bytes - 1_048_576.0).abs() < 1.0));
    }
}
