//! Activities of threads, to which their time is charged.

/// Activity of a thread, to which its time is charged.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Outside all regions.
    Serial = 0,
    /// In a region, in none of the waits below, or in a task that is run in one: work, and overhead that no event shows.
    Work = 1,
    /// In the barrier that ends a region or a work-sharing construct.
    ImplicitBarrier = 2,
    /// In an explicit barrier.
    ExplicitBarrier = 3,
    /// Waits for a lock.
    Lock = 4,
    /// Waits for a critical section.
    Critical = 5,
    /// Waits for its turn in an ordered region.
    Ordered = 6,
    /// Waits for an atomic update.
    Atomic = 7,
    /// A worker in the pool.
    Idle = 8,
    /// At a taskwait or the end of a taskgroup, without the tasks that it runs there.
    TaskWait = 9,
    /// From the call of the runtime that begins a region to the start of its body: the team is put together, for which the thread may
    /// have to wait for workers.
    RegionStart = 10,
}

/// Number of activities.
pub const ACTIVITIES: usize = 11;

impl Activity {
    /// All activities, indexed by their number.
    pub const ALL: [Activity; ACTIVITIES] = [
        Activity::Serial,
        Activity::Work,
        Activity::ImplicitBarrier,
        Activity::ExplicitBarrier,
        Activity::Lock,
        Activity::Critical,
        Activity::Ordered,
        Activity::Atomic,
        Activity::Idle,
        Activity::TaskWait,
        Activity::RegionStart,
    ];

    /// The activity with this number.
    #[inline]
    pub fn from_raw(raw: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|a| *a as u32 == raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activities_stand_at_the_place_of_their_number() {
        for (place, activity) in Activity::ALL.into_iter().enumerate() {
            assert_eq!(activity as usize, place);
            assert_eq!(Activity::from_raw(activity as u32), Some(activity));
        }
        assert_eq!(Activity::from_raw(11), None);
    }
}
