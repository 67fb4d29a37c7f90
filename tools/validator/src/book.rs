//! What a validated process shares with `ora validate`: plain atomics at fixed places, valid when all zero. It survives any end
//! of the process.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

use crate::event::CALLBACKS;
use crate::ledger::{Counts, Finding};

/// How many processes have room.
pub const PROCESSES: usize = 64;
/// How many findings of a process are kept; the others are counted.
pub const FINDINGS: usize = 20;

/// Bits of [`Process::flags`].
pub mod flag {
    /// A runtime has called `initialize`.
    pub const INITIALIZED: u32 = 1;
    /// It has called `finalize`.
    pub const FINALIZED: u32 = 2;
    /// It is libomp or a relative.
    pub const LLVM: u32 = 4;
    /// The process is a forked child whose runtime did not begin anew: its events are counted and not checked.
    pub const FORKED: u32 = 8;
    /// A second runtime has asked, and was declined.
    pub const SECOND: u32 = 16;
    /// The system has refused memory: from then on events were counted and not checked.
    pub const SHORT: u32 = 32;
}

/// The whole of it.
#[repr(C)]
#[derive(Debug)]
pub struct Book {
    /// What it is, once everything else is in place.
    pub magic: AtomicU64,
    /// Changes with every change of the layout.
    pub version: AtomicU32,
    /// Process slots claimed, also beyond the last.
    pub claimed: AtomicU32,
    processes: [Process; PROCESSES],
}

/// A process.
#[repr(C)]
#[derive(Debug)]
pub struct Process {
    /// 0: not in use.
    pub pid: AtomicU32,
    /// See [`flag`].
    pub flags: AtomicU32,
    /// What the runtime calls itself.
    pub runtime: Text,
    /// The command line, words ended by zeros.
    pub command: Text,
    /// By callback: what `ompt_set_callback` has answered, plus one.
    pub answers: [AtomicU32; CALLBACKS],
    /// By callback: how often it was called.
    pub events: [AtomicU64; CALLBACKS],
    /// How often rules were checked and broken.
    pub counts: Counts,
    /// How many findings there were, also beyond the last.
    pub found: AtomicU32,
    findings: [Slot; FINDINGS],
}

/// A finding.
#[repr(C)]
#[derive(Debug)]
pub struct Slot {
    ready: AtomicU32,
    /// The rule's place in the table.
    pub rule: AtomicU32,
    /// The callback's number; 0 outside of all.
    pub callback: AtomicU32,
    /// The validator's number of the thread.
    pub thread: AtomicU64,
    /// `codeptr_ra`
    pub code: AtomicU64,
    /// Where that is in `object`.
    pub offset: AtomicU64,
    /// The file that the code comes from.
    pub object: Text,
    /// What was seen.
    pub text: Text,
}

/// Bytes of a text.
const TEXT: usize = 512;

/// A short text, cut off where the room ends.
#[repr(C)]
#[derive(Debug)]
pub struct Text([AtomicU8; TEXT]);

impl Text {
    /// Keeps what fits.
    pub fn set(&self, text: &[u8]) {
        for (place, byte) in self.0.iter().zip(text.iter().chain([&0])) {
            place.store(*byte, Relaxed);
        }
    }

    /// All that was kept, with zeros for blanks.
    pub fn get(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().map(|byte| byte.load(Relaxed)).collect();
        let end = bytes.windows(2).position(|pair| pair == [0, 0]).unwrap_or(TEXT);
        let text = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).replace('\0', " ");
        text.trim_end().to_owned()
    }
}

impl Book {
    /// The first word.
    pub const MAGIC: u64 = 0x6f72_615f_7661_6c69;
    /// Of the layout.
    pub const VERSION: u32 = 1;

    /// Claims a slot; `None` when all are taken.
    pub fn claim(&self) -> Option<&Process> {
        let index = self.claimed.fetch_add(1, Relaxed);
        self.processes.get(usize::try_from(index).ok()?)
    }

    /// Those in use.
    pub fn processes(&self) -> impl Iterator<Item = &Process> {
        // Acquire: pairs with the store in the hook's `process::claim`; publishes the runtime and the command.
        self.processes.iter().filter(|process| process.pid.load(Acquire) != 0)
    }
}

impl Process {
    /// Sets a bit.
    pub fn raise(&self, flag: u32) {
        self.flags.fetch_or(flag, Relaxed);
    }

    /// Whether a bit is set.
    pub fn has(&self, flag: u32) -> bool {
        self.flags.load(Relaxed) & flag != 0
    }

    /// Takes a finding, with the place of its code if that is known.
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
        // Release: pairs with the load in `findings`; publishes the words of the slot.
        slot.ready.store(1, Release);
    }

    /// The findings that were kept.
    pub fn findings(&self) -> impl Iterator<Item = &Slot> {
        // Acquire: pairs with the store in `enter`; publishes the words of the slot.
        self.findings.iter().filter(|slot| slot.ready.load(Acquire) != 0)
    }
}
