//! Teams: which members are at a barrier, and which are elsewhere.

use std::collections::HashMap;

use crate::model::{Barrier, Thread, Wait};

/// The threads that are in the region of each team: idle ones are not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Teams {
    /// Members in the order of the threads, by the team's address.
    members: HashMap<u64, Vec<usize>>,
    /// Number of threads that aren't idle, in a team or not.
    busy: usize,
}

/// Members of a team that are in its region: those at its barrier, the others, and the number of those that are
/// missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gathering {
    /// Threads at the barrier.
    pub there: Vec<usize>,
    /// Threads that are elsewhere.
    pub elsewhere: Vec<usize>,
    /// Number of members that do not exist in the process.
    pub gone: usize,
}

impl Teams {
    /// The teams of these threads.
    pub(crate) fn of(threads: &[Thread]) -> Self {
        let mut teams = Self::default();
        for (number, thread) in threads.iter().enumerate().filter(|(_, thread)| thread.wait != Wait::Idle) {
            teams.busy += 1;
            for own in thread.place.iter().flat_map(|place| &place.teams) {
                let members = teams.members.entry(own.team).or_default();
                if members.last() != Some(&number) {
                    members.push(number);
                }
            }
        }
        teams
    }

    /// Members of a team, in the order of the threads.
    pub(crate) fn members(&self, team: u64) -> &[usize] {
        self.members.get(&team).map_or(&[], Vec::as_slice)
    }

    /// True if a thread outside of a team isn't idle.
    pub(crate) fn has_stranger(&self, team: u64) -> bool {
        self.busy > self.members(team).len()
    }

    /// The gathering of a team at a barrier of this kind. The end of a region is not a barrier that others open: libgomp counts those who
    /// are there separately.
    pub(crate) fn gathering(&self, threads: &[Thread], team: u64, kind: Barrier) -> Gathering {
        let mut gathering = Gathering::default();
        let mut size = 0;
        for number in self.members(team) {
            let Some(thread) = threads.get(*number) else { continue };
            let own = thread.membership(team).map(|own| own.size);
            size = size.max(own.and_then(|size| usize::try_from(size).ok()).unwrap_or_default());
            let same = |other: Barrier| (other == Barrier::RegionEnd) == (kind == Barrier::RegionEnd);
            let is_there = matches!(thread.wait, Wait::Barrier { team: Some(at), kind } if at == team && same(kind));
            if is_there { gathering.there.push(*number) } else { gathering.elsewhere.push(*number) }
        }
        gathering.gone = size.saturating_sub(gathering.there.len() + gathering.elsewhere.len());
        gathering
    }
}
