//! Plain values of the validator's shared memory after a run.

use std::sync::atomic::Ordering::Relaxed;

use validator::event::Callback;
use validator::process_table::{Process, ProcessTable, Slot, flag};
use validator::rule::{About, Rule};

use crate::places::{Place, place_of_call};

/// Findings of all processes.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) processes: Vec<Validated>,
}

/// A process whose runtime has called the validator, or a forked child of one.
#[derive(Debug)]
pub(super) struct Validated {
    pub(super) pid: u32,
    pub(super) command: String,
    pub(super) runtime: String,
    /// A forked child whose runtime did not begin anew.
    pub(super) forked: bool,
    pub(super) finalized: bool,
    /// Another runtime has asked, and was declined.
    pub(super) second_runtime: bool,
    /// The system has refused memory: not all was checked.
    pub(super) short: bool,
    pub(super) callbacks: Vec<Called>,
    pub(super) rules: Vec<Checked>,
    pub(super) violations: Vec<Violation>,
    /// Number of violations, also of those that are not in the list.
    pub(super) found: u32,
}

#[derive(Debug)]
pub(super) struct Called {
    pub(super) callback: Callback,
    /// Answer of `ompt_set_callback`.
    pub(super) answer: Option<u32>,
    pub(super) events: u64,
}

#[derive(Debug)]
pub(super) struct Checked {
    pub(super) about: About,
    pub(super) checks: u64,
    pub(super) broken: u64,
}

#[derive(Debug)]
pub(super) struct Violation {
    pub(super) about: About,
    pub(super) callback: Option<&'static str>,
    pub(super) thread: u64,
    pub(super) code: u64,
    pub(super) place: Option<Place>,
    pub(super) text: String,
}

impl Findings {
    pub(super) fn read(table: &ProcessTable) -> Self {
        Self { processes: table.processes().map(Validated::read).collect() }
    }

    /// Something was checked, to its end, and no rule was broken.
    pub(super) fn are_good(&self) -> bool {
        let checked = self.processes.iter().any(|process| !process.forked);
        checked && self.processes.iter().all(|process| process.found == 0 && !process.short)
    }
}

impl Validated {
    fn read(process: &Process) -> Self {
        let rules = Rule::ALL.iter().map(|rule| {
            let (checks, broken) = process.counts.of(*rule);
            Checked { about: rule.about(), checks, broken }
        });
        Self {
            pid: process.pid.load(Relaxed),
            command: process.command.get(),
            runtime: process.runtime.get(),
            forked: process.has(flag::FORKED),
            finalized: process.has(flag::FINALIZED),
            second_runtime: process.has(flag::SECOND),
            short: process.has(flag::SHORT),
            callbacks: Callback::ALL.into_iter().map(|callback| Called::read(process, callback)).collect(),
            rules: rules.collect(),
            violations: process.findings().filter_map(Violation::read).collect(),
            found: process.found.load(Relaxed),
        }
    }
}

impl Called {
    fn read(process: &Process, callback: Callback) -> Self {
        let number = callback as usize;
        let answer = process.answers.get(number).and_then(|answer| answer.load(Relaxed).checked_sub(1));
        Self { callback, answer, events: process.events.get(number).map_or(0, |events| events.load(Relaxed)) }
    }

    /// The answer in the specification's words (OpenMP 5.0, 4.4.4.2).
    pub(super) fn answered(&self) -> &'static str {
        match self.answer {
            Some(0) => "error",
            Some(1) => "never",
            Some(2) => "impossible",
            Some(3) => "sometimes",
            Some(4) => "sometimes, paired",
            Some(5) => "always",
            Some(_) => "unknown",
            None => "",
        }
    }
}

impl Violation {
    fn read(slot: &Slot) -> Option<Self> {
        let rule = Rule::ALL.get(usize::try_from(slot.rule.load(Relaxed)).ok()?)?;
        let number = slot.callback.load(Relaxed);
        let callback = Callback::ALL.into_iter().find(|callback| *callback as u32 == number);
        let object = slot.object.get();
        let place = (!object.is_empty()).then(|| place_of_call(&object, slot.offset.load(Relaxed)));
        Some(Self {
            about: rule.about(),
            callback: callback.map(Callback::name),
            thread: slot.thread.load(Relaxed),
            code: slot.code.load(Relaxed),
            place,
            text: slot.text.get(),
        })
    }
}
