//! Implicit and initial tasks: a member of a team or league follows the fork, and its construct is the newest of its context.

use std::sync::atomic::Ordering::Relaxed;

use crate::history::Construct;
use crate::region::Region;
use crate::sanitizer::sanitizer;
use crate::task::{Task, flag};
use crate::thread::Thread;
use crate::{call_stack, chunk, construct};

/// A thread's part of a region.
pub(crate) struct Member {
    /// The region, or the league of an initial task.
    pub(crate) around: Option<&'static Region>,
    pub(crate) is_initial: bool,
    /// Number of the thread in the team, and size of the team.
    pub(crate) number: u32,
    pub(crate) team: u32,
}

/// A member's task starts in the calling context, with its part of the stack below `base`.
pub(crate) fn begin(thread: &'static Thread, member: &Member, base: usize) -> &'static Task {
    member.around.inspect(|around| around.enter(member.team));
    let region = member.around.filter(|_| !member.is_initial);
    sanitizer().inspect(|sanitizer| thread.vary(sanitizer));
    let outer = thread.task.get();
    let task = Task::implicit(region, outer);
    if member.is_initial {
        task.league.set(member.around);
    }
    let context = sanitizer().and_then(|sanitizer| sanitizer.current());
    task.context.store(context.map_or(0, |context| context.0), Relaxed);
    task.own_context.store(task.context.load(Relaxed), Relaxed);
    task.bottom.store(context.map_or(0, call_stack::top), Relaxed);
    context.inspect(|context| task.note_stack(*context, None, outer));
    task.thread_num.store(member.number, Relaxed);
    if let Some(region) = region {
        task.codeptr.store(region.codeptr.load(Relaxed), Relaxed);
    }
    task.base.store(base, Relaxed);
    // A target region is a part of the construct that executes it, and its thread keeps its number.
    if region.is_some() || outer.is_none() {
        thread.thread_num.store(member.number, Relaxed);
        thread.history().push(construct::of(task, thread, base));
    }
    thread.forget_synchronisation();
    thread.task.set(Some(task));
    task
}

/// A member's task ends.
pub(crate) fn end(thread: &'static Thread, task: &'static Task) {
    chunk::end(thread, task);
    let outer = task.parent.get();
    thread.task.set(outer);
    thread.forget_synchronisation();
    let region = task.region.get();
    if let Some(outer) = outer.filter(|_| region.is_some()) {
        resume(thread, outer);
    }
    let around = region.or_else(|| task.league.get());
    task.finish();
    around.inspect(|around| around.leave());
}

/// Makes the construct of the task that a thread resumes the newest one again.
fn resume(thread: &'static Thread, task: &'static Task) {
    // The task of a target region has none, and neither has an included one.
    let is_part = |task: &Task| task.has(flag::INCLUDED) || task.region.get().is_none() && task.league.get().is_none();
    let outer = |task: &&'static Task| task.parent.get().filter(|_| is_part(task));
    let Some(whole) = std::iter::successors(Some(task), outer).last() else { return };
    thread.thread_num.store(whole.thread_num.load(Relaxed), Relaxed);
    let id = whole.id.load(Relaxed);
    let former = thread.history().newest_first().find(|construct: &Construct| construct.task[0] == id);
    thread.history().push(former.unwrap_or_else(|| construct::of(whole, thread, whole.base.load(Relaxed))));
}
