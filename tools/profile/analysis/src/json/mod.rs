//! The report for programs: JSON, described in `report-json.md` of the command.

mod shape;

use std::collections::BTreeMap;

use json_document::{Document, Versioned};
use untrusted::figure::{Total, total_if_known};

use crate::job::json::OneJob;
use crate::metrics::{Amount, RegionSums, WaitPlace};
use crate::profile::{ProcessFacts, RuntimeUse, ThreadFacts};
use crate::report::Report;
use crate::state::State;
use crate::user_model::View;
use shape::*;
use symbols::{self, ConstructKind};

/// Calls with less than one part in this number of all the time are left out.
const CALLS: u64 = 10_000;

/// The report as one JSON object.
///
/// # Errors
/// None is known.
pub fn document(report: &Report<'_>) -> serde_json::Result<String> {
    of(report).text()
}

/// The report as a document that may be part of another one.
pub fn of<'r>(report: &'r Report<'_>) -> Document<impl Versioned + use<'r>> {
    Document::of(body(report))
}

fn body<'r>(report: &'r Report<'_>) -> Body<'r> {
    let profile = report.profile;
    let (begin_ns, end_ns) = profile.span_ns();
    // Functions by number, so that calls can name them.
    let mut own = vec![None; profile.code.functions().len()];
    for one in &report.functions {
        own.get_mut(one.what as usize).into_iter().for_each(|place| *place = Some(*one));
    }
    let functions = profile.code.functions().iter().zip(own).map(|(function, one)| OneFunction {
        name: &function.name,
        file: function.file.as_deref(),
        object: &function.object,
        own: sum(&one.map_or_else(Amount::default, |one| one.exclusive)),
        with_calls: sum(&one.map_or_else(Amount::default, |one| one.inclusive)),
    });
    let lines = report.lines.iter().map(|one| OneLine {
        file: one.what.0,
        line: one.what.1,
        own: sum(&one.exclusive),
        with_calls: sum(&one.inclusive),
    });
    let (calls, left_out) = calls(report);
    Body {
        view: match profile.view {
            View::User => "user",
            View::Expert => "expert",
            View::Machine => "machine",
        },
        begin_ns,
        end_ns,
        total: sum(&report.sums.total),
        states: states(report.sums.states()),
        job: report.job.as_ref().map(OneJob::of),
        processes: processes(report),
        threads: threads(report),
        functions: functions.collect(),
        lines: lines.collect(),
        calls,
        calls_left_out: sum(&left_out),
        regions: report.regions.iter().map(|region| one_region(report, region)).collect(),
        waits: waits(report),
        outside_of_openmp: outside(report),
        findings: &report.findings,
    }
}

fn sum(amount: &Amount) -> Sum {
    let Amount { samples, work_ns, wait_ns, cpu_ns } = *amount;
    Sum { samples, total_ns: amount.total_ns(), work_ns, wait_ns, cpu_ns }
}

fn states(of: impl IntoIterator<Item = (State, Amount)>) -> BTreeMap<&'static str, Sum> {
    of.into_iter().map(|(state, amount)| (state.key(), sum(&amount))).collect()
}

fn known(line: u32) -> Option<u32> {
    (line > 0).then_some(line)
}

