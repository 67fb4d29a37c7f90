//! The rule engine: events in, findings out. It depends neither on a runtime nor on any memory except its own.

use std::collections::{BTreeSet, TryReserveError};

use rustc_hash::FxHashSet;
use validate_layout::counts::Counts;
use validate_layout::event::{Callback, Event, Word};
use validate_layout::finding::Finding;
use validate_layout::release::Release;
use validate_layout::rule::Rule;

use crate::answers::Answers;
use crate::data_word::{Kind, Shown, kind};
use crate::findings::Findings;
use crate::model::Model;

/// Kind of memory that a return address points to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// Executable memory of the program or of one of its libraries, or memory that was not looked up.
    #[default]
    Program,
    /// The runtime, or the validator.
    Runtime,
    /// Memory that is not executable, or not mapped.
    Nowhere,
}

/// Context of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventContext {
    /// Number that the validator has given the thread.
    pub thread: u64,
    /// Results of the runtime's entry points during the callback, if they were queried.
    pub answers: Option<Answers>,
    /// Kind of memory that `codeptr_ra` points to.
    pub place: Place,
}

/// Checks each event, and keeps the state that later events need.
#[derive(Debug)]
pub struct Engine {
    pub(crate) model: Model,
    pub(crate) findings: Findings,
    /// States that the runtime has enumerated.
    pub(crate) states: BTreeSet<i32>,
    /// Numbers that `ompt_get_unique_id` has returned.
    pub(crate) unique: FxHashSet<u64>,
    /// Results of `ompt_set_callback`, by callback.
    pub(crate) registered: Vec<(Callback, i32)>,
    finalized: bool,
}

impl Engine {
    /// Creates an engine with empty state. `llvm`: the runtime is libomp, or derived from it. Checks are counted in
    /// `counts`.
    pub fn new(llvm: bool, counts: &'static Counts) -> Self {
        Self {
            model: Model::default(),
            findings: Findings::new(llvm, counts),
            states: BTreeSet::new(),
            unique: FxHashSet::default(),
            registered: Vec::new(),
            finalized: false,
        }
    }

    /// Checks the runtime strictly against a release of the specification: known deviations of libomp also count as
    /// violations.
    #[must_use]
    pub fn held_to(mut self, release: Release) -> Self {
        self.findings.hold_to(release);
        self
    }

    /// Reserves memory for the state that one event may add.
    ///
    /// # Errors
    /// If the system refuses memory: the next event must not be processed.
    pub fn make_room(&mut self) -> Result<(), TryReserveError> {
        self.unique.try_reserve(1)?;
        self.model.make_room()
    }

    /// Checks one event. Returns the new value of its data word, if the event sets one.
    pub fn take(&mut self, event: &Event, around: &EventContext) -> Option<u64> {
        let (thread, callback) = (around.thread, event.callback());
        self.model.first.get_or_insert(thread);
        self.findings.turn_to(thread, Some(callback), event.code().unwrap_or_default());
        self.findings.check(Rule::ToolFinalize, !self.finalized, || "called after finalize".to_owned());
        self.check_registered(callback);
        self.check_release(event);
        self.check_thread_lives(thread, event);
        self.check_releases(thread, event);
        self.check_undeferred(thread, event);
        self.check_code(thread, event, around.place);
        let before = self.model.current(thread);
        let in_target = around.answers.as_ref().and_then(|answers| answers.in_target).unwrap_or_default() != 0;
        let mark = self.dispatch(thread, event, in_target);
        self.check_answers(event, around, before);
        mark
    }

