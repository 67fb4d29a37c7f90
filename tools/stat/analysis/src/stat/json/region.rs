//! One parallel region's figures.

use std::borrow::Cow;

use serde::Serialize;
use symbols::Place;
use terminal::printable::Foreign;

use crate::stat::regions::Region;

/// The regions of one place.
///
/// Calls for the same outlined body are one place, also where the compiler has copied the call. An instance is one
/// execution of a region; a barrier in it ends a phase. Tasks that a thread executes in a barrier are known up to 3
/// % of its share, or 1 us.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneRegion<'a> {
    /// Function from debug information: of the body if gcc's code shows it, else of the call. Without it from
    /// the symbol table, or `prog+0x1234`; `null` where the stack did not tell.
    function: Option<Cow<'a, str>>,
    /// Its source file, from debug information.
    file: Option<&'a str>,
    /// Its line, from debug information.
    line: Option<u32>,
    /// The file that has the call.
    object: Option<&'a str>,
    /// The address in it that the call returns to, as `objdump` shows it.
    address: Option<u64>,
    /// Number of regions begun.
    count: u64,
    /// Those that had not ended with the process: the times lack them.
    not_ended: u64,
    /// Time from fork to join, of all.
    total_ns: u64,
    /// Its mean.
    mean_ns: Option<f64>,
    /// The longest one.
    longest_ns: u64,
    /// Size of the team; of the largest one, if they differ.
    threads: u64,
    /// Work of all threads of the teams, without the regions inside of these.
    work_ns: u64,
    /// Waits of each kind of all threads, up to the end of the barrier that ends the region.
    wait_ns: u64,
    /// The part of `wait_ns` at barriers. It has three parts: `imbalance_ns`, `no_processor_ns`,
    /// `barrier_cost_ns`.
    barrier_ns: u64,
    /// From 0 to 1: (max - mean) / max of the time that the team's threads run, by phase of each instance,
    /// summed; `null` without a team of several.
    imbalance: Option<f64>,
    /// Waits for peers that run for longer: the sum of (max - own running time) over the threads of the team,
    /// by phase of each instance, as far as they waited at its end. Running time is work without the time in
    /// which the thread was ready, but had no processor. The time off the processors comes from the thread's
    /// CPU clock, read at the end of pieces of 0.2 ms or more; shorter ones count with their wall time. Regions
    /// inside count with the longest running time of their teams. The time that the first thread may need to
    /// make the team (twice the time that the others took to begin, 1 ms at most) doesn't count.
    imbalance_ns: u64,
    /// Waits for peers that were ready, but had no processor.
    no_processor_ns: u64,
    /// The rest: the barriers themselves, and threads that wake up.
    barrier_cost_ns: u64,
    /// (max - mean) of the running time, summed: the wall time that even shares would save.
    gain_ns: u64,
    /// Of regions with barriers inside: the longest running times of all phases, without the running time of
    /// the thread that ran for longest in all. The cost of the barriers, where shares are uneven by turns.
    phases_gain_ns: u64,
    /// Number of them that were begun inside of another region.
    nested: u64,
    /// Number of explicit tasks that the team's threads have begun in them; of those begun in a barrier up to 3
    /// % may be missing.
    tasks: u64,
    /// Shares of loops that the team's threads were handed out: with `schedule(dynamic)`, `guided` and
    /// `runtime`, and of ordered loops, on libgomp. 0 for static schedules of gcc's code, which hands out its
    /// shares itself. 0 on other runtimes: LLVM's would report each share, also of static schedules, by a
    /// callback of its own (`ompt_callback_dispatch`), for which the collector doesn't register.
    chunks: u64,
    /// The file of the OpenMP runtime that executes them; `null`: not seen.
    runtime: Option<&'a str>,
}

/// The figures of `region`.
pub(super) fn one_region(region: &Region) -> OneRegion<'_> {
    let sums = &region.sums;
    let (file, line) = region.place.line().unzip();
    let function = match &region.place {
        Place::Line { function, .. } | Place::Symbol { function, .. } => Some(Cow::Borrowed(function.as_str())),
        Place::Offset { .. } => Some(Cow::Owned(region.place.name())),
        _ => None,
    };
    OneRegion {
        function,
        file,
        line,
        object: region.call.as_ref().map(|(object, _)| object.as_str()),
        address: region.call.as_ref().map(|(_, address)| *address),
        count: sums.count,
        not_ended: sums.not_ended(),
        total_ns: sums.total_ns,
        mean_ns: (sums.ended > 0).then(|| sums.mean_ns()),
        longest_ns: sums.longest_ns,
        threads: sums.threads,
        work_ns: sums.work_ns,
        wait_ns: sums.wait_ns,
        barrier_ns: sums.barrier_ns,
        imbalance: sums.imbalance(),
        imbalance_ns: sums.imbalance_ns,
        no_processor_ns: sums.no_processor_ns,
        barrier_cost_ns: sums.barrier_cost_ns(),
        gain_ns: sums.gain_ns,
        phases_gain_ns: sums.phases_ns,
        nested: sums.nested,
        tasks: sums.tasks,
        chunks: sums.chunks,
        runtime: region.runtime.as_ref().map(Foreign::raw),
    }
}
