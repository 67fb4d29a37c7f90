//! Types and constants of `ora_embed.h`. The header is generated from this file and from `entry.rs`.

#![allow(non_camel_case_types)] // as C spells them

use ompt_core::task::Task;

/// Version of this interface. It changes with every change that a runtime could notice.
pub const ORA_EMBED_VERSION: u32 = 1;

/// Features of a runtime: the events that it reports, as bits of `ora_embed_runtime.features`. Registrations for other
/// events are answered as unsupported. Parallel regions are always reported.
pub mod feature {
    /// Feature: waits in barriers, implicit and explicit ones.
    pub const ORA_EMBED_HAS_BARRIERS: u32 = 1;
    /// Feature: waits for locks.
    pub const ORA_EMBED_HAS_LOCKS: u32 = 2;
    /// Feature: waits for critical sections.
    pub const ORA_EMBED_HAS_CRITICAL: u32 = 4;
    /// Feature: ordered regions, and waits for them.
    pub const ORA_EMBED_HAS_ORDERED: u32 = 8;
    /// Feature: waits for atomic updates.
    pub const ORA_EMBED_HAS_ATOMIC: u32 = 16;
    /// Feature: masked (master) regions.
    pub const ORA_EMBED_HAS_MASKED: u32 = 32;
    /// Feature: single regions.
    pub const ORA_EMBED_HAS_SINGLE: u32 = 64;
    /// Feature: a pool of workers, which are idle between regions.
    pub const ORA_EMBED_HAS_POOL: u32 = 128;
    /// Feature: creation, execution and end of tasks.
    pub const ORA_EMBED_HAS_TASKS: u32 = 256;
    /// Feature: waits for child tasks.
    pub const ORA_EMBED_HAS_TASK_WAITS: u32 = 512;
    /// Feature: the search for a task to run.
    pub const ORA_EMBED_HAS_TASK_SCHEDULING: u32 = 1024;
    /// Feature: the search for a task in another thread's queue.
    pub const ORA_EMBED_HAS_TASK_STEALING: u32 = 2048;
    /// Feature: the time at which a task is taken from a queue.
    pub const ORA_EMBED_HAS_TASK_FETCHING: u32 = 4096;
}

/// Description of a runtime, passed at its start. A runtime that also exports it as a constant named `ora_embed_about`
/// is known before it starts: collectors usually register before `main`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    /// The value of `ORA_EMBED_VERSION` that the runtime was compiled with.
    pub version: u32,
    /// Features of the runtime: `ORA_EMBED_HAS_*`, or-ed together.
    pub features: u32,
    /// Function that returns 1 if the calling thread is in a parallel region, else 0. Called only on threads that were
    /// in a region before the first tool attached. It has to be async-signal-safe. May be null.
    pub in_parallel: Option<extern "C" fn() -> i32>,
}

impl Runtime {
    /// True if both descriptions are the same.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let address = |ask: Option<extern "C" fn() -> i32>| ask.map(|ask| ask as usize);
        self.features == other.features && address(self.in_parallel) == address(other.in_parallel)
    }
}

/// Kinds of waits, for `ora_embed_wait_begin`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitKind {
    /// A wait in the barrier at the end of a work-sharing construct.
    ORA_EMBED_WAIT_WORK_BARRIER = 0,
    /// A wait in an explicit barrier.
    ORA_EMBED_WAIT_EXPLICIT_BARRIER = 1,
    /// A wait for a lock; the wait id is its address.
    ORA_EMBED_WAIT_LOCK = 2,
    /// A wait for a nestable lock; the wait id is its address.
    ORA_EMBED_WAIT_NEST_LOCK = 3,
    /// A wait for a critical section; the wait id is the address that identifies it.
    ORA_EMBED_WAIT_CRITICAL = 4,
    /// A wait for the turn in an ordered region.
    ORA_EMBED_WAIT_ORDERED = 5,
    /// A wait for an atomic update; the wait id is the address of the lock that guards it.
    ORA_EMBED_WAIT_ATOMIC = 6,
    /// A wait for the children of the current task (taskwait).
    ORA_EMBED_WAIT_CHILDREN = 7,
    /// A wait for the tasks of a taskgroup.
    ORA_EMBED_WAIT_TASKGROUP = 8,
}

/// Kinds of stretches of a thread's time that are not waits, for `ora_embed_stretch_begin`.
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

/// Record of a wait, a stretch, or the creation or execution of a task that has begun. The runtime provides the memory,
/// on the stack of the thread, in the frame that begins and ends it, and does not look inside. Plain data: a frame that
/// an exception or longjmp leaves needs no care.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    /// Opaque contents.
    pub inside: [u64; 6],
}

/// Record of a task, in memory of the runtime that lives as long as the task is the current one of any thread. The
/// runtime does not look inside.
#[repr(C)]
#[derive(Debug, Default)]
pub struct EmbedTask {
    /// Opaque contents.
    pub inside: [u64; 8],
}
const _: () = assert!(size_of::<EmbedTask>() == size_of::<Task>() && align_of::<EmbedTask>() == align_of::<Task>());
