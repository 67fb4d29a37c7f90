//! The constructs of `constructs.c`.

/// A construct of `constructs.c`.
pub(super) struct Construct {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// True if two threads take part and wait for one another.
    pub(super) meets: bool,
}

/// The constructs, in the order of the tables.
pub(super) const CONSTRUCTS: &[Construct] = &[
    Construct { name: "region_1", title: "empty region, 1 thread", meets: false },
    Construct { name: "region_2", title: "empty region, 2 threads", meets: true },
    Construct { name: "barrier_2", title: "barrier, 2 threads", meets: true },
    Construct { name: "critical_named", title: "named critical", meets: false },
    Construct { name: "critical_unnamed", title: "unnamed critical", meets: false },
    Construct { name: "lock", title: "lock set + unset", meets: false },
    Construct { name: "nest_lock", title: "nest lock set + unset", meets: false },
    Construct { name: "single_2", title: "single + its barrier, 2 threads", meets: true },
    Construct { name: "single_nowait", title: "single nowait, 1 thread", meets: false },
    Construct { name: "dynamic_chunk", title: "dynamic loop, per chunk", meets: false },
];
