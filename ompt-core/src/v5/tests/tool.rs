//! The tool, and its records.

use crate::runtime_info::RuntimeInfo;
use crate::v5::types::*;
use crate::v5::{LateStart, session, start_late};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::thread::{self, ThreadId};

/// The tool, and the lines that it has recorded.
pub(super) struct Tool;

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
static REGISTRATIONS: Mutex<Vec<ompt_callbacks_t>> = Mutex::new(Vec::new());
static ANSWERS: Mutex<BTreeMap<u32, ompt_set_result_t>> = Mutex::new(BTreeMap::new());
static STAYS: AtomicBool = AtomicBool::new(true);
/// True if its `initialize` requests the tool's end.
static GOES: AtomicBool = AtomicBool::new(false);
static NAMES: AtomicU32 = AtomicU32::new(0);
/// The threads of the test that runs alone. Threads of other tests also have events.
static THREADS: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());

/// The result that a tool has to return.
fn result() -> *mut ompt_start_tool_result_t {
    Box::leak(Box::new(ompt_start_tool_result_t {
        initialize: Some(initialize),
        finalize: Some(finalize),
        tool_data: ompt_data_t { value: 77 },
    }))
}

/// The tool's `ompt_start_tool`.
extern "C-unwind" fn start_tool(_: c_uint, _: *const c_char) -> *mut ompt_start_tool_result_t {
    result()
}

impl Tool {
    pub(super) fn forget() {
        SEEN.lock().unwrap().clear();
        THREADS.lock().unwrap().clear();
        ANSWERS.lock().unwrap().clear();
        STAYS.store(true, Relaxed);
        GOES.store(false, Relaxed);
        NAMES.store(0, Relaxed);
    }

    /// Records events of the calling thread from now on.
    pub(super) fn knows_this_thread() {
        THREADS.lock().unwrap().push(thread::current().id());
    }

    /// Starts the tool, which registers callbacks for these events. True if it is attached then.
    pub(super) fn starts(registered: &[ompt_callbacks_t]) -> bool {
        *REGISTRATIONS.lock().unwrap() = registered.to_vec();
        // SAFETY: what a tool has to return; it is never freed.
        unsafe { session::attach(result(), Some(crate::v5::entry_points::lookup)) }
    }

    /// Starts the tool while the program runs. It registers for all events.
    pub(super) fn starts_late() -> LateStart {
        *REGISTRATIONS.lock().unwrap() = ompt_callbacks_t::ALL.to_vec();
        start_late(&RuntimeInfo { runtime: c"of a test", openmp: 202_111 }, start_tool as *const c_void)
    }

    /// Starts the tool, which registers for all events.
    pub(super) fn starts_for_all() {
        assert!(Self::starts(&ompt_callbacks_t::ALL));
    }

    /// Starts the tool, which declines.
    pub(super) fn declines() {
        STAYS.store(false, Relaxed);
        assert!(!Self::starts(&ompt_callbacks_t::ALL));
    }

    /// Starts the tool, which requests its end in its `initialize`.
    pub(super) fn goes(going: Going) {
        GOES.store(true, Relaxed);
        STAYS.store(going == Going::AndStays, Relaxed);
        assert!(!Self::starts(&ompt_callbacks_t::ALL));
    }

    /// Adds a line of the test itself to the records.
    pub(super) fn says(words: &str) {
        say(words.to_owned());
    }

    pub(super) fn seen(words: &str) -> bool {
        SEEN.lock().unwrap().iter().any(|line| line == words)
    }

    /// The lines recorded since the last call.
    pub(super) fn saw() -> Vec<String> {
        std::mem::take(&mut SEEN.lock().unwrap())
    }

    /// The answer to the registration of this event.
    pub(super) fn answer(event: ompt_callbacks_t) -> ompt_set_result_t {
        ANSWERS.lock().unwrap()[&(event as u32)]
    }
}

/// The answer of an `initialize` that has requested the tool's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Going {
    AndStays,
    AndDeclines,
}

pub(super) fn finalize_tool() {
    let finalize: ompt_finalize_tool_t = entry(c"ompt_finalize_tool");
    // SAFETY: takes nothing.
    unsafe { finalize.unwrap()() };
}

/// An entry point, by its name and with its signature.
pub(super) fn entry<F: Copy>(name: &CStr) -> F {
    // SAFETY: a C string.
    let found = unsafe { crate::v5::entry_points::lookup(name.as_ptr()) };
    assert!(found.is_some(), "{name:?}");
    // SAFETY: the test names the signature of that entry point.
    unsafe { std::mem::transmute_copy(&found) }
}

pub(super) fn set(event: ompt_callbacks_t, callback: ompt_callback_t) -> ompt_set_result_t {
    let set: ompt_set_callback_t = entry(c"ompt_set_callback");
    // SAFETY: the callback is the one below for that event, or null.
    unsafe { set.unwrap()(event, callback) }
}

