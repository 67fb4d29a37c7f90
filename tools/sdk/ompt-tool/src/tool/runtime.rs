//! Queries of the runtime: OMPT's entry points (OpenMP 5.0, section 4.6.1).
#![allow(unsafe_code)] // functions of the runtime's, found by name

use super::Tool;
use super::events::Frame;
use crate::{Data, State, TaskFlags, Word};
use ompt_abi::v5::*;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::ptr;

/// `ompt_set_callback_t` with its answer as a number.
type SetCallback = unsafe extern "C-unwind" fn(ompt_callbacks_t, ompt_callback_t) -> c_int;
/// `ompt_enumerate_states_t` and `ompt_enumerate_mutex_impls_t`.
type Enumerate = unsafe extern "C-unwind" fn(c_int, *mut c_int, *mut *const c_char) -> c_int;

/// Entry points that the runtime has.
pub(crate) struct EntryPoints {
    omp_version: u32,
    runtime_version: String,
    pub(crate) set_callback: Option<SetCallback>,
    enumerate_states: Option<Enumerate>,
    enumerate_mutex_impls: Option<Enumerate>,
    get_thread_data: ompt_get_thread_data_t,
    get_num_procs: ompt_get_num_procs_t,
    get_num_places: ompt_get_num_places_t,
    get_place_proc_ids: ompt_get_place_proc_ids_t,
    get_place_num: ompt_get_place_num_t,
    get_partition_place_nums: ompt_get_partition_place_nums_t,
    get_proc_id: ompt_get_proc_id_t,
    get_state: ompt_get_state_t,
    get_parallel_info: ompt_get_parallel_info_t,
    get_task_info: ompt_get_task_info_t,
    get_task_memory: ompt_get_task_memory_t,
    get_num_devices: ompt_get_num_devices_t,
    get_unique_id: ompt_get_unique_id_t,
    finalize_tool: ompt_finalize_tool_t,
}

impl EntryPoints {
    /// Looks up every entry point.
    ///
    /// # Safety
    /// `lookup` is the function that the runtime has passed to the tool's initializer.
    pub(crate) unsafe fn find(omp_version: u32, runtime_version: String, lookup: ompt_function_lookup_t) -> Self {
        let find = |name: &CStr| -> ompt_interface_fn_t {
            // SAFETY: the runtime's lookup function (by this function's `# Safety`), and a C string.
            lookup.and_then(|lookup| unsafe { lookup(name.as_ptr()) })
        };
        /// Gives an entry point its signature.
        ///
        /// # Safety
        /// `F` is an optional function pointer, of the signature that the standard gives the entry point.
        unsafe fn typed<F>(found: ompt_interface_fn_t) -> F {
            const { assert!(size_of::<F>() == size_of::<ompt_interface_fn_t>()) };
            // SAFETY: both are optional function pointers; the signature is correct (by this function's `# Safety`).
            unsafe { std::mem::transmute_copy(&found) }
        }
        macro_rules! entry {
            ($name:literal) => {
                // SAFETY: the field's type is the signature that OpenMP 5.0, section 4.6.1, gives the entry point of this name.
                unsafe { typed(find($name)) }
            };
        }
        Self {
            omp_version,
            runtime_version,
            set_callback: entry!(c"ompt_set_callback"),
            enumerate_states: entry!(c"ompt_enumerate_states"),
            enumerate_mutex_impls: entry!(c"ompt_enumerate_mutex_impls"),
            get_thread_data: entry!(c"ompt_get_thread_data"),
            get_num_procs: entry!(c"ompt_get_num_procs"),
            get_num_places: entry!(c"ompt_get_num_places"),
            get_place_proc_ids: entry!(c"ompt_get_place_proc_ids"),
            get_place_num: entry!(c"ompt_get_place_num"),
            get_partition_place_nums: entry!(c"ompt_get_partition_place_nums"),
            get_proc_id: entry!(c"ompt_get_proc_id"),
            get_state: entry!(c"ompt_get_state"),
            get_parallel_info: entry!(c"ompt_get_parallel_info"),
            get_task_info: entry!(c"ompt_get_task_info"),
            get_task_memory: entry!(c"ompt_get_task_memory"),
            get_num_devices: entry!(c"ompt_get_num_devices"),
            get_unique_id: entry!(c"ompt_get_unique_id"),
            finalize_tool: entry!(c"ompt_finalize_tool"),
        }
    }
}

