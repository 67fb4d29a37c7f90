//! Table of the signal stress test.
#![expect(clippy::print_stdout, reason = "a command talks on stdout")]

use std::collections::BTreeMap;

use super::Row;
use super::cells::Cell;
use super::counts::{Count, Counts};

/// Prints the row of a program on a runtime.
pub fn line(cell: &Cell, row: &Row) {
    static HEAD: std::sync::Once = std::sync::Once::new();
    HEAD.call_once(|| {
        println!(
            "{:<16} {:<24} {:>6} {:>10} {:>6} {:>9} {:>9} {:>9} {:>8} {:>6} {:>6}",
            "host", "program", "runs", "samples", "asked", "in ora", "waiting", "regions", "tasks", "moved", "wrong"
        );
    });
    println!("{cell} {}", numbers(row.runs, &row.counts));
    for (rule, count, answers) in row.counts.contradictions() {
        println!("  {count} times not so: {rule}. The first: {answers}");
    }
    if let Some(otherwise) = &row.otherwise {
        println!("  ended otherwise than without us: {otherwise}");
    }
}

fn numbers(runs: u64, counts: &Counts) -> String {
    let of = |count| counts.of(count);
    let percent = (100 * of(Count::Delivered)).checked_div(of(Count::Asked)).unwrap_or(0);
    let wrong: u64 = counts.contradictions().iter().map(|(_, count, _)| count).sum();
    format!(
        "{runs:>6} {:>10} {percent:>5}% {:>9} {:>9} {:>9} {:>8} {:>6} {wrong:>6}",
        of(Count::Delivered),
        of(Count::InOurCode),
        of(Count::Waiting),
        of(Count::InRegions),
        of(Count::InTasks),
        of(Count::Moved),
    )
}

/// Prints the sums for each runtime; returns true if no rule was violated.
pub fn end(rows: &[(&Cell, Row)]) -> bool {
    let mut hosts: BTreeMap<&str, (u64, Counts)> = BTreeMap::new();
    for (cell, row) in rows {
        for host in [cell.host(), "~ all"] {
            let (runs, counts) = hosts.entry(host).or_default();
            *runs += row.runs;
            counts.add(&row.counts);
        }
    }
    println!();
    for (host, (runs, counts)) in &hosts {
        let name = if *host == "~ all" { "all" } else { host };
        let (tr2, five) = (counts.of(Count::OfTr2), counts.of(Count::OfFive));
        println!(
            "{name:<16} {:<24} {}  TR2 {tr2}, 5 {five}, threads {} (guarded {}), events {}",
            "",
            numbers(*runs, counts),
            counts.of(Count::Timers),
            counts.of(Count::Guarded),
            counts.of(Count::Callbacks)
        );
    }
    let deaf = rows.iter().filter(|(_, row)| row.counts.of(Count::Delivered) == 0);
    let deaf = deaf.map(|(cell, _)| println!("{cell}: not one sample")).count();
    let well = |row: &Row| row.otherwise.is_none() && row.counts.contradictions().is_empty();
    !rows.is_empty() && deaf == 0 && rows.iter().all(|(_, row)| well(row))
}
