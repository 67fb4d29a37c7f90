//! Rules of parallel regions and leagues (OpenMP 5.0, 4.5.2.3, 4.5.2.4).

use validate_layout::event::{Event, Word};
use validate_layout::rule::Rule;

use crate::constants::parallel;
use crate::data_word::{Kind, Shown};
use crate::engine::Engine;
use crate::model::Region;

/// True if exactly one of two flags is set.
fn one_of(flags: i32, first: i32, second: i32) -> bool {
    (flags & first != 0) != (flags & second != 0)
}

impl Engine {
    pub(crate) fn parallel_begin(&mut self, thread: u64, event: &Event) -> Option<u64> {
        let Event::ParallelBegin { encountering, frame, parallel, requested, flags, .. } = event else { return None };
        self.check_new(Rule::ParallelNew, *parallel);
        self.check_current(Rule::ParallelBy, thread, *encountering);
        self.check_enter_frame(*frame);
        let known = flags & !(parallel::PROGRAM | parallel::RUNTIME | parallel::LEAGUE | parallel::TEAM) == 0;
        let sound =
            one_of(*flags, parallel::PROGRAM, parallel::RUNTIME) && one_of(*flags, parallel::LEAGUE, parallel::TEAM);
        self.findings.check(Rule::ParallelFlags, known && sound, || format!("flags {flags:#x}"));

        let by = self.model.current(thread).unwrap_or_default();
        let mark = self.model.next(Kind::Region);
        let mut region = Region::new(by, thread, *flags, *requested);
        let around = self.model.region_of(by).is_some_and(|(_, region)| region.loose);
        region.loose = self.findings.llvm && (around || flags & parallel::LEAGUE != 0);
        self.model.regions.insert(mark, region);
        self.model.thread(thread).regions.push(mark);
        Some(mark)
    }

    pub(crate) fn parallel_end(&mut self, thread: u64, word: Option<Word>, encountering: Option<Word>, flags: i32) {
        let open = self.model.thread(thread).regions.last().copied();
        // libomp releases the word of a nested region before it passes it here.
        let nested =
            self.findings.llvm && self.model.current_task(thread).is_some_and(|(_, task)| task.region.is_some());
        let loose = open.is_some_and(|open| self.model.is_loose(open));
        let number = if nested || loose { open } else { self.region_in(word) };
        if number.is_some() || word.is_none() {
            let pairs = number.is_some() && number == open;
            self.findings.check(Rule::ParallelNesting, pairs, || format!("{} ends in {}", Shown(number), Shown(open)));
        }
        // If the word is wrong, the region that started last is the one that ends.
        let Some(open) = number.filter(|number| self.model.regions.contains_key(number)).or(open) else { return };
        let nested = &mut self.model.thread(thread).regions;
        if let Some(place) = nested.iter().rposition(|region| *region == open) {
            nested.remove(place);
        }
        let Some(region) = self.model.regions.get(&open) else { return };
        let (by, begun_with) = (region.by, region.flags);

        let ended_by = self.task_in(encountering);
        if ended_by.is_some() || encountering.is_none() {
            let same = ended_by == Some(by);
            self.findings
                .check(Rule::ParallelEndBy, same, || format!("{} in place of {}", Shown(ended_by), Shown(Some(by))));
        }
        let say = || format!("flags {flags:#x} in place of {begun_with:#x}");
        self.findings.check(Rule::ParallelEndFlags, flags == begun_with, say);
        if !loose {
            check_members(self, open);
        }
        if let Some(region) = self.model.regions.get_mut(&open) {
            region.ended = true;
            if region.cancelled {
                // Remaining tasks were dropped.
                self.model.tasks.retain(|_, task| task.region != Some(open) || !task.is_explicit() || task.thread != 0);
            }
        }
        forget_region(self, open);
    }

    /// Records that a member has ended.
    pub(crate) fn leave_region(&mut self, number: u64, primary: bool) {
        if let Some(region) = self.model.regions.get_mut(&number) {
            region.running = region.running.saturating_sub(1);
            region.primary_ended |= primary;
        }
        forget_region(self, number);
    }
}

/// Checks the members at the region's end.
fn check_members(engine: &mut Engine, open: u64) {
    let Some(region) = engine.model.regions.get(&open) else { return };
    let (actual, primary_ended, begun) = (region.actual, region.primary_ended, region.begun.len());
    let complete = actual.is_some_and(|actual| actual as usize == begun);
    let say = || format!("{begun} of {} members have begun", actual.unwrap_or_default());
    engine.findings.check(Rule::ParallelTeam, complete, say);
    let say = || "the primary thread's implicit task has not ended".to_owned();
    engine.findings.check(Rule::ParallelPrimary, primary_ended, say);
    engine.check_left_early(open);
    engine.check_barrier_counts(open);
    engine.check_singles(open);
    let late = unfinished_in_region(engine, open);
    engine.findings.check(Rule::ParallelTasks, late.is_none(), || format!("{} is not complete", Shown(late)));
}

/// Removes a region that is over for all its members.
fn forget_region(engine: &mut Engine, number: u64) {
    if engine.model.regions.get(&number).is_some_and(|region| region.ended && region.running == 0) {
        engine.model.regions.remove(&number);
    }
}

/// An incomplete task of the region that should be complete.
fn unfinished_in_region(engine: &Engine, region: u64) -> Option<u64> {
    if !engine.model.regions.get(&region)?.has_tasks_before(u32::MAX) {
        return None;
    }
    engine.unfinished(|task| task.region == Some(region))
}
