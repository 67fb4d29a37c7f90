//! Identity of a watched process: its origin, command, runtimes and end, from the process table in shared memory.

use std::sync::atomic::Ordering::Relaxed;

use ::advice::RuntimeKind;
use attach_outside::process::Process;
use attach_outside::process_clock;
use stat_layout::clock::monotonic_ns;
use stat_layout::process_table::{ProcessSlot, flag, runtime};
use terminal::printable::Foreign;

use crate::finished_run::FinishedRun;

/// Way in which a process came to run its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `ora` started it.
    Started,
    /// A counted process forked it.
    Forked,
    /// A process other than `ora` executed it.
    Executed,
}

/// End of a process, as the collector saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By `exit`, or by returning from `main`.
    Exited,
    /// It executed another program.
    Replaced,
    /// Nothing was reported: a signal, `_exit`, `abort`.
    Silent,
    /// It still runs.
    Running,
}

/// One program in one process.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Its number.
    pub pid: u32,
    /// The process that started it.
    pub parent: u32,
    /// Way in which it came to run the program.
    pub origin: Origin,
    /// Its end.
    pub end: End,
    /// Its command line.
    pub command: Foreign,
    /// The answer to START; `None`: the library wasn't there.
    pub session: Option<u32>,
    /// Events that were refused.
    pub refused: Vec<u32>,
    /// Runtimes that were seen in it, as bits of [`stat_layout::process_table::runtime`].
    pub runtimes: u32,
    /// True if the runtime was loaded after the program had begun (dlopen).
    pub runtime_came_late: bool,
    /// True if libraries were in namespaces of their own (dlmopen) when its runtimes were looked for.
    pub has_namespaces: bool,
    /// File of the runtime that was seen first.
    pub runtime_path: Foreign,
    /// From its start to its end.
    pub wall_ns: u64,
    /// End on the monotonic clock, if known.
    pub end_ns: u64,
}

const RUNTIMES: [(u32, &str, &str); 4] = [
    (runtime::GNU, "libgomp", "GNU libgomp"),
    (runtime::LLVM, "libomp", "LLVM libomp"),
    (runtime::INTEL, "libiomp5", "Intel libiomp5"),
    (runtime::OWN, "own", "one of the program's own, which reports itself (ora_embed.h)"),
];

/// Key that sorts a process's threads by their creation: the kernel's thread numbers rise from the process's own, and after the
/// highest one they start again from the lowest.
pub fn start_order(pid: u32, tid: u32) -> (bool, u32) {
    (tid < pid, tid)
}

impl Identity {
    /// Reads a slot. `root` is the process that `ora` started; `last_heard_ns` says when there was a last event. Times are by the
    /// process's clock.
    pub fn read(slot: &ProcessSlot, root: u32, run: &FinishedRun, last_heard_ns: impl Fn() -> Option<u64>) -> Self {
        let pid = slot.pid.load(Relaxed);
        let flags = slot.flags.load(Relaxed);
        let start_ns = slot.start_ns.load(Relaxed);
        let ahead_ns = process_clock::ahead_ns(pid);
        // Without it, the process has ended. A start outside the run is by another clock; then the process's own
        // statements count.
        let is_by_our_clock = (run.start_ns..=run.end_ns).contains(&start_ns);
        let as_theirs = |own_ns| process_clock::as_theirs(own_ns, ahead_ns.unwrap_or_default());
        let said_ns = || Some(slot.end_ns.load(Relaxed)).filter(|end_ns| *end_ns != 0).or_else(&last_heard_ns);
        let run_end_ns = match ahead_ns {
            None if !is_by_our_clock => said_ns().unwrap_or(start_ns),
            _ => as_theirs(run.end_ns),
        };
        let (end, end_ns) = if flags & flag::REPLACED != 0 {
            (End::Replaced, slot.end_ns.load(Relaxed))
        } else if flags & flag::EXITED != 0 {
            // Exit handlers are not the end yet; for the first process `ora` knows the exact time.
            (End::Exited, if pid == root { run_end_ns } else { slot.end_ns.load(Relaxed) })
        } else if pid == root {
            (End::Silent, run_end_ns)
        } else if (Process { pid }).lives() {
            (End::Running, as_theirs(monotonic_ns()))
        } else {
            // The best that is known: the time of its last event.
            (End::Silent, last_heard_ns().unwrap_or(start_ns))
        };
        let refused = slot.refused.load(Relaxed);
        Self {
            pid,
            parent: slot.parent.load(Relaxed),
            origin: match flags {
                flags if flags & flag::ROOT != 0 => Origin::Started,
                flags if flags & flag::FORKED != 0 => Origin::Forked,
                _ => Origin::Executed,
            },
            end,
            command: slot.command.get().into(),
            session: slot.session.load(Relaxed).checked_sub(1),
            refused: (0..u64::BITS).filter(|event| refused & 1 << event != 0).collect(),
            runtimes: slot.runtimes.load(Relaxed),
            runtime_came_late: flags & flag::LATE_RUNTIME != 0,
            has_namespaces: flags & flag::NAMESPACES != 0,
            runtime_path: slot.runtime_path.get().into(),
            wall_ns: end_ns.saturating_sub(start_ns),
            end_ns,
        }
    }

