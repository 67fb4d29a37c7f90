//! One rule for exceptions, `pthread_exit` and longjmp: what was entered in a frame that is gone is dropped at the next
//! entry (architecture, rule 3). The stack grows down, so a frame below the stack pointer is gone.

use crate::state::State;
use crate::thread::Thread;

impl Thread {
    /// Drops what was entered in frames that ended without telling. `stack` is the caller's stack pointer.
    #[inline(always)]
    pub(crate) fn drop_stale(&'static self, stack: usize) {
        if self.depth() <= stack {
            self.drop_stale_from(stack);
        }
    }

    #[cold]
    fn drop_stale_from(&'static self, stack: usize) {
        while let Some(region) = self.region().filter(|r| r.is_primary(self) && r.stack() <= stack) {
            self.abandon_region(region);
        }
        if self.depth() <= stack {
            // A wait that nobody ended, in the region that is current now.
            self.set_depth(usize::MAX);
            self.set_state(if self.region_id() == 0 { State::WorkSerial } else { State::WorkParallel });
        }
    }
}
