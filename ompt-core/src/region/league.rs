//! Leagues of teams on the host device. One thread executes the teams one after the other: each team has an initial
//! task (OpenMP 5.0, 2.7). The start and the end of a league are events of OpenMP 5 only: the other interfaces have no
//! concept of leagues. The adapter for runtimes with OMPT doesn't report leagues to the other interfaces either.

use super::non_parallel::new_number;
use super::parallel::Regions;
use super::{Encounter, Region};
use crate::detail::Detail;
use crate::event::Event;
use crate::interface::Interface;
use crate::tls;
use std::sync::atomic::Ordering::*;

impl Regions {
    /// Begins a league on this, the calling thread, in the frame at the address `stack`. `None` if the system refuses memory: the league is
    /// then not reported. [`begin_team`](Self::begin_team) follows.
    pub fn enter_league(self, stack: usize, encounter: Encounter) -> Option<&'static Region> {
        let thread = self.thread;
        thread.current.enter_runtime(encounter.call);
        let region = self.push_non_parallel(stack, new_number(), encounter)?;
        region.non_parallel.is_league.store(true, Relaxed);
        // Outside of the league's teams, the thread's task is the one that encountered the league.
        thread.reporting.set_region(region.number());
        thread.raise_for(Interface::V5, Event::ParallelBegin, &Detail::None);
        Some(region)
    }

    /// Begins the team of that number, in a league of `size` teams. `exit` is the frame of the runtime's function that
    /// called the team's; 0 if there is none.
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
        self.pop_non_parallel(league);
    }
}
