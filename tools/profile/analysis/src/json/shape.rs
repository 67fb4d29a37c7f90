//! Serialized structures of the JSON report.

use std::collections::BTreeMap;

use advice::Finding;
use json_document::Versioned;
use serde::Serialize;

use crate::job::json::OneJob;

/// Report of a profile.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Body<'a> {
    /// Stacks that functions, lines and calls were taken from: `"user"`, `"expert"` or `"machine"`.
    pub(super) view: &'static str,
    /// Time of day at which the first process began.
    pub(super) begin_ns: u64,
    /// Time of day at which the last one ended.
    pub(super) end_ns: u64,
    /// All samples.
    pub(super) total: Sum,
    /// Sums by what the threads did; the keys are below.
    pub(super) states: BTreeMap<&'static str, Sum>,
    /// The ranks together; `null`: there are less than two.
    #[cfg_attr(test, schemars(with = "Option<schemas::Job>"))]
    pub(super) job: Option<OneJob<'a>>,
    /// One object for each process, ranks in the order of their numbers.
    pub(super) processes: Vec<OneProcess<'a>>,
    /// One object for each thread.
    pub(super) threads: Vec<OneThread<'a>>,
    /// One object for each function, in no order; `calls` name them by their place here, from 0.
    pub(super) functions: Vec<OneFunction<'a>>,
    /// One object for each line of a source file, the one with the most time of its own first.
    pub(super) lines: Vec<OneLine<'a>>,
    /// The call tree: one object for each function and each way in which it was called.
    pub(super) calls: Vec<OneCall<'a>>,
    /// The own time of calls that are not in the tree because they have, with their calls, less than a 10,000th
    /// of all time.
    pub(super) calls_left_out: Sum,
    /// One object for each parallel region of the program's text, the most expensive one first.
    pub(super) regions: Vec<OneRegion<'a>>,
    /// One object for each kind of wait, the most expensive one first.
    pub(super) waits: Vec<OneWait<'a>>,
    /// Threads outside of OpenMP; `null`: there are none.
    pub(super) outside_of_openmp: Option<OneOutside>,
    /// Findings, the most important one first. None with fewer than 50 samples.
    #[cfg_attr(test, schemars(with = "Vec<schemas::Finding>"))]
    pub(super) findings: &'a [Finding],
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-report";
    const VERSION: u32 = 2;
}

/// A sum.
///
/// The CPU time of a thread that ends is added to the next thread's first sample. So threads shorter than a period
/// have their share of `samples` and of all times. A single short thread may have a sample that stands for more
/// than its life. The sum of `cpu_ns` over all samples is the process's CPU time. It may lack about a period for
/// each thread that is there at its end.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Sum {
    /// Number of samples.
    pub(super) samples: u64,
    /// Wall-clock time of threads: a sample stands for the time since the thread's last one, a wait's for the
    /// time that was slept since the wait began.
    pub(super) total_ns: u64,
    /// The part that is OpenMP Work.
    pub(super) work_ns: u64,
    /// The part that is OpenMP Wait. Together they are `total_ns`.
    pub(super) wait_ns: u64,
    /// CPU time of it.
    pub(super) cpu_ns: u64,
}

/// A process.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneProcess<'a> {
    /// Folder of its records.
    pub(super) folder: String,
    /// Its number.
    pub(super) pid: Option<u32>,
    /// Number of its parent.
    pub(super) parent_pid: Option<u32>,
    /// Its command line, a list of words.
    pub(super) command: &'a [String],
    /// Its program.
    pub(super) executable: Option<&'a str>,
    /// Name of its machine.
    pub(super) host: Option<&'a str>,
    /// Its number in a job.
    pub(super) rank: Option<u32>,
    /// Number of ranks of the job.
    pub(super) ranks: Option<u32>,
    /// `"cpu"` or `"wall"`.
    pub(super) clock: Option<&'a str>,
    /// `"perf"` (for some threads at least) or `"timer"`.
    pub(super) timer: Option<&'a str>,
    /// Samples asked for in a second and thread.
    pub(super) rate: Option<u32>,
    /// Number of processors that its affinity let it use when it began; `null`: not known.
    pub(super) processors_allowed: Option<u32>,
    /// Settings around it.
    pub(super) surroundings: Surroundings<'a>,
    /// Sum of its threads'.
    pub(super) running_ns: u64,
    /// Sum of its threads'; `null` where one of these is.
    pub(super) ready_ns: Option<u64>,
    /// Sum of its threads'; `null` where one of these is.
    pub(super) blocked_ns: Option<u64>,
    /// The library's answer to START; `"none"`: there was no library.
    pub(super) session: Option<&'a str>,
    /// Time of day at which it began.
    pub(super) begin_ns: u64,
    /// Time of day at which it ended.
    pub(super) end_ns: u64,
    /// CPU time before the profile began, mostly dynamic linking. It is in `total` and has a function of its own, unless another program
    /// ran in the process before.
    pub(super) start_up_ns: Option<u64>,
    /// False: its end was not seen.
    pub(super) ended: bool,
    /// Troubles of the recording, in sentences.
    pub(super) troubles: &'a [String],
    /// Number of words of its file that could not be read.
    pub(super) damaged_words: usize,
    /// Samples in a region whose beginning, or that of a region around it, is not in the file: their stacks are
    /// not joined.
    pub(super) samples_without_region: u64,
    /// Samples whose stacks lack frames.
    pub(super) samples_cut: Cuts,
    /// The largest number of a region in the file: the process began at least so many.
    pub(super) last_region: u64,
    /// The OpenMP runtimes that were seen at work.
    pub(super) runtimes_used: Vec<OneRuntime<'a>>,
}

