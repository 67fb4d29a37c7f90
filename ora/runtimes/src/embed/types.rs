//! What `ora_embed.h` declares besides its functions. The header is generated from this file and from `entry.rs`.

#![allow(non_camel_case_types)] // as C spells them

use ompt_core::task::Task;

/// The version of this interface. It changes with every change that a runtime could notice.
pub const ORA_EMBED_VERSION: u32 = 1;

/// What a runtime can tell, as bits of `ora_embed_runtime.features`. Collectors learn that events of other kinds are not
/// supported; regions always are.
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
    /// The moment when a task is taken from a queue.
    pub const ORA_EMBED_HAS_TASK_FETCHING: u32 = 4096;
}

/// What a runtime says of itself at its start. One that exports the same as a constant named `ora_embed_about` is known
/// before it starts: collectors usually ask for their events before `main`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// `ORA_EMBED_VERSION` as the runtime was compiled with it.
    pub version: u32,
    /// What the runtime tells: `ORA_EMBED_HAS_*`, or-ed together.
    pub features: u32,
    /// Whether the calling thread is in a parallel region: asked only for threads that were in one before the first tool
    /// came. It has to be async-signal-safe. May be null.
    pub in_parallel: Option<extern "C" fn() -> i32>,
}

impl Runtime {
    /// Whether both say the same.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let address = |ask: Option<extern "C" fn() -> i32>| ask.map(|ask| ask as usize);
        self.features == other.features && address(self.in_parallel) == address(other.in_parallel)
    }
}

/// What a thread waits for.
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

/// A stretch of a thread's time that is no wait.
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

/// A wait or stretch that has begun. The runtime keeps it, on the stack of the thread and in the frame that begins and ends
/// it, and does not look inside. Plain data: a frame that an exception or longjmp leaves needs no care.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    /// Not for the runtime.
    pub inside: [u64; 6],
}

/// One task, in memory of the runtime's that lives as long as the task is somebody's current one. The runtime does not look
/// inside.
#[repr(C)]
#[derive(Debug, Default)]
pub struct EmbedTask {
    /// Not for the runtime.
    pub inside: [u64; 8],
}
const _: () = assert!(size_of::<EmbedTask>() == size_of::<Task>() && align_of::<EmbedTask>() == align_of::<Task>());
