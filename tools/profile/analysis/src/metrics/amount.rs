//! Sums over samples.

use std::ops::AddAssign;

use crate::profile::Point;
use untrusted::figure;

/// A sum over samples. The total is work and wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Number of samples.
    pub samples: u64,
    /// OpenMP Work, wall-clock time.
    pub work_ns: u64,
    /// OpenMP Wait, wall-clock time.
    pub wait_ns: u64,
    /// CPU time of both.
    pub cpu_ns: u64,
}

impl Amount {
    /// Sum of OpenMP Work and OpenMP Wait.
    pub fn total_ns(&self) -> u64 {
        figure::sum(self.work_ns, self.wait_ns)
    }

    /// True if no sample was added.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl AddAssign<&Point> for Amount {
    fn add_assign(&mut self, point: &Point) {
        let (work_ns, wait_ns) = if point.state.waits() { (0, point.wall_ns) } else { (point.wall_ns, 0) };
        *self += Self { samples: u64::from(!point.is_part), work_ns, wait_ns, cpu_ns: point.cpu_ns };
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        // A damaged file may contain any value.
        self.samples = figure::sum(self.samples, other.samples);
        self.work_ns = figure::sum(self.work_ns, other.work_ns);
        self.wait_ns = figure::sum(self.wait_ns, other.wait_ns);
        self.cpu_ns = figure::sum(self.cpu_ns, other.cpu_ns);
    }
}
