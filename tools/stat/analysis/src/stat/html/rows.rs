//! Rows of regions, with the time of their threads by activity.

use page::{Activity, Kind, Row, Wait};
use stat_layout::stat::layout;
use symbols::Place;
use symbols::brief;

use crate::advised;
use crate::stat::activities;
use crate::stat::figures::Figures;
use crate::stat::regions::Region;

/// The regions, the most expensive one first, and the code outside of them.
pub(super) fn of(figures: &Figures) -> Vec<Row> {
    let mut rows: Vec<Row> = figures.by_place.iter().map(region).collect();
    let mut outside = Row { kind: Kind::Outside, name: "code outside of regions".to_owned(), ..Row::default() };
    outside.add(Activity::Work, whole(figures.spent(layout::Activity::Serial).mean));
    outside.add(Activity::Idle, whole(figures.spent(layout::Activity::Idle).mean));
    rows.extend((outside.ns > 0).then_some(outside));
    rows.sort_by_key(|row| std::cmp::Reverse(row.ns));
    rows
}

fn region(region: &Region) -> Row {
    let sums = region.sums;
    let (name, place, file) = match &region.place {
        Place::Line { function, file, line } => {
            let short = file.rsplit('/').next().unwrap_or(file);
            (brief(function).to_owned(), format!("{short}:{line}"), file.clone())
        }
        other => (other.brief_name(), String::new(), String::new()),
    };
    let mut row = Row {
        kind: Kind::Region,
        name,
        place,
        file,
        key: advised::place(&region.place).map_or_else(String::new, |place| place.name),
        wall_ns: Some(sums.total_ns),
        count: Some(sums.count),
        team: Some(sums.threads),
        imbalance: sums.imbalance(),
        gain_ns: Some(sums.gain_ns),
        ..Row::default()
    };
    row.add(Activity::Work, sums.work_ns);
    row.add(Activity::Waits, sums.wait_ns);
    row.move_part(Activity::Waits, Activity::Imbalance, sums.imbalance_ns);
    row.move_part(Activity::Waits, Activity::NoProcessor, sums.no_processor_ns);
    let other_ns = sums.wait_ns.saturating_sub(sums.barrier_ns);
    let waits = [
        ("barriers, for threads that run longer", sums.imbalance_ns),
        ("barriers, for threads without a processor", sums.no_processor_ns),
        ("the barriers' own cost", sums.barrier_cost_ns()),
        ("locks, critical sections, tasks", other_ns),
    ];
    let waits = waits.into_iter().filter(|(_, ns)| *ns > 0);
    row.waits = waits.map(|(name, ns)| Wait { name: name.to_owned(), ns, count: 0 }).collect();
    row.waits.sort_by_key(|wait| std::cmp::Reverse(wait.ns));
    row
}

/// A thread's time by activity.
pub(super) fn parts(spent_ns: &[f64]) -> [u64; page::ACTIVITIES] {
    let mut row = Row::default();
    for activity in activities::ORDER {
        let ns = whole(spent_ns.get(activity as usize).copied().unwrap_or_default());
        row.add(
            match activity {
                layout::Activity::Work | layout::Activity::Serial => Activity::Work,
                layout::Activity::Idle => Activity::Idle,
                _ => Activity::Waits,
            },
            ns,
        );
    }
    row.parts
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a mean of whole numbers")]
pub(super) fn whole(value: f64) -> u64 {
    value.max(0.0).round() as u64
}
