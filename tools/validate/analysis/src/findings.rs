//! Plain values of the validator's shared memory after a run.

use std::sync::atomic::Ordering::Relaxed;

use validate_layout::event::Callback;
use validate_layout::process_table::{Process, ProcessTable, Slot, flag};
use validate_layout::rule::{About, Rule};

/// Name of the place of the call whose return address is at an offset in a file.
pub type NameOfCall<'a> = &'a dyn Fn(&str, u64) -> String;

/// Findings of all processes.
#[derive(Debug)]
pub struct Findings {
    pub(crate) processes: Vec<Validated>,
}

/// A process whose runtime has called the validator, or a forked child of one.
#[derive(Debug)]
pub(crate) struct Validated {
    pub(crate) pid: u32,
    pub(crate) command: String,
    pub(crate) runtime: String,
    /// A forked child whose runtime was not initialized again.
    pub(crate) forked: bool,
    pub(crate) finalized: bool,
    /// Another runtime has requested the validator, and was declined.
    pub(crate) second_runtime: bool,
    /// The system has refused memory: not everything was checked.
    pub(crate) short: bool,
    pub(crate) callbacks: Vec<Called>,
    pub(crate) rules: Vec<Checked>,
    pub(crate) violations: Vec<Violation>,
    /// Number of violations, including those that are not in the list.
    pub(crate) found: u32,
    /// Number of known deviations of the runtime that were accepted.
    pub(crate) let_pass: u64,
}

#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) callback: Callback,
    /// Answer of `ompt_set_callback`.
    pub(crate) answer: Option<u32>,
    pub(crate) events: u64,
}

#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) about: About,
    pub(crate) checks: u64,
    pub(crate) broken: u64,
}

#[derive(Debug)]
pub(crate) struct Violation {
    pub(crate) about: About,
    pub(crate) callback: Option<&'static str>,
    pub(crate) thread: u64,
    pub(crate) code: u64,
    pub(crate) place: Option<String>,
    pub(crate) text: String,
}

impl Findings {
    /// Reads the table of a run.
    pub fn read(table: &ProcessTable, name_of_call: NameOfCall<'_>) -> Self {
        Self { processes: table.processes().map(|process| Validated::read(process, name_of_call)).collect() }
    }

    /// True if something was checked, the checks ran to the end, and no rule was violated.
    pub fn are_good(&self) -> bool {
        let checked = self.processes.iter().any(|process| !process.forked);
        checked && self.processes.iter().all(|process| process.found == 0 && !process.short)
    }
}

impl Validated {
    fn read(process: &Process, name_of_call: NameOfCall<'_>) -> Self {
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
            violations: process.findings().filter_map(|slot| Violation::read(slot, name_of_call)).collect(),
            found: process.found.load(Relaxed),
            let_pass: process.counts.passed(),
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
    pub(crate) fn answered(&self) -> &'static str {
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
    fn read(slot: &Slot, name_of_call: NameOfCall<'_>) -> Option<Self> {
        let rule = Rule::ALL.get(usize::try_from(slot.rule.load(Relaxed)).ok()?)?;
        let number = slot.callback.load(Relaxed);
        let callback = Callback::ALL.into_iter().find(|callback| *callback as u32 == number);
        let object = slot.object.get();
        let place = (!object.is_empty()).then(|| name_of_call(&object, slot.offset.load(Relaxed)));
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
