//! Execution of explicit tasks: the copy function and the function that libgomp calls instead of the program's.
#![allow(unsafe_code)] // calls the program's outlined functions

use super::task_record::{CHUNK, Copying, Creating, Record, complete, event_of, space_of_chunk, write_record};
use super::{depend, detach};
use ompt_core::detail::{Cancelled, Status};
use ompt_core::explicit_task::Suspended;
use ompt_core::graph::Deferral;
use ompt_core::task::Task;
use ompt_core::task::flag::UNDEFERRED;
use ompt_core::thread::{Thread, here};
use ompt_core::tls::{self, CallSite};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::Ordering::*;
use system::arch::{call_with_frame, stack_pointer};
use system::memory::tagged_word;
use system::thread_sanitizer;

pub(super) type Function = unsafe extern "C-unwind" fn(*mut usize);
type Copy = unsafe extern "C-unwind" fn(*mut u8, *mut usize);

/// Fills a task's block in memory of libgomp, if the program has a copy function or the new task is to be reported.
///
/// # Safety
/// `copying` was passed to libgomp instead of the arguments, and `to` has room for them and a record.
pub(super) unsafe extern "C-unwind" fn copy_arguments(to: *mut u8, copying: *const Copying<'_>) {
    // SAFETY: by this function's `# Safety` `pass_on_slowly` passed `copying` to libgomp, in whose call the thread is.
    let copying = unsafe { &*copying };
    let Creating { data, written, .. } = *copying.creating;
    if let (1, [event, ..]) = (written, &copying.words) {
        // SAFETY: `written` is 1 only for a detachable task, whose arguments begin with a word for the event's handle
        // (libgomp's task.c, `GOMP_TASK_FLAG_DETACH`).
        unsafe { data.write(event.get()) };
    }
    if copying.copy == 0 {
        // SAFETY: `data`, of the program's call, has `size` bytes, and by this function's `# Safety` `to` has room for them, in a block of
        // libgomp.
        unsafe { to.copy_from_nonoverlapping(data.cast(), copying.size) };
    } else {
        // SAFETY: not 0, and so the copy function that compiled code passed, of type `void (void *, void *)` (libgomp_g.h).
        let copy: Copy = unsafe { transmute(copying.copy) };
        // SAFETY: the function copies `data`, the arguments of the program's call, to `to`, which has room for them by this
        // function's `# Safety`; libgomp would make the same call.
        unsafe { copy(to, data) };
    }
    let event = match (copying.told, written, &copying.words) {
        (true, 1, [event, ..]) => event.get(),
        _ => 0,
    };
    let record = to.wrapping_add(copying.distance).cast::<Record>();
    let written = copying.record.copy(event);
    // SAFETY: `pass_on_slowly` asked libgomp for `distance` and the record's size, aligned for a record: by this function's
    // `# Safety` `to` has that.
    unsafe { write_record(record, written, copying.chunks_of) };
    // SAFETY: the record was written just now, in the block that libgomp keeps until the task is gone (libgomp's task.c).
    let record = unsafe { &*record };
    if copying.told {
        // SAFETY: by this function's `# Safety` `copying` was passed to libgomp, and `to` is the block of the record.
        unsafe { tell_creation(copying, to.cast(), record) };
    }
    record.publish();
}

/// Reports a new task, whose block is complete and not yet queued.
///
/// # Safety
/// As for [`copy_arguments`].
unsafe fn tell_creation(copying: &Copying<'_>, block: *mut usize, record: &'static Record) {
    let (Some(thread), task) = (here(), &record.task) else { return };
    // Other tasks may have run meanwhile, for which an undeferred task had to wait.
    tls::set_call(copying.creating.call);
    let at_once = is_within(copying.creating, block);
    let is_chunk = task.id() == 0;
    if is_chunk && at_once {
        // libgomp makes the blocks of all chunks first: each is reported when it starts.
        return;
    }
    let chunk = is_chunk.then(|| thread.tasks().begin_chunk(stack_pointer(), task));
    if at_once {
        task.set_flags(task.flags() | UNDEFERRED);
    }
    if record.end() != 0 && record.end() != CHUNK {
        detach::note(record.end(), record);
    }
    thread.tasks().report_new(task, record.function, copying.dependences.is_some());
    if let Some(dependences) = copying.dependences.filter(|_| depend::is_subscribed()) {
        // A task that runs immediately has already waited for the others.
        let deferral = if at_once { None } else { Some(Deferral::Deferred(record.end())) };
        if let Some(node) = depend::report(thread, task, dependences, deferral) {
            record.end.store(tagged_word(node), Relaxed);
        }
    }
    if let Some(creation) = chunk {
        thread.tasks().end_creation(task, false, creation);
    }
}

