//! Rules of implicit and initial tasks (OpenMP 5.0, 4.5.2.11).

use validate_layout::event::{Event, Word};
use validate_layout::rule::Rule;

use crate::constants::{endpoint, parallel, task};
use crate::data_word::{Kind, Shown, kind};
use crate::engine::Engine;
use crate::model::{Progress, Task};

/// Arguments of `implicit_task` other than the data words.
#[derive(Clone, Copy)]
struct Member {
    actual: u32,
    index: u32,
    flags: i32,
}

impl Engine {
    /// Checks `implicit_task`. `in_target`: the runtime says that the thread is in a target region.
    pub(crate) fn implicit_task(&mut self, thread: u64, event: &Event, in_target: bool) -> Option<u64> {
        let Event::ImplicitTask { endpoint, parallel, task, actual, index, flags } = event else { return None };
        let member = Member { actual: *actual, index: *index, flags: *flags };
        let known = [endpoint::BEGIN, endpoint::END].contains(endpoint);
        self.findings.check(Rule::SyncEndpoint, known, || format!("endpoint {endpoint}"));
        match *endpoint {
            endpoint::BEGIN => Some(implicit_begin(self, thread, *parallel, *task, (member, in_target))),
            endpoint::END => {
                implicit_end(self, thread, *parallel, *task, member);
                None
            }
            _ => None,
        }
    }
}

fn implicit_begin(
    engine: &mut Engine,
    thread: u64,
    parallel: Option<Word>,
    word: Option<Word>,
    (member, in_target): (Member, bool),
) -> u64 {
    let named = parallel.map(|word| word.value).filter(|value| kind(*value) == Some(Kind::Region));
    let region = named
        .filter(|region| engine.model.regions.get(region).is_some_and(|region| !region.ended))
        .or_else(|| loose_league(engine, thread));
    let loose = region.is_some_and(|region| engine.model.is_loose(region));
    if !loose {
        engine.check_new(Rule::TaskNew, word);
    }
    let outermost = member.flags & task::INITIAL != 0 && region.is_none();
    let current = engine.model.current(thread);
    if outermost {
        check_outermost(engine, current.filter(|_| !in_target), member);
    } else if !loose {
        check_member(engine, thread, parallel, member);
    }
    let begun = Task {
        flags: member.flags,
        progress: Progress::Running,
        parent: region.map_or(current, |region| Some(engine.model.regions.get(&region)?.by)),
        region,
        thread,
        index: member.index,
        actual: member.actual,
        resumes: current,
        ..Task::default()
    };
    let mark = engine.model.next(Kind::Task);
    engine.model.tasks.insert(mark, begun);
    engine.model.thread(thread).current = Some(mark);
    if let Some(region) = region.and_then(|region| engine.model.regions.get_mut(&region)) {
        region.begun.insert(member.index);
        region.actual.get_or_insert(member.actual);
        region.running += 1;
    }
    mark
}

/// The region of a league with one team, which libomp does not report.
fn loose_league(engine: &Engine, thread: u64) -> Option<u64> {
    let innermost = *engine.model.threads.get(&thread)?.regions.last()?;
    let begins = engine.model.regions.get(&innermost)?.begun.is_empty() && engine.model.is_loose(innermost);
    begins.then_some(innermost)
}

fn check_outermost(engine: &mut Engine, current: Option<u64>, member: Member) {
    let Member { actual, index, flags } = member;
    let sound = index == 1 && actual == 1;
    engine.findings.check(Rule::InitialIndex, sound, || format!("index {index}, actual_parallelism {actual}"));
    engine.findings.check(Rule::InitialOnce, current.is_none(), || format!("{} runs", Shown(current)));
    let pure = flags & task::KINDS == task::INITIAL;
    engine.findings.check(Rule::ImplicitFlags, pure, || format!("flags {flags:#x}"));
}

