//! Rules of dependences between tasks, and between the iterations of doacross loops (OpenMP 5.0, 4.5.2.8, 4.5.2.9).

use validate_layout::event::{Dependence, Sync, Word};
use validate_layout::rule::Rule;

use crate::constants::{dependence, sync};
use crate::data_word::Shown;
use crate::engine::Engine;
use crate::model::{Progress, Scope};

impl Engine {
    pub(crate) fn dependences(&mut self, thread: u64, word: Option<Word>, items: &[Dependence], count: i32) {
        let doacross = items.iter().all(|item| dependence::is_doacross(item.kind));
        let of_tasks = items.iter().all(|item| dependence::is_of_tasks(item.kind));
        let say = || format!("{count} items, kinds {:?}", items.iter().map(|item| item.kind).collect::<Vec<_>>());
        self.findings.check(Rule::DependencesKind, count > 0 && !items.is_empty() && (doacross || of_tasks), say);

        let created = self.model.thread(thread).take_created();
        let current = self.model.current(thread);
        let number = self.task_in(word);
        if number.is_none() && word.is_some() {
            return;
        }
        let waits = self.model.current_task(thread).and_then(|(_, task)| task.scopes.last().copied());
        let in_taskwait = matches!(waits, Some(Scope::Sync(Sync::Region | Sync::Wait, sync::TASKWAIT)));
        let expected = if doacross || in_taskwait { current } else { created };
        let named = number.is_some() && number == expected;
        let deviates = number.is_some() && self.is_alone_on_libomp(thread);
        self.findings.check_or_let_pass(Rule::DependencesTask, named, deviates, || {
            format!("{} in place of {}", Shown(number), Shown(expected))
        });
        let Some(task) = number.and_then(|number| self.model.tasks.get_mut(&number)) else { return };
        if doacross {
            return;
        }
        if in_taskwait && number == current {
            task.waits_for_some = true;
            return;
        }
        let promised = std::mem::take(&mut task.owes_dependences);
        let say = || format!("{} was created without has_dependences", Shown(number));
        self.findings.check(Rule::DependencesFlag, promised, say);
    }

    pub(crate) fn task_dependence(&mut self, source: Option<Word>, sink: Option<Word>) {
        let (first, second) = (self.task_in(source), self.task_in(sink));
        if [(source, first), (sink, second)].iter().any(|(word, task)| word.is_some() && task.is_none()) {
            return;
        }
        // The first task may be complete already.
        let waits = second
            .and_then(|second| self.model.tasks.get(&second))
            .is_some_and(|task| task.progress == Progress::Created);
        let say = || format!("from {} to {}", Shown(first), Shown(second));
        self.findings.check(Rule::DependencePair, first.is_some() && first != second && waits, say);
    }
}
