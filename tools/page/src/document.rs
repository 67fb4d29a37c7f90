//! Content of a page.

use serde::Serialize;

use crate::{Chart, Line, Quantity, Row, Stacks, Table, TaskGraph, Timeline};

/// Page for a browser.
#[derive(Debug, Default, Serialize)]
pub struct Document {
    /// Heading: `Profile of ./heat 100`.
    pub title: String,
    /// Measurements among which the reader chooses: one, or a view for each process.
    pub views: Vec<View>,
    /// Picture below the findings.
    #[serde(skip)]
    pub chart: Option<Chart>,
}

/// Measurement, or one process of a measurement.
#[derive(Debug, Default, Serialize)]
pub struct View {
    /// Name of the view.
    pub name: String,
    /// Line below the title: time, threads, processors, machine.
    pub about: Vec<Quantity>,
    /// Most important figures, at most five.
    pub tiles: Vec<Tile>,
    /// Faults with their cures, most expensive first.
    pub findings: Vec<Finding>,
    /// Sentence that replaces the findings if there are none.
    pub silence: String,
    /// Notes that concern this measurement.
    pub notes: Vec<String>,
    /// Time of all threads, which the rows' times are parts of.
    pub total_ns: u64,
    /// Regions and functions, most expensive first.
    pub rows: Vec<Row>,
    /// Source lines, to which the rows refer by index.
    pub lines: Vec<Line>,
    /// More tables, each below the part of the page that it belongs to.
    pub tables: Vec<Table>,
    /// Threads over time.
    pub timeline: Option<Timeline>,
    /// Sampled stacks.
    pub stacks: Option<Stacks>,
    /// Tasks, if there are few of them.
    pub tasks: Option<TaskGraph>,
    /// Settings, machine, runtimes, versions.
    pub facts: Vec<(String, Quantity)>,
    /// Commands that write the data in other formats, with a description of the output.
    pub exports: Vec<(String, String)>,
}

impl View {
    /// Adds a fact, unless it is an empty text.
    pub fn fact(&mut self, name: &str, value: impl Into<Quantity>) {
        let value = value.into();
        if value != Quantity::Text(String::new()) {
            self.facts.push((name.to_owned(), value));
        }
    }
}

/// Figure of the answer.
#[derive(Clone, Debug, Serialize)]
pub struct Tile {
    /// Name of the figure.
    pub label: &'static str,
    /// The figure.
    pub value: Quantity,
    /// A few words below it.
    pub note: String,
    /// Part of the whole, drawn as a bar.
    pub of: Option<f64>,
    /// Factors of which it is the product.
    pub factors: Vec<(&'static str, Quantity)>,
}

impl Tile {
    /// Creates a figure without a bar.
    pub fn new(label: &'static str, value: Quantity, note: impl Into<String>) -> Self {
        Self { label, value, note: note.into(), of: None, factors: Vec::new() }
    }

    /// Adds a bar for this part of the whole.
    #[must_use]
    pub fn of(self, part: f64) -> Self {
        Self { of: Some(part).filter(|part| part.is_finite()), ..self }
    }
}

/// Fault with its cost and its cure.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The evidence, without a full stop.
    pub what: String,
    /// The cure, without a full stop.
    pub fix: String,
    /// Name of the place, as in [`Row::key`]; empty if it is not about a single place.
    pub key: String,
    /// Part of the threads' time that it takes.
    pub cost: f64,
    /// Wall time that the cure would save; `None` if unknown.
    pub saves_ns: Option<f64>,
    /// Part of the wall time that the cure would save.
    pub saves: f64,
    /// Origin of the savings: `measured`, `estimated`.
    pub how_known: &'static str,
}