fn check_member(engine: &mut Engine, thread: u64, word: Option<Word>, member: Member) {
    let Member { actual, index, flags } = member;
    let number = engine.region_in(word);
    let region = number.and_then(|number| engine.model.regions.get(&number));
    let open = region.is_some_and(|region| !region.ended);
    if number.is_some() || word.is_none() {
        engine.findings.check(Rule::ImplicitRegion, open, || format!("{} is not open", Shown(number)));
    }
    let Some(region) = region else { return };
    let current = engine.model.current(thread);
    let (is_league, running) = (region.flags & parallel::LEAGUE != 0, region.running);
    let expected = if is_league { task::INITIAL } else { task::IMPLICIT };
    let pure = flags & task::KINDS == expected;
    engine.findings.check(Rule::ImplicitFlags, pure, || format!("flags {flags:#x} in place of {expected:#x}"));
    let unique = index < actual && !region.begun.contains(&index);
    engine.findings.check(Rule::ImplicitIndex, unique, || {
        format!(
            "index {index} of {actual}, a second time or out \
     of range"
        )
    });
    let reported = region.actual.unwrap_or(actual);
    let say = || format!("actual_parallelism {actual}, and {reported} for another member");
    engine.findings.check(Rule::ImplicitActual, reported == actual && actual > 0, say);
    let requested = region.requested;
    let say = || format!("{actual} members, {requested} requested");
    let any = requested == 0 && is_league;
    engine.findings.check(Rule::ParallelRequested, actual <= requested || any, say);
    let (primary, at_home) = (index == 0, thread == region.thread);
    let say = || {
        format!(
            "index {index} on thread {thread}, which has {} the region",
            if at_home { "encountered" } else { "not encountered" }
        )
    };
    // A runtime may execute a league's teams one after the other.
    let in_turn = is_league && at_home && running == 0;
    engine.findings.check(Rule::ImplicitPrimary, primary == at_home || in_turn, say);
    let free = if at_home { current == Some(region.by) } else { current.is_none() };
    engine.findings.check(Rule::ImplicitNesting, free, || format!("begins while {} runs", Shown(current)));
}

fn implicit_end(engine: &mut Engine, thread: u64, parallel: Option<Word>, word: Option<Word>, member: Member) {
    let current = engine.model.current(thread);
    let number = engine.task_in(word);
    if number.is_some() || word.is_none() {
        let pairs = number.is_some() && number == current;
        engine
            .findings
            .check(Rule::ImplicitNesting, pairs, || format!("{} ends, {} runs", Shown(number), Shown(current)));
    }
    let Some(ended) = number.or(current).and_then(|number| engine.model.end_task(number)) else { return };
    let Member { actual, index, flags } = member;
    let (begun_as, begun_of, begun_with) = (ended.index, ended.actual, ended.flags);
    let over = ended.region.and_then(|region| engine.model.regions.get(&region)).is_some_and(|region| region.ended);
    let same = index == begun_as;
    engine
        .findings
        .check_or_let_pass(Rule::ImplicitEndIndex, same, over, || format!("index {index} in place of {begun_as}"));
    let say = || format!("actual_parallelism {actual}, at the begin {begun_of}");
    engine.findings.check(Rule::ImplicitEndActual, actual == 0 || actual == begun_of, say);
    let same = flags & task::KINDS == begun_with & task::KINDS;
    engine.findings.check(Rule::ImplicitFlags, same, || format!("flags {flags:#x}, at the begin {begun_with:#x}"));
    let none = parallel.is_none() || ended.is_outermost();
    engine
        .findings
        .check(Rule::ImplicitEndNull, none, || format!("parallel_data is {}", Shown(parallel.map(|w| w.value))));
    engine.check_scopes(&ended);
    engine.check_left(thread);

    engine.model.thread(thread).current = ended.resumes;
    let Some(number) = ended.region else { return };
    let primary = engine.model.regions.get(&number).is_some_and(|region| thread == region.thread);
    engine.leave_region(number, primary);
}
