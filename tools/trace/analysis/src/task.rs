//! Regions and explicit tasks of a process.

/// An explicit task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Id of the task.
    pub id: u64,
    /// Return address of the call that created it; 0: not recorded.
    pub code: u64,
    /// Flags ([`trace_format::task_flag`]).
    pub flags: u16,
    /// Index of the thread that created it.
    pub creator: u32,
    /// Key of the task that created it: the id of an explicit one, otherwise one from its thread and number.
    pub parent: u64,
    /// Time of the creation; 0: not recorded.
    pub created_ns: u64,
    /// Start of the first piece; 0 if it was never executed.
    pub begun_ns: u64,
    /// Thread of the first piece, and index of the slice.
    pub first: (u32, u32),
    /// Thread of the last piece, and index of the slice.
    pub last: (u32, u32),
    /// End; 0 if it didn't end.
    pub ended_ns: u64,
}

/// Key of an implicit task: the `number`th, from 1, of a thread; 0 is the thread's initial task.
pub(crate) fn implicit_key(thread: u32, number: u32) -> u64 {
    1 << 63 | u64::from(thread) << 32 | u64::from(number)
}

/// Thread and number of the implicit task with a key; `None` for the id of an explicit task.
#[allow(clippy::cast_possible_truncation)] // The halves of the key.
pub(crate) fn implicit_of_key(key: u64) -> Option<(u32, u32)> {
    let rest = key.checked_sub(1 << 63)?;
    Some(((rest >> 32) as u32, rest as u32))
}

/// An instance of a parallel region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// Id of the region.
    pub id: u64,
    /// Return address of the call that started it; 0 if not recorded.
    pub code: u64,
    /// Index of the thread that encountered the construct.
    pub thread: u32,
    /// Start; 0 if neither that nor the end was recorded.
    pub begin_ns: u64,
    /// End; for an open region the end of its thread.
    pub end_ns: u64,
    /// True if its end was recorded.
    pub is_over: bool,
    /// True for a teams region.
    pub is_league: bool,
    /// Number of implicit tasks.
    pub team: u32,
}