/// Runs a task, through a trampoline, instead of the program's function, if that requires more than [`task_fast`](super::task_fast) does.
///
/// # Safety
/// `block` holds the arguments, and `record` follows them.
#[inline(never)]
pub(super) unsafe extern "C-unwind" fn run(block: *mut usize, record: *const Record) {
    // SAFETY: the record was copied along with the arguments, and exists until the task is gone. Nothing reads it later: the task is no
    // longer current when this function returns.
    let record: &'static Record = unsafe { &*record };
    record.acquire();
    // SAFETY: compiled code passed the function to libgomp, of type `void (void *)` (libgomp_g.h); the record has kept it since the task's
    // creation.
    let function: Function = unsafe { transmute(record.function) };
    let Some(thread) = here() else {
        // SAFETY: by this function's `# Safety` `block` begins with the function's arguments; libgomp would make the same call.
        unsafe { function(block) };
        return complete(record.end());
    };
    // SAFETY: null, or the `Creating` in a frame on this thread's own stack that it has not left: `pass_on` restores the word when it
    // returns; after an unwinding or longjmp the thread's next wait clears it (`Thread::drop_stale`).
    let creating = unsafe { (thread.current.creating() as *const Creating).as_ref() };
    if let Some(creating) = creating.filter(|creating| is_within(creating, block)) {
        // SAFETY: `run_at_once` requires what this function's `# Safety` says, and by `is_within` the thread is in the call `creating`.
        return unsafe { run_at_once(thread, creating, block, record) };
    }
    if record.task.id() == 0 {
        create_late(thread, record, CallSite::default(), false);
    }
    // SAFETY: 0, or the address of `GOMP_cancellation_point` (`task::cancellation`).
    if let Some(construct) = unsafe { cancelled_construct(record.cancellation) } {
        complete(record.end());
        return thread.tasks().discard(&record.task, construct);
    }
    if tls::call().frame != 0 {
        record.task.set_memory(ptr::from_ref(record).addr() - block.addr());
    }
    let suspended = thread.tasks().begin_fetched(stack_pointer(), &record.task);
    let childless = thread.fast_tasks().begin_childless(stack_pointer());
    // SAFETY: by this function's `# Safety` `block` begins with the arguments of the task that `record` belongs to.
    unsafe { report_chunk(thread, block, record) };
    // SAFETY: by this function's `# Safety` `block` begins with the function's arguments; libgomp would make the same call.
    outside_of_creations(thread, || unsafe { call_in_exit_frame(record, function, block) });
    thread.fast_tasks().end_childless(childless);
    end(thread, record, suspended);
}

/// Reports the chunk that the current task executes, if it is one of a taskloop.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn report_chunk(thread: &'static Thread, block: *const usize, record: &Record) {
    // SAFETY: `end` is `CHUNK` only if `write_record` wrote a `Chunk`; in records of `task_fast` it is 0 at first.
    if let Some(space) = unsafe { space_of_chunk(record) } {
        // SAFETY: for a chunk of a taskloop libgomp has written the bounds into the first two words of the arguments (libgomp's
        // taskloop.c).
        let [begin, end] = unsafe { *block.cast::<[u64; 2]>() };
        thread.constructs().report_taskloop_chunk(space, begin, end);
    }
}

/// True if a task's function is to be called from a frame that is the task's exit frame. Not in a program with ThreadSanitizer, which
/// reports the races of two stacks once: tasks that are executed in different ways have different stacks if they are called from
/// different places, and a race among them is not taken for one that was reported.
#[inline(always)]
pub(super) fn has_frame(task: &Task) -> bool {
    task.frame().exit() != 0 && !thread_sanitizer::is_there()
}

/// Calls a task's function, from a frame that is the task's exit frame where calls are reported.
///
/// # Safety
/// The function takes these arguments.
#[inline(always)]
unsafe fn call_in_exit_frame(record: &Record, function: Function, arguments: *mut usize) {
    if has_frame(&record.task) {
        // SAFETY: by this function's `# Safety`.
        unsafe { call_with_frame(arguments, function, record.task.frame().exit_word()) };
    } else {
        // SAFETY: by this function's `# Safety`.
        unsafe { function(arguments) };
    }
}

/// Runs a task's body with no creation recorded: the body is not part of any of the calls that it is executed in, on any stack. Its own
/// calls are found by their frames.
#[inline(always)]
fn outside_of_creations(thread: &Thread, body: impl FnOnce()) {
    // Not a swap, which is a locked instruction: only this thread writes the word.
    let creating = thread.current.creating();
    thread.current.set_creating(0);
    body();
    thread.current.set_creating(creating);
}

/// Ends the execution of a task whose body has returned.
#[inline(always)]
fn end(thread: &'static Thread, record: &Record, suspended: Suspended) {
    let word = record.end();
    if word == 0 || word == CHUNK || body_is_done(word) {
        thread.tasks().end_as(Status::Complete, suspended);
    } else {
        thread.tasks().end_as(Status::Detach, suspended);
        detach::is_detached(event_of(word));
    }
}

