//! Events of a location: a thread.

use std::io;

use crate::chunks::Chunks;
use crate::paradigm::Paradigm;
use crate::record::{Record, compress};
use crate::references::{Comm, Region};

/// Kinds of events.
mod kind {
    pub(super) const ENTER: u8 = 12;
    pub(super) const LEAVE: u8 = 13;
    pub(super) const THREAD_FORK: u8 = 53;
    pub(super) const THREAD_JOIN: u8 = 54;
    pub(super) const THREAD_TEAM_BEGIN: u8 = 55;
    pub(super) const THREAD_TEAM_END: u8 = 56;
    pub(super) const THREAD_ACQUIRE_LOCK: u8 = 57;
    pub(super) const THREAD_RELEASE_LOCK: u8 = 58;
    pub(super) const THREAD_TASK_CREATE: u8 = 59;
    pub(super) const THREAD_TASK_SWITCH: u8 = 60;
    pub(super) const THREAD_TASK_COMPLETE: u8 = 61;
}

/// A location under construction. All its methods write an event at a time in nanoseconds, and fail if that is before the
/// last one's, or the file can't be written.
#[derive(Debug)]
pub struct Location {
    pub(crate) number: u64,
    pub(crate) name: u32,
    pub(crate) process: u32,
    pub(crate) events: Chunks,
}

/// A task: the thread that created it, and its number among that thread's tasks.
pub type Task = (u32, u32);

#[allow(clippy::missing_errors_doc)] // the type says it once for all
impl Location {
    /// The thread enters a region.
    pub fn enter(&mut self, time: u64, region: Region) -> io::Result<()> {
        self.bare(time, kind::ENTER, region.0)
    }

    /// The thread leaves the region that it entered last.
    pub fn leave(&mut self, time: u64, region: Region) -> io::Result<()> {
        self.bare(time, kind::LEAVE, region.0)
    }

    /// Writes an event of a kind without a length: these two.
    fn bare(&mut self, time: u64, kind: u8, region: u32) -> io::Result<()> {
        let mut record = vec![kind];
        compress(&mut record, region.into());
        self.events.event(time, &record)
    }

    fn put(&mut self, time: u64, record: &Record) -> io::Result<()> {
        self.events.event(time, &record.bytes())
    }

    /// The thread requests a team of this number of threads.
    pub fn fork(&mut self, time: u64, paradigm: Paradigm, threads: u32) -> io::Result<()> {
        self.put(time, &Record::new(kind::THREAD_FORK).byte(paradigm.0).number(threads))
    }

    /// The team is over.
    pub fn join(&mut self, time: u64, paradigm: Paradigm) -> io::Result<()> {
        self.put(time, &Record::new(kind::THREAD_JOIN).byte(paradigm.0))
    }

    /// The thread becomes a member of a team.
    pub fn team_begin(&mut self, time: u64, team: Comm) -> io::Result<()> {
        self.put(time, &Record::new(kind::THREAD_TEAM_BEGIN).number(team.0))
    }

    /// The thread is no longer a member.
    pub fn team_end(&mut self, time: u64, team: Comm) -> io::Result<()> {
        self.put(time, &Record::new(kind::THREAD_TEAM_END).number(team.0))
    }

    /// The thread has acquired a lock, as the `order`th of all that did.
    pub fn acquire(&mut self, time: u64, paradigm: Paradigm, lock: u32, order: u32) -> io::Result<()> {
        let record = Record::new(kind::THREAD_ACQUIRE_LOCK).byte(paradigm.0);
        self.put(time, &record.number(lock).number(order))
    }

    /// The thread has released the lock that it acquired as the `order`th.
    pub fn release(&mut self, time: u64, paradigm: Paradigm, lock: u32, order: u32) -> io::Result<()> {
        let record = Record::new(kind::THREAD_RELEASE_LOCK).byte(paradigm.0);
        self.put(time, &record.number(lock).number(order))
    }

    /// The thread creates a task.
    pub fn task_create(&mut self, time: u64, team: Comm, task: Task) -> io::Result<()> {
        self.task(time, kind::THREAD_TASK_CREATE, team, task)
    }

    /// The thread continues with a task.
    pub fn task_switch(&mut self, time: u64, team: Comm, task: Task) -> io::Result<()> {
        self.task(time, kind::THREAD_TASK_SWITCH, team, task)
    }

    /// A task is complete.
    pub fn task_complete(&mut self, time: u64, team: Comm, task: Task) -> io::Result<()> {
        self.task(time, kind::THREAD_TASK_COMPLETE, team, task)
    }

    fn task(&mut self, time: u64, kind: u8, team: Comm, (creator, number): Task) -> io::Result<()> {
        self.put(time, &Record::new(kind).number(team.0).number(creator).number(number))
    }
}