/// A runtime.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneRuntime<'a> {
    /// Its file; `null`: not seen.
    pub(super) path: Option<&'a str>,
    /// Number of regions that samples lie in.
    pub(super) regions: u64,
    /// Time in them of the threads that began them.
    pub(super) region_ns: u64,
    /// Number of workers of its pool.
    pub(super) workers: u64,
    /// Time for which these were idle.
    pub(super) idle_ns: u64,
}

/// Surroundings.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Surroundings<'a> {
    /// Number of processors that its affinity let it use.
    pub(super) processors_allowed: Option<u32>,
    /// Number of processors that control groups grant; `null`: no bound, or not known.
    pub(super) quota: Option<f64>,
    /// The variables `OMP_*`, `GOMP_*` and `KMP_*` when it began.
    pub(super) environment: BTreeMap<&'a str, &'a str>,
}

/// Samples whose stacks lack frames.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Cuts {
    /// The stack had too many.
    pub(super) deep: u64,
    /// A frame was in unknown code.
    pub(super) unknown_code: u64,
    /// Nothing says how to unwind a frame.
    pub(super) no_rule: u64,
    /// A frame could not be read.
    pub(super) unreadable: u64,
}

/// A thread.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneThread<'a> {
    /// Its process: the place in `processes`, from 0.
    pub(super) process: u32,
    /// Its number in the process.
    pub(super) number: u32,
    /// The kernel's number (0: not known).
    pub(super) tid: u32,
    /// Time of day at which it began.
    pub(super) begin_ns: u64,
    /// Time of day at which it ended; `null`: its end was not seen.
    pub(super) end_ns: Option<u64>,
    /// Signals that its timer should have sent.
    pub(super) asked: Option<u64>,
    /// Signals that came.
    pub(super) delivered: u64,
    /// Samples that found no room.
    pub(super) lost: u64,
    /// Number of its samples.
    pub(super) samples: u64,
    /// Those of them that were taken at the end of a wait, without a signal.
    pub(super) samples_at_waits: u64,
    /// Time after its last sample, which is in no sum.
    pub(super) rest_ns: u64,
    /// CPU time (`sum.cpu_ns`).
    pub(super) running_ns: u64,
    /// Time for which it was ready to run without a processor, in all its life
    /// (`/proc/PID/task/TID/schedstat`); `null`: not known.
    pub(super) ready_ns: Option<u64>,
    /// The rest of its life, for which it was not ready to run; `null`: not known.
    pub(super) blocked_ns: Option<u64>,
    /// Of a worker: the file of the runtime whose pool it is of; `null`: not seen, or no worker.
    pub(super) runtime: Option<&'a str>,
    /// True if it is one of those outside: it has a `sum`, but no `states`.
    pub(super) outside_of_openmp: bool,
    /// Of such a thread: the function that it began with (its place in `functions`), which shows a library's
    /// pool; `null`: it was never seen running.
    pub(super) begun_in: Option<u32>,
    /// Its samples.
    pub(super) sum: Sum,
    /// Sums by what it did.
    pub(super) states: BTreeMap<&'static str, Sum>,
}

/// A function.
///
/// It is the author's, with the outlined bodies of its constructs. In the user's view there are functions like
/// `<OMP-implicit_barrier>`, for the runtime's actions on behalf of the program.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneFunction<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its source file.
    pub(super) file: Option<&'a str>,
    /// File name of its object; empty: unknown.
    pub(super) object: &'a str,
    /// Samples whose leaf it is.
    pub(super) own: Sum,
    /// Samples that have it on their stack, once however often it is there.
    pub(super) with_calls: Sum,
}

/// A line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneLine<'a> {
    /// Its source file.
    pub(super) file: &'a str,
    /// Its number.
    pub(super) line: u32,
    /// Samples whose leaf it is.
    pub(super) own: Sum,
    /// Samples that have it on their stack.
    pub(super) with_calls: Sum,
}

/// A call.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneCall<'a> {
    /// The caller: its place in `calls`, from 0. The first call stands for everything: its `parent` and
    /// `function` are `null`.
    pub(super) parent: Option<usize>,
    /// Its place in `functions`.
    pub(super) function: Option<u32>,
    /// The construct, in the outlined body of one.
    pub(super) construct: Option<OneConstruct<'a>>,
    /// True if the function also calls itself directly; such calls are counted here, and have no rows of their
    /// own.
    pub(super) calls_itself: bool,
    /// Samples whose leaf it is.
    pub(super) own: Sum,
    /// Samples in it and in what it calls.
    pub(super) with_calls: Sum,
}

