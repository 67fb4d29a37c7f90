//! Target regions that the host device executes: the thread leaves its team and is alone, in an implicit parallel
//! region with an initial task of its own (OpenMP 5.0, 1.3 and 2.12.5), until the target function returns.
//!
//! Work, barriers and single constructs in the target region belong to that implicit region.

use super::parallel::Regions;
use super::{Encounter, Region};
use crate::call_site::CallSite;

impl Regions {
    /// Begins the function of a target region on this, the calling thread, in the frame at the address `stack`. The
    /// runtime called it from the frame at `frame` (0 if calls are not reported). `None` if the system refuses memory:
    /// the region is then not reported.
    pub fn enter_target(self, stack: usize, function: usize, frame: usize) -> Option<&'static Region> {
        let encounter = Encounter { call: CallSite { return_address: 0, frame }, function, requested: 1 };
        let region = self.push_non_parallel(stack, self.thread.targets().number_of_region(), encounter)?;
        region.set_device(self.thread.target.device_of_region());
        region.set_size(1);
        self.begin_initial_task(region, 0, frame);
        Some(region)
    }

    /// Ends the target region, when its function has returned or its frame is gone: ends its open constructs, and
    /// restores the thread's state before it.
    pub fn leave_target(self, region: &'static Region) {
        // A league whose end was not seen.
        if let Some(league) =
            self.thread.current.region().filter(|inner| inner.is_league() && !std::ptr::eq(*inner, region))
        {
            self.end_team(league);
            self.leave_league(league);
        }
        self.end_initial_task(region);
        self.pop_non_parallel(region);
    }
}
