//! Functions that an embedding runtime calls, each on the thread that it concerns. They return at once until a tool attaches; a
//! runtime calls them in any case.
#![allow(unsafe_code)] // exported functions, and pointers into the runtime's memory

use super::calling_thread::{call, use_runtime, watched};
use super::kinds::{stretch_of, wait_of};
use super::types::{EmbedTask, Mark, Runtime};
use super::{start, tracking};
use ompt_core::dispatch::Token;
use ompt_core::event::{Event, Span};
use ompt_core::explicit_task::Creation;
use ompt_core::host;
use ompt_core::now::Now;
use ompt_core::region::{Encounter, Form, Region};
use ompt_core::state::State;
use ompt_core::task::{Task, flag};
use ompt_core::thread::{Thread, here_as_worker};
use ompt_core::tls::{self, Call};
use ompt_core::wait::Wait;
use std::ffi::{c_int, c_void};
use std::ptr;

/// Announces the runtime. Called once, before all other functions. Returns 0, or -1 if the library has another version of this
/// interface or another runtime came first: then nothing is reported.
///
/// # Safety
/// `runtime` points to the runtime's description; it is copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ora_embed_start(runtime: *const Runtime) -> c_int {
    // SAFETY: null, or a `Runtime` that is readable during the call (by this function's `# Safety`).
    if !unsafe { runtime.as_ref() }.is_some_and(start) {
        return -1;
    }
    use_runtime();
    0
}

/// BEGIN_IDLE: the calling thread is a worker of the runtime, and goes to its pool.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_embed_worker() {
    if tracking()
        && let Some(thread) = here_as_worker()
    {
        note_idle_frame(thread);
        thread.join_pool();
    }
}

/// FORK: the calling thread has met a parallel construct. No other thread of the team has started yet. Returns a handle of the
/// region, or null if the region goes unreported; both are passed on to the functions below.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_embed_parallel_begin() -> *const Region {
    begin_parallel(0, 0, 0)
}

/// FORK, with details for tools of OMPT: as `ora_embed_parallel_begin`, with the number of threads that the construct requests,
/// the address in the program to which its call of the runtime returns, and the function that members execute. 0 and null: not
/// known.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_embed_parallel_begin_for(
    threads: c_int,
    code: *const c_void,
    function: *const c_void,
) -> *const Region {
    begin_parallel(u32::try_from(threads).unwrap_or(0), code.addr(), function.addr())
}

fn begin_parallel(requested: u32, return_address: usize, function: usize) -> *const Region {
    let region = watched().and_then(|thread| {
        let ompt = host::tells_calls();
        let call = if ompt { Call { return_address, ..call() } } else { Call::default() };
        tls::set_call(call);
        let region = thread.new_region(Form::Pair, Encounter { call, function, requested })?;
        thread.begin_region(region);
        if ompt {
            thread.start_implicit_task(region);
        }
        Some(region)
    });
    region.map_or(ptr::null(), ptr::from_ref)
}

/// Announces that the calling thread will be a member of the region's team. `number`: its number in the team, 0 for the thread
/// that has met the construct; `size`: the number of members. To be called before `ora_embed_member_begin`, for tools of OMPT:
/// without it members are numbered in the order of their begins, and the team's size is not known.
///
/// # Safety
/// As `ora_embed_member_begin`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_member_number(region: *const Region, number: c_int, size: c_int) {
    let Some((thread, region)) = watched().zip(region_at(region)) else { return };
    if let (Ok(number), Ok(size)) = (u32::try_from(number), u32::try_from(size)) {
        region.set_size(size);
        thread.expect_number(number);
    }
}

/// END_IDLE on a worker: the calling thread, a member of the region's team, begins to execute the region's body.
///
/// # Safety
/// `region` came from `ora_embed_parallel_begin`, and has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_member_begin(region: *const Region) {
    let Some((thread, region)) = watched().zip(region_at(region)) else { return };
    if !region.is_primary(thread) {
        thread.enter_as_worker(region, usize::MAX);
    }
    let mut frame = 0;
    if region.is_told() {
        frame = call().frame;
        let number = thread.expected_number().unwrap_or_else(|| region.next_number(thread));
        thread.take_place(region, number, region.size(), frame);
    }
    thread.start_work(frame);
}

