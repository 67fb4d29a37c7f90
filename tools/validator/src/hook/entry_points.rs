//! The runtime's entry points, as `lookup` gives them. Unsafe: calls through its pointers.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::mem::transmute_copy;
use std::ptr;
use std::sync::OnceLock;

use super::raw::{Data, RawFrame, frame, word};
use crate::answers::{Answers, LEVELS, RegionAnswer, TaskAnswer};

/// `ompt_interface_fn_t`, of which each has a type of its own.
pub(super) type Function = unsafe extern "C-unwind" fn();
/// `ompt_function_lookup_t`
pub(super) type Lookup = unsafe extern "C-unwind" fn(*const c_char) -> Option<Function>;

type SetCallback = unsafe extern "C-unwind" fn(c_int, Option<Function>) -> c_int;
type GetCallback = unsafe extern "C-unwind" fn(c_int, *mut Option<Function>) -> c_int;
type GetState = unsafe extern "C-unwind" fn(*mut u64) -> c_int;
type GetThreadData = unsafe extern "C-unwind" fn() -> *mut Data;
type GetParallelInfo = unsafe extern "C-unwind" fn(c_int, *mut *mut Data, *mut c_int) -> c_int;
type GetTaskInfo = unsafe extern "C-unwind" fn(
    c_int,
    *mut c_int,
    *mut *mut Data,
    *mut *mut RawFrame,
    *mut *mut Data,
    *mut c_int,
) -> c_int;
type GetUniqueId = unsafe extern "C-unwind" fn() -> u64;
type GetNumber = unsafe extern "C-unwind" fn() -> c_int;
type Enumerate = unsafe extern "C-unwind" fn(c_int, *mut c_int, *mut *const c_char) -> c_int;
type GetPlaceProcIds = unsafe extern "C-unwind" fn(c_int, c_int, *mut c_int) -> c_int;

/// All that the validator uses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EntryPoints {
    set_callback: Option<SetCallback>,
    get_callback: Option<GetCallback>,
    get_state: Option<GetState>,
    get_thread_data: Option<GetThreadData>,
    get_parallel_info: Option<GetParallelInfo>,
    get_task_info: Option<GetTaskInfo>,
    get_unique_id: Option<GetUniqueId>,
    enumerate_states: Option<Enumerate>,
    numbers: [Option<GetNumber>; NUMBERS.len()],
    get_place_proc_ids: Option<GetPlaceProcIds>,
    missing: u32,
}

/// Set by `initialize`, before any callback.
pub(super) static ENTRY_POINTS: OnceLock<EntryPoints> = OnceLock::new();

/// The names of all 19 (OpenMP 5.0, 4.6.1).
const NAMES: [&CStr; 19] = [
    c"ompt_enumerate_states",
    c"ompt_enumerate_mutex_impls",
    c"ompt_set_callback",
    c"ompt_get_callback",
    c"ompt_get_thread_data",
    c"ompt_get_num_procs",
    c"ompt_get_num_places",
    c"ompt_get_place_proc_ids",
    c"ompt_get_place_num",
    c"ompt_get_partition_place_nums",
    c"ompt_get_proc_id",
    c"ompt_get_state",
    c"ompt_get_parallel_info",
    c"ompt_get_task_info",
    c"ompt_get_task_memory",
    c"ompt_get_target_info",
    c"ompt_get_num_devices",
    c"ompt_get_unique_id",
    c"ompt_finalize_tool",
];

/// Those that take nothing and give a number.
const NUMBERS: [&CStr; 5] = [
    c"ompt_get_num_procs",
    c"ompt_get_num_places",
    c"ompt_get_place_num",
    c"ompt_get_proc_id",
    c"ompt_get_num_devices",
];

/// # Safety
/// `lookup` is the runtime's, `name` an entry point, and `T` the type of its pointer.
unsafe fn find<T: Copy>(lookup: Lookup, name: &CStr) -> Option<T> {
    const { assert!(size_of::<T>() == size_of::<Function>()) };
    // SAFETY: the runtime's own function, with a C string.
    let found = unsafe { lookup(name.as_ptr()) }?;
    // SAFETY: both are pointers to functions; the caller's promise on the type.
    Some(unsafe { transmute_copy(&found) })
}

impl EntryPoints {
    /// Looks all of them up.
    ///
    /// # Safety
    /// `lookup` is the runtime's.
    pub(super) unsafe fn find(lookup: Lookup) -> Self {
        // SAFETY: the caller's promise; every entry point is at least a function.
        let there = |name: &&CStr| unsafe { find::<Function>(lookup, name) }.is_some();
        Self {
            // SAFETY: the caller's promise; OpenMP 5.0, 4.6.1.3.
            set_callback: unsafe { find(lookup, c"ompt_set_callback") },
            // SAFETY: the caller's promise; 4.6.1.4.
            get_callback: unsafe { find(lookup, c"ompt_get_callback") },
            // SAFETY: the caller's promise; 4.6.1.12.
            get_state: unsafe { find(lookup, c"ompt_get_state") },
            // SAFETY: the caller's promise; 4.6.1.5.
            get_thread_data: unsafe { find(lookup, c"ompt_get_thread_data") },
            // SAFETY: the caller's promise; 4.6.1.13.
            get_parallel_info: unsafe { find(lookup, c"ompt_get_parallel_info") },
            // SAFETY: the caller's promise; 4.6.1.14.
            get_task_info: unsafe { find(lookup, c"ompt_get_task_info") },
            // SAFETY: the caller's promise; 4.6.1.18.
            get_unique_id: unsafe { find(lookup, c"ompt_get_unique_id") },
            // SAFETY: the caller's promise; 4.6.1.1.
            enumerate_states: unsafe { find(lookup, c"ompt_enumerate_states") },
            // SAFETY: the caller's promise; 4.6.1.6, 4.6.1.7, 4.6.1.9, 4.6.1.11, 4.6.1.17.
            numbers: NUMBERS.map(|name| unsafe { find(lookup, name) }),
            // SAFETY: the caller's promise; 4.6.1.8.
            get_place_proc_ids: unsafe { find(lookup, c"ompt_get_place_proc_ids") },
            missing: (0..).zip(&NAMES).filter(|(_, name)| !there(name)).map(|(i, _)| 1 << i).sum(),
        }
    }

