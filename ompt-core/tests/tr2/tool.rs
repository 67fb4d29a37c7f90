//! The tool: `ompt_initialize`, callbacks that record their arguments, and the entry points that it has looked up.

use ompt_core::adapter::{self, Adapter};
use ompt_core::event::EventSet;
use ompt_core::runtime_info::RuntimeInfo;
use ompt_core::tr2;
use ompt_core::tr2::types::ompt_event_t::*;
use ompt_core::tr2::types::*;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// A call of a callback: its arguments, and what the entry points returned in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) event: ompt_event_t,
    pub(crate) arguments: [u64; 5],
    pub(crate) state: ompt_state_t,
    pub(crate) region: u64,
    pub(crate) task: u64,
    /// The kernel's number of the thread that called; OpenMP's number is reused during a session.
    pub(crate) caller: u32,
}

struct Tool {
    answer: c_int,
    events: Vec<ompt_event_t>,
    inside: fn(),
    answers: Vec<c_int>,
    lookup: ompt_function_lookup_t,
    version: (CString, c_uint),
    calls: u32,
}

static TOOL: Mutex<Option<Tool>> = Mutex::new(None);
static REPORTS: Mutex<Vec<Report>> = Mutex::new(Vec::new());
static LOOKUP: Mutex<ompt_function_lookup_t> = Mutex::new(None);

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

// The definition that the library finds as the tool.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn ompt_initialize(
    lookup: ompt_function_lookup_t,
    version: *const c_char,
    number: c_uint,
) -> c_int {
    *held(&LOOKUP) = lookup;
    let mut tool = held(&TOOL);
    let tool = tool.as_mut().expect("a session is being opened");
    tool.lookup = lookup;
    // SAFETY: a runtime's version is a C string.
    let version = unsafe { CStr::from_ptr(version) };
    tool.version = (version.to_owned(), number);
    tool.calls += 1;
    tool.answers = tool.events.iter().map(|event| set(*event as c_int, callback(*event))).collect();
    (tool.inside)();
    tool.answer
}

/// A runtime adapter that can report everything, driven by the tests.
struct TestAdapter;

impl Adapter for TestAdapter {
    fn capabilities(&self) -> EventSet {
        EventSet::from_bits(u64::MAX)
    }
    fn track(&self) {}
    fn tracks_tasks(&self) -> bool {
        true
    }
    fn derives_implicit_tasks(&self) -> bool {
        true
    }
    fn in_parallel(&self) -> bool {
        false
    }
}

/// One session of the tool; other sessions wait until it is over.
pub(crate) struct Session {
    pub(crate) open: bool,
    pub(crate) answers: Vec<c_int>,
    pub(crate) version: (CString, c_uint),
    pub(crate) calls: u32,
    _alone: MutexGuard<'static, ()>,
}

impl Session {
    /// Opens a session whose tool registers for these events, and accepts.
    pub(crate) fn of(events: &[ompt_event_t]) -> Self {
        Self::with(events, 1, || {})
    }

    pub(crate) fn with(events: &[ompt_event_t], answer: c_int, inside: fn()) -> Self {
        Self::after(|| {}, events, answer, inside).0
    }

    /// Opens a session after `done`, of which no other session is notified.
    pub(crate) fn after<T>(
        done: impl FnOnce() -> T,
        events: &[ompt_event_t],
        answer: c_int,
        inside: fn(),
    ) -> (Self, T) {
        static ALONE: Mutex<()> = Mutex::new(());
        static SET_UP: Once = Once::new();
        let alone = held(&ALONE);
        SET_UP.call_once(|| {
            ompt_core::thread::set_up();
            assert!(adapter::install(&TestAdapter));
            adapter::attach_for_calls(false);
        });
        let done = done();
        held(&REPORTS).clear();
        *held(&TOOL) = Some(Tool {
            answer,
            events: events.to_vec(),
            inside,
            answers: Vec::new(),
            lookup: None,
            version: (CString::default(), 0),
            calls: 0,
        });
        let open = tr2::initialize(&RuntimeInfo { runtime: c"a stage", openmp: 201_811 });
        let tool = held(&TOOL).take().unwrap();
        (Self { open, answers: tool.answers, version: tool.version, calls: tool.calls, _alone: alone }, done)
    }

