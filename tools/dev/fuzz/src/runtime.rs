//! Steps of an embedding runtime: each reports through the embed interface, with the expected events.
#![allow(unsafe_code)] // calls the embed host

use crate::calls::probe;
use crate::model::{Cue, NEVER_READ, Standing, with};
use crate::reference::{Here, WaitId};
use ompt_core::region::Region;
use runtimes::embed::entry;
use runtimes::embed::types::{EmbedTask, Mark};
use std::ptr;

const OVHD: i32 = 1;
const WORK: i32 = 2;
const IBAR: i32 = 3;
const IDLE: i32 = 5;
const SUSPEND: i32 = 14;

/// Region being executed: the address of its record, and its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Team {
    region: usize,
    id: u64,
}

impl Team {
    /// True if this is the number of the region. (The region's record may have been used for another region before.)
    pub(crate) fn is(self, id: u64) -> bool {
        self.id == id
    }

    fn record(self) -> *const Region {
        self.region as *const _
    }
}

fn errno() -> *mut i32 {
    // SAFETY: takes no arguments.
    unsafe { libc::__errno_location() }
}

pub(crate) fn set_errno(to: i32) {
    // SAFETY: belongs to the calling thread.
    unsafe { errno().write(to) };
}

/// Runs a step: `cues` are the expectations, and `real` makes the call.
pub(crate) fn perform<R>(cues: Vec<Cue>, real: impl FnOnce() -> R) -> R {
    with(|model| model.open(cues));
    set_errno(5);
    let done = real();
    // SAFETY: belongs to the calling thread.
    let now = unsafe { errno().read() };
    assert_eq!(now, 5, "errno was changed");
    with(|model| model.close());
    done
}

fn here() -> Here {
    with(|model| model.here())
}

/// Runs a parallel region that the calling thread encounters.
pub(crate) fn parallel(body: impl FnOnce(Team), last: impl FnOnce()) {
    let before = here();
    let (id, fork) = with(|model| {
        model.last_region += 1;
        (model.last_region, model.token())
    });
    let parent = Some(before.region);
    let at_fork = Here { state: OVHD, wait: WaitId::Known(0), region: id, parent, ..before };
    let cues = vec![Cue::Set(at_fork), Cue::Begin { event: 1, all: &[1, 2], token: fork }];
    let region = perform(cues, || entry::ora_embed_parallel_begin());
    assert!(!region.is_null(), "no region");
    probe();
    let at_work = Here { state: WORK, ..at_fork };
    // SAFETY: the region has just begun.
    perform(vec![Cue::Set(at_work)], || unsafe { entry::ora_embed_member_begin(region) });
    body(Team { region: region.addr(), id });
    let barrier = with(|model| model.token());
    let at_barrier = Here { state: IBAR, wait: WaitId::Unseen, ..at_fork };
    let cues = vec![Cue::Set(at_barrier), Cue::Begin { event: 5, all: &[5, 6], token: barrier }];
    // SAFETY: the region has begun and has not ended.
    perform(cues, || unsafe { entry::ora_embed_member_end(region) });
    last();
    with(|model| model.end_region(id));
    let cues = vec![
        Cue::End { event: 6, token: barrier },
        Cue::Set(at_fork),
        Cue::End { event: 2, token: fork },
        Cue::Set(before),
    ];
    // SAFETY: the region began on this thread, and its members are in its last barrier.
    perform(cues, || unsafe { entry::ora_embed_parallel_end(region) });
    probe();
}

fn join_pool(cues: &mut Vec<Cue>, before: Here) {
    let idle = with(|model| model.idle_token());
    cues.push(Cue::Set(Here { state: IDLE, wait: WaitId::Known(0), region: 0, parent: None, ..before }));
    cues.push(Cue::Begin { event: 3, all: &[3, 4], token: idle });
}

/// Makes the calling thread a worker.
pub(crate) fn worker() {
    let before = here();
    let mut cues = Vec::new();
    if with(|model| std::mem::replace(&mut model.thread().standing, Standing::Pooled)) == Standing::Outside {
        join_pool(&mut cues, before);
    }
    perform(cues, || entry::ora_embed_worker());
    probe();
}