/// Runs a task inside the call that creates it, if the creation was not reported but the execution is to be.
///
/// # Safety
/// As for [`run`].
#[cold]
pub(super) unsafe extern "C-unwind" fn run_in_unreported_creation(arguments: *mut usize, record: *const Record) {
    // SAFETY: `task_fast::run_at_once` passes the record of the block that libgomp runs the task on. It exists until this function returns;
    // by then another task is current.
    let record: &'static Record = unsafe { &*record };
    // SAFETY: compiled code passed the function to libgomp, of type `void (void *)` (libgomp_g.h); the record has kept it since the task's
    // creation.
    let function: Function = unsafe { transmute(record.function) };
    let suspended =
        here().map(|thread| (thread, thread.tasks().begin_in_unreported_creation(stack_pointer(), &record.task)));
    // SAFETY: `task_fast::run_at_once` passes the arguments of the program's call for its function; libgomp would make the
    // same call with a copy.
    unsafe { function(arguments) };
    if let Some((thread, suspended)) = suspended {
        thread.tasks().end(suspended);
    }
}

/// Runs a task inside the call that creates it.
///
/// # Safety
/// As for [`run`].
#[inline(always)]
unsafe fn run_at_once(thread: &'static Thread, creating: &Creating, block: *mut usize, record: &'static Record) {
    let mut arguments = block;
    if creating.original.get() || !creating.block.get().is_null() {
        // The program's own arguments, with the words that libgomp wrote at their start.
        arguments = creating.data;
        for i in 0..creating.written {
            // SAFETY: `i` is less than `written`: libgomp has written that many words at the start of the block (event handle or bounds).
            let word = unsafe { block.wrapping_add(i).read() };
            // SAFETY: `i` is less than `written`: the program's arguments begin with as many words, for libgomp to write (event
            // handle or bounds).
            unsafe { arguments.wrapping_add(i).write(word) };
        }
    }
    let suspended = match creating.take() {
        Some(creation) => thread.tasks().begin_at_once(stack_pointer(), &record.task, creation),
        None => {
            // The chunk of a taskloop. If it was not copied, the record belonged to another chunk before.
            if record.task.id() == 0 || !creating.block.get().is_null() {
                create_late(thread, record, creating.call, true);
            }
            thread.tasks().begin(stack_pointer(), &record.task)
        }
    };
    // SAFETY: by this function's `# Safety` `block` begins with the arguments of the task that `record` belongs to.
    unsafe { report_chunk(thread, block, record) };
    // SAFETY: compiled code passed the function to libgomp, of type `void (void *)` (libgomp_g.h); the record has kept it since the task's
    // creation.
    let function: Function = unsafe { transmute(record.function) };
    // SAFETY: the arguments are those of the program's call, or libgomp's copy of them in `block`; libgomp would make the same
    // call.
    outside_of_creations(thread, || unsafe { call_in_exit_frame(record, function, arguments) });
    end(thread, record, suspended);
}

/// Records that the body has returned. True if the task is complete: no event still has to be fulfilled.
#[cold]
fn body_is_done(word: usize) -> bool {
    let event = event_of(word);
    let is_complete = event == 0 || detach::body_is_done(event);
    if is_complete {
        complete(word);
    }
    is_complete
}

/// The region or taskgroup whose cancellation cancels the task that libgomp is about to start, if there is one. If the task has no copy
/// function, libgomp doesn't start it then. `point` is 0 if tasks can't be cancelled.
///
/// # Safety
/// `point` is 0 or the address of `GOMP_cancellation_point`.
#[inline(always)]
unsafe fn cancelled_construct(point: usize) -> Option<Cancelled> {
    // SAFETY: not 0, and so the address of `GOMP_cancellation_point` by this function's `# Safety`.
    if point == 0 { None } else { unsafe { ask_for_cancelled_construct(point) } }
}

/// # Safety
/// `point` is the address of `GOMP_cancellation_point`.
#[cold]
unsafe fn ask_for_cancelled_construct(point: usize) -> Option<Cancelled> {
    /// `GOMP_CANCEL_PARALLEL` and `GOMP_CANCEL_TASKGROUP` (gcc's `gomp-constants.h`). In libgomp a task's taskgroup is cancelled together
    /// with its region.
    const CONSTRUCTS: [(i32, Cancelled); 2] = [(1, Cancelled::Parallel), (8, Cancelled::Taskgroup)];
    // SAFETY: by this function's `# Safety` the address is that of `bool GOMP_cancellation_point (int)` (libgomp_g.h).
    let point: unsafe extern "C-unwind" fn(i32) -> bool = unsafe { transmute(point) };
    // SAFETY: the call comes from a task's execution, which may contain a cancellation point (OpenMP 5.0, 2.18.2); it changes nothing.
    CONSTRUCTS.into_iter().find(|(which, _)| unsafe { point(*which) }).map(|(_, construct)| construct)
}

/// Reports the creation of a task that is about to start, and has not got an id yet.
fn create_late(thread: &'static Thread, record: &'static Record, call: CallSite, immediate: bool) {
    let ours = tls::call();
    tls::set_call(CallSite { frame: 0, ..call });
    thread.tasks().create_late(&record.task, immediate, record.function);
    tls::set_call(ours);
}

/// True if the block belongs to a task that runs inside this call. libgomp keeps such blocks on the stack, and those of queued tasks
/// elsewhere.
#[inline(always)]
fn is_within(creating: &Creating, block: *mut usize) -> bool {
    let ours = creating.block.get();
    let above = block.addr() > stack_pointer() && block.addr() < (&raw const *creating).addr();
    if ours.is_null() { above } else { ours == block }
}
