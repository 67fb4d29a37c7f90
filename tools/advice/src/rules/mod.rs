//! The rules, one file for each kind of fault.

mod active_wait;
mod asleep;
mod chunks;
mod crowded;
mod fewer_threads;
mod imbalance;
mod library_pool;
mod moves;
mod mutex;
mod one_thread_regions;
mod processes;
mod processors;
mod schedule;
mod serial;
mod small_regions;
mod tasks;
mod teams;
mod unloaded;
mod waits;
mod wake_ups;
mod without_processor;

use crate::facts::{Facts, Region};
use crate::finding::Finding;

pub(crate) use imbalance::unjudged;
pub use library_pool::has_pool;
pub use processes::ID as PROCESSES;

/// True if the average time of a region's tasks, or of the chunks of its loops, is not known, since other constructs take part of it.
pub(crate) fn has_mixed_pieces(region: &Region) -> bool {
    tasks::has_tasks_beside_loops(region) || chunks::has_other_work(region)
}

/// All findings of the rules, unordered.
pub(crate) fn all(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    unloaded::look(facts, &mut found);
    processors::look(facts, &mut found);
    waits::look(facts, &mut found);
    if !small_regions::look(facts, &mut found) {
        imbalance::look(facts, &mut found);
    }
    tasks::look(facts, &mut found);
    chunks::look(facts, &mut found);
    serial::look(facts, &mut found);
    teams::look(facts, &mut found);
    one_thread_regions::look(facts, &mut found);
    mutex::look(facts, &mut found);
    active_wait::look(facts, &mut found);
    library_pool::look(facts, &mut found);
    asleep::look(facts, &mut found);
    moves::look(facts, &mut found);
    found
}
