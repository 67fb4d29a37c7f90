//! Explanation of the demo's table in five lines.

use stat_analysis::stat::Figures;
use stat_layout::stat::layout::Activity;

use crate::quantity::{percent, time};

/// Returns the lines, with the numbers that were measured.
pub(super) fn lines(figures: &Figures) -> String {
    let spent = |activity| time(figures.spent(activity).mean);
    let waits = |activity| figures.begun(activity).mean;
    let whole = figures.elapsed_ns.mean;
    let (max, mean) = figures.imbalance.map_or((0.0, 0.0), |imbalance| (imbalance.max_ns.mean, imbalance.mean_ns.mean));
    format!(
        " What the table says of this program:\n\
         1. {:.0} threads went through {:.0} parallel regions: {} % of their time was OpenMP Work, {} % was OpenMP Wait.\n\
         2. Imbalance: the busiest thread of each region worked {} in all, the mean is {}; {} went by in the barriers at the ends. Share the work evenly.\n\
         3. Critical section: {:.0} times a thread found it taken, and waited {} in all. Use a reduction, or do less in it.\n\
         4. Lock: {:.0} waits, {} in all, one thread after the other. Give each thread an input of its own.\n\
         5. Serial: {} ran on one thread only; the workers were idle for {}. Take more of the program into regions.\n\n",
        figures.threads.mean,
        figures.regions.mean,
        percent(figures.work_ns.mean, whole),
        percent(figures.wait_ns.mean, whole),
        time(max),
        time(mean),
        spent(Activity::ImplicitBarrier),
        waits(Activity::Critical),
        spent(Activity::Critical),
        waits(Activity::Lock),
        spent(Activity::Lock),
        spent(Activity::Serial),
        spent(Activity::Idle),
    )
}
