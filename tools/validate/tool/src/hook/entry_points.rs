//! The runtime's entry points, obtained from `lookup`. Unsafe: calls through its pointers.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::mem::transmute_copy;
use std::ptr;
use std::sync::OnceLock;

use validate_layout::event::Event;

use super::raw::{Data, RawFrame, frame, word};
use crate::answers::{Answers, LEVELS, Places, RegionAnswer, TaskAnswer};
use crate::constants::{endpoint, task};

/// `ompt_interface_fn_t`: the common type that `lookup` returns; each entry point has its own type.
pub(super) type Function = unsafe extern "C-unwind" fn();
/// `ompt_function_lookup_t`.
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
type GetPartition = unsafe extern "C-unwind" fn(c_int, *mut c_int) -> c_int;
type GetTargetInfo = unsafe extern "C-unwind" fn(*mut u64, *mut u64, *mut u64) -> c_int;

/// All entry points that the validator uses.
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
    enumerate_mutexes: Option<Enumerate>,
    get_num_procs: Option<GetNumber>,
    get_num_places: Option<GetNumber>,
    get_place_num: Option<GetNumber>,
    get_proc_id: Option<GetNumber>,
    get_num_devices: Option<GetNumber>,
    get_place_proc_ids: Option<GetPlaceProcIds>,
    get_partition: Option<GetPartition>,
    get_target_info: Option<GetTargetInfo>,
    missing: u32,
    llvm: bool,
}

/// The entry points; set by `initialize`, before any callback.
pub(super) static ENTRY_POINTS: OnceLock<EntryPoints> = OnceLock::new();

/// Names of all 19 entry points (OpenMP 5.0, 4.6.1).
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

/// Looks up one entry point.
///
/// # Safety
/// `lookup` is the runtime's, `name` an entry point, and `T` the type of its pointer.
unsafe fn find<T: Copy>(lookup: Lookup, name: &CStr) -> Option<T> {
    const { assert!(size_of::<T>() == size_of::<Function>()) };
    // SAFETY: `lookup` is the runtime's, by this function's `# Safety`; it takes a C string (OpenMP 5.0, 4.6.3).
    let found = unsafe { lookup(name.as_ptr()) }?;
    // SAFETY: both are pointers to functions, of one size; `T` is the type of the entry point, by this function's `# Safety`.
    Some(unsafe { transmute_copy(&found) })
}