/// BEGIN_IBAR: the calling thread has executed the region's body, and arrives at the region's last barrier.
///
/// # Safety
/// As `ora_embed_member_begin`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_member_end(region: *const Region) {
    if let Some((thread, _)) = watched().zip(region_at(region)) {
        thread.begin_last_barrier();
    }
}

/// END_IBAR, BEGIN_IDLE: the calling worker has passed the region's last barrier and is in the pool. A runtime whose workers do
/// not know when they pass it calls `ora_embed_member_leave` instead.
///
/// # Safety
/// As `ora_embed_member_begin`, but the region may have ended.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_member_pooled(region: *const Region) {
    if let Some((thread, _)) = watched().zip(region_at(region)) {
        note_idle_frame(thread);
        thread.return_to_pool();
    }
}

/// The calling worker leaves the body for the last barrier without knowing when it will have passed it. END_IBAR and BEGIN_IDLE
/// come when it begins its next region; state queries are exact in between.
///
/// # Safety
/// As `ora_embed_member_begin`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_member_leave(region: *const Region) {
    if let Some((thread, _)) = watched().zip(region_at(region)) {
        note_idle_frame(thread);
        thread.leave_body();
    }
}

/// END_IBAR, JOIN: the region is over, on the thread that met its construct.
///
/// # Safety
/// `region` came from `ora_embed_parallel_begin` on this thread, and all its members have arrived at the last barrier.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_parallel_end(region: *const Region) {
    if let Some((thread, region)) = watched().zip(region_at(region)) {
        thread.end_region(region);
    }
}

/// Begins a wait of the calling thread, for something that it can't have at once. `kind`: an `ora_embed_wait_kind`; `wait_id`
/// identifies what it waits for, and is the same for all threads that wait for it; each instance of a barrier should have its
/// own.
///
/// # Safety
/// `mark` lies in the stack frame that begins and ends the wait.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_wait_begin(kind: c_int, wait_id: u64, mark: *mut Mark) {
    let known = watched().zip(wait_of(kind));
    let wait = known.map(|(thread, (span, state))| thread.begin_wait_at(mark.addr(), span, state, wait_id));
    // SAFETY: `mark` lies in the runtime's stack frame: a writable, aligned `Mark` (by this function's `# Safety`).
    unsafe { mark.write(Mark { inside: wait.map_or([0; 6], Wait::into_words) }) };
}

/// Ends the wait of `mark`.
///
/// # Safety
/// `mark` was written by `ora_embed_wait_begin` on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_wait_end(mark: *const Mark) {
    // SAFETY: `ora_embed_wait_begin` has written `mark` (by this function's `# Safety`).
    let words = unsafe { mark.read() }.inside;
    if let Some((thread, wait)) = watched().zip(Wait::from_words(words)) {
        thread.end_wait(wait);
    }
}

/// Begins a stretch of the calling thread's time. `kind`: an `ora_embed_stretch_kind`.
///
/// # Safety
/// `mark` points to memory for a mark.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_stretch_begin(kind: c_int, mark: *mut Mark) {
    let mut inside = [0; 6];
    if let Some((thread, (span, state))) = watched().zip(stretch_of(kind)) {
        let before = state.map(|state| thread.switch_to(state));
        let token = span.map_or(Token::NONE, |span| thread.begin(span));
        inside = [1, kind.cast_unsigned().into(), token.bits(), before.map_or(0, Now::bits), 0, 0];
    }
    // SAFETY: `mark` is a writable, aligned `Mark` (by this function's `# Safety`).
    unsafe { mark.write(Mark { inside }) };
}