/// The OpenMP runtime, for queries. A tool `T` gets it in [`Tool::start`], and may keep it and use it on every thread.
///
/// A query for which the runtime has no entry point returns `None`, [`Level::Absent`] or nothing. Most queries are about the calling
/// thread. No query may be made after [`Tool::finalize`].
pub struct Runtime<T> {
    entries: &'static EntryPoints,
    tool: PhantomData<fn() -> T>,
}

impl<T> Clone for Runtime<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Runtime<T> {}

/// Answer about a level of regions or tasks that enclose the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level<I> {
    /// The level doesn't exist.
    Absent,
    /// The level exists, but its data is currently unavailable.
    Unavailable,
    /// Data of the level.
    Found(I),
}

impl<I> Level<I> {
    /// Returns the data, if it was found.
    pub fn found(self) -> Option<I> {
        match self {
            Self::Found(info) => Some(info),
            Self::Absent | Self::Unavailable => None,
        }
    }

    /// Converts the answer of a C function that returns 2 for data, and 1 for a level without data.
    fn new(answer: c_int, info: impl FnOnce() -> I) -> Self {
        match answer {
            2 => Self::Found(info()),
            1 => Self::Unavailable,
            _ => Self::Absent,
        }
    }
}

/// Parallel region that encloses the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelInfo<W> {
    /// Value of the region's word.
    pub parallel: W,
    /// Number of threads in the team.
    pub team_size: i32,
}

/// Task that encloses the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskInfo<W, P> {
    /// Flags of the task.
    pub flags: TaskFlags,
    /// Value of the task's word.
    pub task: W,
    /// Frames of the task.
    pub frame: Frame,
    /// Value of the word of the task's region.
    pub parallel: P,
    /// Number of the thread in its team.
    pub thread_num: i32,
}

impl<T: Tool> Runtime<T> {
    pub(crate) fn new(entries: &'static EntryPoints) -> Self {
        Self { entries, tool: PhantomData }
    }

    /// Version of OpenMP that the runtime's interface follows, in the format of `_OPENMP`: 201811 is 5.0, 202011 is 5.1, 202111 is 5.2.
    pub fn omp_version(&self) -> u32 {
        self.entries.omp_version
    }

