//! The two moments that have to come before a host reports: a tool attaches, and the runtime is used. Each has a thread that
//! brings it about, and they may come at once. Whichever is the later one lets the reports begin; so each thread writes what it
//! knows, and after a sequentially consistent fence looks for the other's. Who looks has the fence.

use system::sync::{AtomicBool, AtomicUsize, Ordering::*, const_unless_loom, fence};

/// Whether a tool has ever attached, and whether one has that wants to know of calls.
#[derive(Debug)]
pub struct Attached {
    tracking: AtomicBool,
    calls: AtomicBool,
}

impl Attached {
    const_unless_loom! {
        /// No tool yet.
        pub nobody => Self { tracking: AtomicBool::new(false), calls: AtomicBool::new(false) }
    }

    /// A tool attaches. True for the first one.
    pub fn attach(&self) -> bool {
        // Release: pairs with the load in `is_tracking`; publishes what the attaching thread wrote before. Acquire: with an
        // earlier swap.
        !self.tracking.swap(true, AcqRel)
    }

    /// A tool is about to attach that wants to know of calls. True where that is news to hosts which report already.
    pub fn want_calls(&self) -> bool {
        // Release: pairs with the load in `tells_calls`; publishes what the attaching thread wrote before. Acquire: with an
        // earlier swap.
        let first = !self.calls.swap(true, AcqRel);
        // SeqCst: pairs with the fence in the gomp adapter's `wrap`, of a host that starts to report for a tool that attaches
        // now (store buffering: one of the two threads sees what the other has written).
        fence(SeqCst);
        first && self.is_tracking()
    }

    /// Whether a tool has ever attached.
    pub fn is_tracking(&self) -> bool {
        // Acquire: pairs with the swap in `attach`.
        self.tracking.load(Acquire)
    }

    /// Whether one has that wants to know of calls.
    pub fn tells_calls(&self) -> bool {
        // Acquire: pairs with the swap in `want_calls`.
        self.calls.load(Acquire)
    }
}

/// Who uses the runtime for the first time: nobody yet, the thread that is at it (by its thread pointer), or it is over.
#[derive(Debug)]
pub struct User(AtomicUsize);

const NOBODY: usize = 0;
/// No thread pointer: those are aligned.
const OVER: usize = 1;

impl User {
    const_unless_loom! {
        /// Nobody yet.
        pub nobody => Self(AtomicUsize::new(NOBODY))
    }

    /// The thread is the first. False if another one has come before, or it has itself.
    pub fn begin(&self, thread: usize) -> bool {
        // Acquire: pairs with the store in `forget`; on failure with the store in `end`. Release: pairs with the load in
        // `is_another`.
        self.0.compare_exchange(NOBODY, thread, AcqRel, Acquire).is_ok()
    }

    /// Whether a thread other than this one is at it.
    pub fn is_another(&self, thread: usize) -> bool {
        // Acquire: pairs with the store in `end`, which publishes what was set up.
        let user = self.0.load(Acquire);
        user != OVER && user != thread
    }

    /// It is over, with all that was to be done.
    pub fn end(&self) {
        // Release: pairs with the loads in `is_another` and `is_over`; publishes what was set up at the first use.
        self.0.store(OVER, Release);
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        // Acquire: pairs with the store in `end`, which publishes what was set up.
        self.0.load(Acquire) == OVER
    }

    /// It is still to come.
    pub fn forget(&self) {
        // Release: pairs with the compare-exchange in `begin`.
        self.0.store(NOBODY, Release);
    }
}
