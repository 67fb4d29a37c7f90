//! Summary of the report in a few lines.

use crate::describe;
use crate::profile::ASLEEP;
use crate::report::Report;
use terminal::printable::Shown;
use terminal::quantity::{count, percent, time};

/// Label of a finding.
pub const FINDING: &str = "Finding: ";

/// The summary: total time, OpenMP's part of it, the most expensive places, and the first finding.
pub fn summary(report: &Report<'_>) -> String {
    let total = report.sums.total;
    if total.samples == 0 {
        return String::new();
    }
    let part = |ns: u64| format!("{} ({} %)", time(ns as f64), percent(ns as f64, total.total_ns() as f64));
    let profile = report.profile;
    let (begin, end) = profile.span_ns();
    let threads = profile.threads.iter().filter(|thread| !thread.outside).count();
    let mut lines = vec![
        format!(
            "{} of {} in {}; CPU time {}",
            time(total.total_ns() as f64),
            count(threads as u64, "thread", "threads"),
            time(end.saturating_sub(begin) as f64),
            time(total.cpu_ns as f64)
        ),
        work_and_wait(report),
    ];
    if let Some(region) = report.regions.first() {
        let own = &region.exclusive;
        let imbalance = region.imbalance().filter(|imbalance| imbalance.certain);
        let imbalance =
            imbalance.map_or_else(String::new, |imbalance| format!(", imbalance {} %", percent(imbalance.share, 1.0)));
        let barriers = time(region.barriers().total_ns() as f64);
        let name = describe::region(&profile.code, region.construct);
        let own = part(own.total_ns());
        lines.push(format!("most expensive region: {name}: {own}, {barriers} of it at barriers{imbalance}"));
    }
    if let Some(function) = report.functions.iter().find_map(|one| {
        let function = profile.code.function(one.what).filter(|function| !function.is_pseudo())?;
        Some(format!("most expensive function: {}: {}", describe::function(function), part(one.exclusive.total_ns())))
    }) {
        lines.push(function);
    }
    if let Some(first) = report.findings.first() {
        lines.push(format!("{FINDING}{}", first.text(report.wall_ns)));
    }
    lines.iter().map(|line| format!("{}\n", line.shown())).collect()
}

/// The two sums, and the sleep that is in the first one.
pub(super) fn work_and_wait(report: &Report<'_>) -> String {
    let total = report.sums.total;
    let part = |ns: u64| format!("{} ({} %)", time(ns as f64), percent(ns as f64, total.total_ns() as f64));
    let code = &report.profile.code;
    let is_sleep = |what| code.function(what).is_some_and(|function| function.name == ASLEEP);
    let asleep_ns = report.functions.iter().find(|one| is_sleep(one.what)).map_or(0, |one| one.exclusive.work_ns);
    let asleep = if asleep_ns > 0 {
        format!(", {} of it asleep in calls or taskwaits", time(asleep_ns as f64))
    } else {
        String::new()
    };
    format!("OpenMP Work {}{asleep}, OpenMP Wait {}", part(total.work_ns), part(total.wait_ns))
}
