//! Functions that an embedding runtime calls, each on the thread of its event. Until a tool attaches they return immediately, so a runtime
//! can always call them.
#![allow(unsafe_code)] // exported functions, and pointers into the runtime's memory

use super::calling_thread::{use_runtime, watched};
use super::kinds::wait_of;
use super::types::{EmbedTask, Mark, Runtime};
use super::{records, regions};
use super::{start, tracking};
use ompt_core::dispatch::Token;
use ompt_core::event::{Event, Span};
use ompt_core::packed_state::PackedState;
use ompt_core::region::Region;
use ompt_core::task::Task;
use ompt_core::thread::here_as_worker;
use ompt_core::wait::Wait;
use std::ffi::{c_int, c_void};
use std::ptr;
use system::linker::Scope;

/// Announces a runtime, before all other calls. Returns 0, or -1 if the library has another version of this interface,
/// or another runtime was announced before: then nothing is reported. A process has one such runtime at most. Not
/// async-signal-safe.
///
/// - `runtime`: description of the runtime, which is copied.
///
/// # Safety
/// `runtime` is null (the result is -1), or points to a description that is readable during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ora_embed_start(runtime: *const Runtime) -> c_int {
    // SAFETY: null, or a `Runtime` that is readable during the call (by this function's `# Safety`).
    if !unsafe { runtime.as_ref() }.is_some_and(start) {
        return -1;
    }
    use_runtime();
    0
}

/// Makes the calling thread a worker of the runtime, which goes to its thread pool: BEGIN_IDLE. A worker calls nothing when its
/// thread ends: the library sees the end of each thread. It has to have left its last region by then (`ora_embed_member_pooled`).
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_embed_worker() {
    if tracking()
        && let Some(thread) = here_as_worker()
    {
        regions::note_idle_frame(thread);
        thread.team().join_pool();
    }
}

/// Begins a parallel region on the thread that encountered its construct: FORK. No other thread has started yet.
/// Returns the region's handle, or null if it is not reported; both are to be passed to the functions below.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_embed_parallel_begin() -> *const Region {
    regions::begin(0, 0, 0)
}

/// Begins a parallel region like `ora_embed_parallel_begin`, with more arguments for OMPT tools.
///
/// - `threads`: number of threads that the construct requests; 0: not known.
/// - `code`: return address of the program's call of the runtime: `__builtin_return_address(0)` in a function that is not inlined; null:
///   not known.
/// - `function`: function that members execute, of any type, cast to this one; null: not known.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_embed_parallel_begin_for(
    threads: c_int,
    code: *const c_void,
    function: Option<unsafe extern "C" fn()>,
) -> *const Region {
    regions::begin(u32::try_from(threads).unwrap_or(0), code.addr(), address(function))
}

/// Announces the calling thread as a member of the region's team, for OMPT tools. To be called before
/// `ora_embed_member_begin`. Without it members are numbered in the order in which they come, and the team's size is
/// not known.
///
/// - `region`: the region.
/// - `number`: number of the thread in the team, from 0 for the thread that encountered the construct.
/// - `size`: number of threads in the team.
///
/// # Safety
/// `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for`, and has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_member_number(region: *const Region, number: c_int, size: c_int) {
    // SAFETY: from `ora_embed_parallel_begin` (by this function's `# Safety`).
    let Some((thread, region)) = watched().zip(unsafe { region_at(region) }) else { return };
    if let (Ok(number), Ok(size)) = (u32::try_from(number), u32::try_from(size)) {
        region.set_size(size);
        thread.adapter.expect_number(number);
    }
}

/// Begins the region's body on the calling thread, a member of its team: END_IDLE on a worker.
///
/// - `region`: the region.
///
/// # Safety
/// `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for`, and has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_member_begin(region: *const Region) {
    // SAFETY: from `ora_embed_parallel_begin` (by this function's `# Safety`).
    let Some((thread, region)) = watched().zip(unsafe { region_at(region) }) else { return };
    regions::begin_body(thread, region);
}

