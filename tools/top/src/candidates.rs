//! The user's processes that use OpenMP, for a list to choose from.

use std::collections::{BTreeMap, BTreeSet};

use attach_outside::process::Process;
use attach_outside::process_clock;
use terminal::printable::Foreign;

use super::pages;

/// Process with an OpenMP runtime, or with `libora.so`.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) pid: u32,
    pub(super) command: Foreign,
    /// Number of all its threads.
    pub(super) threads: usize,
    /// CPU time since the last observation.
    pub(super) cpu_ns: u64,
    /// True if an `ora` is already counting it.
    pub(super) watched: bool,
    /// True if `libora.so` is loaded.
    pub(super) has_library: bool,
}

impl Candidate {
    /// State of the library in the process, as a word.
    pub(super) fn library(&self) -> &'static str {
        match (self.watched, self.has_library) {
            (true, _) => "counts",
            (false, true) => "loaded",
            (false, false) => "-",
        }
    }
}

/// Repeated observation of all processes.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    /// CPU time at the last observation.
    before_ns: BTreeMap<u32, u64>,
}

impl Candidates {
    /// All processes with OpenMP that this user may examine, busiest first.
    pub(super) fn look(&mut self) -> Vec<Candidate> {
        let watched: BTreeSet<u32> = pages::all().iter().flat_map(pages::Page::pids).collect();
        let own = std::process::id();
        let others = pages::processes().into_iter().filter(|pid| *pid != own);
        let mut found: Vec<Candidate> = others.filter_map(|pid| self.candidate(pid, &watched)).collect();
        self.before_ns = found.iter().map(|found| (found.pid, process_clock::cpu_ns(found.pid))).collect();
        found.sort_by_key(|candidate| (std::cmp::Reverse(candidate.cpu_ns), candidate.pid));
        found
    }

    fn candidate(&self, pid: u32, watched: &BTreeSet<u32>) -> Option<Candidate> {
        let process = Process { pid };
        let objects = attach_outside::objects::of(&process.mappings().ok()?);
        let has_library = objects.iter().any(|object| object.is("libora.so"));
        if !has_library && !objects.iter().any(|object| symbols::runtime(object.name()).is_some()) {
            return None;
        }
        let words = Process { pid }.words();
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let now_ns = process_clock::cpu_ns(pid);
        Some(Candidate {
            pid,
            command: terminal::printable::command_line(&words).into(),
            threads: process.threads().len(),
            cpu_ns: now_ns.saturating_sub(self.before_ns.get(&pid).copied().unwrap_or(now_ns)),
            watched: watched.contains(&pid),
            has_library,
        })
    }
}

/// Processes whose program has this name, by its file or by its first word.
pub fn named(name: &str) -> Vec<u32> {
    let own = std::process::id();
    let others = pages::processes().into_iter().filter(|pid| *pid != own);
    others.filter(|pid| names(*pid).iter().any(|known| known == name)).collect()
}

fn names(pid: u32) -> Vec<String> {
    let last = |path: &std::path::Path| Some(path.file_name()?.to_string_lossy().into_owned());
    let exe = std::fs::read_link(format!("/proc/{pid}/exe")).ok().and_then(|path| last(&path));
    let first = Process { pid }.words().first().and_then(|word| last(std::path::Path::new(word)));
    let shown = Some(Process { pid }.thread_name(pid)).filter(|name| !name.is_empty());
    exe.into_iter().chain(first).chain(shown).collect()
}
