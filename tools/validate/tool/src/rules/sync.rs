//! Rules of barriers, taskwaits, taskgroups and reductions (OpenMP 5.0, 4.5.2.13).

use validate_layout::event::{Event, Sync, Word};
use validate_layout::rule::Rule;

use crate::constants::{endpoint, sync};
use crate::data_word::{Kind, Shown};
use crate::engine::Engine;
use crate::model::{Group, Scope, Task};

impl Engine {
    pub(crate) fn sync(&mut self, thread: u64, event: &Event) {
        let Event::Sync { which, kind, endpoint, parallel, task, .. } = event else { return };
        let (which, kind, endpoint) = (*which, *kind, *endpoint);
        let known = match which {
            Sync::Reduction => kind == sync::REDUCTION,
            Sync::Region | Sync::Wait => (1..=sync::TEAMS).contains(&kind) && kind != sync::REDUCTION,
        };
        self.findings.check(Rule::SyncKind, known, || format!("{which:?} of kind {kind}"));
        let sound = (endpoint::BEGIN..=endpoint::BOTH).contains(&endpoint);
        self.findings.check(Rule::SyncEndpoint, sound, || format!("endpoint {endpoint}"));
        self.check_current(Rule::SyncTask, thread, *task);
        check_sync_region(self, thread, kind, endpoint, *parallel);
        if endpoint & endpoint::BEGIN != 0 {
            sync_begin(self, thread, which, kind);
        }
        if endpoint & endpoint::END != 0 {
            sync_end(self, thread, which, kind);
        }
    }
}

/// Checks the region's data word. At the end of the region's last barrier the region may be gone: then the word is
/// missing.
fn check_sync_region(engine: &mut Engine, thread: u64, kind: i32, endpoint: i32, word: Option<Word>) {
    if word.is_none() && sync::is_last(kind) && endpoint == endpoint::END {
        engine.findings.check(Rule::SyncRegion, true, String::new);
        return;
    }
    engine.check_region(Rule::SyncRegion, thread, word);
}

fn sync_begin(engine: &mut Engine, thread: u64, which: Sync, kind: i32) {
    let Some(number) = engine.model.current(thread) else { return };
    let Some(task) = engine.model.tasks.get_mut(&number) else { return };
    let around = task.scopes.last().copied();
    task.scopes.push(Scope::Sync(which, kind));
    if which == Sync::Wait {
        // Between its start and its wait, a taskgroup may contain other regions only if they have ended.
        let inside = around == Some(Scope::Sync(Sync::Region, kind));
        engine.findings.check(Rule::WaitInside, inside, || format!("kind {kind} within {around:?}"));
        return;
    }
    if which == Sync::Region && kind == sync::TASKGROUP {
        let outer = task.innermost_group();
        let group = engine.model.next(Kind::Region);
        engine.model.groups.insert(group, Group { outer, ..Group::default() });
        if let Some(task) = engine.model.tasks.get_mut(&number) {
            task.groups.push(group);
        }
    } else if which == Sync::Region && sync::is_barrier(kind) {
        engine.barrier_begin(number);
    }
}

fn sync_end(engine: &mut Engine, thread: u64, which: Sync, kind: i32) {
    let Some(number) = engine.model.current(thread) else { return };
    let Some(task) = engine.model.tasks.get_mut(&number) else { return };
    let open = task.scopes.last().copied();
    let closed = Scope::Sync(which, kind);
    let pairs = open == Some(closed);
    // A missing end must not cause findings in later events.
    if let Some(place) = task.scopes.iter().rposition(|scope| *scope == closed) {
        task.scopes.truncate(place);
    }
    engine.findings.check(Rule::SyncNesting, pairs, || format!("{closed:?} ends in {open:?}"));
    if which != Sync::Region || !pairs {
        return;
    }
    match kind {
        sync::TASKWAIT => taskwait_end(engine, number),
        sync::TASKGROUP => taskgroup_end(engine, number),
        kind if sync::is_barrier(kind) => engine.barrier_end(number, kind),
        _ => {}
    }
}

fn taskwait_end(engine: &mut Engine, number: u64) {
    let Some(task) = engine.model.tasks.get_mut(&number) else { return };
    let (children, some) = (task.children, std::mem::take(&mut task.waits_for_some));
    let late = if children == 0 || some { None } else { engine.unfinished(|task| task.parent == Some(number)) };
    engine.findings.check(Rule::TaskwaitChildren, late.is_none(), || format!("{} is not complete", Shown(late)));
}

fn taskgroup_end(engine: &mut Engine, number: u64) {
    let Some(group) = engine.model.tasks.get_mut(&number).and_then(|task| task.groups.pop()) else { return };
    let inside = engine.model.groups.get(&group).map_or(0, |group| group.inside);
    let within = |task: &Task| is_within(engine, task.group, group);
    let left: Vec<u64> = match inside {
        0 => Vec::new(),
        _ => engine.model.tasks.iter().filter(|(_, task)| within(task)).map(|(number, _)| *number).collect(),
    };
    let late = if left.is_empty() { None } else { engine.unfinished(within) };
    engine.findings.check(Rule::TaskgroupTasks, late.is_none(), || format!("{} is not complete", Shown(late)));
    // The remaining tasks, as far as permitted, were dropped by a cancellation.
    for task in left.into_iter().filter(|_| late.is_none()) {
        engine.model.end_task(task);
    }
    engine.model.end_group(group);
}

/// True if a taskgroup is `group`, or is nested in it.
fn is_within(engine: &Engine, innermost: Option<u64>, group: u64) -> bool {
    let mut next = innermost;
    while let Some(number) = next {
        if number == group {
            return true;
        }
        next = engine.model.groups.get(&number).and_then(|group| group.outer);
    }
    false
}