/// Ends the region's body on the calling thread, which arrives at the region's last barrier: BEGIN_IBAR.
///
/// - `region`: the region.
///
/// # Safety
/// `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for`, and has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_member_end(region: *const Region) {
    // SAFETY: from `ora_embed_parallel_begin` (by this function's `# Safety`).
    if let Some((thread, _)) = watched().zip(unsafe { region_at(region) }) {
        thread.team().begin_last_barrier();
    }
}

/// Returns the calling worker to the thread pool, after it has passed the region's last barrier: END_IBAR, BEGIN_IDLE.
/// A runtime whose workers can't tell when they pass it calls `ora_embed_member_leave` instead.
///
/// - `region`: the region, which may have ended.
///
/// # Safety
/// `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_member_pooled(region: *const Region) {
    // SAFETY: from `ora_embed_parallel_begin` (by this function's `# Safety`).
    if let Some((thread, _)) = watched().zip(unsafe { region_at(region) }) {
        regions::note_idle_frame(thread);
        thread.team().return_to_pool();
    }
}

/// Marks the calling worker as leaving the body for the last barrier, if it is not known when it passes that.
/// END_IBAR and BEGIN_IDLE are deferred until it begins its next region; queries are answered correctly meanwhile.
///
/// - `region`: the region.
///
/// # Safety
/// `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for`, and has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_member_leave(region: *const Region) {
    // SAFETY: from `ora_embed_parallel_begin` (by this function's `# Safety`).
    if let Some((thread, _)) = watched().zip(unsafe { region_at(region) }) {
        regions::note_idle_frame(thread);
        thread.team().leave_body();
    }
}

/// Ends a parallel region on the thread that encountered its construct: END_IBAR, JOIN.
///
/// - `region`: the region, whose members all have arrived at the last barrier.
///
/// # Safety
/// `region` came from `ora_embed_parallel_begin` or `ora_embed_parallel_begin_for` on this thread, and all its members have
/// arrived at the last barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_parallel_end(region: *const Region) {
    // SAFETY: from `ora_embed_parallel_begin` (by this function's `# Safety`).
    if let Some((thread, region)) = watched().zip(unsafe { region_at(region) }) {
        thread.regions().end(region);
    }
}

/// Begins a wait of the calling thread. Only to be called if the thread really has to wait.
///
/// - `kind`: an `ora_embed_wait_kind`; other numbers are ignored.
/// - `wait_id`: identifier of what the thread waits for, the same for all threads that wait for it. For barriers it
///   should be another one each time. May be 0, which tools take for "not known".
/// - `mark`: memory for the record of the wait, in the stack frame that begins and ends it.
///
/// # Safety
/// `mark` lies in the stack frame that begins and ends the wait.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_wait_begin(kind: c_int, wait_id: u64, mark: *mut Mark) {
    let known = watched().zip(wait_of(kind));
    let wait = known.map(|(thread, (span, state))| thread.waits().begin_at(mark.addr(), span, state, wait_id));
    // SAFETY: `mark` lies in the runtime's stack frame: a writable, aligned `Mark` (by this function's `# Safety`).
    unsafe { mark.write(Mark { inside: wait.map_or([0; 6], Wait::into_words) }) };
}

/// Ends a wait of the calling thread.
///
/// - `mark`: record of the wait.
///
/// # Safety
/// `mark` was written by `ora_embed_wait_begin` on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_wait_end(mark: *const Mark) {
    // SAFETY: `ora_embed_wait_begin` has written `mark` (by this function's `# Safety`).
    let words = unsafe { mark.read() }.inside;
    if let Some((thread, wait)) = watched().zip(Wait::from_words(words)) {
        thread.waits().end(wait);
    }
}

/// Begins a stretch of the calling thread's time that is not a wait.
///
/// - `kind`: an `ora_embed_stretch_kind`; other numbers are ignored.
/// - `mark`: memory for the record of the stretch, in the stack frame that begins and ends it.
///
/// # Safety
/// `mark` is writable and aligned.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_stretch_begin(kind: c_int, mark: *mut Mark) {
    // SAFETY: `mark` is a writable, aligned `Mark` (by this function's `# Safety`).
    unsafe { mark.write(records::begin_stretch(kind)) };
}

