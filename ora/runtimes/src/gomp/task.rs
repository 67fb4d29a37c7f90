//! Creation of explicit tasks: `GOMP_task` outside of the [fast path](super::task_fast), and `GOMP_taskloop`.
//!
//! libgomp gets a block of ours instead of the program's arguments: a copy of them followed by a [`Record`]. If it queues the task, it
//! copies the whole block, and frees the copy when the task is gone. If it runs the task immediately (undeferred), it does so on our block,
//! and we pass on the program's own arguments. If the arguments have a copy function (C++ objects), libgomp calls ours with a block of its
//! own.
#![allow(unsafe_code)] // calls libgomp

use super::arguments::{LoopFunction, Nest, TaskFunction};
use super::call_data::Dependences;
use super::depend;
use super::instance::{Instance, PendingCall, Target, go_on_with, runtime};
use super::names::Entry;
use super::own_team::want_team;
use super::routines::{TEAM_SIZE, Taskgroup};
use super::task_record::{Copying, Creating, Record, Work, size_of_record, write_record};
use super::task_run::copy_arguments;
use super::task_trampoline::place;
use super::task_wait;
use super::work::Shape;
use ompt_core::dispatch::armed;
use ompt_core::event::{Event, EventSet, Span};
use ompt_core::graph::Deferral;
use ompt_core::iterations::Iterations;
use ompt_core::state::State;
use ompt_core::task::Task;
use ompt_core::task::flag::{FINAL, MERGEABLE, TASKWAIT, UNDEFERRED};
use ompt_core::thread::{Thread, here};
use ompt_core::tls;
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::AtomicUsize;
use system::arch::stack_pointer;
use system::warning;

/// Function, data, copy function, size, alignment, whether it may be queued, flags, dependences, priority, event handle.
pub(super) type NewTask = (TaskFunction, usize, usize, usize, usize, usize, usize, usize, usize, usize);
/// Function, data, copy function, size, alignment, flags, number of tasks, priority, first iteration, bound, step.
type NewLoop = (LoopFunction, usize, usize, usize, usize, usize, usize, usize, usize, usize, usize);

/// libgomp's flags (gcc's `gomp-constants.h`).
pub(super) mod flag {
    pub(super) const UNTIED: usize = 1;
    pub(super) const FINAL: usize = 1 << 1;
    pub(super) const MERGEABLE: usize = 1 << 2;
    pub(in super::super) const DEPEND: usize = 1 << 3;
    pub(in super::super) const PRIORITY: usize = 1 << 4;
    pub(super) const UP: usize = 1 << 8;
    pub(super) const GRAINSIZE: usize = 1 << 9;
    pub(super) const IF: usize = 1 << 10;
    pub(super) const NOGROUP: usize = 1 << 11;
    pub(super) const REDUCTION: usize = 1 << 12;
    pub(in super::super) const DETACH: usize = 1 << 13;
}

/// `GOMP_task`, if it requires more than [`task_fast`](super::task_fast) does. Older programs pass 7 to 9 arguments: flags say which of the
/// last three are present.
///
/// # Safety
/// The arguments are those of the program's call of the function, and nothing else makes that call.
#[allow(clippy::too_many_arguments)] // libgomp's
#[inline(never)]
pub(super) unsafe fn create<T: Target<Arguments = NewTask, Result = ()>>(
    this: T,
    function: usize,
    data: usize,
    copy: usize,
    size: usize,
    align: usize,
    may_wait: usize,
    flags: usize,
    depend: usize,
    priority: usize,
    detach: usize,
) {
    let instance = this.instance();
    let real = move |function, data, copy, size, align| {
        // This function leaves no frame, so arguments are passed on in the words that they came in. If there are fewer, the words of the
        // last three belong to the caller, so they stay unchanged.
        let arguments = (TaskFunction(function), data, copy, size, align, may_wait, flags, depend, priority, detach);
        // SAFETY: by this function's `# Safety` the program calls the entry; its function gets the same arguments, or the function,
        // arguments, copy function, size and alignment that `pass_on` replaces them by, which fit each other.
        unsafe { go_on_with(this, arguments) };
    };
    let Some(thread) = here() else { return real(function, data, copy, size, align) };
    // SAFETY: with `GOMP_TASK_FLAG_DEPEND` `depend` is the list of dependences that compiled code passes (libgomp's task.c).
    let dependences = (flags & flag::DEPEND != 0).then(|| unsafe { Dependences::at(depend) });
    let dependences = dependences.filter(|list| !list.is_empty());
    if let Some(list) = dependences.filter(|_| may_wait & 0xff == 0 || in_final(thread)) {
        task_wait::before_undeferred(instance, thread, list);
    }
    let creation = thread.tasks().begin_creation(stack_pointer());
    let task = thread.tasks().new_task();
    let told = creation.call().frame != 0;
    if told {
        task.set_flags(task_flags(in_final(thread), flags));
    }
    if flags & flag::DETACH != 0 {
        want_team(thread);
    }
    // A detachable task's event handle.
    let written = usize::from(flags & flag::DETACH != 0 && data != 0);
    let creating = Creating::new(Some(creation), data, written);
    let cancellation = cancellation(instance);
    let work =
        Work { function, data, copy, size, align, reductions: 0, told, dependences, cancellation, chunks_of: None };
    // SAFETY: `work` is made from the arguments of the program's call, by this function's `# Safety`.
    unsafe { pass_on(thread, &creating, work, &task, real) };
    if let Some(creation) = creating.take() {
        // A thread's current task is in a record, even while the creation's end is reported: see `function_of`.
        let record = Record { task, function, end: AtomicUsize::new(0), cancellation: 0 };
        // SAFETY: `end_creation` reports the task and keeps no reference to it; `record` lives until this function returns.
        let task = unsafe { &*ptr::from_ref(&record.task) };
        thread.tasks().end_creation(task, false, creation);
    } else {
        thread.current.leave_runtime(creation.call());
    }
}