fn processes<'a>(report: &Report<'a>) -> Vec<OneProcess<'a>> {
    let sums = of_threads(report);
    let one = |(number, process): (u32, &'a ProcessFacts)| {
        let sums = sums.get(report.profile.thread_numbers(number)).unwrap_or_default();
        let threads = || report.profile.threads_of(number).iter().zip(sums);
        let facts = &process.facts;
        let [deep, unknown_code, no_rule, unreadable] = process.cut;
        OneProcess {
            folder: process.folder.display().to_string(),
            pid: facts.pid,
            parent_pid: facts.parent,
            command: &facts.command,
            executable: facts.executable.as_deref(),
            host: facts.host.as_deref(),
            rank: facts.rank,
            ranks: facts.ranks,
            clock: facts.clock.as_deref(),
            timer: facts.timer.as_deref(),
            rate: facts.rate,
            processors_allowed: facts.processors,
            surroundings: Surroundings {
                processors_allowed: facts.processors,
                quota: facts.quota,
                environment: facts.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            },
            running_ns: threads().map(|(_, amount)| amount.cpu_ns).total(),
            ready_ns: total_if_known(threads().map(|(thread, _)| thread.ready_ns)),
            blocked_ns: total_if_known(threads().map(|(thread, amount)| blocked_ns(thread, amount))),
            session: facts.session.as_deref(),
            begin_ns: process.begun_ns,
            end_ns: process.ended_ns,
            start_up_ns: facts.start_up_ns,
            ended: process.ended,
            troubles: &facts.errors,
            damaged_words: process.damaged,
            samples_without_region: process.without_region,
            samples_cut: Cuts { deep, unknown_code, no_rule, unreadable },
            last_region: process.last_region,
            runtimes_used: process.runtimes_used.iter().map(one_runtime).collect(),
        }
    };
    (0..).zip(&report.profile.processes).map(one).collect()
}

/// Sums of each thread, also of those outside of OpenMP.
fn of_threads(report: &Report<'_>) -> Vec<Amount> {
    let mut sums = report.sums.threads(report.profile);
    for (thread, amount) in &report.outside.threads {
        sums.get_mut(*thread as usize).into_iter().for_each(|sum| *sum = *amount);
    }
    sums
}

fn one_runtime(one: &RuntimeUse) -> OneRuntime<'_> {
    let RuntimeUse { path, regions, region_ns, workers, idle_ns } = one;
    OneRuntime { path: path.as_deref(), regions: *regions, region_ns: *region_ns, workers: *workers, idle_ns: *idle_ns }
}

/// Path of the runtime whose pool a thread belongs to.
fn pool_of<'a>(report: &Report<'a>, thread: &ThreadFacts) -> Option<&'a str> {
    report.profile.processes.get(thread.process as usize)?.runtimes_used.get(thread.runtime?)?.path.as_deref()
}

fn threads<'a>(report: &Report<'a>) -> Vec<OneThread<'a>> {
    let sums = of_threads(report);
    let of_states = report.sums.thread_states(report.profile);
    let all = report.profile.threads.iter().zip(sums).zip(of_states);
    (0..)
        .zip(all)
        .map(|(index, ((thread, amount), of_states))| OneThread {
            process: thread.process,
            number: thread.number,
            tid: thread.tid,
            begin_ns: thread.begun_ns,
            end_ns: thread.ended_ns,
            asked: thread.asked,
            delivered: thread.delivered,
            lost: thread.lost,
            samples: thread.samples,
            samples_at_waits: thread.at_waits,
            rest_ns: thread.rest_ns,
            running_ns: amount.cpu_ns,
            ready_ns: thread.ready_ns,
            blocked_ns: blocked_ns(thread, &amount),
            runtime: pool_of(report, thread),
            outside_of_openmp: thread.outside,
            begun_in: report.outside.begun_in.get(&index).copied(),
            sum: sum(&amount),
            states: states(of_states),
        })
        .collect()
}

/// Time of a thread's life in which it neither ran nor was ready to run. `None`: not known.
fn blocked_ns(thread: &ThreadFacts, amount: &Amount) -> Option<u64> {
    let lived_ns = thread.ended_ns?.saturating_sub(thread.begun_ns);
    Some(lived_ns.saturating_sub(amount.cpu_ns).saturating_sub(thread.ready_ns?))
}

/// Calls with enough time, and the sum of the others.
fn calls<'a>(report: &Report<'a>) -> (Vec<OneCall<'a>>, Amount) {
    let least = report.sums.total.total_ns() / CALLS;
    let (mut calls, mut left_out) = (Vec::new(), Amount::default());
    // Maps numbers in the tree to places; calls below a call that is left out are left out as well.
    let mut places: Vec<Option<usize>> = Vec::with_capacity(report.tree.nodes.len());
    for (number, node) in report.tree.nodes.iter().enumerate() {
        let parent = places.get(node.parent as usize).copied().flatten();
        if number > 0 && (parent.is_none() || node.inclusive.is_nothing() || node.inclusive.total_ns() < least) {
            left_out += node.exclusive;
            places.push(None);
            continue;
        }
        places.push(Some(calls.len()));
        calls.push(OneCall {
            parent,
            function: report.profile.code.function(node.function).map(|_| node.function),
            construct: node.construct.map(one_construct),
            calls_itself: node.recursive,
            own: sum(&node.exclusive),
            with_calls: sum(&node.inclusive),
        });
    }
    (calls, left_out)
}