/// Ends the stretch of `mark`.
///
/// # Safety
/// `mark` was written by `ora_embed_stretch_begin` on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_stretch_end(mark: *const Mark) {
    // SAFETY: `ora_embed_stretch_begin` has written `mark` (by this function's `# Safety`).
    let [begun, kind, token, before, ..] = unsafe { mark.read() }.inside;
    let kind = c_int::try_from(kind).ok().filter(|_| begun != 0);
    if let Some((thread, (span, state))) = watched().zip(kind.and_then(stretch_of)) {
        if let Some(span) = span {
            thread.end(span, Token::from_bits(token));
        }
        if state.is_some() {
            thread.resume(Now::from_bits(before));
        }
    }
}

/// BEGIN_CREATE_TASK: the calling thread begins to create `task`, which gets its id.
///
/// # Safety
/// `task` and `mark` point to memory for them.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_create_begin(task: *mut EmbedTask, mark: *mut Mark) {
    // SAFETY: `task` and `mark` are places for an `EmbedTask` and a `Mark` (by this function's `# Safety`).
    unsafe { ora_embed_task_create_begin_for(task, mark, ptr::null(), ptr::null()) };
}

/// BEGIN_CREATE_TASK, with details for tools of OMPT: as `ora_embed_task_create_begin`, with the address in the program to
/// which its call of the runtime returns, and the task's function. Null: not known.
///
/// # Safety
/// As `ora_embed_task_create_begin`.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_create_begin_for(
    task: *mut EmbedTask,
    mark: *mut Mark,
    code: *const c_void,
    function: *const c_void,
) {
    // SAFETY: `task` is a writable, aligned `EmbedTask` (by this function's `# Safety`).
    unsafe { task.write(EmbedTask::default()) };
    let creation = watched().map(|thread| {
        if let Some(task) = task_at(task) {
            task.set_flags(flag::EXPLICIT);
            thread.name_task(task);
        }
        thread.begin_creation(mark.addr())
    });
    let mut inside = creation.map_or([0; 6], Creation::into_words);
    let [.., its_function, its_code] = &mut inside;
    (*its_function, *its_code) = (function.addr() as u64, code.addr() as u64);
    // SAFETY: `mark` is a writable, aligned `Mark` (by this function's `# Safety`).
    unsafe { mark.write(Mark { inside }) };
}

/// END_CREATE_TASK_IMM if the task runs at once (`immediate` is not 0), else END_CREATE_TASK_DEL: the creation of `task` is
/// complete.
///
/// # Safety
/// Both were written by `ora_embed_task_create_begin` on this thread, and the task has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_create_end(task: *const EmbedTask, immediate: c_int, mark: *const Mark) {
    // SAFETY: `ora_embed_task_create_begin` has written `mark` (by this function's `# Safety`).
    let words = unsafe { mark.read() }.inside;
    if let Some(((thread, creation), task)) = watched().zip(Creation::from_words(words)).zip(task_at(task)) {
        if immediate != 0 {
            task.set_flags(flag::EXPLICIT | flag::UNDEFERRED);
        }
        #[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
        let [.., function, code] = words.map(|word| word as usize);
        if host::tells_calls() {
            tls::set_call(Call { return_address: code, ..call() });
        }
        thread.tell_task(task, function, false);
        thread.end_creation(task, immediate != 0, creation);
    }
}

/// BEGIN_EXEC_TASK: the calling thread begins to execute `task`. For an implicit or initial task, whose creation is not
/// reported, call `ora_embed_task_implicit` instead.
///
/// # Safety
/// `task` was created; `mark` points to memory for a mark, and is passed to the functions that end the task.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_begin(task: *const EmbedTask, mark: *mut Mark) {
    let mut inside = [0; 6];
    if let Some((thread, task)) = watched().zip(task_at(task)) {
        let (before, now, heard) = thread.enter_task(task, tls::call().frame);
        let before = before.map_or(ptr::null(), ptr::from_ref);
        inside = [1, before.addr() as u64, now.bits(), 0, heard.bits(), 0];
        thread.raise(Event::TaskBegin);
    }
    // SAFETY: `mark` is a writable, aligned `Mark` (by this function's `# Safety`).
    unsafe { mark.write(Mark { inside }) };
}