/// Ends a stretch of the calling thread's time.
///
/// - `mark`: record of the stretch.
///
/// # Safety
/// `mark` was written by `ora_embed_stretch_begin` on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_stretch_end(mark: *const Mark) {
    // SAFETY: `ora_embed_stretch_begin` has written `mark` (by this function's `# Safety`).
    records::end_stretch(unsafe { mark.read() });
}

/// Begins the creation of a task on the calling thread, and assigns the task's id: BEGIN_CREATE_TASK.
///
/// - `task`: memory for the record of the new task.
/// - `mark`: memory for the record of the creation, in the stack frame that begins and ends it.
///
/// # Safety
/// `task` and `mark` are writable and aligned.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_create_begin(task: *mut EmbedTask, mark: *mut Mark) {
    // SAFETY: `task` and `mark` are memory for an `EmbedTask` and a `Mark` (by this function's `# Safety`).
    unsafe { ora_embed_task_create_begin_for(task, mark, ptr::null(), None) };
}

/// Begins the creation of a task like `ora_embed_task_create_begin`, with more arguments for OMPT tools.
///
/// - `task`: memory for the record of the new task.
/// - `mark`: memory for the record of the creation, in the stack frame that begins and ends it.
/// - `code`: return address of the program's call of the runtime: `__builtin_return_address(0)` in a function that is not inlined; null:
///   not known.
/// - `function`: function that the task executes, of any type, cast to this one; null: not known.
///
/// # Safety
/// `task` and `mark` are writable and aligned.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_create_begin_for(
    task: *mut EmbedTask,
    mark: *mut Mark,
    code: *const c_void,
    function: Option<unsafe extern "C" fn()>,
) {
    // SAFETY: `task` is a writable, aligned `EmbedTask` (by this function's `# Safety`).
    unsafe { task.write(EmbedTask::default()) };
    // SAFETY: a task that has not ended: it was created just now.
    let task = unsafe { task_at(task) };
    // SAFETY: `mark` is a writable, aligned `Mark` (by this function's `# Safety`).
    unsafe { mark.write(records::begin_creation(task, mark.addr(), address(function), code.addr())) };
}

/// Ends the creation of a task: END_CREATE_TASK_IMM or END_CREATE_TASK_DEL.
///
/// - `task`: record of the task.
/// - `immediate`: not 0 if the task is executed immediately (IMM), 0 if it is queued (DEL).
/// - `mark`: record of the creation.
///
/// # Safety
/// Both were written by `ora_embed_task_create_begin` or `ora_embed_task_create_begin_for` on this thread, and the task has
/// not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_create_end(task: *const EmbedTask, immediate: c_int, mark: *const Mark) {
    // SAFETY: `ora_embed_task_create_begin` has written `mark` (by this function's `# Safety`).
    let mark = unsafe { mark.read() };
    // SAFETY: null or a task that has not ended (by this function's `# Safety`).
    if let Some(task) = unsafe { task_at(task) } {
        records::end_creation(task, immediate != 0, mark);
    }
}

/// Begins the execution of a task on the calling thread: BEGIN_EXEC_TASK. For an implicit or initial task, whose
/// creation is not reported, `ora_embed_task_implicit` is to be called instead.
///
/// - `task`: record of the task.
/// - `mark`: memory for the record of the execution, to be passed to the functions that end it.
///
/// # Safety
/// `task` was created, and `mark` is writable and aligned.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_begin(task: *const EmbedTask, mark: *mut Mark) {
    // SAFETY: null or a task that has not ended (by this function's `# Safety`).
    let task = unsafe { task_at(task) };
    // SAFETY: `mark` is a writable, aligned `Mark` (by this function's `# Safety`).
    unsafe { mark.write(records::begin_task(task)) };
}

