//! Rules of cancellation (OpenMP 5.0, 4.5.2.18).

use validate_layout::event::Word;
use validate_layout::rule::Rule;

use crate::constants::cancel;
use crate::data_word::Shown;
use crate::engine::Engine;

impl Engine {
    pub(crate) fn cancel(&mut self, thread: u64, word: Option<Word>, flags: i32) {
        let (construct, event) = (flags & cancel::CONSTRUCTS, flags & cancel::EVENTS);
        let sound = construct.count_ones() == 1 && event.count_ones() == 1 && flags == construct | event;
        self.findings.check(Rule::CancelFlags, sound, || format!("flags {flags:#x}"));
        let number = self.task_in(word);
        if number.is_none() && word.is_some() {
            return;
        }
        if event == cancel::DISCARDED {
            discard(self, thread, number);
            return;
        }
        let current = self.model.current(thread);
        let same = number.is_some() && number == current;
        self.findings.check(Rule::CancelTask, same, || format!("{} in place of {}", Shown(number), Shown(current)));
        if let Some(current) = current {
            mark_cancelled(self, current, construct);
        }
    }
}

fn discard(engine: &mut Engine, thread: u64, number: Option<u64>) {
    let task = number.and_then(|number| engine.model.tasks.get(&number));
    let fresh = task.is_some_and(|task| task.is_explicit() && task.thread == 0);
    engine.findings.check(Rule::CancelTask, fresh, || format!("{} is discarded, and had begun", Shown(number)));
    if let Some(number) = number.filter(|_| fresh) {
        engine.model.end_task(number);
        engine.model.thread(thread).discarded = Some(number);
    }
}

/// Marks the constructs that a cancellation may leave unfinished, so that no rule reports them.
fn mark_cancelled(engine: &mut Engine, number: u64, construct: i32) {
    let Some(task) = engine.model.tasks.get_mut(&number) else { return };
    task.cancelled |= construct & (cancel::PARALLEL | cancel::TASKGROUP) != 0;
    task.cancelled_work |= construct & (cancel::LOOP | cancel::SECTIONS) != 0;
    let (region, group) = (task.region, task.innermost_group());
    if construct == cancel::PARALLEL {
        if let Some(region) = region.and_then(|region| engine.model.regions.get_mut(&region)) {
            region.cancelled = true;
        }
    } else if construct == cancel::TASKGROUP
        && let Some(group) = group.and_then(|group| engine.model.groups.get_mut(&group))
    {
        (group.cancelled, engine.model.cancels_groups) = (true, true);
    }
}
