//! Regions and waits of a profile, and threads outside of OpenMP.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Sum;

/// A region.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneRegion<'a> {
    /// Function that has the construct, or the call of the function that begins it, if the former can't be
    /// known.
    pub(in crate::json) function: Option<&'a str>,
    /// Its source file.
    pub(in crate::json) file: Option<&'a str>,
    /// Its line.
    pub(in crate::json) line: Option<u32>,
    /// Object file of the call, where the line isn't known.
    pub(in crate::json) object: Option<&'a str>,
    /// Address of the call in it, as `objdump` shows it.
    pub(in crate::json) address: Option<u64>,
    /// The file of the OpenMP runtime that executed it; `null`: not seen.
    pub(in crate::json) runtime: Option<&'a str>,
    /// Samples in it, without regions inside of it.
    pub(in crate::json) own: Sum,
    /// Samples in it, with regions inside of it.
    pub(in crate::json) with_inner: Sum,
    /// The part of `own` at barriers. It has three parts: `imbalance_ns`, `no_processor_ns`, `barrier_cost_ns`.
    pub(in crate::json) barrier_ns: u64,
    /// From 0 to 1: (max - mean) / max of the time that the team's threads run in an instance, over all
    /// instances; `null` with one thread.
    pub(in crate::json) imbalance: Option<f64>,
    /// False: the waits are so short that they were not measured, and met by few samples.
    pub(in crate::json) imbalance_certain: Option<bool>,
    /// OpenMP Work of `own`.
    pub(in crate::json) work_ns: u64,
    /// OpenMP Wait of `own`.
    pub(in crate::json) wait_ns: u64,
    /// Waits at barriers for peers that run. Where instances are so short that samples lie in few of them, also
    /// a wait that nothing else explains.
    pub(in crate::json) imbalance_ns: Option<u64>,
    /// Waits at barriers for peers that are ready without a processor. Where instances are so short that
    /// samples lie in few of them, also a wait that the other two don't explain, as far as threads were ready
    /// without a processor where they waited.
    pub(in crate::json) no_processor_ns: Option<u64>,
    /// The barriers themselves, when all have arrived.
    pub(in crate::json) barrier_cost_ns: Option<u64>,
    /// Wall-clock time that even shares would save.
    pub(in crate::json) gain_ns: Option<u64>,
    /// `own` by state.
    pub(in crate::json) states: BTreeMap<&'static str, Sum>,
    /// `own` by thread.
    pub(in crate::json) threads: Vec<OneShare>,
}

/// A share of a region.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneShare {
    /// The thread: its place in `threads`.
    pub(in crate::json) thread: u32,
    /// Its samples.
    pub(in crate::json) sum: Sum,
}

/// A wait.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneWait<'a> {
    /// The state, a key of `states`.
    pub(in crate::json) state: &'static str,
    /// All of it.
    pub(in crate::json) sum: Sum,
    /// Number of different locks, sections or loops that were waited for; 0 where they have no numbers.
    pub(in crate::json) different: usize,
    /// Its places. Idle threads are nowhere.
    pub(in crate::json) places: Vec<OnePlace<'a>>,
}

/// A place of a wait.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OnePlace<'a> {
    /// True if the thread had nothing of the region's body on its stack: at its end, or at its beginning.
    pub(in crate::json) region: bool,
    /// The function.
    pub(in crate::json) function: &'a str,
    /// Its source file.
    pub(in crate::json) file: Option<&'a str>,
    /// The line.
    pub(in crate::json) line: Option<u32>,
    /// The construct that an implicit barrier ends there, in code by gcc with debug information; else `null`.
    pub(in crate::json) ends: Option<OneEnd<'a>>,
    /// The samples there.
    pub(in crate::json) sum: Sum,
}

/// A construct with an implicit barrier.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneEnd<'a> {
    /// `"loop"` or `"single"`.
    pub(in crate::json) construct: &'static str,
    /// Its source file.
    pub(in crate::json) file: &'a str,
    /// Its line.
    pub(in crate::json) line: u32,
}

/// Threads outside of OpenMP.
///
/// They are in no team and have begun none, in processes in which others do. They are in none of the sums above,
/// but for their own in `threads`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneOutside {
    /// Their samples.
    pub(in crate::json) sum: Sum,
    /// Time for which they were asleep.
    pub(in crate::json) asleep_ns: u64,
    /// Functions at the leaf.
    pub(in crate::json) functions: Vec<OneLeaf>,
}

/// A function at the leaf.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneLeaf {
    /// Its place in `functions`.
    pub(in crate::json) function: u32,
    /// Its samples.
    pub(in crate::json) sum: Sum,
}