/// `GOMP_taskwait_depend`: waits for the tasks that a task with these dependences would wait for. Tools that follow
/// dependences are notified of it as a task without a body.
#[inline(always)]
pub(super) fn dependences<'call, T: Target<Arguments = (Dependences<'call>,), Result = ()>>(call: PendingCall<'_, T>) {
    let (depend,) = call.arguments();
    let thread = here();
    let task = thread.map(|thread| thread.tasks().new_task());
    // SAFETY: `report_new`, `depend::report` and `end_taskwait` keep no reference to the task, which lives until this function
    // returns.
    let told = thread.zip(task.as_ref().map(|task| unsafe { &*ptr::from_ref(task) }));
    if let Some((thread, task)) = told {
        task.set_flags(TASKWAIT | UNDEFERRED | MERGEABLE);
        thread.current.enter_runtime(tls::call());
        thread.tasks().report_new(task, 0, !depend.is_empty());
        if depend::is_subscribed() {
            depend::report(thread, task, depend, Some(Deferral::Undeferred));
        }
    }
    task_wait::wait(Span::DEPEND_WAIT, State::WaitTaskwait, thread, || call.go_on());
    told.inspect(|(thread, task)| thread.tasks().end_taskwait(task));
}

/// Address of `GOMP_cancellation_point`, by which a task determines whether it is cancelled; 0 if tasks can't be.
fn cancellation(instance: impl Instance) -> usize {
    if !runtime(instance).cancels() {
        return 0;
    }
    runtime(instance).address(Entry::GOMP_cancellation_point as usize).map_or(0, |point| point.0 as usize)
}

/// Task flags (`ompt_task_flag_t`) of a new task, from the flags of the call. All tasks that a final task creates are
/// final.
#[inline(always)]
pub(super) fn task_flags(creator_is_final: bool, flags: usize) -> u32 {
    use ompt_core::task::flag as kind;
    let said = |bit: usize, kind: u32| if flags & bit != 0 { kind } else { 0 };
    let inherited = if creator_is_final { FINAL } else { 0 };
    kind::EXPLICIT
        | inherited
        | said(flag::UNTIED, kind::UNTIED)
        | said(flag::FINAL, FINAL)
        | said(flag::MERGEABLE, kind::MERGEABLE)
}

/// True if the current task is final.
pub(super) fn in_final(thread: &Thread) -> bool {
    thread.current.task().is_some_and(|creator| creator.flags() & FINAL != 0)
}