/// Runs the region's body on the calling thread, which is a worker or is about to become one, up to its last barrier.
pub(crate) fn member(team: Team, body: impl FnOnce()) {
    let (before, standing) = with(|model| (model.here(), model.thread().standing));
    let (idle, last) = with(|model| (model.idle_token(), model.last_barrier_token()));
    let mut cues = Vec::new();
    if let Standing::Left(region) = standing {
        cues.push(Cue::Set(Here { state: IBAR, wait: WaitId::Unseen, region, parent: None, ..before }));
        cues.push(Cue::End { event: 6, token: last });
    }
    if standing != Standing::Pooled {
        join_pool(&mut cues, before);
    }
    let at_start = Here { state: OVHD, wait: WaitId::Known(0), region: team.id, parent: None, ..before };
    let at_work = Here { state: WORK, ..at_start };
    cues.extend([Cue::Set(at_start), Cue::End { event: 4, token: idle }, Cue::Set(at_work)]);
    // SAFETY: the region has begun and has not ended.
    perform(cues, || unsafe { entry::ora_embed_member_begin(team.record()) });
    with(|model| model.thread().standing = Standing::Body);
    probe();
    body();
    let at_barrier = Here { state: IBAR, wait: WaitId::Unseen, ..at_start };
    let cues = vec![Cue::Set(at_barrier), Cue::Begin { event: 5, all: &[5, 6], token: last }];
    // SAFETY: the region has begun and has not ended.
    perform(cues, || unsafe { entry::ora_embed_member_end(team.record()) });
    with(|model| model.thread().standing = Standing::Barrier(team.region, team.id));
    probe();
}

/// Lets the calling worker pass the last barrier that it is in.
pub(crate) fn pooled() {
    let (before, Standing::Barrier(region, id)) = with(|model| (model.here(), model.thread().standing)) else { return };
    let last = with(|model| model.last_barrier_token());
    let mut cues = vec![Cue::End { event: 6, token: last }];
    join_pool(&mut cues, before);
    let team = Team { region, id };
    // SAFETY: the thread has arrived at the region's last barrier.
    perform(cues, || unsafe { entry::ora_embed_member_pooled(team.record()) });
    with(|model| model.thread().standing = Standing::Pooled);
    probe();
}

/// Lets the calling worker leave the last barrier that it is in by itself. Only while the region continues.
pub(crate) fn leave() {
    let Standing::Barrier(region, id) = with(|model| model.thread().standing) else { return };
    let team = Team { region, id };
    // SAFETY: the region has not ended.
    perform(Vec::new(), || unsafe { entry::ora_embed_member_leave(team.record()) });
    with(|model| model.thread().standing = Standing::Left(id));
    probe();
}

/// Expected events when the calling worker's thread is about to end.
pub(crate) fn end_of_thread() -> Vec<Cue> {
    let (before, standing) = with(|model| (model.here(), model.thread().standing));
    let mut cues = Vec::new();
    if let Standing::Left(region) = standing {
        let last = with(|model| model.last_barrier_token());
        cues.push(Cue::Set(Here { state: IBAR, wait: WaitId::Unseen, region, parent: None, ..before }));
        cues.push(Cue::End { event: 6, token: last });
        join_pool(&mut cues, before);
    }
    cues
}

/// Runs a wait around `body`.
pub(crate) fn wait(kind: i32, id: u64, body: impl FnOnce()) {
    const KINDS: [(usize, &[usize], i32); 9] = [
        (5, &[5, 6], IBAR),
        (7, &[7, 8], 4),
        (9, &[9, 10], 8),
        (9, &[9, 10], 8),
        (11, &[11, 12], 9),
        (13, &[13, 14], 10),
        (21, &[21, 22], 11),
        (28, &[28, 29], SUSPEND),
        (28, &[28, 29], SUSPEND),
    ];
    let before = here();
    let token = with(|model| model.token());
    let (mut begin, mut end) = (Vec::new(), Vec::new());
    if let Some((event, all, state)) = usize::try_from(kind).ok().and_then(|kind| KINDS.get(kind)).copied() {
        begin.push(Cue::Set(Here { state, wait: WaitId::Known(id), ..before }));
        begin.push(Cue::Begin { event, all, token });
        end.extend([Cue::End { event: event + 1, token }, Cue::Set(before)]);
    }
    let mut mark = Mark::default();
    let place = &raw mut mark;
    // SAFETY: the mark is in this frame.
    perform(begin, || unsafe { entry::ora_embed_wait_begin(kind, id, place) });
    probe();
    body();
    // SAFETY: the mark was written above, on this thread.
    perform(end, || unsafe { entry::ora_embed_wait_end(place) });
    probe();
}