    fn dispatch(&mut self, thread: u64, event: &Event, in_target: bool) -> Option<u64> {
        match event {
            Event::ThreadBegin { kind, thread: word } => return self.thread_begin(thread, *kind, *word),
            Event::ThreadEnd { thread: word } => self.thread_end(thread, *word),
            Event::ParallelBegin { .. } => return self.parallel_begin(thread, event),
            Event::ParallelEnd { parallel, encountering, flags, .. } => {
                self.parallel_end(thread, *parallel, *encountering, *flags);
            }
            Event::ImplicitTask { .. } => return self.implicit_task(thread, event, in_target),
            Event::TaskCreate { .. } => return self.task_create(thread, event),
            Event::Dependences { task, dependences, count } => self.dependences(thread, *task, dependences, *count),
            Event::TaskDependence { source, sink } => self.task_dependence(*source, *sink),
            Event::TaskSchedule { prior, status, next } => self.task_schedule(thread, *prior, *status, *next),
            Event::Sync { .. } => self.sync(thread, event),
            Event::Work { .. } | Event::Masked { .. } => self.work(thread, event),
            Event::Dispatch { .. } => self.dispatch_work(thread, event),
            Event::MutexAcquire { .. } | Event::Mutex { .. } | Event::NestLock { .. } => self.mutex(thread, event),
            Event::Flush { thread: word, .. } => self.check_thread_word(thread, *word),
            Event::Cancel { task, flags, .. } => self.cancel(thread, *task, *flags),
            Event::Error { severity, .. } => {
                let known = (1..=2).contains(severity);
                self.findings.check(Rule::ErrorSeverity, known, || format!("severity {severity}"));
            }
            Event::ControlTool { .. } => {}
        }
        None
    }

    /// Records that the runtime has called `finalize`.
    pub fn finalize(&mut self) {
        self.findings.turn_to(0, None, 0);
        self.findings.check(Rule::ToolFinalize, !self.finalized, || "finalize was called again".to_owned());
        self.finalized = true;
    }

    /// Takes the findings since the last call.
    pub fn fresh(&mut self) -> Vec<Finding> {
        self.findings.fresh()
    }

    /// Checks that a task's data word has a value that the validator wrote to a task's word; returns the task's
    /// number. `None` without a word, or with a value that isn't a task's.
    pub(crate) fn task_in(&mut self, word: Option<Word>) -> Option<u64> {
        let value = word?.value;
        let ours = kind(value) == Some(Kind::Task);
        self.findings.check(Rule::TaskKept, ours, || format!("a task's data word holds {}", Shown(Some(value))));
        ours.then_some(value)
    }

    /// Checks that a region's data word has a value that the validator wrote to a region's word; returns the region's
    /// number.
    pub(crate) fn region_in(&mut self, word: Option<Word>) -> Option<u64> {
        let value = word?.value;
        let ours = kind(value) == Some(Kind::Region);
        self.findings.check(Rule::ParallelKept, ours, || format!("a region's data word holds {}", Shown(Some(value))));
        ours.then_some(value)
    }

    /// Checks that `word` is the word of the thread's current task.
    pub(crate) fn check_current(&mut self, rule: Rule, thread: u64, word: Option<Word>) {
        let current = self.model.current(thread);
        let task = self.task_in(word);
        let known = task.is_some_and(|task| self.model.tasks.contains_key(&task));
        if known && (self.is_alone_on_libomp(thread) || self.left_untied_on_libomp(task, current)) {
            self.model.thread(thread).current = task;
            return;
        }
        if task.is_some() || word.is_none() {
            let same = task == current && task.is_some();
            self.findings.check(rule, same, || format!("{} in place of {}", Shown(task), Shown(current)));
        }
    }

    /// Checks that `word` is the word of the thread's current region. An initial task outside a league has a word that
    /// the validator doesn't write, or none.
    pub(crate) fn check_region(&mut self, rule: Rule, thread: u64, word: Option<Word>) {
        let Some((_, task)) = self.model.current_task(thread) else { return };
        let expected = task.region;
        if expected.is_some_and(|region| self.model.is_loose(region)) || self.is_alone_on_libomp(thread) {
            return;
        }
        if expected.is_none() {
            let value = word.map(|word| word.value);
            let foreign = value.and_then(kind).is_none();
            self.findings.check(rule, foreign, || format!("{} outside of all regions", Shown(value)));
            return;
        }
        let region = self.region_in(word);
        if region.is_some() || word.is_none() {
            self.findings
                .check(rule, region == expected, || format!("{} in place of {}", Shown(region), Shown(expected)));
        }
    }

    /// Checks that a new word exists and is 0.
    pub(crate) fn check_new(&mut self, rule: Rule, word: Option<Word>) {
        let value = word.map(|word| word.value);
        self.findings.check(rule, value == Some(0), || format!("the new data word is {}", Shown(value)));
    }
}
