//! Undeferred tasks, and their waits for nothing. They count as work, so only their number is needed: the library counts them in the
//! thread's words, and they don't raise events.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ora_client::{Client, Words};

use super::{Local, Place};
use stat_layout::process_table::add;
use stat_layout::stat::activity::{ACTIVITIES, Activity};
use stat_layout::stat::layout::ThreadSlot;

/// Number of requests that are timed together, so that the time to read the clock does not matter.
const REQUESTS: u64 = 64;
/// Number of such measurements.
const TRIES: u32 = 4;
/// The time of a request that the process's first thread has measured; 0: none has.
static REQUEST_NS: AtomicU64 = AtomicU64::new(0);

impl Local {
    /// Explicit tasks that the thread has begun, from some number on.
    #[inline(always)]
    pub(super) fn tasks(&self) -> u64 {
        self.timeline.tasks().wrapping_add(self.words.map_or(0, Words::tasks))
    }

    /// In the callback of a task's start: has the library count undeferred tasks.
    #[inline(always)]
    pub(super) fn count_from_now_on(&mut self) {
        if let Some(words) = self.callback_words.filter(|_| !self.counts) {
            self.counts = true;
            words.count_tasks();
        }
    }

    /// Times some requests, since a task's path through the library takes about as long as several of these: there
    /// may be no further event.
    pub(in crate::stat) fn try_requests(&mut self, client: &Client) {
        let Place::Has(_, slot, _) = self.place else { return };
        // Each of thousands of new threads would make some hundred requests.
        let known_ns = REQUEST_NS.load(Relaxed);
        let request_ns = if known_ns > 0 {
            known_ns
        } else {
            (0..TRIES).map(|_| self.request_ns(client)).min().unwrap_or_default().max(1)
        };
        REQUEST_NS.store(request_ns, Relaxed);
        slot.watching.request_takes(request_ns);
    }

    /// The time of a request.
    pub(super) fn request_ns(&mut self, client: &Client) -> u64 {
        let begun_ns = self.clock.now_ns();
        (0..REQUESTS).for_each(|_| _ = client.region());
        self.clock.now_ns().saturating_sub(begun_ns) / REQUESTS
    }

    /// The library's counts of tasks and waits.
    pub(super) fn counted_now(&self) -> [u64; 2] {
        self.words.map_or([0; 2], |words| [words.tasks(), words.waits()])
    }

    /// Takes over what the library has counted since the last event.
    #[inline(always)]
    pub(super) fn take_counts(&mut self, slot: &ThreadSlot) {
        let (now, before) = (self.counted_now(), self.counted);
        if now != before && !self.closed {
            self.take_new_counts(slot, now);
        }
    }

    #[cold]
    #[inline(never)]
    fn take_new_counts(&mut self, slot: &ThreadSlot, now: [u64; 2]) {
        let ([tasks, waits], [tasks_before, waits_before]) = (now, self.counted);
        self.counted = now;
        let [.., begun, _] = &slot.begun;
        add(begun, waits.wrapping_sub(waits_before));
        slot.watching.count_tasks(tasks.wrapping_sub(tasks_before));
    }
}

const _: () = assert!(Activity::TaskWait as usize == ACTIVITIES - 2);