/// `GOMP_taskloop` and `GOMP_taskloop_ull`. A chunk's creation is reported when the chunk starts.
#[inline(always)]
pub(super) fn create_loop<T: Target<Arguments = NewLoop, Result = ()>>(call: PendingCall<'_, T>) {
    let Some(thread) = here() else { return call.go_on() };
    let (this, instance) = (call.target(), call.instance());
    let (LoopFunction(function), data, copy, size, align, flags, tasks, priority, start, end, step) = call.arguments();
    want_team(thread);
    let told = tls::call().frame != 0;
    // The group is around the construct (OpenMP 5.0, 2.10.2).
    let group = own_group(instance, flags);
    let mut reductions = 0;
    if flags & flag::REDUCTION != 0 {
        // SAFETY: with `GOMP_TASK_FLAG_REDUCTION` the data begin with the two bounds and the address of the reductions
        // (libgomp's taskloop.c).
        [_, _, reductions] = unsafe { *(data as *const [usize; 3]) };
    }
    if let Some(group) = &group {
        // SAFETY: `reductions` was read from the data if there are any; libgomp itself starts a group here unless `nogroup` is
        // given (taskloop.c).
        unsafe { begin_group(thread, group, (flags & flag::REDUCTION != 0).then_some(reductions)) };
    }
    let space = iterations(this, start, end, step, flags);
    thread.tasks().report_taskloop(Event::WorkBegin, || space.count());
    let flags = if group.is_some() { (flags | flag::NOGROUP) & !flag::REDUCTION } else { flags };
    let creation = thread.tasks().begin_unreported_creation(stack_pointer());
    // The bounds of a chunk.
    let creating = Creating::new(None, data, 2);
    let pass = |function, data, copy, size, align| {
        // SAFETY: libgomp gets the arguments of the program's call, with the function, arguments, copy function, size and alignment
        // replaced by `pass_on`, which fit each other; the flags omit the group that was started above.
        unsafe {
            go_on_with(
                this,
                (LoopFunction(function), data, copy, size, align, flags, tasks, priority, start, end, step),
            )
        };
    };
    let task = thread.tasks().child();
    task.set_flags(task_flags(in_final(thread), flags));
    let may_queue = || chunks(space.count(), flags, tasks) <= most_queued(instance);
    let told = told && flags & flag::IF != 0 && !in_final(thread) && may_queue();
    let chunks_of = armed(EventSet::of(&[Event::Dispatch])).then_some(&space);
    let cancellation = cancellation(instance);
    let work = Work { function, data, copy, size, align, reductions, told, dependences: None, cancellation, chunks_of };
    // SAFETY: `work` is made from the arguments of the program's call.
    unsafe { pass_on(thread, &creating, work, &task, pass) };
    tls::set_call(creation.call());
    thread.tasks().end_unreported_creation(creation);
    thread.tasks().report_taskloop(Event::WorkEnd, || space.count());
    if let Some(group) = group {
        let wait = thread.waits().begin(Span::TASK_WAIT, State::WaitTaskgroup, 0);
        // SAFETY: `end` is `GOMP_taskgroup_end`, for the group that `start` began above.
        unsafe { (group.end)() };
        thread.waits().end(wait);
        thread.raise(Event::TaskgroupEnd);
    }
}

/// Starts the group around a taskloop, with the address of its reductions if it has any.
///
/// # Safety
/// The calling thread, `thread`, encounters a taskloop that the group belongs to; `reductions` is from the loop's data.
#[inline(always)]
unsafe fn begin_group(thread: &'static Thread, group: &Taskgroup, reductions: Option<usize>) {
    thread.raise(Event::TaskgroupBegin);
    // SAFETY: `start` is `GOMP_taskgroup_start`; by this function's `# Safety` libgomp would call it here.
    unsafe { (group.start)() };
    if let Some(reductions) = reductions {
        // SAFETY: with reductions `register` is `GOMP_taskgroup_reduction_register`: a libgomp with that flag has it. The group
        // was started above.
        unsafe { (group.register)(reductions) };
    }
}

/// The iteration space of a taskloop.
fn iterations(this: impl Target, start: usize, end: usize, step: usize, flags: usize) -> Iterations {
    if this.entry() == Entry::GOMP_taskloop as usize {
        return Shape::Loop.iterations(&[start, end, step], Nest::NONE);
    }
    Shape::UllLoop.iterations(&[usize::from(flags & flag::UP != 0), start, end, step], Nest::NONE)
}

/// The largest number of chunks (libgomp's `taskloop.c`). `tasks` is the argument of the clause `grainsize` or `num_tasks`.
fn chunks(iterations: u64, flags: usize, tasks: usize) -> u64 {
    match tasks as u64 {
        0 => 0,
        grain if flags & flag::GRAINSIZE != 0 => iterations.div_ceil(grain),
        tasks => tasks.min(iterations),
    }
}

/// libgomp runs all chunks immediately if there are more than it would queue, and then keeps their arguments on the stack if they have a
/// copy function. In that case, and whenever a chunk runs immediately, its creation is reported when it starts.
fn most_queued(instance: impl Instance) -> u64 {
    64 * u64::from(runtime(instance).answer(TEAM_SIZE))
}

/// The taskgroup that libgomp starts around a taskloop.
fn own_group(instance: impl Instance, flags: usize) -> Option<Taskgroup> {
    if flags & flag::NOGROUP != 0 { None } else { runtime(instance).taskgroup() }
}

/// Room of a block on the stack, in words of arguments and record. It is small, because undeferred tasks nest on the stack.
const SMALL: usize = 24;

