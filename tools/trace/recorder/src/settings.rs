//! Settings that the command passes in variables, or in text of this form ([`trace_format::variable`]).
#![allow(unsafe_code)] // settings that are never freed

use std::ffi::{CStr, CString};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering::*};

use attach_inside::settings::value;
use system::environment::{self, number};
use trace_format::variable;

/// Kinds of events that can be chosen, each with its bit.
pub(crate) mod group {
    /// Parallel regions and implicit tasks.
    pub(crate) const REGIONS: u32 = 1;
    /// Barriers, taskwaits, taskgroups.
    pub(crate) const SYNC: u32 = 2;
    /// Explicit tasks and their dependences.
    pub(crate) const TASKS: u32 = 4;
    /// Locks, critical sections, atomic updates, ordered regions.
    pub(crate) const LOCKS: u32 = 8;
    /// Work-sharing and masked regions.
    pub(crate) const WORK: u32 = 16;
}

const NAMES: [(&[u8], u32); 5] = [
    (b"regions", group::REGIONS),
    (b"sync", group::SYNC),
    (b"tasks", group::TASKS),
    (b"locks", group::LOCKS),
    (b"work", group::WORK),
];
const USUAL: u32 = group::REGIONS | group::SYNC | group::TASKS | group::LOCKS;

/// Settings of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The trace's folder; without it nothing is recorded.
    pub(crate) folder: Option<&'static CStr>,
    /// Bits of [`group`].
    pub(crate) events: u32,
    /// Length of time that is kept, in nanoseconds; 0 for the whole run.
    pub(crate) last_ns: u64,
    /// Length from which a region is kept, in nanoseconds; 0 if none is.
    pub(crate) slow_ns: u64,
    /// True if the recorder was attached to a process that was already running. Forked children are left out then.
    pub(crate) is_attached: bool,
}

/// The settings of the newest session of a recorder that was attached; null if there is none.
static ATTACHED: AtomicPtr<Settings> = AtomicPtr::new(ptr::null_mut());

/// The settings: those of the session, or of the environment, read at the first call.
#[inline]
pub(crate) fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    // Acquire: pairs with the store in `take`; publishes the settings.
    // SAFETY: null, or settings that `take` leaked.
    unsafe { ATTACHED.load(Acquire).as_ref() }.unwrap_or_else(|| SETTINGS.get_or_init(read))
}

/// Takes the settings of a session that starts in a running process.
pub(crate) fn take(text: &[u8]) {
    let folder = value(text, variable::FOLDER).filter(|folder| folder.starts_with(b"/"));
    let folder =
        folder.and_then(|folder| CString::new(folder).ok()).map(|folder| &*Box::leak(folder.into_boxed_c_str()));
    let events = value(text, variable::EVENTS).map_or(USUAL, events);
    let settings = Settings { folder, events, last_ns: 0, slow_ns: 0, is_attached: true };
    // Release: pairs with the load in `settings`. Threads may have earlier settings for as long as they run, so these
    // are never freed.
    ATTACHED.store(Box::into_raw(Box::new(settings)), Release);
}

fn read() -> Settings {
    let folder = environment::variable(variable::FOLDER).filter(|folder| folder.to_bytes().starts_with(b"/"));
    let only_child_of = number(variable::NO_FOLLOW);
    let is_left_out = only_child_of.is_some_and(|parent| parent != u64::from(std::os::unix::process::parent_id()));
    let folder = folder.filter(|_| !is_left_out && !environment::is_secure());
    let events = environment::variable(variable::EVENTS).map_or(USUAL, |list| events(list.to_bytes()));
    let [last_ns, slow_ns] = [variable::LAST, variable::SLOW].map(|name| number(name).unwrap_or(0));
    Settings { folder, events, last_ns, slow_ns, is_attached: false }
}

/// The bits of a list of names; unknown names are ignored.
fn events(list: &[u8]) -> u32 {
    let bit = |name: &[u8]| NAMES.iter().find(|(known, _)| *known == name).map_or(0, |(_, bit)| *bit);
    list.split(|byte| *byte == b',').map(bit).fold(0, |all, bit| all | bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_chosen_by_name() {
        assert_eq!(events(b"regions,locks"), group::REGIONS | group::LOCKS);
        assert_eq!(events(b"regions,sync,tasks,locks,work"), USUAL | group::WORK);
        assert_eq!(events(b"nothing,"), 0);
    }
}
