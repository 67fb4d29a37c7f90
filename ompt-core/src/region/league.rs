//! Leagues of teams on the host device, which one thread executes one after the other: each team has an initial task
//! (OpenMP 5.0, 2.7). The begin and the end of a league are events of OpenMP 5 only: no other interface has a word for
//! leagues. The adapter of runtimes with OMPT reports none to the other interfaces either.

use super::apart::new_number;
use super::parallel::Regions;
use super::{Encounter, Region};
use crate::detail::Detail;
use crate::event::Event;
use crate::interface::Interface;
use crate::tls;
use std::sync::atomic::Ordering::*;

impl Regions {
    /// Begins a league on this, the calling thread, in the frame at the address `stack`. `None` when there is no memory:
    /// the league then goes unreported. [`begin_team`](Self::begin_team) is next.
    pub fn enter_league(self, stack: usize, encounter: Encounter) -> Option<&'static Region> {
        let thread = self.thread;
        thread.current.enter_runtime(encounter.call);
        let region = self.push_apart(stack, new_number(), encounter)?;
        region.apart.is_league.store(true, Relaxed);
        // Outside of its teams the thread's task is that which has encountered the league.
        thread.reporting.set_region(region.number());
        thread.raise_for(Interface::V5, Event::ParallelBegin, &Detail::None);
        Some(region)
    }

    /// Begins the team of that number, of a league of `size` teams. `exit`: the frame of the runtime's function that
    /// called the team's; 0 where there is none.
    pub fn begin_team(self, league: &'static Region, number: u32, size: u32, exit: usize) {
        league.set_size(size);
        self.thread.reporting.set_region(0);
        self.begin_initial_task(league, number, exit);
    }

    /// Ends the team that the thread executes.
    pub fn end_team(self, league: &'static Region) {
        tls::set_call(league.call());
        self.end_initial_task(league);
        self.thread.reporting.set_region(league.number());
    }

    /// Ends the league, after its last team.
    pub fn leave_league(self, league: &'static Region) {
        let thread = self.thread;
        tls::set_call(league.call());
        thread.raise_for(Interface::V5, Event::ParallelEnd, &Detail::None);
        thread.reporting.set_region(0);
        thread.current.leave_runtime(league.call());
        self.pop_apart(league);
    }
}
