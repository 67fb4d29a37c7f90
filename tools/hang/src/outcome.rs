//! All results for a process.

use std::collections::HashSet;

use terminal::quantity;

use crate::describe::{self, Description};
use crate::finding::{Answer, Finding};
use crate::look::Observer;
use crate::model::{Look, Wait};

/// Findings in a process.
#[derive(Debug)]
pub struct Outcome {
    pub(crate) pid: u32,
    pub(crate) command: Vec<String>,
    pub(crate) look: Look,
    pub(crate) findings: Vec<Description>,
    pub(crate) pending: Vec<String>,
    pub(crate) limits: Vec<String>,
}

impl Outcome {
    /// Derives the results from a look at a process, whose command line is `command`.
    pub fn of(pid: u32, command: Vec<String>, observer: &Observer, look: Look) -> Self {
        let found = Answer::of(&look);
        let mut is_found: HashSet<&usize> = HashSet::new();
        for finding in &found.findings {
            is_found.extend(if let Finding::Taskyield(threads) = finding { threads.as_slice() } else { &[] });
        }
        let polling = look.threads.iter().enumerate().filter(|(number, _)| !is_found.contains(number));
        let polling = polling.filter_map(|(_, thread)| describe::polling(thread));
        Self {
            pid,
            command,
            findings: found.findings.iter().map(|finding| describe::finding(&look, finding)).collect(),
            pending: polling
                .chain(found.pending.iter().filter_map(|pending| describe::pending(&look, pending)))
                .collect(),
            limits: limits(observer, &look),
            look,
        }
    }

    /// True if no thread works: each waits for something, or has no work.
    pub fn waits(&self) -> bool {
        self.look.threads.iter().all(|thread| thread.asleep || thread.wait == Wait::Idle)
    }

    /// Adds the findings in a process that `parent` has forked: this process, or one that it has forked. If all processes between `waits`,
    /// they are the reason.
    pub fn add_forked(&mut self, forked: &Self, parent: u32, waits: bool) {
        let Some(first) = forked.findings.first() else { return };
        let pid = forked.pid;
        let who = if parent == self.pid { "it".to_owned() } else { format!("process {parent}") };
        if !waits {
            self.pending.push(format!("process {pid}, which {who} has forked, hangs: `ora hang {pid}` shows why"));
            return;
        }
        self.findings.push(Description {
            kind: "child-hangs",
            title: format!("Process {pid}, which {who} has forked, hangs: `ora hang {pid}` shows its threads"),
            lines: vec![format!("{}:", first.title)].into_iter().chain(first.lines.iter().cloned()).collect(),
            threads: Vec::new(),
        });
    }

    /// Notes that only this many processes were examined of those that this one has forked.
    pub fn note_unexamined(&mut self, examined: usize) {
        self.limits.push(format!("only {examined} of the processes that it has forked were examined"));
    }

    /// True if a part of the process can't continue.
    pub fn hangs(&self) -> bool {
        !self.findings.is_empty()
    }
}

/// Gaps of knowledge, in sentences.
fn limits(observer: &Observer, look: &Look) -> Vec<String> {
    let mut limits = Vec::new();
    let has = |name: &str| observer.objects().iter().any(|object| object.is(name));
    if observer.has_linked_runtime() {
        let teams = if observer.knows_teams() {
            ""
        } else {
            ". Its teams can't be read: who is missing at a barrier isn't known"
        };
        limits.push(format!("no OpenMP runtime is loaded as a library: one is linked statically{teams}"));
    } else if !["libgomp", "libomp", "libiomp5"].into_iter().any(has) {
        limits.push("no OpenMP runtime is loaded: only waits outside of OpenMP are known".to_owned());
    } else if has("libgomp") && !observer.knows_teams() {
        limits.push("the teams of this libgomp's threads can't be read: waits at barriers are guesses".to_owned());
    } else if !has("libgomp") {
        limits.push("teams are known on libgomp only: who is missing at a barrier isn't known here".to_owned());
    }
    let stopped = look.threads.iter().filter_map(|thread| thread.stopped);
    if let Some(longest) = stopped.clone().max() {
        let count = quantity::count(stopped.count() as u64, "thread was", "threads were");
        let longest = quantity::time(longest.as_nanos() as f64);
        limits.push(format!("{count} stopped for a moment to read registers, for {longest} at most"));
    }
    let cut = look.threads.iter().filter(|thread| thread.is_cut).count();
    if cut > 0 {
        let threads = quantity::count(cut as u64, "thread was", "threads were");
        limits
            .push(format!("{threads} not examined completely, since that takes too long: what they hold is not known"));
    }
    let cut = look.threads.iter().filter(|thread| !thread.whole).count();
    if cut > 0 {
        limits.push(format!("{} whole", quantity::count(cut as u64, "stack is not", "stacks are not")));
    }
    limits
}
