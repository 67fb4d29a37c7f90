//! Ring of the last joins: the ends of regions, by region id.

use system::memory::{Keyed, KeyedWord};

use super::activity::Activity;

/// Number of joins that are remembered. Region ids are dense, so a place is reused after this many regions.
pub const JOINS: usize = 1024;

/// The ring of one process.
#[repr(C)]
#[derive(Debug)]
pub struct JoinRing([KeyedWord; JOINS]);

/// End of a region, as far as the ring has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It ended at this time.
    Joined(u64),
    /// No join of it was seen.
    Open,
    /// A later region took its place.
    Lost,
}

impl JoinRing {
    /// Enters the end of a region.
    #[inline]
    pub fn put(&self, region: u64, at_ns: u64) {
        if let Some(join) = self.place(region) {
            join.put(region, at_ns);
        }
    }

    /// The end of a region, as far as the ring has it.
    #[inline]
    pub fn get(&self, region: u64) -> Known {
        match self.place(region).map(|join| join.get(region)) {
            Some(Keyed::Number(at_ns)) => Known::Joined(at_ns),
            Some(Keyed::Later) => Known::Lost,
            Some(Keyed::Earlier) | None => Known::Open,
        }
    }

    fn place(&self, region: u64) -> Option<&KeyedWord> {
        if region == 0 {
            return None;
        }
        self.0.get(usize::try_from(region).ok()? % JOINS)
    }
}

/// A worker's time from its arrival at a region's last barrier until its next event, or the end of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastBarrier {
    /// Its wait until JOIN.
    pub barrier_ns: u64,
    /// Its time in the pool from then on.
    pub idle_ns: u64,
    /// The part of `idle_ns` that is a guess. When the time of JOIN is lost, [`JOINS`] later regions have ended since, and all
    /// of the time is charged as idle.
    pub guessed_ns: u64,
}

impl LastBarrier {
    /// Splits the time between two moments at the region's end.
    #[inline]
    pub fn split(since_ns: u64, until_ns: u64, known: Known) -> Self {
        let whole = until_ns.saturating_sub(since_ns);
        let barrier_ns = match known {
            Known::Joined(at_ns) => at_ns.saturating_sub(since_ns).min(whole),
            Known::Open => whole,
            Known::Lost => 0,
        };
        let guessed_ns = if known == Known::Lost { whole } else { 0 };
        Self { barrier_ns, idle_ns: whole - barrier_ns, guessed_ns }
    }

    /// The two parts, with the activities that they are charged to.
    #[inline]
    pub fn parts(self) -> [(Activity, u64); 2] {
        [(Activity::ImplicitBarrier, self.barrier_ns), (Activity::Idle, self.idle_ns)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::area::SharedArea;
    use crate::stat::layout::Area;

    #[test]
    fn a_region_is_open_then_joined_then_lost() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let ring = shared.area().joins(0).unwrap();
        let later = 5 + JOINS as u64;
        assert_eq!(ring.get(5), Known::Open);
        ring.put(5, 70);
        assert_eq!(ring.get(5), Known::Joined(70));
        assert_eq!(ring.get(later), Known::Open);
        ring.put(later, 90);
        assert_eq!(ring.get(5), Known::Lost);
        assert_eq!(ring.get(later), Known::Joined(90));
    }

    #[test]
    fn region_0_has_no_place() {
        let shared = SharedArea::<Area>::create(0).unwrap();
        let ring = shared.area().joins(0).unwrap();
        ring.put(0, 70);
        assert_eq!(ring.get(0), Known::Open);
        assert_eq!(ring.get(JOINS as u64), Known::Open);
    }

    #[test]
    fn a_last_barrier_is_split_at_the_join_and_never_outside_of_its_time() {
        let split = |known| {
            let LastBarrier { barrier_ns, idle_ns, guessed_ns } = LastBarrier::split(100, 200, known);
            (barrier_ns, idle_ns, guessed_ns)
        };
        assert_eq!(split(Known::Joined(130)), (30, 70, 0));
        assert_eq!(split(Known::Joined(90)), (0, 100, 0));
        assert_eq!(split(Known::Joined(250)), (100, 0, 0));
        assert_eq!(split(Known::Open), (100, 0, 0));
        assert_eq!(split(Known::Lost), (0, 100, 100));
    }
}
