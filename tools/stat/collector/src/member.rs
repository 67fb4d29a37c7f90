//! This process as the user of a slot in the process table.

use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use crate::identity;
use stat_layout::process_table::{ProcessSlot, ProcessTable, flag};

/// No process slot is claimed yet.
const NONE: u32 = u32::MAX;

/// No slot was free; the process has been counted as left out.
const REFUSED: u32 = u32::MAX - 1;

/// This process, with the content of its future slot. A process without events claims no slot, so that thousands of
/// shells and compilers take no space; only the process that `ora` started always has one.
#[derive(Debug)]
pub(crate) struct Member {
    slot: AtomicU32,
    begun_ns: AtomicU64,
    flags: AtomicU32,
    pub(crate) session: AtomicU32,
    pub(crate) refused: AtomicU64,
    /// True if events are not for this process: the session stops at the next one.
    pub(crate) mute: AtomicBool,
    /// Runtimes were searched for when the process used one.
    has_looked: AtomicBool,
}

/// The member that is this process.
pub(crate) static MEMBER: Member = Member::new();

impl Member {
    pub(crate) const fn new() -> Self {
        Self {
            slot: AtomicU32::new(NONE),
            begun_ns: AtomicU64::new(0),
            flags: AtomicU32::new(0),
            session: AtomicU32::new(0),
            refused: AtomicU64::new(0),
            mute: AtomicBool::new(false),
            has_looked: AtomicBool::new(false),
        }
    }

    /// The process starts, continues as another program, or is watched from now on. Returns false if it is not to be
    /// followed.
    pub(crate) fn begin(&self, process_table: &ProcessTable, at_ns: u64) -> bool {
        let pid = std::process::id();
        let root = pid == process_table.header.root_pid.load(Relaxed);
        if !root && process_table.header.no_follow.load(Relaxed) != 0 {
            return false;
        }
        process_table.note(pid);
        process_table.end_earlier_image(pid, at_ns);
        self.slot.store(NONE, Relaxed);
        self.has_looked.store(false, Relaxed);
        self.mute.store(false, Relaxed);
        self.session.store(0, Relaxed);
        self.refused.store(0, Relaxed);
        self.begun_ns.store(at_ns, Relaxed);
        self.flags.store(if root { flag::ROOT } else { 0 }, Relaxed);
        true
    }

    /// True if `ora` started it.
    pub(crate) fn is_root(&self) -> bool {
        self.flags.load(Relaxed) & flag::ROOT != 0
    }

    /// Starts again in a forked child: a process of its own from now on.
    pub(crate) fn begin_again(&self, process_table: &ProcessTable, at_ns: u64) {
        self.slot.store(NONE, Relaxed);
        self.begun_ns.store(at_ns, Relaxed);
        self.flags.store(flag::FORKED, Relaxed);
        if process_table.header.no_follow.load(Relaxed) == 0 {
            process_table.note(std::process::id());
        } else {
            self.mute.store(true, Relaxed);
        }
    }

    /// A thread uses OpenMP for the first time. The runtime may have been loaded since the process started; if the first thread does
    /// not find one, the other threads do not search again.
    pub(crate) fn uses_openmp(&self, slot: &ProcessSlot) {
        if !self.has_looked.load(Relaxed) && !self.has_looked.swap(true, Relaxed) {
            let had_none = slot.runtimes.load(Relaxed) == 0;
            identity::enter_runtimes(slot);
            if had_none && slot.runtimes.load(Relaxed) != 0 {
                slot.flags.fetch_or(flag::LATE_RUNTIME, Relaxed);
            }
        }
    }

    /// The process runs its exit handlers.
    pub(crate) fn exit(&self, process_table: &ProcessTable, at_ns: u64) {
        if let Some(slot) = self.slot(process_table) {
            identity::enter_runtimes(slot);
        }
        self.end(process_table, at_ns);
    }

    /// The process ends by itself. Async-signal-safe.
    pub(crate) fn end(&self, process_table: &ProcessTable, at_ns: u64) {
        if let Some(slot) = self.slot(process_table) {
            slot.end_ns.store(at_ns, Relaxed);
            slot.flags.fetch_or(flag::EXITED, Relaxed);
        }
    }

    /// False in a child that shares the memory of the process, or was made without the C library. Async-signal-safe.
    pub(crate) fn is_here(&self, process_table: &ProcessTable) -> bool {
        self.slot(process_table).is_some_and(|slot| slot.pid.load(Relaxed) == std::process::id())
    }

    /// The process's slot, if it has one.
    pub(crate) fn slot<'a>(&self, process_table: &'a ProcessTable) -> Option<&'a ProcessSlot> {
        // Acquire: pairs with the compare-exchange in `claim`; publishes the slot's contents.
        process_table.process(self.slot.load(Acquire))
    }

    /// The number of the process's slot, if it has one.
    pub(crate) fn number(&self) -> Option<u32> {
        // Acquire: pairs with the compare-exchange in `claim`; publishes the slot's contents.
        Some(self.slot.load(Acquire)).filter(|number| *number < REFUSED)
    }

    /// The number of the process's slot, claimed now if need be.
    pub(crate) fn claim(&self, process_table: &ProcessTable) -> Option<u32> {
        // Acquire: pairs with the compare-exchange below; publishes the slot's contents.
        match self.slot.load(Acquire) {
            NONE => {}
            REFUSED => return None,
            index => return Some(index),
        }
        let Some((index, slot)) = process_table.claim_process() else {
            // Release: pairs with the loads of `slot`; publishes only the refusal.
            self.slot.store(REFUSED, Release);
            return None;
        };
        slot.parent.store(std::os::unix::process::parent_id(), Relaxed);
        slot.flags.store(self.flags.load(Relaxed), Relaxed);
        slot.session.store(self.session.load(Relaxed), Relaxed);
        slot.refused.store(self.refused.load(Relaxed), Relaxed);
        slot.start_ns.store(self.begun_ns.load(Relaxed), Relaxed);
        slot.first_thread.store(process_table.header.threads.load(Relaxed), Relaxed);
        identity::enter_command(slot);
        identity::enter_runtimes(slot);
        // Release: pairs with the loads of `slot`; publishes the slot's contents. Acquire: pairs with this exchange of another
        // thread. If two threads race, one of them leaves its slot unused.
        match self.slot.compare_exchange(NONE, index, AcqRel, Acquire) {
            Ok(_) => {
                // Release: pairs with the loads in `end_earlier_image` and in `ora`; publishes the slot's contents.
                slot.pid.store(std::process::id(), Release);
                Some(index)
            }
            Err(REFUSED) => None,
            Err(earlier) => Some(earlier),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stat_layout::area::SharedArea;
    use stat_layout::process_table::PROCESSES;
    use stat_layout::stat::layout::Area;

    #[test]
    fn a_process_without_a_slot_is_counted_once() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let process_table = &shared.area().process_table;
        let room = u32::try_from(PROCESSES).unwrap();
        process_table.header.processes.store(room - 1, Relaxed);
        let (last, late) = (Member::new(), Member::new());
        assert_eq!([last.claim(process_table), last.claim(process_table)], [Some(room - 1); 2]);
        assert_eq!([late.claim(process_table), late.claim(process_table)], [None; 2]);
        assert_eq!(process_table.header.processes.load(Relaxed), room + 1);
        assert_eq!(last.slot(process_table).unwrap().pid.load(Relaxed), std::process::id());
        assert!(late.slot(process_table).is_none());
    }
}