/// Ends the body of the task that the calling thread executes: BEGIN_FINISH_TASK.
///
/// - `mark`: record of the execution.
///
/// # Safety
/// `mark` was written by `ora_embed_task_begin` on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_end(mark: *mut Mark) {
    // SAFETY: `ora_embed_task_begin` has written `mark` on this thread (by this function's `# Safety`), on whose stack it is (`Mark`): no
    // other thread uses it.
    records::end_task(unsafe { &mut *mark });
}

/// Ends the task that the calling thread executes: END_FINISH_TASK. The task before it is current again.
///
/// - `mark`: record of the execution.
///
/// # Safety
/// `mark` was written by `ora_embed_task_begin` and `ora_embed_task_end` on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_gone(mark: *const Mark) {
    // SAFETY: `ora_embed_task_begin` has written `mark` (by this function's `# Safety`).
    let [begun, before, now, token, notified, _] = unsafe { mark.read() }.inside;
    if let Some(thread) = watched().filter(|_| begun != 0) {
        let [token, notified] = [token, notified].map(Token::from_bits);
        thread.end(Span::TASK_FINISH, token);
        // SAFETY: `ora_embed_task_begin` stored the task that was current: null, or a task that still exists.
        thread.tasks().leave(unsafe { task_at(before as *const EmbedTask) }, PackedState::from_bits(now), notified);
    }
}

/// Begins an implicit or initial task on the calling thread, and assigns the task's id. To be called with a null `task`
/// before the memory of that task's record ends.
///
/// - `task`: memory for the record of the task; null: no task.
/// - `parent`: record of the task's parent; null: none.
///
/// # Safety
/// `task` is null, or writable and aligned, and `parent` is null or a task.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_implicit(task: *mut EmbedTask, parent: *const EmbedTask) {
    if !task.is_null() {
        // SAFETY: not null, so a writable, aligned `EmbedTask` (by this function's `# Safety`).
        unsafe { task.write(EmbedTask::default()) };
    }
    // SAFETY: null or a task that has not ended (by this function's `# Safety`).
    let task = unsafe { task_at(task) };
    // SAFETY: null or a task that has not ended (by this function's `# Safety`).
    records::begin_implicit_task(task, unsafe { task_at(parent) });
}

/// Makes `task` the calling thread's current one again: the implicit task around a nested region, when that is over.
///
/// - `task`: record of the task; null: no task.
///
/// # Safety
/// `task` is null or a task that has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_resume(task: *const EmbedTask) {
    // SAFETY: null or a task that has not ended (by this function's `# Safety`).
    records::resume_task(unsafe { task_at(task) });
}

/// Reports that the calling thread has taken a task from a queue: FETCHED_TASK.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_embed_task_fetched() {
    watched().inspect(|thread| thread.raise(Event::TaskFetched));
}

/// The description that a runtime exports, if it is loaded.
pub(super) fn exported_description() -> Option<&'static Runtime> {
    let about = Scope::Default.symbol(c"ora_embed_about")?;
    // SAFETY: not null; the name is reserved for a constant of this type (`ora_embed.h`), in a loaded object.
    unsafe { about.cast::<Runtime>().as_ref() }
}

/// The region of a handle, which the runtime passes back unchanged.
///
/// # Safety
/// The handle is null, or came from `ora_embed_parallel_begin`.
unsafe fn region_at(region: *const Region) -> Option<&'static Region> {
    // SAFETY: null, or made from a `&'static Region` by `ora_embed_parallel_begin` (by this function's `# Safety`).
    unsafe { region.as_ref() }
}

/// The task of a record, which stays at its address as long as it is the current one of any thread.
///
/// # Safety
/// The address is null, or that of an `EmbedTask` that the runtime keeps as long as it is a current task (its documentation).
unsafe fn task_at(task: *const EmbedTask) -> Option<&'static Task> {
    // SAFETY: null, or such an `EmbedTask` (by this function's `# Safety`). A `Task` has
    // the same size and alignment (asserted in `types`), is made of atomics, and all zeros is one (`Zeroed`).
    unsafe { task.cast::<Task>().as_ref() }
}

/// The address of a function; 0: none.
fn address(function: Option<unsafe extern "C" fn()>) -> usize {
    function.map_or(0, |function| function as usize)
}
