//! Rules of the entry points' results inside a callback (OpenMP 5.0, 4.6.1).

use validate_layout::event::{Event, Word};
use validate_layout::rule::Rule;

use crate::answers::{Answers, RegionAnswer, TaskAnswer};
use crate::constants::{cancel, endpoint, sync, task};
use crate::data_word::Shown;
use crate::engine::{Engine, EventContext};
use crate::model::Task;

/// Maximum number of unique numbers that are remembered.
const MAX_NUMBERS: usize = 1 << 18;
/// Return value of an entry point: the task or region exists, and all fields are valid.
const KNOWN: i32 = 2;

fn value(word: Option<Word>) -> Option<u64> {
    word.map(|word| word.value)
}

impl Engine {
    /// Checks the results of all entry points. `before`: the task that the thread ran when the callback was called.
    pub(crate) fn check_answers(&mut self, event: &Event, around: &EventContext, before: Option<u64>) {
        let thread = around.thread;
        let Some(answers) = &around.answers else { return };
        if !self.states.is_empty() {
            let (state, known) = (answers.state, self.states.contains(&answers.state));
            self.findings.check(Rule::QueryState, known, || format!("state {state:#x}"));
        }
        if self.unique.len() < MAX_NUMBERS {
            let (number, new) = (answers.unique, self.unique.insert(answers.unique));
            self.findings.check(Rule::QueryUnique, new && number != 0, || format!("{number:#x}"));
        }
        let begun = self.model.thread(thread).begun;
        let begins = matches!(event, Event::ThreadBegin { .. });
        if begun && !begins {
            let word = self.model.thread(thread).word;
            let (reported, same) = (value(answers.thread), value(answers.thread) == Some(word));
            self.findings
                .check(Rule::QueryThread, same, || format!("{} in place of {}", Shown(reported), Shown(Some(word))));
        }
        if let Some(places) = &answers.places {
            self.check_places(thread, places);
        }
        if let Some(in_target) = answers.in_target {
            self.check_target(thread, in_target);
        }
        if !begins && answers_are_about_now(self, event, thread) {
            check_tasks(self, event, thread, answers, before);
        }
    }
}

/// True if the results describe the state at the event. They don't for deferred events of a region that is over, and
/// for the ends of threads.
fn answers_are_about_now(engine: &Engine, event: &Event, thread: u64) -> bool {
    match event {
        Event::ThreadEnd { .. } => false,
        Event::ImplicitTask { endpoint, .. } => *endpoint == endpoint::BEGIN,
        Event::Sync { kind, endpoint: endpoint::END, .. } if sync::is_last(*kind) => {
            engine.model.current_task(thread).is_some_and(|(_, task)| task.index == 0 && !task.is_outermost())
        }
        _ => true,
    }
}

fn check_tasks(engine: &mut Engine, event: &Event, thread: u64, answers: &Answers, before: Option<u64>) {
    let after = engine.model.current(thread);
    let reported = answers.tasks.first().copied().unwrap_or_default();
    // A task that is being created or started has its number only after the callback.
    let new = match event {
        Event::TaskCreate { task, .. } | Event::ImplicitTask { task, .. } => task.map(|word| word.at),
        _ => None,
    };
    // While a task is being discarded, the runtime may report it as the current one.
    let discarded = match event {
        Event::Cancel { task, flags, .. } if flags & cancel::DISCARDED != 0 => value(*task),
        Event::TaskSchedule { prior, .. } if engine.findings.llvm => value(*prior),
        _ => None,
    };
    let is_new = new.is_some() && reported.task.map(|word| word.at) == new;
    if (after.is_none() && before.is_none()) || engine.is_alone_on_libomp(thread) {
        return;
    }
    let number = value(reported.task);
    let ended_serial = matches!(event, Event::ParallelEnd { .. });
    let current = reported.known == KNOWN && number.is_some() && (number == before || number == after);
    let untied = engine.left_untied_on_libomp(number, after);
    let held = current || is_new || (discarded.is_some() && number == discarded);
    let say = || format!("{} (answer {}), current is {}", Shown(number), reported.known, Shown(after.or(before)));
    engine.findings.check_or_let_pass(Rule::QueryTask, held, ended_serial || untied, say);
    let loose = number.is_some_and(|number| is_loose(engine, number));
    if current && !loose {
        check_current_answer(engine, event, reported);
        check_ancestors(engine, &answers.tasks);
        check_regions(engine, event, reported, &answers.regions);
    }
}

