//! Rules of barriers: all members encounter them, and the tasks created before a barrier are complete after it
//! (OpenMP 5.0, 2.17.2).
//!
//! While one thread leaves a barrier, another one may already create tasks after it. So each task is counted under the
//! number of barriers that its implicit task had encountered: only tasks from before the barrier must be complete.

use std::collections::BTreeSet;

use validate_layout::rule::Rule;

use crate::constants::{parallel, sync};
use crate::data_word::Shown;
use crate::engine::Engine;
use crate::model::Scope;

impl Engine {
    pub(crate) fn barrier_begin(&mut self, number: u64) {
        let Some(task) = self.model.tasks.get_mut(&number) else { return };
        if std::mem::take(&mut task.cancelled_work) {
            task.scopes.retain(|scope| !matches!(scope, Scope::Work(_)));
        }
        let work = task.scopes.iter().find(|scope| matches!(scope, Scope::Work(_))).copied();
        let (index, region) = (task.index, task.region);
        let counts = !task.is_explicit();
        task.epoch += u32::from(counts);
        self.findings.check(Rule::WorkBarrier, work.is_none(), || format!("inside of {work:?}"));
        if let Some(region) = region.filter(|_| counts).and_then(|region| self.model.regions.get_mut(&region)) {
            *region.barriers.entry(index).or_default() += 1;
        }
    }

    pub(crate) fn barrier_end(&mut self, number: u64, kind: i32) {
        let waits_for_tasks = ![sync::IMPLEMENTATION, sync::TEAMS].contains(&kind);
        let Some(task) = self.model.tasks.get(&number).filter(|task| !task.is_explicit() && waits_for_tasks) else {
            return;
        };
        let (region, epoch) = (task.region, task.epoch);
        let Some(open) = region.and_then(|region| self.model.regions.get(&region)) else { return };
        let late = if open.has_tasks_before(epoch) {
            self.unfinished(|task| task.region == region && task.epoch < epoch)
        } else {
            None
        };
        // Barriers of a cancelled region don't wait, and the cancelling thread may report the cancellation later.
        match late.filter(|_| !sync::is_last(kind)).zip(region.and_then(|region| self.model.regions.get_mut(&region))) {
            Some((late, region)) => region.left_early = region.left_early.or(Some((late, epoch))),
            None => {
                let say = || format!("{} is not complete", Shown(late));
                self.findings.check(Rule::BarrierTasks, late.is_none(), say);
            }
        }
    }

    /// Checks that no thread has left a barrier early. Called at the region's end, when it is known whether the region was
    /// cancelled.
    pub(crate) fn check_left_early(&mut self, region: u64) {
        let early =
            self.model.regions.get(&region).filter(|region| !region.cancelled).and_then(|region| region.left_early);
        if let Some((task, barrier)) = early {
            let say = || format!("{} was not complete at the end of barrier {barrier}", Shown(Some(task)));
            self.findings.check(Rule::BarrierTasks, false, say);
        }
    }

    /// Checks at the region's end that all members have encountered the same number of barriers.
    pub(crate) fn check_barrier_counts(&mut self, region: u64) {
        let Some(region) = self.model.regions.get(&region) else { return };
        if region.cancelled || region.flags & parallel::LEAGUE != 0 {
            return;
        }
        let of = |member: &u32| region.barriers.get(member).copied().unwrap_or_default();
        let counts: BTreeSet<u32> = region.begun.iter().map(of).collect();
        let each: Vec<u32> = region.begun.iter().take(8).map(of).collect();
        self.findings.check(Rule::BarrierCounts, counts.len() <= 1, || format!("the members met {each:?}"));
    }
}
