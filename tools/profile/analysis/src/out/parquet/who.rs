//! The thread that a row is about, and its columns.

use super::Texts;
use super::table::Column;
use crate::profile::{ProcessFacts, Profile, ThreadFacts};

/// A thread with its process.
#[derive(Clone, Copy)]
pub(super) struct Who<'p> {
    pub(super) thread: &'p ThreadFacts,
    process: &'p ProcessFacts,
}

impl<'p> Who<'p> {
    /// The thread of an index.
    pub(super) fn of(profile: &'p Profile, thread: u32) -> Option<Self> {
        let thread = profile.threads.get(thread as usize)?;
        Some(Self { thread, process: profile.processes.get(thread.process as usize)? })
    }
}

/// The columns that name the thread of a row.
pub(super) fn columns<'a, 'p: 'a, R: 'a>(texts: &'a Texts, of: fn(&R) -> &Who<'p>) -> [Column<'a, R>; 6] {
    [
        Column::number("process", move |row| Some(of(row).thread.process.into())),
        Column::number("rank", move |row| of(row).process.facts.rank.map(u64::from)),
        Column::number("pid", move |row| of(row).process.facts.pid.map(u64::from)),
        Column::text("host", move |row| texts.host(of(row).thread.process)),
        Column::number("thread", move |row| Some(of(row).thread.number.into())),
        Column::number("tid", move |row| Some(of(row).thread.tid.into()).filter(|tid| *tid > 0)),
    ]
}