    /// Name and version of the runtime.
    pub fn runtime_version(&self) -> &'static str {
        &self.entries.runtime_version
    }

    /// Value of the calling thread's word (section 4.6.1.5); `None` on a thread unknown to OpenMP. Async-signal-safe.
    pub fn thread_data(&self) -> Option<T::Thread> {
        self.thread_word().map(|word| word.get())
    }

    /// Sets the calling thread's word. Returns false on a thread unknown to OpenMP. Async-signal-safe.
    pub fn set_thread_data(&self, value: T::Thread) -> bool {
        self.thread_word().map(|word| word.set(value)).is_some()
    }

    /// The calling thread's word. It must not leave this module, because its lifetime is unspecified.
    fn thread_word(&self) -> Option<Data<'_, T::Thread>> {
        // SAFETY: the runtime's entry point.
        let data = unsafe { (self.entries.get_thread_data?)() };
        // SAFETY: null, or the calling thread's word for this tool, which is valid at least until the caller returns, since the thread is
        // here.
        Some(unsafe { Data::at(data) }).filter(Data::is_there)
    }

    /// State of the calling thread, and the id of the mutex that it waits for, or 0 (section 4.6.1.12). Async-signal-safe.
    pub fn state(&self) -> Option<(State, u64)> {
        let mut wait_id = 0;
        // SAFETY: the runtime's entry point, and a valid place for the id.
        let state = unsafe { (self.entries.get_state?)(&mut wait_id) };
        Some((state.into(), wait_id))
    }

    /// Every state that the runtime reports, with its name (section 4.6.1.1).
    pub fn states(&self) -> Vec<(State, String)> {
        let undefined = ompt_state_t::ompt_state_undefined as u32;
        let all = enumerate(self.entries.enumerate_states, undefined.cast_signed());
        all.into_iter().map(|(number, name)| (number.into(), name)).collect()
    }

    /// Number and name of every mutex implementation that the runtime has (section 4.6.1.2).
    pub fn mutex_implementations(&self) -> Vec<(u32, String)> {
        let all = enumerate(self.entries.enumerate_mutex_impls, ompt_mutex_impl_none);
        all.into_iter().map(|(number, name)| (number.cast_unsigned(), name)).collect()
    }

    /// Parallel region that encloses the caller; level 0 is the innermost (section 4.6.1.13). Async-signal-safe.
    pub fn parallel_info(&self, level: u32) -> Level<ParallelInfo<T::Parallel>> {
        let (Some(get), Ok(level)) = (self.entries.get_parallel_info, c_int::try_from(level)) else {
            return Level::Absent;
        };
        let (mut parallel, mut team_size) = (ptr::null_mut(), 0);
        // SAFETY: the runtime's entry point, and valid places for its results.
        let answer = unsafe { get(level, &mut parallel, &mut team_size) };
        Level::new(answer, || ParallelInfo { parallel: value(parallel), team_size })
    }

    /// Task on the calling thread's stack; level 0 is the running task (section 4.6.1.14). Async-signal-safe.
    pub fn task_info(&self, level: u32) -> Level<TaskInfo<T::Task, T::Parallel>> {
        let (Some(get), Ok(level)) = (self.entries.get_task_info, c_int::try_from(level)) else { return Level::Absent };
        let (mut flags, mut thread_num) = (0, 0);
        let (mut task, mut parallel, mut frame) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: the runtime's entry point, and valid places for its results.
        let answer = unsafe { get(level, &mut flags, &mut task, &mut frame, &mut parallel, &mut thread_num) };
        Level::new(answer, || TaskInfo {
            flags: TaskFlags::new(flags),
            task: value(task),
            // SAFETY: null, or the frames of a task on the calling thread's stack.
            frame: unsafe { Frame::at(frame) },
            parallel: value(parallel),
            thread_num,
        })
    }

    /// Address and size in bytes of a block of the memory that contains the running task's data; `None` after the last block (section
    /// 4.6.1.15). Async-signal-safe.
    pub fn task_memory(&self, block: u32) -> Option<(*mut c_void, usize)> {
        let (mut address, mut size) = (ptr::null_mut(), 0);
        let block = c_int::try_from(block).ok()?;
        // SAFETY: the runtime's entry point, and valid places for its results.
        unsafe { (self.entries.get_task_memory?)(&mut address, &mut size, block) };
        (!address.is_null()).then_some((address, size))
    }

    /// Number of processors that the program may use (section 4.6.1.6). Async-signal-safe.
    pub fn num_procs(&self) -> Option<i32> {
        // SAFETY: the runtime's entry point.
        Some(unsafe { (self.entries.get_num_procs?)() })
    }

    /// Number of places (section 4.6.1.7). Async-signal-safe.
    pub fn num_places(&self) -> Option<i32> {
        // SAFETY: the runtime's entry point.
        Some(unsafe { (self.entries.get_num_places?)() })
    }

    /// Writes the processors of a place to `ids` if they fit, and returns their number (section 4.6.1.8). Async-signal-safe.
    pub fn place_proc_ids(&self, place: i32, ids: &mut [i32]) -> Option<usize> {
        let size = c_int::try_from(ids.len()).unwrap_or(c_int::MAX);
        // SAFETY: the runtime's entry point, and a place for `size` numbers.
        let count = unsafe { (self.entries.get_place_proc_ids?)(place, size, ids.as_mut_ptr()) };
        usize::try_from(count).ok()
    }

    /// Place that the calling thread is bound to (section 4.6.1.9); `None` if it is unbound. Async-signal-safe.
    pub fn place_num(&self) -> Option<i32> {
        // SAFETY: the runtime's entry point.
        Some(unsafe { (self.entries.get_place_num?)() }).filter(|place| *place >= 0)
    }

    /// Writes the places of the innermost implicit task's partition to `places` if they fit, and returns their number (section
    /// 4.6.1.10). Async-signal-safe.
    pub fn partition_place_nums(&self, places: &mut [i32]) -> Option<usize> {
        let size = c_int::try_from(places.len()).unwrap_or(c_int::MAX);
        // SAFETY: the runtime's entry point, and a place for `size` numbers.
        let count = unsafe { (self.entries.get_partition_place_nums?)(size, places.as_mut_ptr()) };
        usize::try_from(count).ok()
    }

    /// Processor that the calling thread runs on (section 4.6.1.11); `None` if it is unknown. Async-signal-safe.
    pub fn proc_id(&self) -> Option<i32> {
        // SAFETY: the runtime's entry point.
        Some(unsafe { (self.entries.get_proc_id?)() }).filter(|processor| *processor >= 0)
    }

    /// Number of target devices (section 4.6.1.17). Async-signal-safe.
    pub fn num_devices(&self) -> Option<i32> {
        // SAFETY: the runtime's entry point.
        Some(unsafe { (self.entries.get_num_devices?)() })
    }

    /// A number that has not been returned before in this process (section 4.6.1.18). Async-signal-safe.
    pub fn unique_id(&self) -> Option<u64> {
        // SAFETY: the runtime's entry point.
        Some(unsafe { (self.entries.get_unique_id?)() })
    }

    /// Ends the tool before the program ends: [`Tool::finalize`] is called, and no callback after it (section 4.6.1.20). Returns false if
    /// the runtime has no such entry point, which was added in 5.1.
    pub fn finalize_tool(&self) -> bool {
        // SAFETY: the runtime's entry point.
        self.entries.finalize_tool.map(|finalize| unsafe { finalize() }).is_some()
    }
}