impl EntryPoints {
    /// Looks up all entry points.
    ///
    /// # Safety
    /// `lookup` is the runtime's.
    pub(super) unsafe fn find(lookup: Lookup, llvm: bool) -> Self {
        // SAFETY: `lookup` is the runtime's, by this function's `# Safety`; every entry point is at least a function.
        let there = |name: &&CStr| unsafe { find::<Function>(lookup, name) }.is_some();
        Self {
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.3.
            set_callback: unsafe { find(lookup, c"ompt_set_callback") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.4.
            get_callback: unsafe { find(lookup, c"ompt_get_callback") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.12.
            get_state: unsafe { find(lookup, c"ompt_get_state") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.5.
            get_thread_data: unsafe { find(lookup, c"ompt_get_thread_data") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.13.
            get_parallel_info: unsafe { find(lookup, c"ompt_get_parallel_info") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.14.
            get_task_info: unsafe { find(lookup, c"ompt_get_task_info") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.18.
            get_unique_id: unsafe { find(lookup, c"ompt_get_unique_id") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.1.
            enumerate_states: unsafe { find(lookup, c"ompt_enumerate_states") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.2.
            enumerate_mutexes: unsafe { find(lookup, c"ompt_enumerate_mutex_impls") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.6.
            get_num_procs: unsafe { find(lookup, c"ompt_get_num_procs") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.7.
            get_num_places: unsafe { find(lookup, c"ompt_get_num_places") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.9.
            get_place_num: unsafe { find(lookup, c"ompt_get_place_num") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.11.
            get_proc_id: unsafe { find(lookup, c"ompt_get_proc_id") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.17.
            get_num_devices: unsafe { find(lookup, c"ompt_get_num_devices") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.8.
            get_place_proc_ids: unsafe { find(lookup, c"ompt_get_place_proc_ids") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.10.
            get_partition: unsafe { find(lookup, c"ompt_get_partition_place_nums") },
            // SAFETY: `lookup` is the runtime's, by `# Safety`; the type is that of OpenMP 5.0, 4.6.1.16.
            get_target_info: unsafe { find(lookup, c"ompt_get_target_info") },
            missing: (0..).zip(&NAMES).filter(|(_, name)| !there(name)).map(|(i, _)| 1 << i).sum(),
            llvm,
        }
    }

    /// Names of the entry points that `lookup` doesn't find.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let absent = (0..).zip(NAMES).filter(|(i, _)| self.missing & (1 << i) != 0);
        absent.filter_map(|(_, name)| name.to_str().ok()).collect()
    }

    /// Registers a callback. Returns the runtime's answer, or -1 without the entry point.
    pub(super) fn set_callback(&self, number: c_int, callback: Option<Function>) -> c_int {
        // SAFETY: the table of callbacks pairs each number with a function of its signature.
        self.set_callback.map_or(-1, |set| unsafe { set(number, callback) })
    }

    /// The registered callback, and 1 if there is one (`ompt_get_callback`).
    pub(super) fn get_callback(&self, number: c_int) -> (c_int, Option<Function>) {
        let mut callback = None;
        // SAFETY: `callback` is writable.
        let answer = self.get_callback.map_or(-1, |get| unsafe { get(number, &raw mut callback) });
        (answer, callback)
    }

    /// True if the runtime is libomp.
    pub(super) fn llvm(&self) -> bool {
        self.llvm
    }

    /// Address of one of the runtime's functions.
    pub(super) fn address(&self) -> u64 {
        self.set_callback.map_or(0, |set| set as usize as u64)
    }

    /// States that the runtime enumerates.
    pub(super) fn states(&self) -> Vec<(i32, String)> {
        // First value of the enumeration: as in the standard's header, or as in its text.
        let from = |first| self.enumerate_states.map(|enumerate| enumerated(enumerate, first)).unwrap_or_default();
        let states = from(0x102);
        if states.is_empty() { from(0) } else { states }
    }

    /// Mutex implementations that the runtime enumerates.
    pub(super) fn mutexes(&self) -> Vec<(i32, String)> {
        self.enumerate_mutexes.map(|enumerate| enumerated(enumerate, 0)).unwrap_or_default()
    }

    /// Queries everything that is available on the current thread.
    pub(super) fn ask(&self, during: &Event) -> Answers {
        let mut wait = 0;
        let begins_initial = matches!(
            during,
            Event::ImplicitTask { endpoint: endpoint::BEGIN, flags, .. } if flags & task::INITIAL != 0
        );
        Answers {
            // SAFETY: `wait` is writable.
            state: self.get_state.map_or(0, |get| unsafe { get(&raw mut wait) }),
            wait,
            thread: self.thread(),
            tasks: self.tasks(during),
            regions: (0..LEVELS).map_while(|level| self.region(level)).collect(),
            // SAFETY: the runtime's `ompt_get_unique_id`, which takes no arguments (OpenMP 5.0, 4.6.1.18).
            unique: self.get_unique_id.map_or(0, |get| unsafe { get() }),
            in_target: (begins_initial && !self.llvm).then(|| self.in_target()),
            places: None,
        }
    }

    /// Queries places and devices. This must not happen before there are regions: libomp would initialize its places
    /// too early, or wait for itself.
    pub(super) fn places(&self) -> Places {
        // SAFETY: the runtime's entry points of this type take no arguments (OpenMP 5.0, 4.6.1.6, .7, .9, .11 and
        // .17).
        let number = |get: Option<GetNumber>| get.map_or(0, |get| unsafe { get() });
        let place = number(self.get_place_num);
        // Space for one more than is requested: libomp's `ompt_get_partition_place_nums` (up to 19 at least) compares
        // the size with the last index, and writes that number of elements.
        let mut ids = [0; 2];
        Places {
            processors: number(self.get_num_procs),
            places: number(self.get_num_places),
            place,
            processor: number(self.get_proc_id),
            // SAFETY: `ids` has space for the one number that is requested (OpenMP 5.0, 4.6.1.8).
            of_place: self.get_place_proc_ids.map_or(0, |get| unsafe { get(place, 1, ids.as_mut_ptr()) }),
            // SAFETY: `ids` has space for the one number that is requested (OpenMP 5.0, 4.6.1.10).
            partition: self.get_partition.map_or(0, |get| unsafe { get(1, ids.as_mut_ptr()) }),
            devices: number(self.get_num_devices),
            in_target: self.in_target(),
        }
    }

    /// Result of `ompt_get_target_info`: 1 if this thread is in a target region.
    fn in_target(&self) -> i32 {
        let (mut device, mut target, mut operation) = (0, 0, 0);
        // SAFETY: all three are writable.
        self.get_target_info.map_or(0, |get| unsafe { get(&raw mut device, &raw mut target, &raw mut operation) })
    }

    fn thread(&self) -> Option<validate_layout::event::Word> {
        // SAFETY: the runtime's `ompt_get_thread_data`, which takes no arguments (OpenMP 5.0, 4.6.1.5).
        let at = unsafe { self.get_thread_data?() };
        // SAFETY: null, or this thread's data word, which is valid as long as the thread exists (OpenMP 5.0,
        // 4.6.1.5).
        unsafe { word(at) }
    }

    /// Queries the tasks, innermost first. Further queries make libomp 19 return invalid words, or crash: above the
    /// current task while tasks are created or switched, above an undeferred task, and above the initial one.
    fn tasks(&self, during: &Event) -> Vec<TaskAnswer> {
        let switching = matches!(during, Event::TaskCreate { .. } | Event::TaskSchedule { .. });
        let undeferred = |flags: i32| flags & task::EXPLICIT != 0 && flags & task::UNDEFERRED != 0;
        let mut tasks: Vec<TaskAnswer> = Vec::new();
        for answer in (0..LEVELS).map_while(|level| self.task(level)) {
            tasks.push(answer);
            if answer.flags & task::INITIAL != 0 || (self.llvm && (switching || undeferred(answer.flags))) {
                break;
            }
        }
        tasks
    }

    fn region(&self, level: usize) -> Option<RegionAnswer> {
        let (mut parallel, mut size) = (ptr::null_mut(), 0);
        let level = c_int::try_from(level).ok()?;
        // SAFETY: both are writable.
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
            // SAFETY: all five are writable.
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
                // SAFETY: null, or the data word of the task's region.
                parallel: unsafe { word(parallel) },
                thread_num,
            }),
            _ => Some(TaskAnswer { known, ..TaskAnswer::default() }),
        }
    }
}

/// Iterates over an enumeration, starting at `first`.
fn enumerated(next_of: Enumerate, first: c_int) -> Vec<(i32, String)> {
    let mut found = Vec::new();
    let mut current = first;
    // A limit above the possible number, in case a runtime enumerates in a cycle.
    for _ in 0..1000 {
        let (mut next, mut name) = (0, ptr::null());
        // SAFETY: both are writable.
        if unsafe { next_of(current, &raw mut next, &raw mut name) } == 0 {
            break;
        }
        // SAFETY: the answer was 1: `name` is a string that lives as long as the program, or null.
        let text = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) });
        found.push((next, text.unwrap_or_default().to_string_lossy().into_owned()));
        current = next;
    }
    found
}