/// BEGIN_FINISH_TASK: the body of the task of `mark` has been executed.
///
/// # Safety
/// `mark` was written by `ora_embed_task_begin` on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_end(mark: *mut Mark) {
    // SAFETY: `ora_embed_task_begin` has written `mark` on this thread (by this function's `# Safety`), on whose stack it lies
    // (`Mark`): no other thread uses it.
    let mark = unsafe { &mut *mark };
    if let Some(thread) = watched().filter(|_| mark.inside[0] != 0) {
        thread.switch_to(State::TaskFinish);
        mark.inside[3] = thread.begin(Span::TASK_FINISH).bits();
    }
}

/// END_FINISH_TASK: the task of `mark` is complete. The task before it is current again.
///
/// # Safety
/// `mark` was written by `ora_embed_task_begin` and `ora_embed_task_end` on this thread.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_gone(mark: *const Mark) {
    // SAFETY: `ora_embed_task_begin` has written `mark` (by this function's `# Safety`).
    let [begun, before, now, token, heard, _] = unsafe { mark.read() }.inside;
    if let Some(thread) = watched().filter(|_| begun != 0) {
        let [token, heard] = [token, heard].map(Token::from_bits);
        thread.end(Span::TASK_FINISH, token);
        thread.leave_task(task_at(before as *const EmbedTask), Now::from_bits(now), heard);
    }
}

/// The calling thread begins to execute an implicit or initial task, which gets its id. Its parent is `parent`, which may be
/// null. To be called with a null `task` before the task's memory is freed.
///
/// # Safety
/// `task` is null or points to memory for a task; `parent` is null or a task.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_implicit(task: *mut EmbedTask, parent: *const EmbedTask) {
    if !task.is_null() {
        // SAFETY: not null, so a writable, aligned `EmbedTask` (by this function's `# Safety`).
        unsafe { task.write(EmbedTask::default()) };
    }
    if let Some(thread) = watched() {
        let task = task_at(task).inspect(|task| task.set_flags(flag::IMPLICIT));
        if host::tells_calls() {
            // Tools of OMPT know implicit tasks by their regions.
            thread.resume_implicit_task();
            return;
        }
        thread.switch_task(task_at(parent));
        task.inspect(|task| thread.name_task(task));
        thread.switch_task(task);
    }
}

/// `task` is the calling thread's current task again: the implicit task around a nested region that has ended.
///
/// # Safety
/// `task` is null or a task that has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn ora_embed_task_resume(task: *const EmbedTask) {
    let Some(thread) = watched() else { return };
    let task = task_at(task);
    if host::tells_calls() && task.is_none_or(|task| task.flags() & flag::EXPLICIT == 0) {
        thread.resume_implicit_task();
    } else {
        thread.switch_task(task);
    }
}

/// FETCHED_TASK: the calling thread has taken a task from a queue.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn ora_embed_task_fetched() {
    watched().inspect(|thread| thread.raise(Event::TaskFetched));
}

/// Records the frame that calls us, in which the worker waits for its next region.
fn note_idle_frame(thread: &'static Thread) {
    if host::tells_calls() {
        thread.set_idle_frame(call().frame);
    }
}

/// The region of a handle that the runtime passes back.
fn region_at(region: *const Region) -> Option<&'static Region> {
    // SAFETY: null, or made of a `&'static Region` by `ora_embed_parallel_begin` (`# Safety` of the functions that get it).
    unsafe { region.as_ref() }
}

/// The task at an address that the runtime passes back. A task stays at its address while it is a current task.
fn task_at(task: *const EmbedTask) -> Option<&'static Task> {
    // SAFETY: null, or an `EmbedTask` that the runtime keeps as long as it is a current task (its documentation). A `Task` has
    // the same size and alignment (asserted in `types`), is made of atomics, and all zeros is one (`Zeroed`).
    unsafe { task.cast::<Task>().as_ref() }
}
