//! The functions that a task is created in.
#![allow(unsafe_code)] // reads ThreadSanitizer's stack of a context

use std::sync::atomic::Ordering::Relaxed;

use crate::call_stack::{CALLERS, Callers, MARKS, top};
use crate::sanitizer::{Context, Sanitizer, sanitizer};
use crate::task::Task;
use crate::thread::Thread;

/// The functions that the calling thread is in, within the task that it executes.
pub(crate) fn of(thread: &Thread, task: &Task) -> Callers {
    /// The maximum depth of a stack that is considered valid, in bytes.
    const DEEPEST: usize = 1 << 20;
    let mut callers = [0; CALLERS];
    let Some(context) = sanitizer().and_then(Sanitizer::current) else { return callers };
    let Some(bottom) = bottom(thread, task, context).filter(|bottom| *bottom != 0) else { return callers };
    let Some(size) = top(context).checked_sub(bottom).filter(|size| *size < DEEPEST) else { return callers };
    let end = std::ptr::with_exposed_provenance::<usize>(bottom + size);
    for (number, caller) in (1..=size / size_of::<usize>()).zip(&mut callers) {
        // SAFETY: the words are between the place where the task started and the stack's end, and ThreadSanitizer has
        // written them for this context.
        let found = unsafe { end.wrapping_sub(number).read() };
        if MARKS.contains(&found) {
            break;
        }
        *caller = found;
    }
    callers
}

/// End of a context's stack when the task started on it.
fn bottom(thread: &Thread, task: &Task, context: Context) -> Option<usize> {
    let fibers = [task.fiber.get(), task.share.fiber.get(), thread.league.fiber()];
    let fiber = fibers.into_iter().flatten().find(|fiber| fiber.context() == context);
    let own = || Some(task.bottom.load(Relaxed)).filter(|_| task.own_context.load(Relaxed) == context.0);
    fiber.map(|fiber| fiber.bottom()).or_else(own)
}
