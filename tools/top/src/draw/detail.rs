//! Details of one region or thread: the last interval, and the whole time.

use ratatui::text::Line;
use stat_analysis::stat::activities::{ORDER, label};
use stat_analysis::stat::regions::{Key, Region, Sums};
use stat_analysis::stat::snapshot::Thread;
use terminal::page::elide;
use terminal::printable::Foreign;
use terminal::quantity::{percent, time};

use crate::sample::Pair;

const HEAD: &str = "                                interval           total";

/// Figures of a region.
pub(super) fn region(pair: &Pair, key: &Key, columns: usize) -> Vec<Line<'static>> {
    let of = |regions: &[Region]| regions.iter().find(|region| region.key() == *key).cloned();
    let (Some(interval), Some(total)) = (of(&pair.interval.regions), of(&pair.total.regions)) else {
        return vec![Line::raw(" The region is no longer among the figures.")];
    };
    let runtime = total.runtime.as_ref().map_or_else(|| "not seen".to_owned(), Foreign::to_string);
    let mut lines = vec![
        String::new(),
        elide(&format!(" {}", total.place.name()), columns),
        elide(&format!(" runtime {runtime}"), columns),
        String::new(),
        HEAD.to_owned(),
    ];
    let mut row = |name: &str, of: &dyn Fn(&Sums) -> String| {
        lines.push(format!("   {name:<22}{:>15} {:>15}", of(&interval.sums), of(&total.sums)));
    };
    row("count", &|sums| sums.count.to_string());
    row("time", &|sums| time(sums.total_ns as f64));
    row("mean", &|sums| time(sums.mean_ns()));
    row("longest of all", &|sums| time(sums.longest_ns as f64));
    row("largest team", &|sums| sums.threads.to_string());
    row("work", &|sums| time(sums.work_ns as f64));
    row("waits", &|sums| time(sums.wait_ns as f64));
    row("at barriers", &|sums| time(sums.barrier_ns as f64));
    row("  for peers that run", &|sums| time(sums.imbalance_ns as f64));
    row("  without a processor", &|sums| time(sums.no_processor_ns as f64));
    row("  the barriers' own", &|sums| time(sums.barrier_cost_ns() as f64));
    row("imbalance %", &|sums| sums.imbalance().map_or_else(|| "-".to_owned(), |part| percent(part, 1.0)));
    row("gain by even shares", &|sums| time(sums.gain_ns as f64));
    row("tasks", &|sums| sums.tasks.to_string());
    row("shares of loops", &|sums| sums.chunks.to_string());
    lines.into_iter().map(Line::raw).collect()
}

/// Figures of a thread.
pub(super) fn thread(pair: &Pair, slot: u32) -> Vec<Line<'static>> {
    let of = |threads: &[Thread]| threads.iter().find(|thread| thread.slot == slot).cloned();
    let (Some(interval), Some(total)) = (of(&pair.interval.threads), of(&pair.total.threads)) else {
        return vec![Line::raw(" The thread is no longer among the figures.")];
    };
    let doing = total.doing.map_or("has ended", label);
    let mut lines = vec![
        String::new(),
        format!(" thread {}: {doing}", total.tid),
        String::new(),
        format!("{HEAD}           waits       mean wait"),
    ];
    for activity in ORDER.into_iter().filter(|activity| total.spent(*activity) > 0) {
        let begun = total.begun.get(activity as usize).copied().unwrap_or_default();
        let waits = match begun {
            0 => String::new(),
            begun => format!(" {begun:>15} {:>15}", time(total.spent(activity) as f64 / begun as f64)),
        };
        lines.push(row(label(activity), &interval, &total, |thread| thread.spent(activity)) + &waits);
    }
    lines.push(String::new());
    lines.push(row("on a processor", &interval, &total, |thread| thread.passed.running_ns));
    lines.push(row("ready, without one", &interval, &total, |thread| thread.passed.ready_ns));
    lines.push(row("blocked", &interval, &total, |thread| thread.passed.blocked_ns));
    lines.push(String::new());
    let counted =
        |name: &str, of: &dyn Fn(&Thread) -> u64| format!("   {name:<22}{:>15} {:>15}", of(&interval), of(&total));
    lines.push(counted("regions begun", &|thread| thread.forks));
    lines.push(counted("regions served", &|thread| thread.served));
    lines.into_iter().map(Line::raw).collect()
}

fn row(name: &str, interval: &Thread, total: &Thread, of: impl Fn(&Thread) -> u64) -> String {
    format!("   {name:<22}{:>15} {:>15}", time(of(interval) as f64), time(of(total) as f64))
}