unsafe extern "C-unwind" fn initialize(lookup: ompt_function_lookup_t, device: c_int, data: *mut ompt_data_t) -> c_int {
    assert!(lookup.is_some() && device == 0);
    say(format!("initialize {}", value(data)));
    for event in REGISTRATIONS.lock().unwrap().iter() {
        let answer = set(*event, callback(*event));
        ANSWERS.lock().unwrap().insert(*event as u32, answer);
    }
    if GOES.load(Relaxed) {
        finalize_tool();
    }
    c_int::from(STAYS.load(Relaxed))
}

unsafe extern "C-unwind" fn finalize(data: *mut ompt_data_t) {
    say(format!("finalize {}", value(data)));
}

/// True if the tool records events of the calling thread.
fn is_known() -> bool {
    THREADS.lock().unwrap().contains(&thread::current().id())
}

fn say(words: String) {
    if is_known() {
        SEEN.lock().unwrap().push(words);
    }
}

/// The value of a data word that the tool has just got.
fn value(word: *const ompt_data_t) -> u64 {
    // SAFETY: it exists as long as the object that it belongs to.
    unsafe { word.cast::<u64>().read() }
}

/// The word's name; a new one if the word is empty.
fn name(word: *mut ompt_data_t) -> String {
    if word.is_null() || !is_known() {
        return "-".to_owned();
    }
    if value(word) == 0 {
        // SAFETY: the word was just passed to the tool.
        unsafe { word.cast::<u64>().write(u64::from(NAMES.fetch_add(1, Relaxed) + 1)) };
    }
    format!("#{}", value(word))
}

/// The tool's callback for the event, without its signature.
pub(super) fn callback(event: ompt_callbacks_t) -> ompt_callback_t {
    use ompt_callbacks_t::*;
    macro_rules! plain {
        ($function:expr, $signature:ty) => {{
            let function: $signature = Some($function);
            // SAFETY: it is called with this signature again.
            unsafe { transmute::<$signature, ompt_callback_t>(function) }
        }};
    }
    match event {
        ompt_callback_thread_begin => plain!(thread_begin, ompt_callback_thread_begin_t),
        ompt_callback_thread_end => plain!(thread_end, ompt_callback_thread_end_t),
        ompt_callback_parallel_begin => plain!(parallel_begin, ompt_callback_parallel_begin_t),
        ompt_callback_parallel_end => plain!(parallel_end, ompt_callback_parallel_end_t),
        ompt_callback_implicit_task => plain!(implicit_task, ompt_callback_implicit_task_t),
        ompt_callback_task_create => plain!(task_create, ompt_callback_task_create_t),
        ompt_callback_task_schedule => plain!(task_schedule, ompt_callback_task_schedule_t),
        ompt_callback_dependences => plain!(dependences, ompt_callback_dependences_t),
        ompt_callback_task_dependence => plain!(task_dependence, ompt_callback_task_dependence_t),
        ompt_callback_work => plain!(work, ompt_callback_work_t),
        ompt_callback_dispatch => plain!(dispatch, ompt_callback_dispatch_t),
        ompt_callback_masked => plain!(masked, ompt_callback_masked_t),
        ompt_callback_sync_region => plain!(sync_region, ompt_callback_sync_region_t),
        ompt_callback_sync_region_wait => plain!(sync_region_wait, ompt_callback_sync_region_t),
        ompt_callback_mutex_acquire => plain!(mutex_acquire, ompt_callback_mutex_acquire_t),
        ompt_callback_lock_init => plain!(lock_init, ompt_callback_mutex_acquire_t),
        ompt_callback_mutex_acquired => plain!(mutex_acquired, ompt_callback_mutex_t),
        ompt_callback_mutex_released => plain!(mutex_released, ompt_callback_mutex_t),
        ompt_callback_lock_destroy => plain!(lock_destroy, ompt_callback_mutex_t),
        ompt_callback_nest_lock => plain!(nest_lock, ompt_callback_nest_lock_t),
        ompt_callback_cancel => plain!(cancel, ompt_callback_cancel_t),
        ompt_callback_control_tool => plain!(control_tool, ompt_callback_control_tool_t),
        _ => Some(never),
    }
}

unsafe extern "C-unwind" fn never() {
    say("a callback that is never called".to_owned());
}

type Word = *mut ompt_data_t;
type End = ompt_scope_endpoint_t;
type Code = *const c_void;

fn end(end: End) -> &'static str {
    match end {
        End::ompt_scope_begin => "begin",
        End::ompt_scope_end => "end",
        End::ompt_scope_beginend => "both",
    }
}

unsafe extern "C-unwind" fn thread_begin(kind: ompt_thread_t, thread: Word) {
    say(format!("thread_begin {} {}", kind as u32, name(thread)));
}

unsafe extern "C-unwind" fn thread_end(thread: Word) {
    say(format!("thread_end {}", name(thread)));
}

unsafe extern "C-unwind" fn parallel_begin(
    task: Word,
    frame: *const ompt_frame_t,
    region: Word,
    requested: c_uint,
    flags: c_int,
    code: Code,
) {
    // SAFETY: the encountering task's frame.
    let enter = value(unsafe { &raw const (*frame).enter_frame });
    let names = (name(task), name(region));
    say(format!("parallel_begin {} enter {enter:#x} {} {requested} {flags:#x} {code:?}", names.0, names.1));
}

