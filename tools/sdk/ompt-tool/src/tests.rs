//! Tools on a test runtime that calls the registered callbacks.
#![allow(unsafe_code)] // calls as a runtime makes them

use crate::installed::{Installed, State};
use crate::tool::events::*;
use crate::{Callback, Endpoint, Level, Pool, Runtime, SetResult, SyncKind, Tool, start};
use ompt_abi::v5::*;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

thread_local! {
    /// Callbacks that the tool of this test's thread has registered.
    static REGISTERED: RefCell<HashMap<u32, unsafe extern "C-unwind" fn()>> = RefCell::default();
    static THREAD: RefCell<Box<ompt_data_t>> = RefCell::new(Box::new(ompt_data_t::NONE));
}

extern "C-unwind" fn set_callback(event: ompt_callbacks_t, callback: ompt_callback_t) -> c_int {
    REGISTERED.with_borrow_mut(|all| all.extend(callback.map(|callback| (event as u32, callback))));
    if event == ompt_callbacks_t::ompt_callback_flush { 99 } else { 5 }
}

extern "C-unwind" fn get_thread_data() -> *mut ompt_data_t {
    THREAD.with_borrow_mut(|word| ptr::from_mut(&mut **word))
}

extern "C-unwind" fn get_parallel_info(level: c_int, _: *mut *mut ompt_data_t, size: *mut c_int) -> c_int {
    // SAFETY: the tool's place for the size, valid for writes.
    unsafe { size.write(7) };
    2 - level
}

extern "C-unwind" fn enumerate_states(current: c_int, next: *mut c_int, name: *mut *const c_char) -> c_int {
    // SAFETY: the tool's place for the number, valid for writes.
    unsafe { next.write(if current == 0x102 { 0x101 } else { 0x777 }) };
    // SAFETY: the tool's place for the name, valid for writes.
    unsafe { name.write(c"a state".as_ptr()) };
    c_int::from(current != 0x777)
}

/// # Safety
/// `name` is a C string.
unsafe extern "C-unwind" fn lookup(name: *const c_char) -> ompt_interface_fn_t {
    // SAFETY: a C string (by this function's `# Safety`).
    let function = match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"ompt_set_callback" => set_callback as *const (),
        b"ompt_get_thread_data" => get_thread_data as *const (),
        b"ompt_get_parallel_info" => get_parallel_info as *const (),
        b"ompt_enumerate_states" => enumerate_states as *const (),
        _ => return None,
    };
    // SAFETY: a function of C's calling convention.
    Some(unsafe { transmute::<*const (), unsafe extern "C-unwind" fn()>(function) })
}

/// Starts a tool as a runtime does; returns true if it stays.
fn begin<T: Installed>() -> bool {
    // SAFETY: a C string.
    let result = unsafe { start::start_tool::<T>(202111, c"a runtime".as_ptr()) };
    // SAFETY: null, or the tool's result.
    let Some(result) = (unsafe { result.as_mut() }) else { return false };
    // SAFETY: the runtime's lookup function, and the tool's own word.
    result.initialize.is_some_and(|initialize| unsafe { initialize(Some(lookup), 0, &mut result.tool_data) != 0 })
}

/// Ends the tool as a runtime does.
fn end<T: Installed>() {
    let result = T::state().result.get().unwrap().0.get();
    // SAFETY: the tool's result, which nobody else uses.
    let finalize = unsafe { (*result).finalize.unwrap() };
    // SAFETY: the tool's finalizer.
    unsafe { finalize(ptr::null_mut()) };
}

/// Returns the registered callback as a function of type `F`.
fn callback<F: Copy>(event: ompt_callbacks_t) -> F {
    assert_eq!(size_of::<F>(), size_of::<usize>());
    let function = REGISTERED.with_borrow(|all| all[&(event as u32)]);
    // SAFETY: a function pointer, of the type that the test expects for the event.
    unsafe { std::mem::transmute_copy(&function) }
}

