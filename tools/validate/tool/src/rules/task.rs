//! Rules of task creation, and of creators that wait for undeferred tasks (OpenMP 5.0, 4.5.2.7).

use validate_layout::event::{Event, Word};
use validate_layout::rule::Rule;

use crate::constants::{cancel, task};
use crate::data_word::{Kind, Shown};
use crate::engine::Engine;
use crate::model::{Scope, Task, Thread};

impl Engine {
    pub(crate) fn task_create(&mut self, thread: u64, event: &Event) -> Option<u64> {
        let Event::TaskCreate { encountering, frame, task: word, flags, has_dependences, .. } = event else {
            return None;
        };
        let (flags, has_dependences) = (*flags, *has_dependences != 0);
        self.check_new(Rule::TaskNew, *word);
        check_creator(self, thread, *encountering);
        self.check_enter_frame(*frame);
        let kind = flags & task::KINDS;
        let sound =
            [task::EXPLICIT, task::TARGET, task::TASKWAIT].contains(&kind) || kind == task::EXPLICIT | task::TARGET;
        let known = flags & !(task::KINDS | task::TRAITS) == 0;
        self.findings.check(Rule::TaskFlags, sound && known, || format!("flags {flags:#x}"));

        let mark = self.model.next(Kind::Task);
        let parent = self.model.current(thread);
        let mut created = Task { flags, parent, owes_dependences: has_dependences, ..Task::default() };
        let deferred = flags & task::UNDEFERRED == 0 || flags & task::MERGED != 0;
        if let Some(creator) = parent.and_then(|parent| self.model.tasks.get_mut(&parent)) {
            creator.children += 1;
            created.group = creator.innermost_group();
            (created.region, created.epoch) = (creator.region, creator.epoch);
            created.cancelled = creator.cancelled && creator.is_explicit();
            if !deferred {
                creator.waits_for = Some(mark);
            }
        }
        self.model.count_in_group(created.group);
        if let Some(region) = created.region.and_then(|region| self.model.regions.get_mut(&region)) {
            region.count_task(created.epoch);
        }
        self.model.tasks.insert(mark, created);
        self.model.thread(thread).created = Some(mark);
        Some(mark)
    }

    /// Checks that a creator does nothing while its undeferred task is incomplete.
    pub(crate) fn check_undeferred(&mut self, thread: u64, event: &Event) {
        let part_of_it = match event {
            Event::TaskSchedule { .. } | Event::Dependences { .. } | Event::TaskDependence { .. } => true,
            Event::Cancel { flags, .. } => flags & cancel::DISCARDED != 0,
            _ => false,
        };
        let Some((creator, task)) = self.model.current_task(thread) else { return };
        if part_of_it || self.is_alone_on_libomp(thread) {
            return;
        }
        let waits_for = task.waits_for;
        let say = || format!("{} continues before {}", Shown(Some(creator)), Shown(waits_for));
        self.findings.check(Rule::TaskUndeferred, waits_for.is_none(), say);
        if let Some(task) = waits_for.and_then(|_| self.model.tasks.get_mut(&creator)) {
            // Report this only once.
            task.waits_for = None;
        }
    }

    /// Checks that the constructs that a task has started have ended with it.
    pub(crate) fn check_scopes(&mut self, ended: &Task) {
        if ended.cancelled || ended.cancelled_work || self.model.may_be_dropped(ended) {
            return;
        }
        // libomp's helper threads never leave the masked region that they start with.
        let open = ended.scopes.last().copied();
        let deviates = ended.scopes.iter().all(|scope| *scope == Scope::Masked);
        self.findings
            .check_or_let_pass(Rule::TaskScopes, open.is_none(), deviates, || format!("{open:?} has not ended"));
    }

    /// A task that is incomplete and must have been completed.
    pub(crate) fn unfinished(&self, of: impl Fn(&Task) -> bool) -> Option<u64> {
        let tasks = self.model.tasks.iter();
        let late = tasks.filter(|(_, task)| task.is_explicit() && of(task) && !may_be_missing(self, task));
        late.map(|(number, _)| *number).min()
    }
}

/// Checks that the encountering task is the thread's current one. libomp splits a taskloop by tasks of its own, for
/// which other tasks are created.
fn check_creator(engine: &mut Engine, thread: u64, encountering: Option<Word>) {
    let parent = engine.model.current_task(thread).and_then(|(_, task)| task.parent);
    if engine.findings.llvm && parent.is_some() && parent == encountering.map(|word| word.value) {
        return;
    }
    engine.check_current(Rule::TaskBy, thread, encountering);
}

/// True if a task may never be reported again: it was dropped without being run.
fn may_be_missing(engine: &Engine, task: &Task) -> bool {
    task.thread == 0 && engine.model.may_be_dropped(task)
}

impl Thread {
    /// Takes the task that this thread has just created; the next call returns `None`.
    pub(crate) fn take_created(&mut self) -> Option<u64> {
        self.created.take()
    }
}
