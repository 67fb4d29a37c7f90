//! Processes and threads of a profile.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Sum;

/// A process.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneProcess<'a> {
    /// Folder of its records.
    pub(in crate::json) folder: String,
    /// Its number.
    pub(in crate::json) pid: Option<u32>,
    /// Number of its parent.
    pub(in crate::json) parent_pid: Option<u32>,
    /// Its command line, a list of words.
    pub(in crate::json) command: &'a [String],
    /// Its program.
    pub(in crate::json) executable: Option<&'a str>,
    /// Name of its machine.
    pub(in crate::json) host: Option<&'a str>,
    /// Its number in a job.
    pub(in crate::json) rank: Option<u32>,
    /// Number of ranks of the job.
    pub(in crate::json) ranks: Option<u32>,
    /// `"cpu"` or `"wall"`.
    pub(in crate::json) clock: Option<&'a str>,
    /// `"perf"` (for some threads at least) or `"timer"`.
    pub(in crate::json) timer: Option<&'a str>,
    /// Samples asked for in a second and thread.
    pub(in crate::json) rate: Option<u32>,
    /// Number of processors that its affinity let it use when it began; `null`: not known.
    pub(in crate::json) processors_allowed: Option<u32>,
    /// Settings around it.
    pub(in crate::json) surroundings: Surroundings<'a>,
    /// Sum of its threads'.
    pub(in crate::json) running_ns: u64,
    /// Sum of its threads'; `null` where one of these is.
    pub(in crate::json) ready_ns: Option<u64>,
    /// Sum of its threads'; `null` where one of these is.
    pub(in crate::json) blocked_ns: Option<u64>,
    /// The library's answer to START; `"none"`: there was no library.
    pub(in crate::json) session: Option<&'a str>,
    /// Time of day at which it began.
    pub(in crate::json) begin_ns: u64,
    /// Time of day at which it ended.
    pub(in crate::json) end_ns: u64,
    /// CPU time before the profile began, mostly dynamic linking. It is in `total` and has a function of its own, unless another program
    /// ran in the process before.
    pub(in crate::json) start_up_ns: Option<u64>,
    /// False: its end was not seen.
    pub(in crate::json) ended: bool,
    /// Troubles of the recording, in sentences.
    pub(in crate::json) troubles: &'a [String],
    /// Number of words of its file that could not be read.
    pub(in crate::json) damaged_words: usize,
    /// Samples in a region whose beginning, or that of a region around it, is not in the file: their stacks are
    /// not joined.
    pub(in crate::json) samples_without_region: u64,
    /// Samples whose stacks lack frames.
    pub(in crate::json) samples_cut: Cuts,
    /// The largest number of a region in the file: the process began at least so many.
    pub(in crate::json) last_region: u64,
    /// The OpenMP runtimes that were seen at work.
    pub(in crate::json) runtimes_used: Vec<OneRuntime<'a>>,
}

/// A runtime.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneRuntime<'a> {
    /// Its file; `null`: not seen.
    pub(in crate::json) path: Option<&'a str>,
    /// Number of regions that samples lie in.
    pub(in crate::json) regions: u64,
    /// Time in them of the threads that began them.
    pub(in crate::json) region_ns: u64,
    /// Number of workers of its pool.
    pub(in crate::json) workers: u64,
    /// Time for which these were idle.
    pub(in crate::json) idle_ns: u64,
}

/// Surroundings.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct Surroundings<'a> {
    /// Number of processors that its affinity let it use.
    pub(in crate::json) processors_allowed: Option<u32>,
    /// Number of processors that control groups grant; `null`: no bound, or not known.
    pub(in crate::json) quota: Option<f64>,
    /// The variables `OMP_*`, `GOMP_*` and `KMP_*` when it began.
    pub(in crate::json) environment: BTreeMap<&'a str, &'a str>,
}

/// Samples whose stacks lack frames.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct Cuts {
    /// The stack had too many.
    pub(in crate::json) deep: u64,
    /// A frame was in unknown code.
    pub(in crate::json) unknown_code: u64,
    /// Nothing says how to unwind a frame.
    pub(in crate::json) no_rule: u64,
    /// A frame could not be read.
    pub(in crate::json) unreadable: u64,
}

/// A thread.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::json) struct OneThread<'a> {
    /// Its process: the place in `processes`, from 0.
    pub(in crate::json) process: u32,
    /// Its number in the process.
    pub(in crate::json) number: u32,
    /// The kernel's number (0: not known).
    pub(in crate::json) tid: u32,
    /// Time of day at which it began.
    pub(in crate::json) begin_ns: u64,
    /// Time of day at which it ended; `null`: its end was not seen.
    pub(in crate::json) end_ns: Option<u64>,
    /// Signals that its timer should have sent: periods that its CPU time has completed, the first of them begun by earlier threads or
    /// at a random time. Rounded by at most one; `null`: its end was not seen.
    pub(in crate::json) asked: Option<u64>,
    /// Signals that came.
    pub(in crate::json) delivered: u64,
    /// Samples that found no room.
    pub(in crate::json) lost: u64,
    /// Number of its samples.
    pub(in crate::json) samples: u64,
    /// Those of them that were taken at the end of a wait, without a signal.
    pub(in crate::json) samples_at_waits: u64,
    /// Time after its last sample, which is in no sum.
    pub(in crate::json) rest_ns: u64,
    /// CPU time (`sum.cpu_ns`).
    pub(in crate::json) running_ns: u64,
    /// Time for which it was ready to run without a processor, in all its life
    /// (`/proc/PID/task/TID/schedstat`); `null`: not known.
    pub(in crate::json) ready_ns: Option<u64>,
    /// The rest of its life, for which it was not ready to run; `null`: not known.
    pub(in crate::json) blocked_ns: Option<u64>,
    /// Of a worker: the file of the runtime whose pool it is of; `null`: not seen, or no worker.
    pub(in crate::json) runtime: Option<&'a str>,
    /// True if it is one of those outside: it has a `sum`, but no `states`.
    pub(in crate::json) outside_of_openmp: bool,
    /// Of such a thread: the function that it began with (its place in `functions`), which shows a library's
    /// pool; `null`: it was never seen running.
    pub(in crate::json) begun_in: Option<u32>,
    /// Its samples.
    pub(in crate::json) sum: Sum,
    /// Sums by what it did.
    pub(in crate::json) states: BTreeMap<&'static str, Sum>,
}
