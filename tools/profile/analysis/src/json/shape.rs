//! Serialized structures of the JSON report.

use std::collections::BTreeMap;

use advice::Finding;
use json_document::Versioned;
use serde::Serialize;

use crate::job::json::OneJob;

#[derive(Serialize)]
pub(super) struct Body<'a> {
    pub(super) view: &'static str,
    pub(super) begin_ns: u64,
    pub(super) end_ns: u64,
    pub(super) total: Sum,
    pub(super) states: BTreeMap<&'static str, Sum>,
    pub(super) job: Option<OneJob<'a>>,
    pub(super) processes: Vec<OneProcess<'a>>,
    pub(super) threads: Vec<OneThread<'a>>,
    pub(super) functions: Vec<OneFunction<'a>>,
    pub(super) lines: Vec<OneLine<'a>>,
    pub(super) calls: Vec<OneCall<'a>>,
    pub(super) calls_left_out: Sum,
    pub(super) regions: Vec<OneRegion<'a>>,
    pub(super) waits: Vec<OneWait<'a>>,
    pub(super) outside_of_openmp: Option<OneOutside>,
    pub(super) findings: &'a [Finding],
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-report";
    const VERSION: u32 = 2;
}

#[derive(Serialize)]
pub(super) struct Sum {
    pub(super) samples: u64,
    pub(super) total_ns: u64,
    pub(super) work_ns: u64,
    pub(super) wait_ns: u64,
    pub(super) cpu_ns: u64,
}

#[derive(Serialize)]
pub(super) struct OneProcess<'a> {
    pub(super) folder: String,
    pub(super) pid: Option<u32>,
    pub(super) parent_pid: Option<u32>,
    pub(super) command: &'a [String],
    pub(super) executable: Option<&'a str>,
    pub(super) host: Option<&'a str>,
    pub(super) rank: Option<u32>,
    pub(super) ranks: Option<u32>,
    pub(super) clock: Option<&'a str>,
    pub(super) timer: Option<&'a str>,
    pub(super) rate: Option<u32>,
    pub(super) processors_allowed: Option<u32>,
    pub(super) surroundings: Surroundings<'a>,
    pub(super) running_ns: u64,
    pub(super) ready_ns: Option<u64>,
    pub(super) blocked_ns: Option<u64>,
    pub(super) session: Option<&'a str>,
    pub(super) begin_ns: u64,
    pub(super) end_ns: u64,
    pub(super) ended: bool,
    pub(super) troubles: &'a [String],
    pub(super) damaged_words: usize,
    pub(super) samples_without_region: u64,
    pub(super) samples_cut: Cuts,
    pub(super) last_region: u64,
    pub(super) runtimes_used: Vec<OneRuntime<'a>>,
}

#[derive(Serialize)]
pub(super) struct OneRuntime<'a> {
    pub(super) path: Option<&'a str>,
    pub(super) regions: u64,
    pub(super) region_ns: u64,
    pub(super) workers: u64,
    pub(super) idle_ns: u64,
}

#[derive(Serialize)]
pub(super) struct Surroundings<'a> {
    pub(super) processors_allowed: Option<u32>,
    pub(super) quota: Option<f64>,
    pub(super) environment: BTreeMap<&'a str, &'a str>,
}

#[derive(Serialize)]
pub(super) struct Cuts {
    pub(super) deep: u64,
    pub(super) unknown_code: u64,
    pub(super) no_rule: u64,
    pub(super) unreadable: u64,
}

#[derive(Serialize)]
pub(super) struct OneThread<'a> {
    pub(super) process: u32,
    pub(super) number: u32,
    pub(super) tid: u32,
    pub(super) begin_ns: u64,
    pub(super) end_ns: Option<u64>,
    pub(super) asked: Option<u64>,
    pub(super) delivered: u64,
    pub(super) lost: u64,
    pub(super) samples: u64,
    pub(super) samples_at_waits: u64,
    pub(super) rest_ns: u64,
    pub(super) running_ns: u64,
    pub(super) ready_ns: Option<u64>,
    pub(super) blocked_ns: Option<u64>,
    pub(super) runtime: Option<&'a str>,
    pub(super) outside_of_openmp: bool,
    pub(super) begun_in: Option<u32>,
    pub(super) sum: Sum,
    pub(super) states: BTreeMap<&'static str, Sum>,
}

#[derive(Serialize)]
pub(super) struct OneFunction<'a> {
    pub(super) name: &'a str,
    pub(super) file: Option<&'a str>,
    pub(super) object: &'a str,
    pub(super) own: Sum,
    pub(super) with_calls: Sum,
}

#[derive(Serialize)]
pub(super) struct OneLine<'a> {
    pub(super) file: &'a str,
    pub(super) line: u32,
    pub(super) own: Sum,
    pub(super) with_calls: Sum,
}

#[derive(Serialize)]
pub(super) struct OneCall<'a> {
    pub(super) parent: Option<usize>,
    pub(super) function: Option<u32>,
    pub(super) construct: Option<OneConstruct<'a>>,
    pub(super) calls_itself: bool,
    pub(super) own: Sum,
    pub(super) with_calls: Sum,
}

#[derive(Serialize)]
pub(super) struct OneConstruct<'a> {
    pub(super) kind: &'static str,
    pub(super) file: Option<&'a str>,
    pub(super) line: Option<u32>,
    pub(super) call: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct OneRegion<'a> {
    pub(super) function: Option<&'a str>,
    pub(super) file: Option<&'a str>,
    pub(super) line: Option<u32>,
    pub(super) object: Option<&'a str>,
    pub(super) address: Option<u64>,
    pub(super) runtime: Option<&'a str>,
    pub(super) own: Sum,
    pub(super) with_inner: Sum,
    pub(super) barrier_ns: u64,
    pub(super) imbalance: Option<f64>,
    pub(super) imbalance_certain: Option<bool>,
    pub(super) work_ns: u64,
    pub(super) wait_ns: u64,
    pub(super) imbalance_ns: Option<u64>,
    pub(super) no_processor_ns: Option<u64>,
    pub(super) barrier_cost_ns: Option<u64>,
    pub(super) gain_ns: Option<u64>,
    pub(super) states: BTreeMap<&'static str, Sum>,
    pub(super) threads: Vec<OneShare>,
}

#[derive(Serialize)]
pub(super) struct OneShare {
    pub(super) thread: u32,
    pub(super) sum: Sum,
}

#[derive(Serialize)]
pub(super) struct OneWait<'a> {
    pub(super) state: &'static str,
    pub(super) sum: Sum,
    pub(super) different: usize,
    pub(super) places: Vec<OnePlace<'a>>,
}

#[derive(Serialize)]
pub(super) struct OnePlace<'a> {
    pub(super) region: bool,
    pub(super) function: &'a str,
    pub(super) file: Option<&'a str>,
    pub(super) line: Option<u32>,
    pub(super) sum: Sum,
}

#[derive(Serialize)]
pub(super) struct OneOutside {
    pub(super) sum: Sum,
    pub(super) asleep_ns: u64,
    pub(super) functions: Vec<OneLeaf>,
}

#[derive(Serialize)]
pub(super) struct OneLeaf {
    pub(super) function: u32,
    pub(super) sum: Sum,
}
