//! Chunks of loops, and sections: each executes on a fiber, so that those of one thread are concurrent, as the standard
//! allows when threads take them in any order.
//!
//! Chunks of static loops are excluded, as runtimes do not report them.
//!
//! Chunks of one thread may be ordered by the thread: they use its buffers. So their races are possible ones, unless the user has
//! asked for more ([`Chunks`]), and there are two exceptions that would lead to other reports:
//!
//! - Tasks and regions that a chunk creates run on other threads: from then on the thread's chunks are ordered
//!   ([`give_up`]).
//! - If there are many chunks, ever fewer of them get a fiber, since starting a fiber may take longer than a small
//!   chunk.

use std::sync::atomic::Ordering::Relaxed;

use ompt_tool::DispatchKind;

use crate::call_stack::MARKS;
use crate::construct;
use crate::history::{Construct, Kind};
use crate::sanitizer::{Context, sanitizer};
use crate::settings::{Chunks, settings};
use crate::task::{Task, flag};
use crate::thread::Thread;

/// Number of chunks of a construct and thread that all get a fiber.
const ALL: u64 = 64;

/// A work-sharing construct begins in an implicit task.
pub(crate) fn begin(thread: &Thread, task: &'static Task, codeptr: usize) {
    end(thread, task);
    task.share.codeptr.store(codeptr, Relaxed);
    if settings().chunks != Chunks::Ordered {
        task.share.begin.set();
        task.share.ends.set();
        task.share.chunks.store(0, Relaxed);
        task.share.is_ordered.store(false, Relaxed);
    }
}

/// An implicit task starts with a chunk or section.
pub(crate) fn next(thread: &Thread, task: &'static Task, kind: DispatchKind, code: usize) {
    let chunks = settings().chunks;
    let kind = match kind {
        DispatchKind::Section => Kind::Section,
        DispatchKind::LoopChunk | DispatchKind::Iteration => Kind::Chunk,
        _ => return,
    };
    // This avoids a false report: outside parallel regions one thread executes all chunks and sections.
    if chunks == Chunks::Ordered || task.share.is_ordered.load(Relaxed) || task.region.get().is_none() {
        return;
    }
    if kind == Kind::Chunk && chunks == Chunks::Possible {
        let number = task.share.chunks.fetch_add(1, Relaxed);
        if number >= ALL && thread.random() % number >= ALL {
            return;
        }
    }
    leave(thread, task);
    let Some(fiber) = thread.take_fiber() else { return };
    thread.enter(fiber);
    let mark = MARKS.start + thread.mark() % MARKS.len();
    sanitizer().inspect(|sanitizer| sanitizer.enter_function(mark));
    task.share.begin.acquire();
    task.share.fiber.set(Some(fiber));
    task.context.store(fiber.context().0, Relaxed);
    let construct = construct::of(task, thread, task.base.load(Relaxed));
    let begun = [code, task.share.codeptr.load(Relaxed)].into_iter().find(|code| *code != 0);
    let codeptr = begun.unwrap_or(construct.codeptr);
    fiber.history.push(Construct { kind, codeptr, by_number: task.has(flag::BY_NUMBER), ..construct });
}

/// The task that executes a chunk of a loop is about to create a task or a region.
///
/// This avoids a false report: tasks of two chunks use a buffer of the thread that executes both chunks, and run
/// elsewhere.
///
/// The thread stays on the chunk's fiber until the construct's end: ThreadSanitizer's list of the called functions
/// belongs to the fiber.
pub(crate) fn give_up(task: &Task) {
    let Some(fiber) = task.share.fiber.get() else { return };
    let is_chunk = fiber.history.newest_first().next().is_some_and(|construct| construct.kind == Kind::Chunk);
    if is_chunk && settings().chunks == Chunks::Possible {
        task.share.ends.acquire();
        task.share.is_ordered.store(true, Relaxed);
    }
}

/// The chunk has ended, and nothing follows yet: the thread is back in the implicit task's own context.
fn leave(thread: &Thread, task: &'static Task) {
    let Some(fiber) = task.share.fiber.get() else { return };
    task.share.fiber.set(None);
    task.share.ends.join();
    // This avoids a false report: all chunks of a thread use its copies of private variables.
    thread.depth.forget_below(task.base.load(Relaxed), task.code());
    let own = task.own_context.load(Relaxed);
    task.context.store(own, Relaxed);
    if let Some(sanitizer) = sanitizer() {
        sanitizer.leave_function();
        sanitizer.switch(Context(own));
    }
    thread.give_back(fiber);
}

/// The construct ends in the implicit task, for which the past of its own chunks is ordered again.
pub(crate) fn end(thread: &Thread, task: &'static Task) {
    if task.share.fiber.get().is_some() {
        leave(thread, task);
        task.share.ends.acquire();
    }
}