/// Calls libgomp with a trampoline, a block, a copy function, size and alignment that replace the program's.
///
/// # Safety
/// The work belongs to the program's call.
#[inline(always)]
unsafe fn pass_on(
    thread: &Thread,
    creating: &Creating,
    work: Work<'_>,
    task: &Task,
    call: impl Fn(usize, usize, usize, usize, usize),
) {
    let before = thread.current.creating();
    thread.current.set_creating(ptr::from_ref(creating) as usize);
    if work.copy == 0 && !work.told && work.size <= SMALL * 8 - size_of_record(work.chunks_of) {
        let mut block = [const { MaybeUninit::<u64>::uninit() }; SMALL];
        // SAFETY: by this function's `# Safety` the work belongs to the program's call; arguments and record fit `SMALL` words by the test
        // above.
        unsafe { call_with_block(block.as_mut_ptr().cast(), creating, work, task, call) };
    } else {
        // SAFETY: by this function's `# Safety` the work belongs to the program's call.
        unsafe { pass_on_slowly(creating, &work, task, call) };
    }
    thread.current.set_creating(before);
}

/// # Safety
/// As for [`pass_on`].
#[cold]
#[inline(never)]
unsafe fn pass_on_slowly(
    creating: &Creating,
    work: &Work<'_>,
    task: &Task,
    call: impl Fn(usize, usize, usize, usize, usize),
) {
    let Some((distance, trampoline)) = place(work.size) else {
        return call(work.function, work.data, work.copy, work.size, work.align);
    };
    let whole = distance + size_of_record(work.chunks_of);
    if work.copy != 0 || work.told {
        let words = [0, 0, work.reductions].map(Cell::new);
        let record = Record {
            task: task.clone(),
            function: work.function,
            end: AtomicUsize::new(0),
            cancellation: if work.copy == 0 { work.cancellation } else { 0 },
        };
        let Work { copy, size, told, dependences, chunks_of, .. } = *work;
        creating.original.set(copy == 0 && creating.is_of_one_task());
        let copying = Copying { words, creating, copy, size, distance, record, told, dependences, chunks_of };
        let align = work.align.max(align_of::<Record>());
        return call(trampoline, &raw const copying as usize, copy_arguments as *const () as usize, whole, align);
    }
    // SAFETY: `malloc` takes any size (malloc(3)); null is handled below.
    let block = unsafe { libc::malloc(whole) };
    if block.is_null() {
        warning::of_refused_memory();
        return call(work.function, work.data, work.copy, work.size, work.align);
    }
    // SAFETY: by this function's `# Safety` the work belongs to the program's call; `block` has `whole` bytes, for arguments and record.
    unsafe { call_with_block(block.cast(), creating, *work, task, call) };
    // SAFETY: `block` came from `malloc` above; libgomp has run the task on it, or made a copy of its own (libgomp's task.c,
    // `GOMP_task`).
    unsafe { libc::free(block) };
}

/// # Safety
/// As for [`pass_on`]; the block has room for arguments and record.
#[inline(always)]
unsafe fn call_with_block(
    block: *mut u8,
    creating: &Creating,
    work: Work<'_>,
    task: &Task,
    call: impl Fn(usize, usize, usize, usize, usize),
) {
    let Some((distance, trampoline)) = place(work.size) else { return };
    // SAFETY: by this function's `# Safety` `work.data` points to the program's `work.size` bytes, and the block, which is
    // ours, has room for them.
    unsafe { copy_words(work.data as *const u8, block, work.size) };
    let record = Record { task: task.clone(), function: work.function, end: AtomicUsize::new(0), cancellation: 0 };
    // SAFETY: by this function's `# Safety` the block has room after `distance`, which `place` rounds up; blocks and distances are
    // multiples of 8, the record's alignment.
    unsafe { write_record(block.wrapping_add(distance).cast(), record, work.chunks_of) };
    creating.block.set(block.cast());
    call(trampoline, block.addr(), 0, distance + size_of_record(work.chunks_of), work.align.max(align_of::<Record>()));
}

/// Copies arguments: usually a few words.
///
/// # Safety
/// As for `copy_nonoverlapping`.
#[inline(always)]
unsafe fn copy_words(from: *const u8, to: *mut u8, size: usize) {
    if size > 64 || !size.is_multiple_of(8) {
        // SAFETY: by this function's `# Safety` both have `size` bytes and do not overlap.
        return unsafe { from.copy_to_nonoverlapping(to, size) };
    }
    for i in 0..size / 8 {
        // SAFETY: by this function's `# Safety` `from` has `size` bytes, and word `i` lies within them.
        let word = unsafe { from.cast::<u64>().wrapping_add(i).read_unaligned() };
        // SAFETY: by this function's `# Safety` `to` has `size` bytes, and word `i` lies within them.
        unsafe { to.cast::<u64>().wrapping_add(i).write_unaligned(word) };
    }
}