    /// True if the runtime is GNU libgomp.
    pub fn is_gnu(&self) -> bool {
        self.runtimes & runtime::GNU != 0
    }

    /// True if LLVM's or Intel's runtime is in the process.
    pub fn is_llvm(&self) -> bool {
        self.runtimes & (runtime::LLVM | runtime::INTEL) != 0
    }

    /// Kind of the runtime that executed most of the regions. `used`: the file of that, if it is known.
    pub fn runtime_kind(&self, used: Option<&str>) -> RuntimeKind {
        let named = used.and_then(symbols::runtime).and_then(RuntimeKind::named);
        named.unwrap_or(match self.runtimes {
            own if own & runtime::OWN != 0 => RuntimeKind::Own,
            gnu if gnu & runtime::GNU != 0 => RuntimeKind::Gnu,
            llvm if llvm & (runtime::LLVM | runtime::INTEL) != 0 => RuntimeKind::Llvm,
            _ => RuntimeKind::Unseen,
        })
    }

    /// Records a runtime that was seen at work, by its file: it may have been loaded late.
    pub fn has_used(&mut self, path: &str) {
        let known = RUNTIMES.into_iter().find(|(_, word, _)| symbols::runtime(path) == Some(word));
        self.runtimes |= known.map_or(0, |(bit, ..)| bit);
    }

    /// Names of the runtimes for JSON.
    pub fn runtime_words(&self) -> Vec<&'static str> {
        RUNTIMES.into_iter().filter(|(bit, ..)| self.runtimes & bit != 0).map(|(_, word, _)| word).collect()
    }

    /// The runtimes with a file, for text output.
    pub fn runtime_line(&self) -> String {
        match self.runtime_names().as_str() {
            "" => "none was seen".to_owned(),
            names if self.runtime_path.raw().is_empty() => names.to_owned(),
            names => format!("{names}   ({})", self.runtime_path),
        }
    }

    /// The runtimes' names, for text that shows their files elsewhere.
    pub fn runtime_names(&self) -> String {
        let found = RUNTIMES.into_iter().filter(|(bit, ..)| self.runtimes & bit != 0).map(|(.., name)| name);
        found.collect::<Vec<_>>().join(" and ")
    }

    /// Origin as a word for JSON.
    pub fn origin_word(&self) -> &'static str {
        match self.origin {
            Origin::Started => "started",
            Origin::Forked => "forked",
            Origin::Executed => "executed",
        }
    }

    /// End as a word for JSON.
    pub fn end_word(&self) -> &'static str {
        match self.end {
            End::Exited => "exited",
            End::Replaced => "replaced",
            End::Silent => "silent",
            End::Running => "running",
        }
    }

    /// Origin and end as a phrase for text output.
    pub fn description(&self) -> String {
        let origin = match self.origin {
            Origin::Started => "the first program of the process".to_owned(),
            Origin::Forked => format!("forked by {}", self.parent),
            Origin::Executed => format!("executed, parent {}", self.parent),
        };
        let end = match self.end {
            End::Exited => "",
            End::Replaced => ", then executed another program",
            End::Silent => ", ended without exit: shown up to its last event",
            End::Running => ", still running",
        };
        format!("{origin}{end}")
    }
}

#[cfg(test)]
mod tests {
    use super::start_order;

    #[test]
    fn the_first_thread_comes_before_those_whose_numbers_began_anew() {
        let mut tids = [300, 32766, 301, 32767];
        tids.sort_by_key(|tid| start_order(32766, *tid));
        assert_eq!(tids, [32766, 32767, 300, 301]);
    }
}