/// `ompt_callback_parallel_begin_t` and so on, with numbers for enums.
type ParallelBeginFn =
    unsafe extern "C-unwind" fn(*mut ompt_data_t, *const ompt_frame_t, *mut ompt_data_t, c_uint, c_int, *const c_void);
type ParallelEndFn = unsafe extern "C-unwind" fn(*mut ompt_data_t, *mut ompt_data_t, c_int, *const c_void);
type SyncRegionFn = unsafe extern "C-unwind" fn(c_int, c_int, *mut ompt_data_t, *mut ompt_data_t, *const c_void);
type ControlToolFn = unsafe extern "C-unwind" fn(u64, u64, *mut c_void, *const c_void) -> c_int;

macro_rules! installed {
    ($tool:ident) => {
        impl Installed for $tool {
            fn state() -> &'static State<Self> {
                static STATE: State<$tool> = State::new();
                &STATE
            }
        }
    };
}

static POOL: Pool<AtomicU64> = Pool::new();

/// Logs events.
struct Writer {
    runtime: Runtime<Self>,
    log: Mutex<Vec<String>>,
}
installed!(Writer);

impl Writer {
    fn log(&self, line: String) {
        self.log.lock().unwrap().push(line);
    }
}

impl Tool for Writer {
    type Thread = u64;
    type Parallel = Option<&'static AtomicU64>;
    type Task = ();
    const CALLBACKS: &'static [Callback] =
        &[Callback::ParallelBegin, Callback::ParallelEnd, Callback::SyncRegionWait, Callback::Flush];

    fn start(runtime: Runtime<Self>) -> Option<Self> {
        Some(Self { runtime, log: Mutex::default() })
    }

    fn registered(&self, answers: &[(Callback, SetResult)]) {
        self.log(format!("{answers:?}"));
    }

    fn parallel_begin(&self, event: ParallelBegin<'_, Self>) {
        assert!(event.parallel.get().is_none());
        let record = POOL.take(AtomicU64::default);
        record.store(41, Relaxed);
        event.parallel.set(Some(record));
        self.runtime.set_thread_data(self.runtime.thread_data().unwrap() + 1);
        self.log(format!("begin {} {} {:x} {}", event.requested, event.flags.is_team(), event.code, event.frame.exit));
    }

    fn parallel_end(&self, event: ParallelEnd<'_, Self>) {
        let record = event.parallel.get().unwrap();
        self.log(format!("end {} {}", record.load(Relaxed), event.task.is_there()));
        POOL.give_back(record);
    }

    fn sync_region_wait(&self, event: SyncRegion<'_, Self>) {
        let shown = format!("{event:?}");
        assert!(shown.starts_with(&format!("SyncRegion {{ kind: {:?}, endpoint: ", event.kind)), "{shown}");
        assert!(shown.ends_with("code: 2748, .. }"), "{shown}");
        event.parallel.get().map(|record| record.fetch_add(1, Relaxed));
        self.log(format!("{:?} {:?} {}", event.kind, event.endpoint, event.parallel.is_there()));
    }

    fn finalize(&self) {
        self.log("finalize".to_owned());
    }
}

