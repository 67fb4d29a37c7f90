//! Regions that are not parallel regions: target regions that the host device executes, and leagues. They have initial tasks of their own,
//! and are on the thread's stack of regions. Interfaces that only have parallel regions skip them: for those the thread stays in the
//! enclosing region, whose id the record has.

use super::parallel::Regions;
use super::{Encounter, Region};
use crate::detail::{Detail, Interrupted};
use crate::dispatch::Token;
use crate::event::{Event, Span};
use crate::packed_state::PackedState;
use crate::state::State;
use crate::task::{Task, flag};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::*};
use system::memory::Link;

/// The last number that was given to a target region or league. Parallel regions have dense ids, which tools see; these
/// numbers are far above them. The two remain distinct when shifted by 32 bits.
static LAST: AtomicU64 = AtomicU64::new(1 << 31);

/// A number that no region and no target construct has.
pub(crate) fn new_number() -> u64 {
    LAST.fetch_add(1, Relaxed) + 1
}

/// Additional fields of a target region or league.
pub(super) struct NonParallelRegion {
    /// A number that no other region has; 0 in the record of a parallel region.
    number: AtomicU64,
    /// True for a league.
    pub(super) is_league: AtomicBool,
    /// The device that executes a target region.
    device: AtomicI32,
    /// The thread's first unused record before the region, which is put aside: see [`UnusedRegions::last`](super::UnusedRegions::last).
    set_aside: Link<Region>,
    /// Token of the wait that the region interrupts.
    wait: AtomicU64,
}

system::zeroed!(NonParallelRegion { number, is_league, device, set_aside, wait });

impl Region {
    /// The number of a target region or a league, which no parallel region has; 0 for a parallel region.
    /// Async-signal-safe.
    #[inline(always)]
    pub fn non_parallel_number(&self) -> u64 {
        self.non_parallel.number.load(Relaxed)
    }

    /// A number that no other region of any kind has.
    pub fn number(&self) -> u64 {
        match self.non_parallel_number() {
            0 => self.id(),
            number => number,
        }
    }

    /// True for a league of teams. Async-signal-safe.
    pub fn is_league(&self) -> bool {
        self.non_parallel_number() != 0 && self.non_parallel.is_league.load(Relaxed)
    }

    /// The number of this target region, or `None`. Async-signal-safe.
    pub(crate) fn target(&self) -> Option<u64> {
        Some(self.non_parallel_number()).filter(|number| *number != 0 && !self.non_parallel.is_league.load(Relaxed))
    }

    /// The device that executes this target region. Async-signal-safe.
    pub(crate) fn device(&self) -> i32 {
        self.non_parallel.device.load(Relaxed)
    }

    pub(super) fn set_device(&self, device: i32) {
        self.non_parallel.device.store(device, Relaxed);
    }

    /// The wait that the region interrupts.
    fn interrupted_wait(&self) -> Interrupted {
        let wait = PackedState::from_bits(self.before.now.load(Relaxed)).in_wait_for_tasks();
        wait.map_or(Interrupted::NONE, |now| {
            Interrupted::new(now, Token::from_bits(self.non_parallel.wait.load(Relaxed)))
        })
    }

    fn forget_words(&self) {
        self.member_words.iter().chain(&self.words).for_each(|word| word.store(0, Relaxed));
    }

    /// The task that encountered this region, if it is a target region or league and `initial` is its initial task.
    pub(crate) fn encountering_task_of(&self, initial: &Task) -> Option<&'static Task> {
        let is_it = self.non_parallel_number() != 0 && std::ptr::eq(&raw const self.task.task, initial);
        self.encountering_task().filter(|_| is_it)
    }

    /// The id of the task that encountered this region, if it is a target region or league and `initial` is the id of
    /// its initial task.
    pub(crate) fn encountering_id_of(&self, initial: u64) -> Option<u64> {
        (self.non_parallel_number() != 0 && self.task.task.id() == initial).then(|| self.creator())
    }
}