/// Begin event of a span, and both of its events.
type Span = (usize, &'static [usize]);

/// Runs a stretch (`ora_embed_stretch_*`) around `body`.
pub(crate) fn stretch(kind: i32, body: impl FnOnce()) {
    const KINDS: [(Option<Span>, Option<i32>); 7] = [
        (Some((15, &[15, 16])), None),
        (Some((17, &[17, 18])), None),
        (Some((19, &[19, 20])), None),
        (None, Some(7)),
        (None, Some(OVHD)),
        (Some((26, &[26, 27])), Some(13)),
        (Some((30, &[30, 31])), Some(15)),
    ];
    let before = here();
    let token = with(|model| model.token());
    let (mut begin, mut end) = (Vec::new(), Vec::new());
    if let Some((events, state)) = usize::try_from(kind).ok().and_then(|kind| KINDS.get(kind)).copied() {
        begin.extend(state.map(|state| Cue::Set(Here { state, ..before })));
        begin.extend(events.map(|(event, all)| Cue::Begin { event, all, token }));
        end.extend(events.map(|(event, _)| Cue::End { event: event + 1, token }));
        end.push(Cue::Set(before));
    }
    let mut mark = Mark::default();
    let place = &raw mut mark;
    // SAFETY: `place` is valid for the mark.
    perform(begin, || unsafe { entry::ora_embed_stretch_begin(kind, place) });
    probe();
    body();
    // SAFETY: the mark was written above, on this thread.
    perform(end, || unsafe { entry::ora_embed_stretch_end(place) });
    probe();
}

/// Checks the id of a new task: it must be new, and not 0.
fn new_task(task: &EmbedTask) -> u64 {
    let [id, ..] = task.inside;
    with(|model| {
        assert!(id != 0 && !model.task_ids.contains(&id), "task id {id} is not new");
        model.task_ids.push(id);
    });
    id
}

/// Creates a task, which is undeferred if `immediate`.
pub(crate) fn create(immediate: bool) -> (Box<EmbedTask>, u64) {
    const CREATION: &[usize] = &[23, 24, 25];
    let before = here();
    let token = with(|model| model.token());
    let mut task = Box::<EmbedTask>::default();
    let mut mark = Mark::default();
    let (task_place, place) = (&raw mut *task, &raw mut mark);
    let creating = Here { state: 12, ..before };
    let cues = vec![Cue::Set(creating), Cue::Begin { event: 23, all: CREATION, token }];
    // SAFETY: both places are valid for writes.
    perform(cues, || unsafe { entry::ora_embed_task_create_begin(task_place, place) });
    let id = new_task(&task);
    let creator = before.task;
    let created = Here { task: id, creator, ..creating };
    let event = if immediate { 24 } else { 25 };
    let cues = vec![Cue::Set(created), Cue::End { event, token }, Cue::Set(before)];
    // SAFETY: both were written above, on this thread.
    perform(cues, || unsafe { entry::ora_embed_task_create_end(task_place, immediate.into(), place) });
    probe();
    (task, creator)
}

/// Executes a task, which was created by the task `creator`.
pub(crate) fn execute(task: &EmbedTask, creator: u64, body: impl FnOnce()) {
    let before = here();
    let token = with(|model| model.token());
    let mut mark = Mark::default();
    let place = &raw mut mark;
    let [id, ..] = task.inside;
    let inside = Here { state: WORK, task: id, creator, ..before };
    let cues = vec![Cue::Set(inside), Cue::Begin { event: 33, all: &[33], token: NEVER_READ }];
    // SAFETY: the task was created; the mark is in this frame.
    perform(cues, || unsafe { entry::ora_embed_task_begin(task, place) });
    probe();
    body();
    let cues = vec![Cue::Set(Here { state: 16, ..inside }), Cue::Begin { event: 34, all: &[34, 35], token }];
    // SAFETY: the mark was written above, on this thread.
    perform(cues, || unsafe { entry::ora_embed_task_end(place) });
    probe();
    // SAFETY: `ora_embed_task_begin` has written the mark, on this thread.
    perform(vec![Cue::End { event: 35, token }, Cue::Set(before)], || unsafe { entry::ora_embed_task_gone(place) });
    probe();
}

/// Reports that a task was taken from a queue.
pub(crate) fn fetched() {
    perform(vec![Cue::Begin { event: 32, all: &[32], token: NEVER_READ }], || entry::ora_embed_task_fetched());
}

/// Runs an implicit task where no task is known; its parent may be known.
pub(crate) fn implicit(parent: Option<&EmbedTask>, body: impl FnOnce()) {
    let before = here();
    let mut task = EmbedTask::default();
    let place = &raw mut task;
    let parent_place = parent.map_or(ptr::null(), ptr::from_ref);
    // SAFETY: a valid place for the task, which nobody else uses once this returns.
    perform(Vec::new(), || unsafe { entry::ora_embed_task_implicit(place, parent_place) });
    // SAFETY: just written.
    let id = new_task(unsafe { &*place });
    let creator = parent.map_or(0, |parent| parent.inside[0]);
    perform(vec![Cue::Set(Here { task: id, creator, ..before })], || ());
    probe();
    body();
    let after = vec![Cue::Set(Here { task: 0, creator: 0, ..before })];
    // SAFETY: no task is current from now on.
    perform(after, || unsafe { entry::ora_embed_task_implicit(ptr::null_mut(), ptr::null()) });
    probe();
}
