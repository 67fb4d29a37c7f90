//! Target regions that the host device executes: the thread leaves its team and is alone, in an implicit parallel
//! region with an initial task of its own (OpenMP 5.0, 1.3 and 2.12.5), until the target function returns.
//!
//! That implicit region has a record on the thread's stack of regions: work, barriers and single constructs in the
//! target region belong to it. Interfaces that have parallel constructs only skip it: for them the thread stays in its
//! region before, whose id the record has.

use super::Region;
use crate::detail::Detail;
use crate::dispatch::Token;
use crate::event::{Event, Span};
use crate::packed_state::PackedState;
use crate::state::State;
use crate::task::{Task, flag};
use crate::thread::Thread;
use std::sync::atomic::{AtomicU64, Ordering::*};
use system::memory::Link;

/// The last number that was given to a target region. Parallel regions have dense ids, which tools see; target regions
/// have numbers far beyond. Shifted by 32 bits, both still differ.
static LAST: AtomicU64 = AtomicU64::new(1 << 31);

/// Additional fields of a record that is a target region's.
pub(super) struct Target {
    /// A number that no other target region and no parallel region has; 0 in the record of a parallel region.
    number: AtomicU64,
    /// The thread's first unused record before the target region, which is set aside: see [`Thread::last_region`].
    set_aside: Link<Region>,
    /// Token of the wait that the target region interrupts.
    wait: AtomicU64,
}

system::zeroed!(Target { number, set_aside, wait });

impl Region {
    /// The number of the target region, which no parallel region has; 0 for a parallel region. Async-signal-safe.
    #[inline(always)]
    pub fn target(&self) -> u64 {
        self.target.number.load(Relaxed)
    }

    /// A number that no other region has, be it a target region or a parallel one.
    pub fn number(&self) -> u64 {
        match self.target() {
            0 => self.id(),
            number => number,
        }
    }

    fn forget_words(&self) {
        self.words.iter().for_each(|word| word.store(0, Relaxed));
    }

    /// The task that encountered this target region, if it is one and `initial` is its initial task.
    pub(crate) fn encountering_task_of(&self, initial: &Task) -> Option<&'static Task> {
        let is_it = self.target() != 0 && std::ptr::eq(&raw const self.task.task, initial);
        self.encountering_task().filter(|_| is_it)
    }

    /// The id of the task that encountered this target region, if it is one and `initial` is the id of its initial
    /// task.
    pub(crate) fn encountering_id_of(&self, initial: u64) -> Option<u64> {
        (self.target() != 0 && self.task.task.id() == initial).then(|| self.creator())
    }
}

impl Thread {
    /// Begins the function of a target region on this, the calling thread, in the frame at the address `stack`. The
    /// runtime called it from the frame at `frame` (0 where calls are not reported). `None` when there is no memory:
    /// the region then goes unreported.
    pub fn enter_target(&'static self, stack: usize, function: usize, frame: usize) -> Option<&'static Region> {
        self.drop_stale(stack);
        let last = self.unused().get();
        if let Some(last) = last {
            self.unused().set(last.next.get());
        }
        let Some(region) = self.unused_region() else {
            last.inspect(|last| self.unused().set(Some(last)));
            return None;
        };
        region.id.end();
        region.forget_words();
        region.target.number.store(LAST.fetch_add(1, Relaxed) + 1, Relaxed);
        region.target.set_aside.set(last);
        self.note_before(region);
        let encountering = self.current_task().unwrap_or(&self.own_task().task);
        let wait = self.interrupted(self.now());
        region.target.wait.store(wait.notified().bits(), Relaxed);
        region.before.task_stack.store(self.task_stack(), Relaxed);
        region.before.current.set(Some(encountering));
        region.stack.store(stack, Relaxed);
        region.creator.store(self.id_of(encountering), Relaxed);
        region.token.store(0, Relaxed);
        region.return_address.store(0, Relaxed);
        region.frame.store(frame, Relaxed);
        region.function.store(function, Relaxed);
        region.requested.store(1, Relaxed);
        region.size.store(1, Relaxed);
        region.data.store(0, Relaxed);
        region.task.reset();
        region.task.count_barriers_from(region.target());
        region.task.task.renew(region.creator());
        if frame != 0 {
            region.task.task.renew_reported(flag::INITIAL, Some(encountering));
            region.task.task.frame().set_exit(frame);
        }
        let id = self.region_id();
        region.id.begin(id);
        self.set_task(&region.task);
        self.set_depth(stack);
        self.set_task_stack(usize::MAX);
        self.set_current_task(Some(&region.task.task));
        self.push_region(region, id);
        self.set_state(if id == 0 { State::WorkSerial } else { State::WorkParallel });
        let token = self.begin_with(Span::IMPLICIT_TASK, &Detail::Target { encountering, wait });
        region.task.token.store(token.bits(), Relaxed);
        Some(region)
    }

    /// Ends the target region, when its function has returned or its frame is gone: ends its open constructs, and
    /// restores the thread's state before it.
    pub fn leave_target(&'static self, region: &'static Region) {
        self.close_task(&region.task);
        if let Some(encountering) = region.encountering_task() {
            let notified = Token::from_bits(region.target.wait.load(Relaxed));
            let wait = self.go_on_waiting_in(
                region.before.task.get(),
                PackedState::from_bits(region.before.now.load(Relaxed)),
                notified,
            );
            let token = Token::from_bits(region.task.token.swap(0, Relaxed));
            self.end_in_detail(Event::ImplicitTaskEnd, &Detail::Target { encountering, wait }, token);
        }
        self.set_current_task(region.encountering_task());
        self.set_task_stack(region.before.task_stack.load(Relaxed));
        self.leave_region(region);
        region.target.number.store(0, Relaxed);
        // A parallel region that gets the record has a lower number, and adapters take the highest one for the latest.
        region.forget_words();
        for unused in std::iter::once(region).chain(region.target.set_aside.get()) {
            unused.next.set(self.unused().get());
            self.unused().set(Some(unused));
        }
    }
}
