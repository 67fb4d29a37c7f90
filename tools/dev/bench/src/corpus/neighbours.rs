//! Other programs that use the processors.

use std::process::{Child, Command};

/// Busy processes, killed on drop.
pub(super) struct Neighbours(Vec<Child>);

impl Neighbours {
    /// Starts processes that compute forever.
    pub(super) fn start(count: usize) -> Self {
        let busy = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().ok();
        Self((0..count).filter_map(|_| busy()).collect())
    }
}

impl Drop for Neighbours {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
