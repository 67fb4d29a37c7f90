//! Waits for exclusive access (locks, critical sections, atomic updates) by their place in the program.

use std::collections::BTreeMap;

use stat_layout::stat::regions::{EXCLUSIVE, Exclusive, RegionRow};
use symbols::{Place, Resolver};
use untrusted::figure;

/// Times by the kind of access.
type Times = [u64; EXCLUSIVE];

/// Waits of a process's threads, by place.
#[derive(Clone, Debug, Default)]
pub struct ExclusiveWaits(BTreeMap<Place, Times>);

impl ExclusiveWaits {
    /// Reads the waits of one process, which has these rows.
    pub(super) fn read(rows: &[&RegionRow], resolver: &mut Resolver) -> Self {
        let mut waits = Self::default();
        for row in rows {
            let times: Times =
                std::array::from_fn(|kind| row.waited_ns.get(kind).map(figure::read).unwrap_or_default());
            if times != Times::default() {
                waits.add(resolver.resolve(row.place()).place, times);
            }
        }
        waits
    }

    fn add(&mut self, place: Place, times: Times) {
        let all = self.0.entry(place).or_default();
        *all = each(*all, times, figure::sum);
    }

    /// The waits since an earlier snapshot.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let before = |place| earlier.0.get(place).copied().unwrap_or_default();
        Self(
            self.0.iter().map(|(place, now)| (place.clone(), each(*now, before(place), u64::saturating_sub))).collect(),
        )
    }

    /// The place with most of the waits of one kind, and their time. `None` if there are none, or if that place is not known.
    pub(super) fn costliest(&self, kind: Exclusive) -> Option<(&Place, u64)> {
        let of_kind =
            self.0.iter().map(|(place, times)| (place, times.get(kind as usize).copied().unwrap_or_default()));
        of_kind.max_by_key(|(_, ns)| *ns).filter(|(place, ns)| *ns > 0 && **place != Place::Unknown)
    }
}

fn each(one: Times, other: Times, of: impl Fn(u64, u64) -> u64) -> Times {
    let mut both = one.into_iter().zip(other);
    std::array::from_fn(|_| both.next().map_or(0, |(one, other)| of(one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32) -> Place {
        Place::Line { function: "f".to_owned(), file: "f.c".to_owned(), line }
    }

    #[test]
    fn the_costliest_place_is_named_with_its_time_of_one_kind_only() {
        let mut waits = ExclusiveWaits::default();
        waits.add(at(1), [5, 30, 0]);
        waits.add(at(2), [0, 10, 0]);
        waits.add(at(1), [0, 60, 0]);
        assert_eq!(waits.costliest(Exclusive::Critical), Some((&at(1), 90)));
        assert_eq!(waits.costliest(Exclusive::Lock), Some((&at(1), 5)));
        assert_eq!(waits.costliest(Exclusive::Atomic), None);
        waits.add(Place::Unknown, [0, 200, 0]);
        assert_eq!(waits.costliest(Exclusive::Critical), None, "the largest part is not known");
    }

    #[test]
    fn the_waits_of_an_interval_are_those_that_were_added() {
        let (mut earlier, mut now) = (ExclusiveWaits::default(), ExclusiveWaits::default());
        earlier.add(at(1), [0, 80, 0]);
        now.add(at(1), [0, 90, 0]);
        now.add(at(2), [0, 30, 0]);
        assert_eq!(now.since(&earlier).costliest(Exclusive::Critical), Some((&at(2), 30)));
    }
}
