//! Taskgroups: their end waits for all tasks that were created in them, and for the descendants of those.

use ompt_tool::Pool;
use system::memory::Link;

use crate::clock::Clock;

/// A taskgroup.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// Joined by each task of the group at its end.
    pub(crate) ends: Clock,
    /// The group around it.
    outer: Link<Group>,
}

static GROUPS: Pool<Group> = Pool::new();

impl Group {
    /// Starts a group inside another one.
    pub(crate) fn begin(outer: Option<&'static Self>) -> &'static Self {
        let group = GROUPS.take(Self::default);
        group.ends.set();
        group.outer.set(outer);
        group
    }

    /// Ends the group, whose tasks have all ended. Returns the group around it.
    pub(crate) fn end(&'static self) -> Option<&'static Self> {
        self.ends.acquire();
        let outer = self.outer.get();
        GROUPS.give_back(self);
        outer
    }
}
