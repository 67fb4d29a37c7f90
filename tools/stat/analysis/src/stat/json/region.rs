//! One parallel region's figures.

use std::borrow::Cow;

use serde::Serialize;
use symbols::Place;
use terminal::printable::Foreign;

use crate::stat::regions::Region;

/// All calls of one parallel region.
#[derive(Serialize)]
pub(super) struct OneRegion<'a> {
    function: Option<Cow<'a, str>>,
    file: Option<&'a str>,
    line: Option<u32>,
    object: Option<&'a str>,
    address: Option<u64>,
    count: u64,
    not_ended: u64,
    total_ns: u64,
    mean_ns: Option<f64>,
    longest_ns: u64,
    threads: u64,
    work_ns: u64,
    wait_ns: u64,
    barrier_ns: u64,
    imbalance: Option<f64>,
    imbalance_ns: u64,
    no_processor_ns: u64,
    barrier_cost_ns: u64,
    gain_ns: u64,
    phases_gain_ns: u64,
    nested: u64,
    tasks: u64,
    chunks: u64,
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
        not_ended: sums.count.saturating_sub(sums.ended),
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