fn outside(report: &Report<'_>) -> Option<OneOutside> {
    let outside = &report.outside;
    let one = |(function, amount): &(u32, Amount)| OneLeaf { function: *function, sum: sum(amount) };
    (!outside.threads.is_empty()).then(|| OneOutside {
        sum: sum(&outside.total),
        asleep_ns: outside.asleep_ns,
        functions: outside.functions.iter().map(one).collect(),
    })
}

fn one_construct(construct: &symbols::Construct) -> OneConstruct<'_> {
    OneConstruct {
        kind: match construct.kind {
            ConstructKind::Parallel => "parallel",
            ConstructKind::Task => "task",
            ConstructKind::Other => "other",
        },
        file: construct.file.as_deref(),
        line: known(construct.line),
        call: construct.call.as_deref(),
    }
}

fn one_region<'a>(report: &Report<'a>, region: &RegionSums) -> OneRegion<'a> {
    let place = report.profile.code.construct(region.construct);
    let imbalance = region.imbalance();
    let threads = region.threads.iter().map(|(thread, amount)| OneShare { thread: *thread, sum: sum(amount) });
    OneRegion {
        function: place.map(|(_, function)| function.name.as_str()),
        file: place.and_then(|(construct, _)| construct.file.as_deref()),
        line: place.and_then(|(construct, _)| known(construct.line)),
        object: place.map(|(_, function)| function.object.as_str()),
        address: place.and_then(|(construct, _)| construct.address),
        runtime: report.profile.runtimes.get(&region.construct).map(String::as_str),
        own: sum(&region.exclusive),
        with_inner: sum(&region.inclusive),
        barrier_ns: region.barriers().total_ns(),
        imbalance: imbalance.map(|imbalance| imbalance.share),
        imbalance_certain: imbalance.map(|imbalance| imbalance.certain),
        work_ns: region.exclusive.work_ns,
        wait_ns: region.exclusive.wait_ns,
        imbalance_ns: imbalance.map(|imbalance| imbalance.wait_ns),
        no_processor_ns: imbalance.map(|imbalance| imbalance.no_processor_ns),
        barrier_cost_ns: imbalance.map(|imbalance| imbalance.cost_ns),
        gain_ns: imbalance.map(|imbalance| imbalance.gain_ns),
        states: states(region.states.iter().map(|(state, amount)| (*state, *amount))),
        threads: threads.collect(),
    }
}

fn waits<'a>(report: &Report<'a>) -> Vec<OneWait<'a>> {
    let code = &report.profile.code;
    let place = |(place, amount): &(WaitPlace, Amount)| {
        let (region, function, file, line, ends) = match place {
            WaitPlace::Region(number) => {
                let (construct, function) = code.construct(*number)?;
                (true, function, &construct.file, construct.line, None)
            }
            WaitPlace::Frame(number) => {
                let (frame, function) = code.frame(*number)?;
                (false, function, &frame.file, frame.line, frame.ends.as_ref())
            }
        };
        let ends = ends.map(|end| OneEnd { construct: end.construct, file: &end.file, line: end.line });
        let (file, line) = (file.as_deref(), known(line));
        Some(OnePlace { region, function: &function.name, file, line, ends, sum: sum(amount) })
    };
    let one = |cause: &crate::metrics::Cause| OneWait {
        state: cause.state.key(),
        sum: sum(&cause.amount),
        different: cause.awaited,
        places: cause.places.iter().filter_map(place).collect(),
    };
    report.causes.iter().map(one).collect()
}
