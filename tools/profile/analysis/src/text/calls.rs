//! The call tree as text.

use std::fmt::Write as _;

use super::Sheet;
use crate::describe;
use terminal::page::{Column, Table};
use terminal::quantity::percent;

/// Minimum part of the total time for a call to be shown.
const MIN_SHARE: f64 = 0.01;
/// Maximum depth with an indentation of its own.
const INDENTED: usize = 40;
/// Lines of the tree for each row that a table may have.
const LINES: usize = 5;

impl Sheet<'_, '_> {
    pub(super) fn calls(&mut self) {
        let (report, unit) = (self.report, self.unit.name);
        self.title(&format!(
            "Calls: who calls whom, with what they call (calls below {:.0} % are left out)",
            MIN_SHARE * 100.0
        ));
        let mut table = Table::new(
            3,
            vec![
                Column::figure("% of all", 9),
                Column::figure(unit, 11).full_name("time").spare(2),
                Column::figure("% wait", 9).spare(1),
                Column::name("function"),
            ],
        );
        let nodes = &report.tree.nodes;
        let total = report.sums.total.total_ns() as f64;
        let most = self.rows.saturating_mul(LINES);
        let (mut shown, mut left_out, mut left_out_ns) = (0_usize, 0_usize, 0);
        let mut stack = vec![(0_usize, 0_usize)];
        while let Some((number, depth)) = stack.pop() {
            let Some(node) = nodes.get(number) else { continue };
            let inclusive = node.inclusive.total_ns();
            if number > 0 && (shown >= most || (inclusive as f64) < MIN_SHARE * total) {
                left_out += 1;
                left_out_ns += inclusive;
                continue;
            }
            let below = if number == 0 { 0 } else { depth + 1 };
            stack.extend(report.tree.children(number).rev().map(|child| (child, below)));
            let Some(function) = report.profile.code.function(node.function) else { continue };
            shown += 1;
            let mut name = function.name.clone();
            if let Some(construct) = node.construct {
                let _ = write!(name, "  ({})", describe::body(construct));
            }
            if node.recursive {
                name += "  (calls itself)";
            }
            let wait = percent(node.inclusive.wait_ns as f64, inclusive as f64);
            let (share, time) = (self.share(inclusive), self.time(inclusive));
            table.row([share, time, wait, format!("{:>depth$}{name}", "", depth = 2 * depth.min(INDENTED))]);
        }
        if left_out > 0 {
            let what = if left_out == 1 { "call" } else { "calls, with those below them," };
            let (share, time) = (self.share(left_out_ns), self.time(left_out_ns));
            table.row([share, time, String::new(), format!("in {left_out} {what} left out")]);
        }
        self.out.table(table);
    }
}
