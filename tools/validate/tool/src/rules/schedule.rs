//! Rules of task scheduling: threads switch from task to task (OpenMP 5.0, 4.5.2.10).

use validate_layout::event::Word;
use validate_layout::rule::Rule;

use crate::constants::{status, task};
use crate::data_word::Shown;
use crate::engine::Engine;
use crate::model::Progress;

impl Engine {
    pub(crate) fn task_schedule(&mut self, thread: u64, prior: Option<Word>, how: i32, next: Option<Word>) {
        let known = (status::COMPLETE..=status::TASKWAIT_COMPLETE).contains(&how);
        self.findings.check(Rule::ScheduleStatus, known, || format!("status {how}"));
        let prior_task = self.task_in(prior);
        let alone = [status::EARLY_FULFILL, status::LATE_FULFILL, status::TASKWAIT_COMPLETE].contains(&how);
        let say = || format!("status {how}, next task {}", Shown(next.map(|word| word.value)));
        self.findings.check(Rule::ScheduleNull, alone == next.is_none(), say);
        if alone {
            fulfill(self, prior_task, how);
            return;
        }
        let next_task = self.task_in(next);
        let current = self.model.current(thread);
        let discarded = self.model.thread(thread).discarded.take();
        if how == status::SWITCH && discarded.is_some() && prior_task == current && next_task == discarded {
            // A discarded task is started before it is left.
            self.model.thread(thread).discarded = discarded;
            return;
        }
        let reported = self.findings.llvm || how == status::CANCEL;
        if reported && discarded.is_some() && prior_task == discarded && next_task == current {
            return;
        }
        let loose = self.is_alone_on_libomp(thread) || self.left_untied_on_libomp(prior_task, current);
        if !loose && (prior_task.is_some() || prior.is_none()) {
            let same = prior_task.is_some() && prior_task == current;
            self.findings
                .check(Rule::SchedulePrior, same, || format!("{} in place of {}", Shown(prior_task), Shown(current)));
        }
        // If the word is wrong, the running task is the one that stops.
        if let Some(left) = current.filter(|_| !loose).or(prior_task) {
            leave(self, left, how);
        }
        if let Some(next) = next_task {
            enter(self, thread, next);
        }
    }

    /// True in a team of one thread on libomp, which reports all tasks there as undeferred, and runs those that have
    /// to wait when another one ends. The prior and next tasks that it reports are then of little use.
    pub(crate) fn is_alone_on_libomp(&self, thread: u64) -> bool {
        self.findings.llvm && self.model.is_alone(thread)
    }

    /// True if libomp's report about an untied task may be late. It leaves such a task when it queues the rest of it,
    /// and then continues in it. The outcome is reported later, or by another thread.
    pub(crate) fn left_untied_on_libomp(&self, reported: Option<u64>, current: Option<u64>) -> bool {
        let untied = |task: Option<u64>| task.is_some_and(|task| self.model.is_untied(task));
        self.findings.llvm && (untied(reported) || untied(current))
    }
}

/// Checks statuses with which no task is left for another one.
fn fulfill(engine: &mut Engine, prior: Option<u64>, how: i32) {
    let Some(number) = prior else { return };
    let progress = engine.model.tasks.get(&number).map(|task| task.progress);
    let sound = match how {
        status::EARLY_FULFILL => progress.is_some_and(|progress| progress != Progress::Detached),
        status::LATE_FULFILL => progress == Some(Progress::Detached),
        _ => engine.model.tasks.get(&number).is_some_and(|task| task.flags & task::TASKWAIT != 0),
    };
    engine.findings.check(Rule::ScheduleFulfill, sound, || format!("status {how} of {}, {progress:?}", Shown(prior)));
    if how != status::EARLY_FULFILL {
        engine.model.end_task(number);
    }
}

/// Records that a thread leaves a task.
fn leave(engine: &mut Engine, number: u64, how: i32) {
    let Some(task) = engine.model.tasks.get_mut(&number) else { return };
    let (explicit, parent) = (task.is_explicit(), task.parent);
    match how {
        status::COMPLETE | status::CANCEL => {
            engine
                .findings
                .check(Rule::ScheduleComplete, explicit, || format!("{} is not an explicit task", Shown(Some(number))));
            if explicit && let Some(ended) = engine.model.end_task(number) {
                engine.check_scopes(&ended);
            }
        }
        status::DETACH => {
            task.progress = Progress::Detached;
            // Its code is done: the creator of an undeferred task no longer waits.
            if let Some(creator) = parent.and_then(|parent| engine.model.tasks.get_mut(&parent)) {
                creator.waits_for = creator.waits_for.filter(|child| *child != number);
            }
        }
        _ => task.progress = Progress::Suspended,
    }
}

/// Records that a thread continues with a task.
fn enter(engine: &mut Engine, thread: u64, number: u64) {
    let alone = engine.is_alone_on_libomp(thread);
    let stays = engine.model.thread(thread).current.replace(number) == Some(number);
    let Some(task) = engine.model.tasks.get_mut(&number) else {
        engine.findings.check(Rule::ScheduleNext, alone, || format!("{} has ended before", Shown(Some(number))));
        return;
    };
    let (progress, first, owes) = (task.progress, task.thread, task.owes_dependences);
    let tied = task.flags & task::UNTIED == 0;
    task.progress = Progress::Running;
    if task.thread == 0 {
        task.thread = thread;
    }
    // libomp queues the rest of an untied task before it reports that its first part is over.
    let free = matches!(progress, Progress::Created | Progress::Suspended);
    let deviates = !tied || stays || first == thread;
    engine
        .findings
        .check_or_let_pass(Rule::ScheduleNext, free, deviates, || format!("{} is {progress:?}", Shown(Some(number))));
    match progress {
        Progress::Created => {
            let say = || format!("{} runs, and its dependences were not reported", Shown(Some(number)));
            engine.findings.check(Rule::DependencesFlag, !owes, say);
        }
        Progress::Suspended if tied => {
            let say = || format!("{} began on thread {first}", Shown(Some(number)));
            engine.findings.check(Rule::ScheduleTied, first == thread, say);
        }
        _ => {}
    }
}
