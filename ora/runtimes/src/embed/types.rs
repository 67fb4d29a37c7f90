//! Declarations of `ora_embed.h` besides its functions. The header is generated from this file and from `entry.rs`.

#![allow(non_camel_case_types)] // as C spells them

use ompt_core::task::Task;

/// The version of this interface. It changes with every change that a runtime could notice.
pub const ORA_EMBED_VERSION: u32 = 1;

/// Features of a runtime, as bits of `ora_embed_runtime.features`. A collector's request for an event of a missing feature is
/// answered as unsupported; regions are always supported.
pub mod feature {
    /// Barriers: implicit and explicit ones.
    pub const ORA_EMBED_HAS_BARRIERS: u32 = 1;
    /// Waits for locks.
    pub const ORA_EMBED_HAS_LOCKS: u32 = 2;
    /// Waits for critical sections.
    pub const ORA_EMBED_HAS_CRITICAL: u32 = 4;
    /// Ordered regions, and waits for them.
    pub const ORA_EMBED_HAS_ORDERED: u32 = 8;
    /// Waits for atomic updates.
    pub const ORA_EMBED_HAS_ATOMIC: u32 = 16;
    /// Masked (master) regions.
    pub const ORA_EMBED_HAS_MASKED: u32 = 32;
    /// Single regions.
    pub const ORA_EMBED_HAS_SINGLE: u32 = 64;
    /// A pool of workers that are idle between regions.
    pub const ORA_EMBED_HAS_POOL: u32 = 128;
    /// Creation, execution and end of tasks.
    pub const ORA_EMBED_HAS_TASKS: u32 = 256;
    /// Waits for child tasks.
    pub const ORA_EMBED_HAS_TASK_WAITS: u32 = 512;
    /// The search for a task to run.
    pub const ORA_EMBED_HAS_TASK_SCHEDULING: u32 = 1024;
    /// The search for a task in another thread's queue.
    pub const ORA_EMBED_HAS_TASK_STEALING: u32 = 2048;
    /// The event of a task taken from a queue.
    pub const ORA_EMBED_HAS_TASK_FETCHING: u32 = 4096;
}

/// Description of a runtime, passed at its start. If the runtime exports the same as a constant named `ora_embed_about`, it is
/// known before it starts: collectors usually register their events before `main`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// `ORA_EMBED_VERSION` as the runtime was compiled with it.
    pub version: u32,
    /// The features that the runtime reports: `ORA_EMBED_HAS_*`, or-ed together.
    pub features: u32,
    /// Returns non-zero if the calling thread is in a parallel region. It is called only on threads that were in a region
    /// before the first tool attached. It has to be async-signal-safe. May be null.
    pub in_parallel: Option<extern "C" fn() -> i32>,
}

impl Runtime {
    /// True if both descriptions are equal.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let address = |ask: Option<extern "C" fn() -> i32>| ask.map(|ask| ask as usize);
        self.features == other.features && address(self.in_parallel) == address(other.in_parallel)
    }
}

/// Kinds of waits.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitKind {
    /// The barrier at the end of a work-sharing construct.
    ORA_EMBED_WAIT_WORK_BARRIER = 0,
    /// An explicit barrier.
    ORA_EMBED_WAIT_EXPLICIT_BARRIER = 1,
    /// A lock; the wait id is its address.
    ORA_EMBED_WAIT_LOCK = 2,
    /// A nestable lock; the wait id is its address.
    ORA_EMBED_WAIT_NEST_LOCK = 3,
    /// A critical section; the wait id is the address that names it.
    ORA_EMBED_WAIT_CRITICAL = 4,
    /// The turn in an ordered region.
    ORA_EMBED_WAIT_ORDERED = 5,
    /// An atomic update; the wait id is the address of the lock that guards it.
    ORA_EMBED_WAIT_ATOMIC = 6,
    /// The children of the current task (taskwait).
    ORA_EMBED_WAIT_CHILDREN = 7,
    /// The tasks of a taskgroup.
    ORA_EMBED_WAIT_TASKGROUP = 8,
}

/// Kinds of stretches of a thread's time that are no waits.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StretchKind {
    /// The body of a masked (master) region.
    ORA_EMBED_MASKED = 0,
    /// The body of a single region, on the thread that executes it.
    ORA_EMBED_SINGLE = 1,
    /// The body of an ordered region.
    ORA_EMBED_ORDERED = 2,
    /// The combination of results of a reduction: a state without events.
    ORA_EMBED_REDUCTION = 3,
    /// Work for the runtime: a state without events.
    ORA_EMBED_OVERHEAD = 4,
    /// The search for a task to run.
    ORA_EMBED_TASK_SCHEDULE = 5,
    /// The search for a task in another thread's queue.
    ORA_EMBED_TASK_STEAL = 6,
}

/// Record of a wait or stretch that has begun. The runtime keeps it on the stack of the thread, in the frame that begins and
/// ends the wait or stretch, and does not read it. Plain data: a frame that is left by an exception or longjmp needs no care.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    /// Private to the library.
    pub inside: [u64; 6],
}

/// Record of a task, in memory of the runtime's that lives as long as the task is a current task of any thread. The runtime
/// does not read it.
#[repr(C)]
#[derive(Debug, Default)]
pub struct EmbedTask {
    /// Private to the library.
    pub inside: [u64; 8],
}
const _: () = assert!(size_of::<EmbedTask>() == size_of::<Task>() && align_of::<EmbedTask>() == align_of::<Task>());
