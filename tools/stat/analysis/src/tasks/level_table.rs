//! The table of the task tree's levels: how many tasks each has, and how long they ran.

use terminal::page::{Column, Page, Table as Rows};
use terminal::quantity::time;
use untrusted::figure::Total;

use super::snapshot::Level;

/// Appends the table; a tree of one level has none.
pub(super) fn render(out: &mut Page, levels: &[Level]) {
    const ROWS: usize = 12;
    if levels.len() < 2 {
        return;
    }
    let mut table = Rows::new(
        3,
        vec![
            Column::label("level", 14),
            Column::figure("tasks", 14),
            Column::figure("executing", 18),
            Column::figure("mean", 18),
            Column::figure("with all below", 18),
        ],
    );
    let mut below: f64 = levels.iter().map(|level| level.execution_ns).sum();
    // Few levels are all shown; of many, the first ones and the last.
    let skipped = if levels.len() > ROWS { ROWS - 1..levels.len() - 1 } else { 0..0 };
    for (index, level) in levels.iter().enumerate() {
        if index == skipped.start && !skipped.is_empty() {
            let tasks: u64 = levels.get(skipped.clone()).unwrap_or_default().iter().map(|level| level.created).total();
            table.row([format!("{} more", skipped.len()), tasks.to_string()]);
        }
        if !skipped.contains(&index) {
            let each = |ns: f64| time(ns / level.executed.max(1) as f64);
            table.row([
                format!("{:>5}", index + 1),
                level.created.to_string(),
                time(level.execution_ns),
                each(level.execution_ns),
                each(below),
            ]);
        }
        below -= level.execution_ns;
    }
    out.blank();
    out.table(table);
}