/// A construct.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneConstruct<'a> {
    /// `"parallel"`, `"task"` or `"other"`.
    pub(super) kind: &'static str,
    /// Its source file.
    pub(super) file: Option<&'a str>,
    /// Its line.
    pub(super) line: Option<u32>,
    /// Of code without symbols: the address to which the call of the runtime returns (`"prog+0x1234"`).
    pub(super) call: Option<&'a str>,
}

/// A region.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneRegion<'a> {
    /// Function that has the construct, or the call of the function that begins it, if the former can't be
    /// known.
    pub(super) function: Option<&'a str>,
    /// Its source file.
    pub(super) file: Option<&'a str>,
    /// Its line.
    pub(super) line: Option<u32>,
    /// Object file of the call, where the line isn't known.
    pub(super) object: Option<&'a str>,
    /// Address of the call in it, as `objdump` shows it.
    pub(super) address: Option<u64>,
    /// The file of the OpenMP runtime that executed it; `null`: not seen.
    pub(super) runtime: Option<&'a str>,
    /// Samples in it, without regions inside of it.
    pub(super) own: Sum,
    /// Samples in it, with regions inside of it.
    pub(super) with_inner: Sum,
    /// The part of `own` at barriers. It has three parts: `imbalance_ns`, `no_processor_ns`, `barrier_cost_ns`.
    pub(super) barrier_ns: u64,
    /// From 0 to 1: (max - mean) / max of the time that the team's threads run in an instance, over all
    /// instances; `null` with one thread.
    pub(super) imbalance: Option<f64>,
    /// False: the waits are so short that they were not measured, and met by few samples.
    pub(super) imbalance_certain: Option<bool>,
    /// OpenMP Work of `own`.
    pub(super) work_ns: u64,
    /// OpenMP Wait of `own`.
    pub(super) wait_ns: u64,
    /// Waits at barriers for peers that run. Where instances are so short that samples lie in few of them, also
    /// a wait that nothing else explains.
    pub(super) imbalance_ns: Option<u64>,
    /// Waits at barriers for peers that are ready without a processor. Where instances are so short that
    /// samples lie in few of them, also a wait that the other two don't explain, as far as threads were ready
    /// without a processor where they waited.
    pub(super) no_processor_ns: Option<u64>,
    /// The barriers themselves, when all have arrived.
    pub(super) barrier_cost_ns: Option<u64>,
    /// Wall-clock time that even shares would save.
    pub(super) gain_ns: Option<u64>,
    /// `own` by state.
    pub(super) states: BTreeMap<&'static str, Sum>,
    /// `own` by thread.
    pub(super) threads: Vec<OneShare>,
}

/// A share of a region.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneShare {
    /// The thread: its place in `threads`.
    pub(super) thread: u32,
    /// Its samples.
    pub(super) sum: Sum,
}

/// A wait.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneWait<'a> {
    /// The state, a key of `states`.
    pub(super) state: &'static str,
    /// All of it.
    pub(super) sum: Sum,
    /// Number of different locks, sections or loops that were waited for; 0 where they have no numbers.
    pub(super) different: usize,
    /// Its places. Idle threads are nowhere.
    pub(super) places: Vec<OnePlace<'a>>,
}

/// A place of a wait.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OnePlace<'a> {
    /// True if the thread had nothing of the region's body on its stack: at its end, or at its beginning.
    pub(super) region: bool,
    /// The function.
    pub(super) function: &'a str,
    /// Its source file.
    pub(super) file: Option<&'a str>,
    /// The line.
    pub(super) line: Option<u32>,
    /// The construct that an implicit barrier ends there, in code by gcc with debug information; else `null`.
    pub(super) ends: Option<OneEnd<'a>>,
    /// The samples there.
    pub(super) sum: Sum,
}

/// A construct with an implicit barrier.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneEnd<'a> {
    /// `"loop"` or `"single"`.
    pub(super) construct: &'static str,
    /// Its source file.
    pub(super) file: &'a str,
    /// Its line.
    pub(super) line: u32,
}

/// Threads outside of OpenMP.
///
/// They are in no team and have begun none, in processes in which others do. They are in none of the sums above,
/// but for their own in `threads`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneOutside {
    /// Their samples.
    pub(super) sum: Sum,
    /// Time for which they were asleep.
    pub(super) asleep_ns: u64,
    /// Functions at the leaf.
    pub(super) functions: Vec<OneLeaf>,
}

/// A function at the leaf.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OneLeaf {
    /// Its place in `functions`.
    pub(super) function: u32,
    /// Its samples.
    pub(super) sum: Sum,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body<'_>>("report-json.md");
    }
}
