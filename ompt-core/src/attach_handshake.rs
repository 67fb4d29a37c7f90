//! Store-buffer (Dekker) handshake between the attachment of a tool and the first use of a runtime.
//!
//! Reports start after both. They come from different threads, possibly at the same time, and the later one starts the
//! reports. So each thread stores its own flag, executes a sequentially consistent fence, and then loads the other's
//! flag. The caller provides the fence.

use system::sync::{AtomicBool, AtomicUsize, Ordering::*, const_unless_loom, fence};

/// Two flags: a tool has ever attached; a tool that needs calls (return addresses and frames) has attached.
#[derive(Debug)]
pub struct Attached {
    tracking: AtomicBool,
    calls: AtomicBool,
}

impl Attached {
    const_unless_loom! {
        /// No tool has attached yet.
        pub none => Self { tracking: AtomicBool::new(false), calls: AtomicBool::new(false) }
    }

    /// Records that a tool attaches. True for the first one.
    pub fn attach(&self) -> bool {
        // Release: pairs with the load in `is_tracking`; publishes what the attaching thread wrote before. Acquire:
        // with an earlier swap.
        !self.tracking.swap(true, AcqRel)
    }

    /// Records that a tool that needs calls is about to attach. True if it is the first such tool, and runtime adapters
    /// already report.
    pub fn attach_for_calls(&self) -> bool {
        // Release: pairs with the load in `reports_calls`; publishes what the attaching thread wrote before.
        // Acquire: with an earlier swap.
        let first = !self.calls.swap(true, AcqRel);
        // SeqCst: pairs with the fence in the gomp adapter's `wrap`, of an adapter that starts to report for a tool
        // that attaches now (store buffering: one of the two threads sees the other's store).
        fence(SeqCst);
        first && self.is_tracking()
    }

    /// True if a tool has ever attached.
    pub fn is_tracking(&self) -> bool {
        // Acquire: pairs with the swap in `attach`.
        self.tracking.load(Acquire)
    }

    /// True if a tool has attached that needs calls.
    pub fn reports_calls(&self) -> bool {
        // Acquire: pairs with the swap in `attach_for_calls`.
        self.calls.load(Acquire)
    }
}

/// State of the runtime's first use: none yet, in progress on a thread (its thread pointer), or over.
#[derive(Debug)]
pub struct FirstUse(AtomicUsize);

const PENDING: usize = 0;
/// State of a first use that is over. Differs from all thread pointers, which are aligned.
const OVER: usize = 1;

impl FirstUse {
    const_unless_loom! {
        /// No first use yet.
        pub pending => Self(AtomicUsize::new(PENDING))
    }

    /// Begins the first use on this thread. False if a thread has already begun it, be it this one.
    pub fn begin(&self, thread: usize) -> bool {
        // Acquire: pairs with the store in `reset`; on failure with the store in `end`. Release: pairs with the load in
        // `is_elsewhere`.
        self.0.compare_exchange(PENDING, thread, AcqRel, Acquire).is_ok()
    }

    /// True if a first use is in progress on another thread, or has not begun.
    pub fn is_elsewhere(&self, thread: usize) -> bool {
        // Acquire: pairs with the store in `end`, which publishes what was set up.
        let user = self.0.load(Acquire);
        user != OVER && user != thread
    }

    /// Ends the first use: everything is set up.
    pub fn end(&self) {
        // Release: pairs with the loads in `is_elsewhere` and `is_over`; publishes what was set up at the first use.
        self.0.store(OVER, Release);
    }

    /// True if the first use is over.
    pub fn is_over(&self) -> bool {
        // Acquire: pairs with the store in `end`, which publishes what was set up.
        self.0.load(Acquire) == OVER
    }

    /// Returns to the state before the first use.
    pub fn reset(&self) {
        // Release: pairs with the compare-exchange in `begin`.
        self.0.store(PENDING, Release);
    }
}
