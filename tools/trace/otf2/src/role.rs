//! Roles of regions.

/// Role of a region (`OTF2_RegionRole`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Role(pub u8);

impl Role {
    /// A function.
    pub const FUNCTION: Self = Self(1);
    /// A loop that threads share.
    pub const LOOP: Self = Self(3);
    /// Any piece of code.
    pub const CODE: Self = Self(4);
    /// A parallel region.
    pub const PARALLEL: Self = Self(5);
    /// Another work-sharing region.
    pub const WORKSHARE: Self = Self(8);
    /// A single region.
    pub const SINGLE: Self = Self(9);
    /// A masked region.
    pub const MASTER: Self = Self(11);
    /// A critical section.
    pub const CRITICAL: Self = Self(12);
    /// An atomic update.
    pub const ATOMIC: Self = Self(14);
    /// An explicit barrier of the program.
    pub const BARRIER: Self = Self(15);
    /// A barrier at the end of a region.
    pub const IMPLICIT_BARRIER: Self = Self(16);
    /// An ordered region.
    pub const ORDERED: Self = Self(18);
    /// An explicit task.
    pub const TASK: Self = Self(20);
    /// A wait for tasks.
    pub const TASK_WAIT: Self = Self(22);
}