unsafe extern "C-unwind" fn parallel_end(region: Word, task: Word, flags: c_int, code: Code) {
    say(format!("parallel_end {} {} {flags:#x} {code:?}", name(region), name(task)));
}

unsafe extern "C-unwind" fn implicit_task(
    at: End,
    region: Word,
    task: Word,
    size: c_uint,
    index: c_uint,
    flags: c_int,
) {
    say(format!("implicit_task {} {} {} {size} {index} {flags:#x}", end(at), name(region), name(task)));
}

unsafe extern "C-unwind" fn task_create(
    creator: Word,
    frame: *const ompt_frame_t,
    task: Word,
    flags: c_int,
    depends: c_int,
    code: Code,
) {
    assert!(!frame.is_null());
    say(format!("task_create {} {} {flags:#x} {depends} {code:?}", name(creator), name(task)));
}

unsafe extern "C-unwind" fn task_schedule(prior: Word, status: ompt_task_status_t, next: Word) {
    say(format!("task_schedule {} {} {}", name(prior), status as u32, name(next)));
}

unsafe extern "C-unwind" fn dependences(task: Word, list: *const ompt_dependence_t, count: c_int) {
    // SAFETY: the callback's arguments.
    let list = unsafe { std::slice::from_raw_parts(list, usize::try_from(count).unwrap()) };
    let list = list.iter().map(|one| format!("{}:{}", value(&raw const one.variable), one.dependence_type as u32));
    say(format!("dependences {} {}", name(task), list.collect::<Vec<_>>().join(" ")));
}

unsafe extern "C-unwind" fn task_dependence(first: Word, second: Word) {
    say(format!("{}>{}", value(first), value(second)));
}

unsafe extern "C-unwind" fn work(kind: ompt_work_t, at: End, region: Word, task: Word, count: u64, code: Code) {
    say(format!("work {} {} {} {} {count} {code:?}", kind as u32, end(at), name(region), name(task)));
}

unsafe extern "C-unwind" fn dispatch(region: Word, task: Word, kind: ompt_dispatch_t, instance: ompt_data_t) {
    // SAFETY: the word is used as an address.
    let place = unsafe { instance.ptr };
    let instance = if kind == ompt_dispatch_t::ompt_dispatch_section {
        format!("{place:?}")
    } else {
        // SAFETY: the other kinds come with a chunk.
        let chunk = unsafe { *place.cast::<ompt_dispatch_chunk_t>() };
        format!("{}+{}", chunk.start, chunk.iterations)
    };
    say(format!("dispatch {} {} {} {instance}", name(region), name(task), kind as u32));
}

unsafe extern "C-unwind" fn masked(at: End, region: Word, task: Word, code: Code) {
    say(format!("masked {} {} {} {code:?}", end(at), name(region), name(task)));
}

unsafe extern "C-unwind" fn sync_region(kind: ompt_sync_region_t, at: End, region: Word, task: Word, code: Code) {
    say(format!("sync_region {} {} {} {} {code:?}", kind as u32, end(at), name(region), name(task)));
}

unsafe extern "C-unwind" fn sync_region_wait(kind: ompt_sync_region_t, at: End, region: Word, task: Word, code: Code) {
    say(format!("sync_region_wait {} {} {} {} {code:?}", kind as u32, end(at), name(region), name(task)));
}

unsafe extern "C-unwind" fn mutex_acquire(kind: ompt_mutex_t, hint: c_uint, how: c_uint, wait: u64, code: Code) {
    say(format!("mutex_acquire {} {hint} {how} {wait} {code:?}", kind as u32));
}

unsafe extern "C-unwind" fn lock_init(kind: ompt_mutex_t, hint: c_uint, how: c_uint, wait: u64, code: Code) {
    say(format!("lock_init {} {hint} {how} {wait} {code:?}", kind as u32));
}

unsafe extern "C-unwind" fn mutex_acquired(kind: ompt_mutex_t, wait: u64, code: Code) {
    say(format!("mutex_acquired {} {wait} {code:?}", kind as u32));
}

unsafe extern "C-unwind" fn mutex_released(kind: ompt_mutex_t, wait: u64, code: Code) {
    say(format!("mutex_released {} {wait} {code:?}", kind as u32));
}

unsafe extern "C-unwind" fn lock_destroy(kind: ompt_mutex_t, wait: u64, code: Code) {
    say(format!("lock_destroy {} {wait} {code:?}", kind as u32));
}

unsafe extern "C-unwind" fn nest_lock(at: End, wait: u64, code: Code) {
    say(format!("nest_lock {} {wait} {code:?}", end(at)));
}

unsafe extern "C-unwind" fn cancel(task: Word, flags: c_int, code: Code) {
    say(format!("cancel {} {flags:#x} {code:?}", name(task)));
}

unsafe extern "C-unwind" fn control_tool(command: u64, modifier: u64, argument: *mut c_void, code: Code) -> c_int {
    say(format!("control_tool {command} {modifier} {argument:?} {code:?}"));
    42
}
