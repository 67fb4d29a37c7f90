//! The process table that validated processes share with `ora validate`: plain atomics at fixed places, valid when
//! all zero. It remains available however the processes end.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::counts::Counts;
use crate::event::CALLBACKS;
use crate::finding::Finding;

/// Maximum number of processes in the table.
pub const PROCESSES: usize = 64;
/// Number of findings that are kept for a process; further findings are counted.
pub const FINDINGS: usize = 20;

/// Bits of [`Process::flags`].
pub mod flag {
    /// A runtime has called `initialize`.
    pub const INITIALIZED: u32 = 1;
    /// The runtime has called `finalize`.
    pub const FINALIZED: u32 = 2;
    /// The runtime is libomp, or derived from it.
    pub const LLVM: u32 = 4;
    /// The process is a forked child whose runtime was not initialized again: its events are counted and not checked.
    pub const FORKED: u32 = 8;
    /// A second runtime has called `ompt_start_tool`, and was declined.
    pub const SECOND: u32 = 16;
    /// The system has refused memory: from then on, events were counted and not checked.
    pub const SHORT: u32 = 32;
}

/// The whole table.
#[repr(C)]
#[derive(Debug)]
pub struct ProcessTable {
    /// Magic number of the file format; written last.
    pub magic: AtomicU64,
    /// Version of the layout.
    pub version: AtomicU32,
    /// Number of process entries that were claimed, including those for which there was no space.
    pub claimed: AtomicU32,
    processes: [Process; PROCESSES],
}

/// Entry of a process.
#[repr(C)]
#[derive(Debug)]
pub struct Process {
    /// Process id; 0 if the entry is not in use.
    pub pid: AtomicU32,
    /// Flags of the process; see [`flag`].
    pub flags: AtomicU32,
    /// Name and version that the runtime reports about itself.
    pub runtime: Text,
    /// The command line, with a zero byte after each word.
    pub command: Text,
    /// Result of `ompt_set_callback` by callback, plus one.
    pub answers: [AtomicU32; CALLBACKS],
    /// Number of calls by callback.
    pub events: [AtomicU64; CALLBACKS],
    /// Number of checks and of violations, by rule.
    pub counts: Counts,
    /// Number of findings, including those that were not kept.
    pub found: AtomicU32,
    findings: [Slot; FINDINGS],
}

/// Entry of a finding.
#[repr(C)]
#[derive(Debug)]
pub struct Slot {
    ready: AtomicU32,
    /// Index of the rule in the table of rules.
    pub rule: AtomicU32,
    /// Number of the callback; 0 outside all callbacks.
    pub callback: AtomicU32,
    /// Number that the validator has given the thread.
    pub thread: AtomicU64,
    /// `codeptr_ra` of the callback.
    pub code: AtomicU64,
    /// Offset of `code` in the file `object`.
    pub offset: AtomicU64,
    /// The file that contains the code.
    pub object: Text,
    /// Description of the violation.
    pub text: Text,
}

/// Length of a text, in bytes.
const TEXT: usize = 512;

/// A short text; a longer text is truncated.
#[repr(C)]
#[derive(Debug)]
pub struct Text([AtomicU8; TEXT]);

impl Text {
    /// Stores a text, truncated if necessary.
    pub fn set(&self, text: &[u8]) {
        for (place, byte) in self.0.iter().zip(text.iter().chain([&0])) {
            place.store(*byte, Relaxed);
        }
    }

    /// The stored text, with zero bytes replaced by blanks.
    pub fn get(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().map(|byte| byte.load(Relaxed)).collect();
        let end = bytes.windows(2).position(|pair| pair == [0, 0]).unwrap_or(TEXT);
        let text = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).replace('\0', " ");
        text.trim_end().to_owned()
    }
}

impl ProcessTable {
    /// Value of [`ProcessTable::magic`].
    pub const MAGIC: u64 = 0x6f72_615f_7661_6c69;
    /// Value of [`ProcessTable::version`].
    pub const VERSION: u32 = 2;

    /// Claims an entry; `None` when all are in use.
    pub fn claim(&self) -> Option<&Process> {
        let index = self.claimed.fetch_add(1, Relaxed);
        self.processes.get(usize::try_from(index).ok()?)
    }

    /// Iterates over the entries in use.
    pub fn processes(&self) -> impl Iterator<Item = &Process> {
        // Acquire: pairs with the store in the hook's `process::claim`; publishes the runtime and the command.
        self.processes.iter().filter(|process| process.pid.load(Acquire) != 0)
    }
}

impl Process {
    /// Sets a flag.
    pub fn raise(&self, flag: u32) {
        self.flags.fetch_or(flag, Relaxed);
    }

    /// True if a flag is set.
    pub fn has(&self, flag: u32) -> bool {
        self.flags.load(Relaxed) & flag != 0
    }

    /// Stores a finding, with the file and offset of its code if they are known.
    pub fn enter(&self, finding: &Finding, origin: Option<(String, u64)>) {
        let index = self.found.fetch_add(1, Relaxed);
        let Some(slot) = usize::try_from(index).ok().and_then(|index| self.findings.get(index)) else { return };
        slot.rule.store(u32::try_from(finding.rule.index()).unwrap_or(u32::MAX), Relaxed);
        slot.callback.store(finding.callback.map_or(0, |callback| callback as u32), Relaxed);
        slot.thread.store(finding.thread, Relaxed);
        slot.code.store(finding.code, Relaxed);
        if let Some((object, offset)) = origin {
            slot.object.set(object.as_bytes());
            slot.offset.store(offset, Relaxed);
        }
        slot.text.set(finding.text.as_bytes());
        // Release: pairs with the load in `findings`; publishes the finding's fields.
        slot.ready.store(1, Release);
    }

    /// Iterates over the findings that were kept.
    pub fn findings(&self) -> impl Iterator<Item = &Slot> {
        // Acquire: pairs with the store in `enter`; publishes the finding's fields.
        self.findings.iter().filter(|slot| slot.ready.load(Acquire) != 0)
    }
}