    /// The calls recorded until now, without earlier results.
    pub(crate) fn reports(&self) -> Vec<Report> {
        std::mem::take(&mut held(&REPORTS))
    }

    /// The calls by one thread, identified by the kernel's number: threads of other tests may end at any time and leave
    /// OpenMP's number to it.
    pub(crate) fn reports_by(&self, caller: u32) -> Vec<Report> {
        self.reports().into_iter().filter(|report| report.caller == caller).collect()
    }

    /// The recorded events, on any thread.
    pub(crate) fn events(&self) -> Vec<ompt_event_t> {
        self.reports().iter().map(|report| report.event).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        tr2::after_fork();
    }
}

/// The entry point of this name, or null.
pub(crate) fn find(name: &CStr) -> ompt_interface_fn_t {
    let lookup = held(&LOOKUP).expect("the tool was initialized");
    // SAFETY: a C string.
    unsafe { lookup(name.as_ptr()) }
}

macro_rules! entry_points {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $entry:literal as $signature:ty;)*) => {
        $(pub(crate) fn $name($($argument: $type),*) -> $result {
            // SAFETY: the signature is that of the name.
            let function = unsafe { transmute::<ompt_interface_fn_t, $signature>(find($entry)) }.unwrap();
            // SAFETY: pointers are null or a test's own.
            unsafe { function($($argument),*) }
        })*
    };
}

entry_points! {
    enumerate(current: c_int, next: *mut c_int, name: *mut *const c_char) -> c_int
        = c"ompt_enumerate_state" as ompt_enumerate_state_t;
    thread_id() -> u64 = c"ompt_get_thread_id" as ompt_get_thread_id_t;
    state(wait_id: *mut u64) -> ompt_state_t = c"ompt_get_state" as ompt_get_state_t;
    idle_frame() -> *mut c_void = c"ompt_get_idle_frame" as ompt_get_idle_frame_t;
    parallel_id(level: c_int) -> u64 = c"ompt_get_parallel_id" as ompt_get_parallel_id_t;
    team_size(level: c_int) -> c_int = c"ompt_get_parallel_team_size" as ompt_get_parallel_team_size_t;
    task_id(depth: c_int) -> u64 = c"ompt_get_task_id" as ompt_get_task_id_t;
    task_frame(depth: c_int) -> *mut ompt_frame_t = c"ompt_get_task_frame" as ompt_get_task_frame_t;
    set(event: c_int, callback: usize) -> c_int
        = c"ompt_set_callback" as Option<unsafe extern "C-unwind" fn(c_int, usize) -> c_int>;
    get(event: c_int, callback: *mut usize) -> c_int
        = c"ompt_get_callback" as Option<unsafe extern "C-unwind" fn(c_int, *mut usize) -> c_int>;
}

fn record<const E: u32>(arguments: &[u64]) {
    let mut places = [0; 5];
    places[..arguments.len()].copy_from_slice(arguments);
    let event = ompt_event_t::from_raw(E).unwrap();
    let report = Report {
        event,
        arguments: places,
        state: state(std::ptr::null_mut()),
        region: parallel_id(0),
        task: task_id(0),
        caller: system::threads::id(),
    };
    held(&REPORTS).push(report);
    if event == ompt_event_runtime_shutdown {
        tr2::control(8, 8);
    }
    // Callbacks may overwrite errno.
    set_errno(77);
}

/// The frames of a task: exit and reenter.
pub(crate) fn frames(depth: c_int) -> Option<(usize, usize)> {
    // SAFETY: null, or a task of the calling thread.
    let frame = unsafe { task_frame(depth).as_ref() }?;
    Some((frame.exit_runtime_frame as usize, frame.reenter_runtime_frame as usize))
}

