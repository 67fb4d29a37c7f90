//! Chunks of loops, and sections: each executes on a fiber, so that those of one thread are concurrent, as they are by the
//! standard where threads share them as they come.
//!
//! Not the chunks of static loops, of which a runtime reports nothing.

use std::sync::atomic::Ordering::Relaxed;

use ompt_tool::DispatchKind;
use system::memory::Link;

use crate::clock::Clock;
use crate::fiber::Fiber;
use crate::history::{Construct, Kind};
use crate::sanitizer::{Context, sanitizer};
use crate::settings::{Chunks, settings};
use crate::task::Task;
use crate::thread::Thread;

/// The work-sharing construct that an implicit task is in.
#[derive(Debug, Default)]
pub(crate) struct Share {
    /// Set where the construct begins.
    begin: Clock,
    /// Joined at each chunk's end.
    ends: Clock,
    /// The fiber of the chunk that is executed.
    fiber: Link<Fiber>,
}

impl Share {
    /// The fiber of the chunk that is executed.
    pub(crate) fn fiber(&self) -> Option<&'static Fiber> {
        self.fiber.get()
    }
}

/// A work-sharing construct begins in an implicit task.
pub(crate) fn begin(thread: &Thread, task: &'static Task) {
    end(thread, task);
    if settings().chunks != Chunks::No {
        task.share.begin.set();
        task.share.ends.set();
    }
}

/// An implicit task starts with a chunk or section.
pub(crate) fn next(thread: &Thread, task: &'static Task, kind: DispatchKind, code: usize) {
    let kind = match (kind, settings().chunks) {
        (DispatchKind::Section, Chunks::Sections | Chunks::All) => Kind::Section,
        (DispatchKind::LoopChunk | DispatchKind::Iteration, Chunks::All) => Kind::Chunk,
        _ => return,
    };
    leave(thread, task);
    let Some(fiber) = thread.fibers.take(thread) else { return };
    fiber.enter(thread);
    task.share.begin.acquire();
    task.share.fiber.set(Some(fiber));
    task.context.store(fiber.context().0, Relaxed);
    let construct = Construct::of(task, thread, task.base.load(Relaxed));
    fiber.history.push(Construct { kind, codeptr: if code == 0 { construct.codeptr } else { code }, ..construct });
}

/// The chunk is done, and nothing follows yet: the thread is back in the implicit task's own context.
fn leave(thread: &Thread, task: &'static Task) {
    let Some(fiber) = task.share.fiber.get() else { return };
    task.share.fiber.set(None);
    task.share.ends.join();
    // A false report that this answers: all chunks of a thread use its copies of private variables.
    thread.depth.forget_below(task.base.load(Relaxed), task.code());
    let own = task.own_context.load(Relaxed);
    task.context.store(own, Relaxed);
    sanitizer().inspect(|sanitizer| sanitizer.switch(Context(own)));
    thread.fibers.give_back(thread, fiber);
}

/// The construct ends in the implicit task, which knows its own chunks' past again.
pub(crate) fn end(thread: &Thread, task: &'static Task) {
    if task.share.fiber.get().is_some() {
        leave(thread, task);
        task.share.ends.acquire();
    }
}
