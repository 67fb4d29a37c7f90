//! End of the time that an attachment to a process may take, including all waits.

use std::time::{Duration, Instant};

/// Maximum time for an attachment, from the examination of the process until its collector has started. On a busy machine Linux 6.18
/// has kept a whole group of threads waiting for about as long (`docs/troubleshooting.md`); without load it takes milliseconds.
pub const ATTACHING: Duration = Duration::from_secs(60);
/// Maximum time for undoing afterwards what was created in the process.
pub const UNDOING: Duration = Duration::from_secs(10);

/// A moment by which a step must be over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline(Instant);

impl Deadline {
    /// The moment `time` from now.
    pub fn after(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    /// True once it has passed.
    pub fn is_over(self) -> bool {
        self.left().is_zero()
    }

    /// Time until then; zero once it has passed.
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// A moment that much later.
    #[must_use]
    pub fn and(self, time: Duration) -> Self {
        Self(self.0 + time)
    }
}