fn errno_place() -> *mut c_int {
    // SAFETY: takes nothing.
    unsafe { libc::__errno_location() }
}

pub(crate) fn set_errno(value: c_int) {
    // SAFETY: the calling thread's own.
    unsafe { errno_place().write(value) };
}

pub(crate) fn errno() -> c_int {
    // SAFETY: the calling thread's own.
    unsafe { errno_place().read() }
}

extern "C-unwind" fn none<const E: u32>() {
    record::<E>(&[]);
}

extern "C-unwind" fn one<const E: u32>(a: u64) {
    record::<E>(&[a]);
}

extern "C-unwind" fn two<const E: u32>(a: u64, b: u64) {
    record::<E>(&[a, b]);
}

extern "C-unwind" fn three<const E: u32>(a: u64, b: u64, c: *mut c_void) {
    record::<E>(&[a, b, c as u64]);
}

extern "C-unwind" fn four<const E: u32>(a: u64, b: *mut c_void, c: u64, d: *mut c_void) {
    record::<E>(&[a, b as u64, c, d as u64]);
}

extern "C-unwind" fn five<const E: u32>(a: u64, b: *mut c_void, c: u64, d: u32, e: *mut c_void) {
    record::<E>(&[a, b as u64, c, d.into(), e as u64]);
}

extern "C-unwind" fn kind<const E: u32>(kind: c_uint, id: u64) {
    record::<E>(&[kind.into(), id]);
}

/// The address of the callback of an event, by the signatures of the report's section 3.
pub(crate) fn callback(event: ompt_event_t) -> usize {
    macro_rules! by_signature {
        ($($function:ident: $($event:ident)*;)*) => {
            match event {
                $($($event => $function::<{ $event as u32 }> as *const c_void as usize,)*)*
            }
        };
    }
    by_signature! {
        none: ompt_event_runtime_shutdown;
        kind: ompt_event_thread_begin ompt_event_thread_end;
        one: ompt_event_task_end ompt_event_idle_begin ompt_event_idle_end ompt_event_release_lock
            ompt_event_release_nest_lock_last ompt_event_release_critical ompt_event_release_atomic
            ompt_event_release_ordered ompt_event_release_nest_lock_prev ompt_event_wait_lock ompt_event_wait_nest_lock
            ompt_event_wait_critical ompt_event_wait_atomic ompt_event_wait_ordered ompt_event_acquired_lock
            ompt_event_acquired_nest_lock_first ompt_event_acquired_nest_lock_next ompt_event_acquired_critical
            ompt_event_acquired_atomic ompt_event_acquired_ordered ompt_event_init_lock ompt_event_init_nest_lock
            ompt_event_destroy_lock ompt_event_destroy_nest_lock ompt_event_flush ompt_event_initial_task_begin
            ompt_event_initial_task_end;
        two: ompt_event_parallel_end ompt_event_control ompt_event_wait_barrier_begin ompt_event_wait_barrier_end
            ompt_event_wait_taskwait_begin ompt_event_wait_taskwait_end ompt_event_wait_taskgroup_begin
            ompt_event_wait_taskgroup_end ompt_event_implicit_task_begin ompt_event_implicit_task_end
            ompt_event_task_switch ompt_event_loop_end ompt_event_sections_end ompt_event_single_in_block_end
            ompt_event_single_others_begin ompt_event_single_others_end ompt_event_workshare_end
            ompt_event_master_begin ompt_event_master_end ompt_event_barrier_begin ompt_event_barrier_end
            ompt_event_taskwait_begin ompt_event_taskwait_end ompt_event_taskgroup_begin ompt_event_taskgroup_end;
        three: ompt_event_loop_begin ompt_event_sections_begin ompt_event_single_in_block_begin
            ompt_event_workshare_begin;
        four: ompt_event_task_begin;
        five: ompt_event_parallel_begin;
    }
}