#[test]
fn a_tool_gets_its_events_and_keeps_typed_words() {
    assert!(begin::<Writer>());
    assert!(!begin::<Writer>(), "a second runtime is declined");
    let frame = ompt_frame_t {
        exit_frame: ompt_data_t { value: 0x10 },
        enter_frame: ompt_data_t::NONE,
        exit_frame_flags: 0,
        enter_frame_flags: 0,
    };
    let (mut region, mut task) = (ompt_data_t::NONE, ompt_data_t::NONE);
    let code = ptr::without_provenance(0xabc);
    let parallel_begin: ParallelBeginFn = callback(ompt_callbacks_t::ompt_callback_parallel_begin);
    // SAFETY: as a runtime calls it.
    unsafe { parallel_begin(&mut task, &frame, &mut region, 4, c_int::MIN | 2, code) };
    let wait: SyncRegionFn = callback(ompt_callbacks_t::ompt_callback_sync_region_wait);
    // SAFETY: as a runtime calls it.
    unsafe { wait(9, 1, &mut region, &mut task, code) };
    // SAFETY: as a runtime calls it, with unnamed numbers and without a region.
    unsafe { wait(77, -1, ptr::null_mut(), &mut task, code) };
    let parallel_end: ParallelEndFn = callback(ompt_callbacks_t::ompt_callback_parallel_end);
    // SAFETY: as a runtime calls it.
    unsafe { parallel_end(&mut region, &mut task, c_int::MIN | 2, code) };
    end::<Writer>();
    let tool = Writer::state().tool.get().unwrap();
    let log = tool.log.lock().unwrap();
    let answers = "[(ParallelBegin, Always), (ParallelEnd, Always), (SyncRegionWait, Always), (Flush, Error)]";
    let waits = ["BarrierParallel Begin true", "Other(77) Other(4294967295) false"];
    assert_eq!(*log, [answers, "begin 4 true abc 16", waits[0], waits[1], "end 42 true", "finalize"]);
    assert_eq!((SyncKind::from(9), Endpoint::from(2)), (SyncKind::BarrierParallel, Endpoint::End));
    // Answers of the runtime, and queries for which it has no entry point.
    let runtime = tool.runtime;
    assert_eq!(
        (runtime.omp_version(), runtime.runtime_version(), runtime.thread_data()),
        (202111, "a runtime", Some(1))
    );
    assert_eq!(runtime.parallel_info(0).found().map(|info| (info.parallel.is_none(), info.team_size)), Some((true, 7)));
    assert!(matches!((runtime.parallel_info(1), runtime.parallel_info(2)), (Level::Unavailable, Level::Absent)));
    let states = runtime.states();
    assert_eq!(states.len(), 2);
    assert_eq!(states[1], (crate::State::Other(0x777), "a state".to_owned()));
    assert_eq!((runtime.unique_id(), runtime.finalize_tool()), (None, false));
    assert!(matches!(runtime.task_info(0), Level::Absent));
}

/// Panics in a callback.
struct Fragile;
installed!(Fragile);
static FRAGILE_CALLS: AtomicU64 = AtomicU64::new(0);

impl Tool for Fragile {
    type Thread = ();
    type Parallel = ();
    type Task = ();
    const CALLBACKS: &'static [Callback] = &[Callback::ControlTool];

    fn start(_: Runtime<Self>) -> Option<Self> {
        Some(Self)
    }

    fn control_tool(&self, event: ControlTool) -> i32 {
        FRAGILE_CALLS.fetch_add(1, Relaxed);
        assert!(event.command != 2, "a fault of the tool's");
        64
    }

    fn finalize(&self) {
        FRAGILE_CALLS.fetch_add(100, Relaxed);
    }
}

#[test]
fn a_panic_ends_the_tool_and_not_the_program() {
    assert!(begin::<Fragile>());
    let control: ControlToolFn = callback(ompt_callbacks_t::ompt_callback_control_tool);
    // SAFETY: as a runtime calls it.
    let answers = [1, 2, 1].map(|command| unsafe { control(command, 0, ptr::null_mut(), ptr::null()) });
    end::<Fragile>();
    assert_eq!((answers, FRAGILE_CALLS.load(Relaxed)), ([64, 1, 1], 2));
}

/// Panics when it starts.
struct Stillborn;
installed!(Stillborn);

impl Tool for Stillborn {
    type Thread = ();
    type Parallel = ();
    type Task = ();
    const CALLBACKS: &'static [Callback] = &[Callback::Flush];

    fn start(_: Runtime<Self>) -> Option<Self> {
        panic!("a fault of the tool's")
    }
}

#[test]
fn a_panic_at_the_start_declines() {
    assert!(!begin::<Stillborn>());
    assert!(REGISTERED.with_borrow(HashMap::is_empty));
}