/// True for libomp's tasks in leagues and those of its helper threads, which don't belong to the region in which they
/// were created.
fn is_loose(engine: &Engine, number: u64) -> bool {
    let helpers = engine.model.tasks.get(&number).is_some_and(|known| known.flags & task::TARGET != 0);
    let in_league = engine.model.region_of(number).is_some_and(|(_, region)| region.loose);
    engine.findings.llvm && (in_league || helpers)
}

/// Checks the reported properties of the task at level 0, if the task is known.
fn check_current_answer(engine: &mut Engine, event: &Event, reported: TaskAnswer) {
    let Some((number, known)) =
        value(reported.task).and_then(|number| Some((number, engine.model.tasks.get(&number)?)))
    else {
        return;
    };
    let (flags, region, index) = (known.flags, known.region, known.index);
    let (implicit, member) = (!known.is_explicit(), !known.is_outermost() && !known.is_explicit());
    let same = reported.flags & task::KINDS == flags & task::KINDS;
    let say = || format!("flags {:#x} of {}, which began with {flags:#x}", reported.flags, Shown(Some(number)));
    engine.findings.check(Rule::QueryFlags, same, say);
    if let Some(region) = region {
        let in_it = value(reported.parallel);
        let say = || format!("{} in place of {}", Shown(in_it), Shown(Some(region)));
        engine.findings.check(Rule::QueryRegion, in_it == Some(region), say);
    }
    if member {
        let same = u32::try_from(reported.thread_num) == Ok(index);
        engine.findings.check(Rule::QueryNumber, same, || format!("{} in place of {index}", reported.thread_num));
    } else if implicit {
        engine.findings.check(Rule::QueryNumber, reported.thread_num == 0, || {
            format!("{} in an initial task", reported.thread_num)
        });
    }
    engine.check_exit_frame(event, reported.frame, flags);
    engine.check_last_barrier_frame(event, reported.frame);
}

/// Checks that the task that encloses each implicit task is the one that encountered its region.
fn check_ancestors(engine: &mut Engine, reported: &[TaskAnswer]) {
    for pair in reported.windows(2) {
        let [inner, outer] = pair else { return };
        let number = value(inner.task).filter(|_| inner.known == KNOWN && outer.known == KNOWN);
        let Some(known) = number.and_then(|number| engine.model.tasks.get(&number)) else { return };
        if known.is_explicit() {
            continue;
        }
        let Some(by) = known.parent else { return };
        // libomp omits explicit tasks that enclose an implicit one, and still reports tasks of a league that is over.
        let gone = value(outer.task).is_none_or(|outer| !engine.model.tasks.contains_key(&outer));
        if engine.findings.llvm && (gone || engine.model.tasks.get(&by).is_none_or(Task::is_explicit)) {
            return;
        }
        let above = value(outer.task);
        let say = || format!("{} in place of {} above {}", Shown(above), Shown(Some(by)), Shown(number));
        engine.findings.check(Rule::QueryAncestor, above == Some(by), say);
    }
}

/// Checks the enclosing regions, starting with that of the task at level 0.
fn check_regions(engine: &mut Engine, event: &Event, reported: TaskAnswer, regions: &[RegionAnswer]) {
    // During these events the answer may be about either region.
    if matches!(event, Event::ParallelBegin { .. } | Event::ParallelEnd { .. } | Event::ImplicitTask { .. }) {
        return;
    }
    let mut next = value(reported.task).and_then(|number| engine.model.tasks.get(&number)).and_then(|task| task.region);
    for answer in regions {
        let Some(number) = next else { return };
        let Some(region) = engine.model.regions.get(&number) else { return };
        let (size, by) = (region.actual.unwrap_or_default(), region.by);
        let in_it = value(answer.parallel);
        let same = answer.known == KNOWN && in_it == Some(number);
        engine
            .findings
            .check(Rule::QueryParallel, same, || format!("{} in place of {}", Shown(in_it), Shown(Some(number))));
        if same {
            let fits = u32::try_from(answer.size) == Ok(size);
            engine.findings.check(Rule::QuerySize, fits, || format!("{} in place of {size}", answer.size));
        }
        next = engine.model.tasks.get(&by).and_then(|task| task.region);
    }
    if let Some(number) = next.filter(|_| regions.is_empty()) {
        engine.findings.check(Rule::QueryParallel, false, || format!("no region in place of {}", Shown(Some(number))));
    }
}
