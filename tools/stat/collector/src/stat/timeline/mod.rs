//! Stack of one thread's nested activities: converts events into times in the thread's slot.
//!
//! Activities nest: a wait in a region in a wait (a task that a thread runs while it waits) in a region. An event charges
//! the time since the last one to the innermost activity. Nothing here reads a clock or calls other code.

use std::sync::atomic::Ordering::Relaxed;

use stat_layout::process_table::add;
use stat_layout::stat::activity::Activity;
use stat_layout::stat::joins::{JoinRing, Known, LastBarrier};
use stat_layout::stat::layout::ThreadSlot;

mod at_work;
mod forked;
#[cfg(test)]
mod tests;

/// Greatest depth of nested activities that are distinguished: a recursion through tasks has two at each level. Deeper ones are
/// work, and their time is counted.
const DEPTH: usize = 128;

/// An event, with what the collector asked for in its callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happening {
    /// The thread forks this region.
    Fork(u64),
    /// The thread has joined this region.
    Join(u64),
    /// A worker is in the pool.
    BeginIdle,
    /// A worker goes to work on this region.
    EndIdle(u64),
    /// A wait begins.
    Begin(Activity),
    /// A wait ends.
    End(Activity),
    /// An explicit task begins, most often in a wait: that is work.
    BeginTask,
    /// An explicit task is done.
    EndTask,
}