    /// The names of those that `lookup` doesn't know.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let absent = (0..).zip(NAMES).filter(|(i, _)| self.missing & (1 << i) != 0);
        absent.filter_map(|(_, name)| name.to_str().ok()).collect()
    }

    /// Registers a callback; the answer, -1 without the entry point.
    pub(super) fn set_callback(&self, number: c_int, callback: Option<Function>) -> c_int {
        // SAFETY: the table of callbacks pairs each number with a function of its signature.
        self.set_callback.map_or(-1, |set| unsafe { set(number, callback) })
    }

    /// The registered callback, and whether there is one.
    pub(super) fn get_callback(&self, number: c_int) -> (c_int, Option<Function>) {
        let mut callback = None;
        // SAFETY: `callback` is there to be written.
        let answer = self.get_callback.map_or(-1, |get| unsafe { get(number, &raw mut callback) });
        (answer, callback)
    }

    /// The states that the runtime has.
    pub(super) fn states(&self) -> Vec<(i32, String)> {
        /// Where an enumeration begins: as in the standard's header, and as in its text.
        const UNDEFINED: [c_int; 2] = [0x102, 0];
        let Some(enumerate) = self.enumerate_states else { return Vec::new() };
        for first in UNDEFINED {
            let mut states = Vec::new();
            let mut current = first;
            // More than there can be, should a runtime go round in circles.
            for _ in 0..1000 {
                let (mut next, mut name) = (0, ptr::null());
                // SAFETY: both are there to be written.
                if unsafe { enumerate(current, &raw mut next, &raw mut name) } == 0 {
                    break;
                }
                // SAFETY: the answer was 1: `name` is an immutable string for the life of the program, or null.
                let text = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) });
                states.push((next, text.unwrap_or_default().to_string_lossy().into_owned()));
                current = next;
            }
            if !states.is_empty() {
                return states;
            }
        }
        Vec::new()
    }

    /// Everything that can be asked about the current thread.
    pub(super) fn ask(&self) -> Answers {
        let mut wait = 0;
        Answers {
            // SAFETY: `wait` is there to be written.
            state: self.get_state.map_or(0, |get| unsafe { get(&raw mut wait) }),
            wait,
            thread: self.thread(),
            tasks: self.tasks(),
            regions: (0..LEVELS).map_while(|level| self.region(level)).collect(),
            // SAFETY: takes nothing.
            unique: self.get_unique_id.map_or(0, |get| unsafe { get() }),
        }
    }

    fn thread(&self) -> Option<crate::event::Word> {
        // SAFETY: takes nothing.
        let at = unsafe { self.get_thread_data?() };
        // SAFETY: null, or this thread's data word.
        unsafe { word(at) }
    }

    /// The tasks, innermost first. Not further than the initial task: behind it, libomp 19 answers with words that are none.
    fn tasks(&self) -> Vec<TaskAnswer> {
        let mut tasks: Vec<TaskAnswer> = Vec::new();
        for task in (0..LEVELS).map_while(|level| self.task(level)) {
            tasks.push(task);
            if task.flags & 1 != 0 {
                break;
            }
        }
        tasks
    }

    fn region(&self, level: usize) -> Option<RegionAnswer> {
        let (mut parallel, mut size) = (ptr::null_mut(), 0);
        let level = c_int::try_from(level).ok()?;
        // SAFETY: both are there to be written.
        let known = unsafe { self.get_parallel_info?(level, &raw mut parallel, &raw mut size) };
        match known {
            0 => None,
            // SAFETY: null, or the data word of a region that this thread is in.
            2 => Some(RegionAnswer { known, parallel: unsafe { word(parallel) }, size }),
            _ => Some(RegionAnswer { known, ..RegionAnswer::default() }),
        }
    }

    fn task(&self, level: usize) -> Option<TaskAnswer> {
        let (mut flags, mut thread_num) = (0, 0);
        let (mut task, mut parallel, mut raw) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let level = c_int::try_from(level).ok()?;
        let get = self.get_task_info?;
        let known =
            // SAFETY: all five are there to be written.
            unsafe { get(level, &raw mut flags, &raw mut task, &raw mut raw, &raw mut parallel, &raw mut thread_num) };
        match known {
            0 => None,
            2 => Some(TaskAnswer {
                known,
                flags,
                // SAFETY: null, or the data word of a task on this thread's stack.
                task: unsafe { word(task) },
                // SAFETY: null, or the frame of that task.
                frame: unsafe { frame(raw) },
                // SAFETY: null, or the data word of its region.
                parallel: unsafe { word(parallel) },
                thread_num,
            }),
            _ => Some(TaskAnswer { known, ..TaskAnswer::default() }),
        }
    }
}
