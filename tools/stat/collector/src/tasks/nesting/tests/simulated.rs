//! Simulated threads of a process, whose callbacks the tests invoke.

use super::super::*;
use crate::tasks::meanings::Meaning;
use crate::tasks::owner::Owner;
use crate::tasks::thread::Origin;
use crate::tasks::undeferred_overhead::UndeferredOverhead;
use ora_client::Stamps;
use stat_layout::area::SharedArea;
use stat_layout::tasks::layout::{Cell, Spread, TasksArea};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A process: what its threads share.
pub(in super::super) struct World {
    pub(super) shared: &'static SharedArea<TasksArea>,
    pub(super) pool: Pool,
}

/// One of its threads.
pub(in super::super) struct Thread<'a> {
    world: &'a World,
    pub(in super::super) nesting: Box<Nesting>,
    pub(in super::super) sums: ThreadSums,
    pub(in super::super) overhead: UndeferredOverhead,
    pub(in super::super) stamps: &'static Stamps,
}

impl World {
    pub(in super::super) fn new(instances: usize) -> Self {
        // ThreadSums live as long as the process.
        let shared = Box::leak(Box::new(SharedArea::<TasksArea>::create(instances).unwrap()));
        Self { shared, pool: Pool::new().unwrap() }
    }

    pub(in super::super) fn thread(&self) -> Thread<'_> {
        let area = self.shared.area();
        let (number, slot) = area.claim_thread().unwrap();
        let owner = Owner { area, instances: self.shared.items(), slot, number };
        let nesting = Nesting {
            frames: Frames::new(),
            mark: 0,
            next: 0,
            next_created: Created::default(),
            beyond: NOTHING,
            since: Since::Other,
            words: None,
            waits: 0,
            inner: 0,
        };
        let stamps: &Stamps = Box::leak(Box::default());
        let (nesting, sums) = (Box::new(nesting), ThreadSums::new(owner));
        Thread { world: self, nesting, sums, overhead: UndeferredOverhead::new(stamps), stamps }
    }

    /// The cells of a place, one for each thread that was involved with it.
    pub(in super::super) fn cells(&self, place: u64) -> Vec<&'static Cell> {
        self.shared.area().cells().filter(|cell| cell.place.load(Relaxed) == place).collect()
    }

    /// Count, sum, min and max over all threads.
    pub(in super::super) fn times(&self, place: u64, of: impl Fn(&Cell) -> &Spread) -> [u64; 4] {
        let cells = self.cells(place);
        let spreads: Vec<&Spread> = cells.iter().map(|cell| of(cell)).filter(|s| read(&s.count) > 0).collect();
        [
            spreads.iter().map(|s| read(&s.count)).sum(),
            spreads.iter().map(|s| read(&s.sum)).sum(),
            spreads.iter().filter_map(|s| s.min()).min().unwrap_or(0),
            spreads.iter().map(|s| read(&s.max)).max().unwrap_or(0),
        ]
    }

    pub(in super::super) fn sum(&self, place: u64, of: impl Fn(&Cell) -> &AtomicU64) -> u64 {
        self.cells(place).iter().map(|cell| read(of(cell))).sum()
    }
}

pub(in super::super) fn read(of: &AtomicU64) -> u64 {
    of.load(Relaxed)
}

impl Thread<'_> {
    pub(in super::super) fn create(
        &mut self,
        from: u64,
        to: u64,
        place: u64,
        at_once: bool,
        ids: [u64; 2],
    ) -> &mut Self {
        self.nesting.begin_create(&self.sums, from, || ids[1]);
        self.nesting.creating(place, false);
        self.end_create(to, at_once, ids)
    }

    pub(in super::super) fn begin_create(&mut self, at: u64, place: u64) -> Begun {
        let estimated = if self.sums.estimates() { self.sums.cell(place) } else { None };
        let origin = Origin { meaning: Meaning { place, taskloop: false }, estimated };
        let begun = self.nesting.begin_plain_create(&mut self.sums, &mut self.overhead, at, origin, || Some(1));
        if begun == Begun::Not {
            self.nesting.begin_create(&self.sums, at, || 1);
            self.nesting.creating(place, false);
        }
        begun
    }

    /// Before an event that is not the end of a creation.
    pub(in super::super) fn settle(&mut self) -> &mut Self {
        self.nesting.settle(&mut self.sums, &mut self.overhead);
        self
    }

    pub(in super::super) fn end_create(&mut self, at: u64, at_once: bool, ids: [u64; 2]) -> &mut Self {
        self.nesting.is_created(&self.sums, &self.overhead);
        self.nesting.end_create(&mut self.sums, &self.world.pool, at, at_once, || ids);
        self
    }

    pub(in super::super) fn end_finish(&mut self, at: u64) {
        self.nesting.end_finish(&mut self.sums, &self.world.pool, at);
    }

    pub(in super::super) fn begin(&mut self, at: u64, id: u64) -> &mut Self {
        self.nesting.is_created(&self.sums, &self.overhead);
        self.nesting.begin_execution(&mut self.sums, &self.world.pool, at, || id);
        self
    }

    pub(super) fn begin_early(&mut self, at: u64, id: u64, parent: u64) -> &mut Self {
        assert!(!self.nesting.begin_execution(&mut self.sums, &self.world.pool, at, || id));
        self.nesting.born_of(&mut self.sums, parent);
        self
    }

    pub(in super::super) fn end(&mut self, at: u64, gone: u64) -> &mut Self {
        self.nesting.begin_finish(at);
        self.nesting.end_finish(&mut self.sums, &self.world.pool, gone);
        self
    }

    pub(in super::super) fn suspend(&mut self, at: u64) -> &mut Self {
        self.nesting.begin_suspension(at);
        self
    }

    pub(in super::super) fn resume(&mut self, at: u64) -> &mut Self {
        self.nesting.end_suspension(&self.sums, at);
        self
    }
}

pub(in super::super) const A: u64 = 0x4000;
pub(in super::super) const B: u64 = 0x5000;
