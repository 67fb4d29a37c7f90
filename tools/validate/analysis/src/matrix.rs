//! Table of rules by runtime, in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use validate_layout::release::Release;
use validate_layout::rule::{About, Rule};

use crate::findings::Findings;

/// Verdict of all programs on a rule, on one runtime.
#[derive(Debug, Default)]
struct Cell {
    checks: u64,
    broken: u64,
    /// The first violation.
    seen: Option<String>,
}

/// A runtime's column.
#[derive(Debug)]
pub struct Column {
    /// Name of the runtime.
    name: String,
    /// Verdicts, indexed as the table of rules.
    cells: BTreeMap<usize, Cell>,
    /// The programs that ended with an error.
    failed: Vec<String>,
}

impl Column {
    /// A column without verdicts.
    pub fn new(runtime: &str) -> Self {
        Self { name: runtime.to_owned(), cells: BTreeMap::new(), failed: Vec::new() }
    }

    /// Adds a program that ended with an error, and its end.
    pub fn fail(&mut self, program: String) {
        self.failed.push(program);
    }

    /// Adds what was found in the processes of a program.
    pub fn add(&mut self, findings: &Findings) {
        for process in findings.processes.iter().filter(|process| !process.forked) {
            for (place, rule) in process.rules.iter().enumerate() {
                let cell = self.cells.entry(place).or_default();
                cell.checks += rule.checks;
                cell.broken += rule.broken;
                if cell.seen.is_none() {
                    let of_rule = process.violations.iter().find(|violation| violation.about.id == rule.about.id);
                    let callback = |callback: Option<&'static str>| callback.unwrap_or("no callback");
                    cell.seen = of_rule.map(|it| format!("{} (in {})", it.text, callback(it.callback)));
                }
            }
        }
    }

    fn text(&self, place: usize) -> String {
        match self.cells.get(&place) {
            Some(Cell { broken: 0, checks: 1.., .. }) => "kept".to_owned(),
            Some(Cell { broken: broken @ 1.., checks, .. }) => format!("**{broken}** of {checks}"),
            _ => String::new(),
        }
    }

    fn summary(&self) -> String {
        let met = self.cells.values().filter(|cell| cell.checks > 0).count();
        let broken = self.cells.values().filter(|cell| cell.broken > 0).count();
        format!("{met}, {broken}")
    }
}

/// The table, and the first violation of each violated rule.
pub fn table(columns: &[Column], release: Release) -> String {
    let mut out = format!(
        "Rules of OpenMP {release}: kept, or how many of how many checks found it broken. Empty: not met.\n\n| rule |"
    );
    for column in columns {
        let _ = write!(out, " {} |", column.name);
    }
    let _ = writeln!(out, "\n|---|{}", "---|".repeat(columns.len()));
    for (place, rule) in Rule::ALL.iter().enumerate() {
        let cells: Vec<String> = columns.iter().map(|column| column.text(place)).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            let _ = writeln!(out, "| `{}` | {} |", rule.about().id, cells.join(" | "));
        }
    }
    let of_all = columns.iter().map(Column::summary).collect::<Vec<_>>();
    let _ = writeln!(out, "| rules met, broken | {} |", of_all.join(" | "));
    for column in columns {
        let _ = write!(out, "{}", details(column));
    }
    out
}

fn details(column: &Column) -> String {
    let mut out = String::new();
    let broken = column.cells.iter().filter(|(_, cell)| cell.broken > 0);
    let broken: Vec<(About, &Cell)> =
        broken.filter_map(|(place, cell)| Some((Rule::ALL.get(*place)?.about(), cell))).collect();
    if broken.is_empty() && column.failed.is_empty() {
        return out;
    }
    let _ = writeln!(out, "\n## {}\n", column.name);
    for failed in &column.failed {
        let _ = writeln!(out, "- The program {failed}.");
    }
    for (about, cell) in broken {
        let _ = writeln!(out, "- `{}` ({} {}): {}.", about.id, about.since, about.section, about.text);
        if let Some(seen) = &cell.seen {
            let _ = writeln!(out, "  Seen: {seen}");
        }
    }
    out
}