/// Value of a word that the runtime has passed a pointer to.
fn value<W: Word>(data: *mut ompt_data_t) -> W {
    // SAFETY: null, or a region's or task's word for this tool, which is valid while the calling thread is in that region or task; its
    // value is copied here.
    unsafe { Data::<W>::at(data) }.get()
}

impl Frame {
    /// Copies the frames that the runtime has passed a pointer to.
    ///
    /// # Safety
    /// `frame` is null, or points to the frames of a task on the calling thread's stack.
    pub(crate) unsafe fn at(frame: *const ompt_frame_t) -> Self {
        // SAFETY: null, or readable, as only the calling thread writes it (by this function's `# Safety`).
        let Some(frame) = (unsafe { frame.as_ref() }) else { return Self::default() };
        // SAFETY: every bit pattern is a pointer, which is not dereferenced.
        let exit = unsafe { frame.exit_frame.ptr }.addr();
        // SAFETY: every bit pattern is a pointer, which is not dereferenced.
        let enter = unsafe { frame.enter_frame.ptr }.addr();
        Self { exit, enter }
    }
}

/// Numbers and names of everything that an entry point enumerates after `first`.
fn enumerate(next: Option<Enumerate>, first: c_int) -> Vec<(c_int, String)> {
    let mut all = Vec::new();
    let Some(next) = next else { return all };
    let (mut current, mut name) = (first, ptr::null());
    // SAFETY: the runtime's entry point, and valid places for its results.
    while unsafe { next(current, &mut current, &mut name) } != 0 {
        // SAFETY: null, or a C string of the runtime, which is never freed.
        let name = if name.is_null() { c"" } else { unsafe { CStr::from_ptr(name) } };
        all.push((current, name.to_string_lossy().into_owned()));
    }
    all
}
