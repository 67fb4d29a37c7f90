//! Tasks that are run within work, as most small ones are: they do not change what the thread's time is charged to, so neither
//! their start nor their end needs the time.

use super::{Activity, DEPTH, Happening, ThreadSlot, Timeline};
use stat_layout::process_table::add;

impl Timeline {
    /// A task begins within work: nothing is to be charged. Returns false, with nothing done, if it begins in a wait, outside all
    /// regions, or as the first one that is too deep.
    #[inline(always)]
    pub(in crate::stat) fn begin_task_at_work(&mut self) -> bool {
        // The first one without a frame takes the time, like its end.
        if self.activity() != Activity::Work || self.depth == DEPTH && self.beyond == 0 {
            return false;
        }
        self.unsure_ns = None;
        self.push_task();
        true
    }

    /// The end of such a task. Returns false, with nothing done, if there was something else below it, or something
    /// was left open in it.
    #[inline(always)]
    pub(in crate::stat) fn end_task_at_work(&mut self) -> bool {
        if self.beyond > 0 {
            // The outermost of them takes the time.
            let is_deeper = self.beyond > 1;
            self.beyond -= u32::from(is_deeper);
            return is_deeper;
        }
        let [.., below, top] = self.frames.get(..self.depth).unwrap_or_default() else { return false };
        if !top.is_task || below.activity != Activity::Work {
            return false;
        }
        self.unsure_ns = None;
        self.depth -= 1;
        true
    }

    /// A wait begins or ends below the deepest level that is distinguished, and not at it: nothing is to be charged. Returns false, with
    /// nothing done, if it is not as deep as that, or `what` is not a wait.
    #[inline(always)]
    pub(in crate::stat) fn happens_too_deep(&mut self, what: Happening, slot: &ThreadSlot) -> bool {
        match what {
            Happening::Begin(activity) if self.beyond > 0 => {
                self.unsure_ns = None;
                self.beyond += 1;
                if let Some(begun) = slot.begun.get(activity as usize) {
                    add(begun, 1);
                }
                true
            }
            Happening::End(_) if self.beyond > 1 => {
                self.beyond -= 1;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Happening::*;
    use super::*;
    use stat_layout::area::SharedArea;
    use stat_layout::stat::activity::Activity::*;
    use stat_layout::stat::layout::Area;
    use std::sync::atomic::Ordering::Relaxed;

    /// The thread's time by activity, and the number of events played without the time. `quick`: tasks at work are
    /// played in that way.
    fn play(events: &[Happening], quick: bool) -> (Vec<u64>, usize) {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let (_, slot) = shared.area().claim_thread().unwrap();
        let mut timeline = Timeline::new();
        timeline.start(slot, 0);
        let mut without_time = 0;
        for (what, at_ns) in events.iter().zip((1..).map(|n: u64| n * n)) {
            let done = quick
                && match what {
                    BeginTask => timeline.begin_task_at_work(),
                    EndTask => timeline.end_task_at_work(),
                    what => timeline.happens_too_deep(*what, slot),
                };
            without_time += usize::from(done);
            if !done {
                timeline.happens(*what, at_ns, slot, None);
            }
        }
        timeline.close(10_000, slot, None);
        let begun = slot.begun[TaskWait as usize].load(Relaxed);
        let now = [
            u64::from(slot.now.load(Relaxed)),
            slot.region.load(Relaxed),
            slot.joins.load(Relaxed),
            begun,
            timeline.tasks(),
            slot.too_deep_ns.load(Relaxed),
        ];
        (slot.spent_ns.iter().map(|time| time.load(Relaxed)).chain(now).collect(), without_time)
    }

    fn same(events: &[Happening], without_time: usize) {
        let (quickly, done) = play(events, true);
        assert_eq!((quickly, done), (play(events, false).0, without_time));
    }

    #[test]
    fn tasks_at_work_leave_the_times_as_they_are() {
        let inner = [BeginTask, Begin(TaskWait), BeginTask, BeginTask, EndTask, EndTask, End(TaskWait), EndTask];
        // The one in the taskwait needs the time.
        same(&[&[Fork(1)], &inner[..], &[Begin(ImplicitBarrier), End(ImplicitBarrier), Join(1)]].concat(), 4);
        same(&[BeginIdle, EndIdle(3), BeginTask, Begin(Lock), End(Lock), EndTask, Begin(ImplicitBarrier)], 2);
        // Outside all regions, and where a jump left a wait open.
        same(&[BeginTask, EndTask, Fork(1), BeginTask, Begin(TaskWait), EndTask, Join(1)], 1);
    }

    #[test]
    fn tasks_nested_too_deep_are_work_whose_time_is_counted() {
        let deep = |what| std::iter::repeat_n(what, 300);
        let events: Vec<Happening> = [Fork(1), Begin(TaskWait)]
            .into_iter()
            .chain(deep(BeginTask))
            .chain(deep(EndTask))
            .chain([End(TaskWait), Join(1), Fork(2)])
            .collect();
        same(&events, 596);
        let waits: Vec<Happening> = (0..200).flat_map(|_| [BeginTask, Begin(TaskWait)]).collect();
        let ends = (0..200).flat_map(|_| [End(TaskWait), EndTask]);
        let events: Vec<Happening> = [Fork(1)].into_iter().chain(waits).chain(ends).chain([Join(1), Fork(2)]).collect();
        // The region and 63 pairs have frames; the first of these tasks is at work. The begin and the end of the first task without a frame
        // need the time.
        same(&events, 2 + 4 * (200 - 63) - 2);
        let (times, _) = play(&events, true);
        let [first, last] = [2 * 63 + 2, 2 * 200 + 1 + 2 * (200 - 63)].map(|number: u64| number * number);
        assert_eq!(times.last(), Some(&(last - first)), "from the first task without a frame to its end");
    }
}