impl Happening {
    /// True if the event affects a region's shares only through the time that the thread works: a task, or a wait
    /// other than at a barrier.
    #[inline(always)]
    pub(super) fn is_within_work(self) -> bool {
        use Activity::{Atomic, Critical, Lock, Ordered, TaskWait};
        match self {
            Self::Begin(activity) | Self::End(activity) => {
                matches!(activity, Lock | Critical | Ordered | Atomic | TaskWait)
            }
            Self::BeginTask | Self::EndTask => true,
            Self::Fork(_) | Self::Join(_) | Self::BeginIdle | Self::EndIdle(_) => false,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    activity: Activity,
    /// Work in an explicit task, which belongs to the region around it.
    is_task: bool,
    region: u64,
    begin_ns: u64,
}

/// The outermost frame: outside all regions.
const OUTSIDE: Frame = Frame { activity: Activity::Serial, is_task: false, region: 0, begin_ns: 0 };

/// A thread's nested activities. Private to the thread, not in shared memory.
#[derive(Debug)]
pub(super) struct Timeline {
    frames: [Frame; DEPTH],
    /// Frames in use; the first one always is.
    depth: usize,
    /// Number of frames that did not fit.
    beyond: u32,
    /// Time up to which everything has been charged.
    mark_ns: u64,
    /// Explicit tasks that have begun.
    tasks: u64,
    /// Duration of the wait that ended last, if it was in an implicit barrier of a region whose join record is lost.
    unsure_ns: Option<u64>,
}

impl Timeline {
    /// A thread outside all regions.
    pub(super) const fn new() -> Self {
        Self { frames: [OUTSIDE; DEPTH], depth: 1, beyond: 0, mark_ns: 0, tasks: 0, unsure_ns: None }
    }

    /// From `at_ns` on, time is charged to this slot, in addition to what the slot already holds.
    pub(super) fn start(&mut self, slot: &ThreadSlot, at_ns: u64) {
        self.mark_ns = at_ns;
        slot.resume_at(at_ns);
        self.publish(slot);
    }

    /// Handles one event. Inlined into the callback, its only caller outside tests.
    #[inline(always)]
    pub(super) fn happens(&mut self, what: Happening, at_ns: u64, slot: &ThreadSlot, joins: Option<&JoinRing>) {
        let unsure_ns = self.unsure_ns.take();
        match what {
            Happening::Fork(region) => {
                self.charge(slot, at_ns);
                self.push(Activity::Work, region);
                add(&slot.forks, 1);
            }
            Happening::Join(region) => {
                self.charge(slot, at_ns);
                self.join(region, slot);
                if let Some(joins) = joins {
                    joins.put(region, at_ns);
                }
            }
            Happening::BeginIdle => {
                self.charge(slot, at_ns);
                if let Some(unsure_ns) = unsure_ns {
                    // The wait was in the region's last barrier.
                    move_to_idle(slot, unsure_ns);
                }
                self.restart(Activity::Idle, 0);
                slot.worker.store(1, Relaxed);
            }
            Happening::EndIdle(region) => {
                self.charge(slot, at_ns);
                self.restart(Activity::Work, region);
                slot.worker.store(1, Relaxed);
                add(&slot.served, 1);
            }
            Happening::Begin(activity) => {
                self.charge(slot, at_ns);
                self.push(activity, self.top().region);
                if let Some(begun) = slot.begun.get(activity as usize) {
                    add(begun, 1);
                }
            }
            Happening::End(activity) => {
                if activity == Activity::ImplicitBarrier {
                    self.charge_barrier(slot, at_ns, joins);
                } else {
                    self.charge(slot, at_ns);
                }
                self.pop(|f| f.activity == activity);
            }
            Happening::BeginTask => {
                self.charge(slot, at_ns);
                self.push_task();
            }
            Happening::EndTask => {
                self.charge(slot, at_ns);
                self.pop(|f| f.is_task);
            }
        }
        self.publish(slot);
    }

    /// The body of the region that the thread forked began at `begun_ns`. Until then the runtime was at work.
    pub(super) fn begin_body(&mut self, begun_ns: u64, slot: &ThreadSlot) {
        if begun_ns > self.mark_ns {
            spend(slot, Activity::RegionStart, begun_ns - self.mark_ns);
            self.mark_ns = begun_ns;
        }
    }

    /// Explicit tasks that this thread has begun so far.
    #[inline(always)]
    pub(super) fn tasks(&self) -> u64 {
        self.tasks
    }

    /// The last moment that was charged.
    #[inline(always)]
    pub(super) fn charged_until_ns(&self) -> u64 {
        self.mark_ns
    }

    /// The thread ends. Events that still come afterwards are charged from here on.
    pub(super) fn close(&mut self, at_ns: u64, slot: &ThreadSlot, joins: Option<&JoinRing>) {
        if self.activity() == Activity::ImplicitBarrier {
            self.charge_barrier(slot, at_ns, joins);
            if let Some(unsure_ns) = self.unsure_ns.take() {
                move_to_idle(slot, unsure_ns);
            }
        } else {
            self.charge(slot, at_ns);
        }
        slot.end_ns.store(at_ns, Relaxed);
    }

    /// The activity that time is charged to.
    #[inline(always)]
    fn activity(&self) -> Activity {
        if self.beyond > 0 { Activity::Work } else { self.top().activity }
    }

    fn top(&self) -> Frame {
        self.frames.get(self.depth - 1).copied().unwrap_or(OUTSIDE)
    }

    fn frame(&self, activity: Activity, region: u64) -> Frame {
        Frame { activity, is_task: false, region, begin_ns: self.mark_ns }
    }

    fn push(&mut self, activity: Activity, region: u64) {
        self.push_frame(self.frame(activity, region));
    }

    fn push_frame(&mut self, new: Frame) {
        match self.frames.get_mut(self.depth) {
            Some(frame) => {
                *frame = new;
                self.depth += 1;
            }
            None => self.beyond += 1,
        }
    }

    #[inline(always)]
    fn push_task(&mut self) {
        self.tasks = self.tasks.wrapping_add(1);
        self.push_frame(Frame { is_task: true, ..self.frame(Activity::Work, self.top().region) });
    }

    /// Ends the innermost wait or task that `meant` accepts, and everything left open inside it.
    fn pop(&mut self, meant: impl Fn(&Frame) -> bool) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some(depth) = self.innermost(meant) {
            self.depth = depth;
        }
    }

    fn join(&mut self, region: u64, slot: &ThreadSlot) {
        let begin_ns = if self.beyond > 0 {
            self.beyond -= 1;
            None
        } else {
            self.innermost(|f| f.activity == Activity::Work && f.region == region && !f.is_task).map(|depth| {
                self.depth = depth;
                self.frames.get(depth).map_or(self.mark_ns, |f| f.begin_ns)
            })
        };
        if let Some(begin_ns) = begin_ns {
            self.count_join(begin_ns, slot);
        }
    }

    /// Counts a region of the thread that began at `begin_ns` and ends now.
    #[inline(always)]
    fn count_join(&self, begin_ns: u64, slot: &ThreadSlot) {
        let took_ns = self.mark_ns.saturating_sub(begin_ns);
        let first = slot.joins.load(Relaxed) == 0;
        if first || took_ns < slot.region_min_ns.load(Relaxed) {
            slot.region_min_ns.store(took_ns, Relaxed);
        }
        if first || took_ns > slot.region_max_ns.load(Relaxed) {
            slot.region_max_ns.store(took_ns, Relaxed);
        }
        add(&slot.region_ns, took_ns);
        add(&slot.joins, 1);
    }

    /// The innermost frame above the first that `meant` accepts: usually the last one.
    #[inline(always)]
    fn innermost(&self, meant: impl Fn(&Frame) -> bool) -> Option<usize> {
        if self.depth > 1 && meant(&self.top()) { Some(self.depth - 1) } else { self.find(meant) }
    }

    #[cold]
    fn find(&self, meant: impl Fn(&Frame) -> bool) -> Option<usize> {
        self.frames.iter().take(self.depth).skip(1).rposition(meant).map(|place| place + 1)
    }

    fn restart(&mut self, activity: Activity, region: u64) {
        self.depth = 1;
        self.beyond = 0;
        let new = self.frame(activity, region);
        if let Some(first) = self.frames.first_mut() {
            *first = new;
        }
    }

    fn charge(&mut self, slot: &ThreadSlot, until_ns: u64) {
        let took_ns = until_ns.saturating_sub(self.mark_ns);
        spend(slot, self.activity(), took_ns);
        if self.beyond > 0 {
            add(&slot.too_deep_ns, took_ns);
        }
        self.mark_ns = until_ns;
    }

    /// Charges a wait in an implicit barrier, which may have been a region's last one and reported late.
    fn charge_barrier(&mut self, slot: &ThreadSlot, until_ns: u64, joins: Option<&JoinRing>) {
        let region = self.top().region;
        if self.activity() != Activity::ImplicitBarrier {
            return self.charge(slot, until_ns);
        }
        match joins.map_or(Known::Open, |j| j.get(region)) {
            Known::Lost => {
                // Either the region's last barrier, a thousand regions ago, or one in a region around as many inner ones.
                // BEGIN_IDLE comes next only in the first case.
                self.unsure_ns = Some(until_ns.saturating_sub(self.mark_ns));
                self.charge(slot, until_ns);
            }
            known => {
                for (activity, took_ns) in LastBarrier::split(self.mark_ns, until_ns, known).parts() {
                    spend(slot, activity, took_ns);
                }
                self.mark_ns = until_ns;
            }
        }
    }

    fn publish(&self, slot: &ThreadSlot) {
        slot.now.store(self.activity() as u32, Relaxed);
        slot.region.store(self.top().region, Relaxed);
    }
}

fn spend(slot: &ThreadSlot, activity: Activity, took_ns: u64) {
    if let Some(spent) = slot.spent_ns.get(activity as usize) {
        add(spent, took_ns);
    }
}

fn move_to_idle(slot: &ThreadSlot, took_ns: u64) {
    spend(slot, Activity::ImplicitBarrier, took_ns.wrapping_neg());
    spend(slot, Activity::Idle, took_ns);
    add(&slot.guessed_ns, took_ns);
}
