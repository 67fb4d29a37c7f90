//! Rules of worksharing and masked regions, and of their pieces of work (OpenMP 5.0, 4.5.2.5, 4.5.2.6, 4.5.2.12).

use std::iter::repeat_n;

use validate_layout::event::Event;
use validate_layout::rule::Rule;

use crate::constants::{dispatch, endpoint, work};
use crate::engine::Engine;
use crate::model::{Scope, Single};

impl Engine {
    pub(crate) fn work(&mut self, thread: u64, event: &Event) {
        let (scope, endpoint, parallel, task, count) = match event {
            Event::Work { kind, endpoint, parallel, task, count, .. } => {
                self.findings.check(Rule::WorkKind, work::is_known(*kind), || format!("kind {kind}"));
                (Scope::Work(*kind), *endpoint, *parallel, *task, *count)
            }
            Event::Masked { endpoint, parallel, task, .. } => (Scope::Masked, *endpoint, *parallel, *task, 0),
            _ => return,
        };
        let sound = (endpoint::BEGIN..=endpoint::BOTH).contains(&endpoint);
        self.findings.check(Rule::SyncEndpoint, sound, || format!("endpoint {endpoint}"));
        self.check_current(Rule::WorkTask, thread, task);
        self.check_region(Rule::WorkRegion, thread, parallel);
        let Some(number) = self.model.current(thread) else { return };
        if endpoint & endpoint::BEGIN != 0 {
            work_begin(self, number, scope);
            if let Scope::Work(kind) = scope
                && work::is_loop(kind)
            {
                self.loop_begin(number, kind, count);
            }
        }
        if endpoint & endpoint::END != 0 {
            work_end(self, number, scope);
        }
    }

    /// Checks at the region's end that each single construct that every member has encountered has had its executor.
    pub(crate) fn check_singles(&mut self, number: u64) {
        let Some(region) = self.model.regions.get(&number).filter(|region| !region.cancelled) else { return };
        let members = region.actual.unwrap_or_default();
        let lost = region.singles.iter().position(|single| single.executors == 0 && single.others == members);
        let met = !region.singles.is_empty();
        if met {
            let say = || format!("single {} of the region has no executor", lost.map_or(0, |place| place + 1));
            self.findings.check(Rule::SingleExecutor, lost.is_none(), say);
        }
    }

    pub(crate) fn dispatch_work(&mut self, thread: u64, event: &Event) {
        let Event::Dispatch { parallel, task, kind, chunk, .. } = *event else { return };
        self.check_current(Rule::DispatchTask, thread, task);
        self.check_region(Rule::DispatchTask, thread, parallel);
        let Some((number, task)) = self.model.current_task(thread) else { return };
        let open = task.scopes.last().copied();
        let inside = match (kind, open) {
            (dispatch::TASKLOOP_CHUNK, _) => task.is_explicit(),
            (dispatch::ITERATION | dispatch::LOOP_CHUNK, Some(Scope::Work(kind))) => work::is_loop(kind),
            (dispatch::SECTION, Some(Scope::Work(kind))) => kind == work::SECTIONS,
            (dispatch::DISTRIBUTE_CHUNK, Some(Scope::Work(kind))) => kind == work::DISTRIBUTE,
            _ => false,
        };
        self.findings.check(Rule::DispatchInside, inside, || format!("kind {kind} in {open:?}"));
        if let Some(chunk) = chunk.filter(|_| inside && kind == dispatch::LOOP_CHUNK) {
            self.loop_chunk(number, chunk);
        }
    }
}

fn work_begin(engine: &mut Engine, number: u64, scope: Scope) {
    let Some(task) = engine.model.tasks.get_mut(&number) else { return };
    task.scopes.push(scope);
    let executes = match scope {
        Scope::Work(work::SINGLE_EXECUTOR) => true,
        Scope::Work(work::SINGLE_OTHER) => false,
        _ => return,
    };
    let (place, region) = (task.singles, task.region);
    task.singles += 1;
    let Some(region) = region.filter(|_| !task.is_explicit()).and_then(|number| engine.model.regions.get_mut(&number))
    else {
        return;
    };
    let missing = (place + 1).saturating_sub(region.singles.len());
    if region.singles.try_reserve(missing).is_err() {
        return;
    }
    region.singles.extend(repeat_n(Single::default(), missing));
    let Some(single) = region.singles.get_mut(place) else { return };
    if executes {
        single.executors += 1;
    } else {
        single.others += 1;
    }
    let executors = single.executors;
    let say = || format!("single {} of the region has {executors} executors", place + 1);
    engine.findings.check(Rule::SingleExecutor, executors <= 1, say);
}

fn work_end(engine: &mut Engine, number: u64, scope: Scope) {
    let Some(task) = engine.model.tasks.get_mut(&number) else { return };
    let open = task.scopes.last().copied();
    let pairs = open == Some(scope);
    // A missing end must not cause findings in later events.
    let ended = |open: &Scope| *open == scope || (!pairs && matches!((open, scope), (Scope::Work(_), Scope::Work(_))));
    if let Some(place) = task.scopes.iter().rposition(ended) {
        task.scopes.truncate(place);
    }
    let rule = if scope == Scope::Masked { Rule::MaskedNesting } else { Rule::WorkNesting };
    engine.findings.check(rule, pairs, || format!("{scope:?} ends in {open:?}"));
    if matches!(scope, Scope::Work(kind) if pairs && work::is_loop(kind)) {
        engine.loop_end(number);
    }
}