impl Regions {
    /// Makes a target region or league the calling thread's innermost region, in the frame at the address `stack`. `None` if the system
    /// refuses memory: the region is then not reported.
    pub(super) fn push_non_parallel(self, stack: usize, number: u64, encounter: Encounter) -> Option<&'static Region> {
        let thread = self.thread;
        thread.drop_stale(stack);
        let unused = &thread.unused_regions;
        let last = unused.take_last();
        let Some(region) = unused.take(&thread.identity) else {
            last.inspect(|last| unused.put(last));
            return None;
        };
        region.id.end();
        region.forget_words();
        region.non_parallel.number.store(number, Relaxed);
        region.non_parallel.is_league.store(false, Relaxed);
        region.non_parallel.set_aside.set(last);
        self.note_before(region);
        let encountering = thread.current.task().unwrap_or(&thread.own_task().task);
        let wait = thread.waits().interrupted(thread.activity.now());
        region.non_parallel.wait.store(wait.notified().bits(), Relaxed);
        region.before.task_stack.store(thread.current.task_stack(), Relaxed);
        region.before.current.set(Some(encountering));
        region.stack.store(stack, Relaxed);
        region.creator.store(thread.task_ids.id_of(encountering), Relaxed);
        region.token.store(0, Relaxed);
        region.return_address.store(encounter.call.return_address, Relaxed);
        region.frame.store(encounter.call.frame, Relaxed);
        region.function.store(encounter.function, Relaxed);
        region.requested.store(encounter.requested, Relaxed);
        region.size.store(0, Relaxed);
        region.data.store(0, Relaxed);
        region.task.set_token(Token::NONE);
        // Queries compare tasks with this one as soon as the region is pushed, so it must not be an earlier region's.
        region.task.task.renew(region.creator());
        let id = thread.activity.region_id();
        region.id.begin(id);
        thread.current.set_depth(stack);
        self.push(region, id);
        Some(region)
    }

    /// Begins the initial task of that number in the target region or league, which is the innermost region. `exit` is the frame of the
    /// runtime's function that called the task's; 0 if it is not known.
    pub(super) fn begin_initial_task(self, region: &'static Region, number: u32, exit: usize) {
        let thread = self.thread;
        let encountering = region.encountering_task().unwrap_or(&thread.own_task().task);
        region.task.reset();
        region.task.count_barriers_from(region.non_parallel_number());
        region.task.task.renew(region.creator());
        if region.has_call_site() {
            region.task.task.renew_reported(flag::INITIAL, Some(encountering));
            region.task.task.frame().set_exit(exit);
            region.task.task.set_thread_number(number);
        }
        thread.current.set_implicit_task(&region.task);
        thread.current.set_task_stack(usize::MAX);
        thread.current.set_task(Some(&region.task.task));
        thread.activity.set_state(if region.id() == 0 { State::WorkSerial } else { State::WorkParallel });
        let wait = region.interrupted_wait();
        let token = thread.begin_with(Span::IMPLICIT_TASK, &Detail::Initial { encountering, wait });
        region.task.set_token(token);
    }

    /// Ends the region's initial task, with its open constructs. The encountering task is current again.
    pub(super) fn end_initial_task(self, region: &'static Region) {
        let thread = self.thread;
        thread.constructs().close_all(&region.task);
        if let Some(encountering) = region.encountering_task() {
            let wait = self.wait_around(region);
            let token = region.task.take_token();
            thread.end_in_detail(Event::ImplicitTaskEnd, &Detail::Initial { encountering, wait }, token);
        }
        thread.current.set_task(region.encountering_task());
        thread.current.set_task_stack(region.before.task_stack.load(Relaxed));
    }

    /// Resumes the wait that the region has interrupted.
    fn wait_around(self, region: &'static Region) -> Interrupted {
        self.thread.waits().go_on_waiting_in(
            region.before.task.get(),
            PackedState::from_bits(region.before.now.load(Relaxed)),
            Token::from_bits(region.non_parallel.wait.load(Relaxed)),
        )
    }

    /// Makes the previous region current again, and restores the thread's state of that time.
    pub(super) fn pop_non_parallel(self, region: &'static Region) {
        self.leave(region);
        let is_league = region.is_league();
        region.non_parallel.number.store(0, Relaxed);
        // A parallel region that gets the record has a lower number, and adapters take the highest number for the
        // latest.
        region.forget_words();
        // A league's parallel regions have the thread's own workers, who stay; a target region has workers of its own.
        let unused = &self.thread.unused_regions;
        let (inner, before) = (unused.take_last(), region.non_parallel.set_aside.get());
        let (last, other) = if is_league && inner.is_some() { (inner, before) } else { (before, inner) };
        [Some(region), other].into_iter().flatten().for_each(|region| unused.add(region));
        last.inspect(|last| unused.put(last));
    }
}
