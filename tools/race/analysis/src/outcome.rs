//! Everything that the runs have shown.

use std::collections::BTreeSet;

use terminal::quantity::count;

use crate::cause::Explained;
use crate::finding::{Side, Tools, findings};
use crate::merge::merged;
use crate::plan::Plan;
use crate::recorded::{Program, programs};
use crate::run::{Ending, Run};
use crate::suppressions::{Rule, apply};

/// Races, and the runs in which they were found.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Merged, without the suppressed ones.
    pub(crate) findings: Vec<Explained>,
    pub(crate) runs: Vec<OneRun>,
    /// Suppressions with their uses.
    pub(crate) rules: Vec<Rule>,
    /// Notes that do not come from the runs.
    pub(crate) own_notes: Vec<String>,
    /// Reports that were left out: of chunks that use a buffer of their thread.
    pub(crate) buffers: usize,
}

/// One run and its programs.
#[derive(Debug)]
pub(crate) struct OneRun {
    pub(crate) plan: Plan,
    pub(crate) ending: Ending,
    /// The ThreadSanitizer linked into the program has left its reports in our files.
    pub(crate) logged: bool,
    pub(crate) programs: Vec<Program>,
}

impl Outcome {
    /// Reads, merges and sifts what the runs have left.
    pub fn of(runs: Vec<Run>, mut rules: Vec<Rule>, own_notes: Vec<String>) -> Self {
        let mut tools = Tools::default();
        let mut all = Vec::new();
        let mut read = Vec::new();
        for (number, run) in (1..).zip(runs) {
            let programs = programs(&run, &mut tools.segments);
            for program in &programs {
                all.extend(findings(program, number, &mut tools));
            }
            read.push(OneRun { plan: run.plan, ending: run.ending, logged: run.logged, programs });
        }
        let reports = all.len();
        all.retain(|finding| !finding.is_of_threads_buffer());
        let buffers = reports - all.len();
        let findings = apply(merged(all), &mut rules).into_iter();
        let findings = findings.map(|finding| Explained::new(finding, &mut tools.sources)).collect();
        Self { findings, runs: read, rules, own_notes, buffers }
    }

    fn programs(&self) -> impl Iterator<Item = &Program> {
        self.runs.iter().flat_map(|run| &run.programs)
    }

    fn sides(&self) -> impl Iterator<Item = &Side> {
        self.findings.iter().flat_map(|explained| &explained.finding.sides)
    }

    /// Number of programs of the run that had the most.
    pub(crate) fn processes(&self) -> usize {
        self.runs.iter().map(|run| run.programs.len()).max().unwrap_or_default()
    }

    /// True if there is a race that is not merely possible.
    pub fn is_racy(&self) -> bool {
        self.findings.iter().any(|explained| explained.finding.sure)
    }

    /// True if reports of a process are not here: its ThreadSanitizer is linked into the program, or comes before the
    /// detector, and writes elsewhere.
    pub(crate) fn is_blind(&self) -> bool {
        let runs = self.runs.iter().filter(|run| !run.logged);
        let is_inside = runs.flat_map(|run| &run.programs).any(Program::has_sanitizer_inside);
        is_inside || self.programs().any(|program| program.process.blind)
    }

    /// True if a run died of a signal, or failed with a program that the detector hasn't seen end: ThreadSanitizer may have aborted it.
    pub(crate) fn broke_off(&self) -> bool {
        self.runs.iter().any(|run| match run.ending {
            Ending::Signal { .. } => true,
            Ending::Code(code) => code != 0 && run.programs.iter().any(|program| program.end.is_none()),
        })
    }

    /// True if a process was watched.
    pub fn has_seen(&self) -> bool {
        self.programs().next().is_some()
    }

    pub(crate) fn runtimes(&self) -> BTreeSet<String> {
        // After the comma the name says that ora is in between.
        let own = |program: &Program| program.process.runtime.split(", by way of").next().map(str::to_owned);
        let names = self.programs().filter_map(own);
        names.filter(|name| !name.is_empty()).collect()
    }

    /// Largest numbers of threads that teams may have.
    pub(crate) fn threads(&self) -> BTreeSet<u32> {
        self.programs().map(|program| program.process.threads_max).filter(|threads| *threads > 0).collect()
    }

    /// Number of explicit tasks.
    pub(crate) fn tasks(&self) -> u64 {
        self.programs().filter_map(|program| program.end.as_ref()).map(|end| end.tasks).sum()
    }

    /// Reports that the detector left out, by reason.
    fn left_out(&self) -> Vec<(String, u64)> {
        let mut sums: Vec<(String, u64)> = Vec::new();
        for suppressed in self.programs().flat_map(|program| &program.suppressed) {
            match sums.iter_mut().find(|(reason, _)| *reason == suppressed.reason) {
                Some((_, sum)) => *sum += suppressed.count,
                None => sums.push((suppressed.reason.clone(), suppressed.count)),
            }
        }
        if self.buffers > 0 {
            sums.push(("chunks of one thread, and its own buffer".to_owned(), self.buffers as u64));
        }
        sums
    }

    /// Sentences for the user, each once.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = self.own_notes.clone();
        notes.extend(self.programs().flat_map(|program| program.process.notes.iter().cloned()));
        for run in self.runs.iter().filter(|run| run.ending != Ending::Code(0)) {
            notes.push(match &run.ending {
                Ending::Signal { words, .. } => format!("the program {words}"),
                Ending::Code(code) => format!("the program ended with exit code {code}"),
            });
        }
        if !self.runs.iter().any(|run| run.logged) {
            for program in self.programs().filter(|program| program.has_sanitizer_inside()) {
                let name = program.process.libtsan.rsplit('/').next().unwrap_or_default();
                notes.push(format!(
                    "ThreadSanitizer is linked into {name}: its reports are on stderr, and not in this one. Let `ora race` start the program \
                     itself, without log_path in TSAN_OPTIONS, or link it with -shared-libsan"
                ));
            }
        }
        let skipped: usize = self.programs().map(|program| program.skipped).sum();
        if skipped > 0 {
            let lines = count(skipped as u64, "line", "lines");
            notes.push(format!(
                "{lines} of the detector could not be read: is libora_race.so of another version than ora?"
            ));
        }
        if self.sides().any(|side| side.stack.is_empty()) {
            notes.push(
                "ThreadSanitizer no longer has the stacks of some earlier accesses: TSAN_OPTIONS=history_size=7 \
                 makes it keep more"
                    .to_owned(),
            );
        }
        if self.sides().any(|side| side.frame().is_some_and(|frame| frame.line == 0)) {
            notes.push("some code has no lines: build it with -g".to_owned());
        }
        for (reason, reports) in self.left_out() {
            notes.push(format!("{} left out: {reason}", count(reports, "report was", "reports were")));
        }
        for rule in self.rules.iter().filter(|rule| rule.used > 0) {
            notes.push(format!(
                "{} left out by the suppression {rule}",
                count(rule.used as u64, "race was", "races were")
            ));
        }
        let mut seen = BTreeSet::new();
        notes.retain(|note| seen.insert(note.clone()));
        notes
    }

    /// End of the program: the first exit code of several runs that isn't 0, or the last run's signal.
    pub fn ending(&self) -> Ending {
        let endings = || self.runs.iter().map(|run| &run.ending);
        let ending = match endings().next_back() {
            Some(signal @ Ending::Signal { .. }) => Some(signal),
            _ => endings().find(|ending| **ending != Ending::Code(0)),
        };
        ending.cloned().unwrap_or(Ending::Code(0))
    }
}
