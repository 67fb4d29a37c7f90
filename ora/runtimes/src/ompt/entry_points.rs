//! Entry points for the program's tools (OpenMP 5.0, 4.6.1): the runtime's own, or ours if callbacks or words are involved. Each tool has
//! its own instances, which identify the tool by a constant. LLVM's runtime does not check arguments: null pointers, sizes of arrays that
//! it puts on the stack, and levels that it counts down. Arguments that it can't handle are answered here.
#![allow(unsafe_code)] // functions that tools call, with their pointers

use super::TOOLS;
use super::blocks;
use super::callbacks::nothing;
use super::registration;
use super::runtime::{self, Function, Lookup, Registration, Runtime};
use super::runtime::{Word, WordAt};
use super::tool_thread_words;
use super::tools::{self, words_are_ours};
use ompt_core::frame::Frame;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr::{from_ref, null, null_mut};

/// Look-up function of each tool.
pub(super) const LOOKUPS: [Lookup; TOOLS] = [lookup::<0>, lookup::<1>, lookup::<2>, lookup::<3>];

/// The runtime's own entry points, which do not concern callbacks and words.
const PASSED_ON: [&[u8]; 6] = [
    b"ompt_get_num_procs",
    b"ompt_get_num_places",
    b"ompt_get_state",
    b"ompt_get_target_info",
    b"ompt_get_num_devices",
    b"ompt_get_unique_id",
];

/// The same entry point for each tool.
macro_rules! of_each_tool {
    ($entry_point:ident) => {
        [
            $entry_point::<0> as *const (),
            $entry_point::<1> as *const (),
            $entry_point::<2> as *const (),
            $entry_point::<3> as *const (),
        ]
    };
}

/// Entry points that this library implements.
const OURS: [(&[u8], [*const (); TOOLS]); 13] = [
    (b"ompt_enumerate_states", of_each_tool!(enumerate_states)),
    (b"ompt_enumerate_mutex_impls", of_each_tool!(enumerate_mutex_impls)),
    (b"ompt_get_place_proc_ids", of_each_tool!(get_place_proc_ids)),
    (b"ompt_set_callback", of_each_tool!(set_callback)),
    (b"ompt_get_callback", of_each_tool!(get_callback)),
    (b"ompt_get_thread_data", of_each_tool!(get_thread_data)),
    (b"ompt_get_parallel_info", of_each_tool!(get_parallel_info)),
    (b"ompt_get_task_info", of_each_tool!(get_task_info)),
    (b"ompt_get_task_memory", of_each_tool!(get_task_memory)),
    (b"ompt_get_place_num", of_each_tool!(get_place_num)),
    (b"ompt_get_partition_place_nums", of_each_tool!(get_partition_place_nums)),
    (b"ompt_get_proc_id", of_each_tool!(get_proc_id)),
    (b"ompt_finalize_tool", of_each_tool!(finalize_tool)),
];

/// Looks up an entry point by its name.
unsafe extern "C-unwind" fn lookup<const TOOL: usize>(name: *const c_char) -> Option<Function> {
    if name.is_null() {
        return None;
    }
    // SAFETY: not null; an `ompt_function_lookup_t` gets a C string from the tool (OpenMP 5.0, 4.6.3.1).
    named(TOOL, unsafe { CStr::from_ptr(name) })
}

/// A tool's entry point of this name. An unknown one may expose words: the runtime's is returned only while the words are the tool's.
fn named(tool: usize, name: &CStr) -> Option<Function> {
    let bytes = name.to_bytes();
    let Some((_, ours)) = OURS.iter().find(|(known, _)| *known == bytes) else {
        let is_hidden = words_are_ours() && !PASSED_ON.contains(&bytes);
        return if is_hidden { None } else { own(runtime::first()?, name) };
    };
    // SAFETY: a function of the table, not null. The tool casts it to the type that belongs to its name (OpenMP 5.0, 4.6.1), which is its
    // own type.
    Some(unsafe { transmute::<*const (), Function>(*ours.get(tool)?) })
}

unsafe extern "C-unwind" fn set_callback<const TOOL: usize>(event: c_int, callback: Option<Function>) -> c_int {
    // SAFETY: the tool's call of this entry point gives `callback` the type of `event` (OpenMP 5.0, 4.6.1.3).
    registration::set_callback(TOOL, unsafe { Registration::new(event, callback) })
}

unsafe extern "C-unwind" fn get_callback<const TOOL: usize>(event: c_int, place: *mut Option<Function>) -> c_int {
    let callback = tools::callback(TOOL, event);
    if callback.is_some() && !place.is_null() {
        // SAFETY: not null, so the tool's variable for a callback (OpenMP 5.0, 4.6.1.4).
        unsafe { place.write(callback) };
    }
    c_int::from(callback.is_some())
}

/// The runtime, while the tool is active. A tool that has declined or finished gets the results of a runtime without a tool.
fn runtime_for(tool: usize) -> Option<&'static Runtime> {
    tools::result(tool).and_then(|_| runtime::first())
}

/// The runtime's own entry point of this name.
fn own(runtime: &Runtime, name: &CStr) -> Option<Function> {
    // SAFETY: the runtime's `ompt_function_lookup_t` takes a C string (OpenMP 5.0, 4.6.3.1), which `name` is.
    unsafe { (runtime.lookup)(name.as_ptr()) }
}

unsafe extern "C-unwind" fn get_proc_id<const TOOL: usize>() -> c_int {
    number::<TOOL>(c"ompt_get_proc_id")
}

unsafe extern "C-unwind" fn get_place_num<const TOOL: usize>() -> c_int {
    number::<TOOL>(c"ompt_get_place_num")
}

/// Result of an entry point that takes nothing; -1: not known.
fn number<const TOOL: usize>(name: &CStr) -> c_int {
    let Some(get) = runtime_for(TOOL).and_then(|runtime| own(runtime, name)) else { return -1 };
    // SAFETY: `ompt_get_place_num` and `ompt_get_proc_id` take nothing and return an int (OpenMP 5.0, 4.6.1.9 and 4.6.1.11).
    let get = unsafe { transmute::<Function, unsafe extern "C-unwind" fn() -> c_int>(get) };
    // SAFETY: the runtime's entry point, which takes nothing and may be called at any time on any thread (OpenMP 5.0, 4.6.1).
    unsafe { get() }
}

/// No thread's stack has this many nested regions and tasks: each takes more than a hundred bytes of it.
const MAX_LEVEL: c_int = 1 << 24;

/// True for an ancestor level that a thread may have.
fn is_level(level: c_int) -> bool {
    (0..MAX_LEVEL).contains(&level)
}

unsafe extern "C-unwind" fn enumerate_states<const TOOL: usize>(
    current: c_int,
    next: *mut c_int,
    name: *mut *const c_char,
) -> c_int {
    enumerate(c"ompt_enumerate_states", current, next, name)
}

unsafe extern "C-unwind" fn enumerate_mutex_impls<const TOOL: usize>(
    current: c_int,
    next: *mut c_int,
    name: *mut *const c_char,
) -> c_int {
    enumerate(c"ompt_enumerate_mutex_impls", current, next, name)
}

/// The state or kind of mutex after `current`; nothing is written through null pointers of the tool.
fn enumerate(what: &CStr, current: c_int, next: *mut c_int, name: *mut *const c_char) -> c_int {
    type Enumerate = unsafe extern "C-unwind" fn(c_int, *mut c_int, *mut *const c_char) -> c_int;
    let Some(enumerate) = runtime::first().and_then(|runtime| own(runtime, what)) else { return 0 };
    // SAFETY: both entry points take these (OpenMP 5.0, 4.6.1.1 and 4.6.1.2).
    let enumerate = unsafe { transmute::<Function, Enumerate>(enumerate) };
    let (mut following, mut its_name) = (0, null());
    // SAFETY: the runtime's entry point; it writes to the two variables.
    let answer = unsafe { enumerate(current, &raw mut following, &raw mut its_name) };
    if answer != 0 {
        put(next, following);
        put(name, its_name);
    }
    answer
}

/// Writes a value to the tool's variable for it, if there is one.
fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not null, so the tool's variable for the value, which needs no alignment here.
        unsafe { place.write_unaligned(value) };
    }
}

unsafe extern "C-unwind" fn get_place_proc_ids<const TOOL: usize>(place: c_int, size: c_int, ids: *mut c_int) -> c_int {
    type Get = unsafe extern "C-unwind" fn(c_int, c_int, *mut c_int) -> c_int;
    let Some(get) = runtime::first().and_then(|runtime| own(runtime, c"ompt_get_place_proc_ids")) else { return 0 };
    // SAFETY: the entry point of that name takes these (OpenMP 5.0, 4.6.1.8).
    let get = unsafe { transmute::<Function, Get>(get) };
    // SAFETY: the runtime's entry point writes nothing without room (`ompt_get_place_proc_ids` of LLVM's runtime).
    let count = unsafe { get(place, 0, null_mut()) };
    if count > 0 && count <= size && !ids.is_null() {
        // SAFETY: the tool's array is not null and has room for `size` numbers, which are at least `count`.
        unsafe { get(place, count, ids) };
    }
    count
}

/// LLVM's runtime, at least up to 19, writes one number more than there is room for if that is the last one.
unsafe extern "C-unwind" fn get_partition_place_nums<const TOOL: usize>(size: c_int, places: *mut c_int) -> c_int {
    type Get = unsafe extern "C-unwind" fn(c_int, *mut c_int) -> c_int;
    let get = runtime_for(TOOL).and_then(|runtime| own(runtime, c"ompt_get_partition_place_nums"));
    let Some(get) = get else { return 0 };
    // SAFETY: the entry point of that name takes these (OpenMP 5.0, 4.6.1.10).
    let get = unsafe { transmute::<Function, Get>(get) };
    // SAFETY: the runtime's entry point writes nothing if the room is negative.
    let count = unsafe { get(-1, null_mut()) };
    if count > 0 && count <= size && !places.is_null() {
        // SAFETY: the tool's array is not null and has room for `size` numbers, which are at least `count`.
        unsafe { get(size, places) };
    }
    count
}

unsafe extern "C-unwind" fn get_thread_data<const TOOL: usize>() -> *mut Word {
    if tools::result(TOOL).is_none() {
        return null_mut();
    }
    // SAFETY: the runtime's `ompt_get_thread_data`, which takes nothing (OpenMP 5.0, 4.6.1.5).
    let words = runtime::all().map(|runtime| unsafe { (runtime.get_thread_data)() });
    match words.into_iter().find(|word| !word.is_null()) {
        // The thread has not begun, or has ended.
        None => null_mut(),
        Some(word) if TOOL == 0 => word,
        Some(_) => tool_thread_words::known(TOOL).map_or(null_mut(), |word| from_ref(word).cast_mut()),
    }
}

/// Replaces the runtime's word by the tool's own, or by null without a block. Async-signal-safe.
fn translate(tool: usize, place: *mut *mut Word) {
    if place.is_null() {
        return;
    }
    // SAFETY: not null: the tool's variable for a pointer, which the runtime has written, as its result is `KNOWN`.
    let word = unsafe { place.read() };
    // SAFETY: the runtime's result about a task or region of the calling thread, which lasts as long as this call.
    let word = unsafe { WordAt::returned(word) };
    let own = match blocks::of(word) {
        _ if runtime::there(word).is_none() => null(),
        Some(block) if words_are_ours() => block.words.get(tool).map_or(nothing().address(), from_ref),
        None if tool > 0 => nothing().address(),
        _ => return,
    };
    // SAFETY: not null: the tool's variable for a pointer (OpenMP 5.0, 4.6.1.13 and 4.6.1.14).
    unsafe { place.write(own.cast_mut()) };
}

unsafe extern "C-unwind" fn get_parallel_info<const TOOL: usize>(
    level: c_int,
    parallel: *mut *mut Word,
    size: *mut c_int,
) -> c_int {
    let Some(runtime) = runtime_for(TOOL).filter(|_| is_level(level)) else { return 0 };
    // SAFETY: the runtime's `ompt_get_parallel_info`, with the tool's arguments of the same call (OpenMP 5.0, 4.6.1.13).
    let answer = unsafe { (runtime.get_parallel_info)(level, parallel, size) };
    if answer == KNOWN {
        translate(TOOL, parallel);
    }
    answer
}

/// Result of a query for which the runtime has written all values.
const KNOWN: c_int = 2;

unsafe extern "C-unwind" fn get_task_info<const TOOL: usize>(
    level: c_int,
    flags: *mut c_int,
    task: *mut *mut Word,
    frame: *mut *mut Frame,
    parallel: *mut *mut Word,
    number: *mut c_int,
) -> c_int {
    let Some(runtime) = runtime_for(TOOL).filter(|_| is_level(level)) else { return 0 };
    // SAFETY: the runtime's `ompt_get_task_info`, with the tool's arguments of the same call (OpenMP 5.0, 4.6.1.14).
    let answer = unsafe { (runtime.get_task_info)(level, flags, task, frame, parallel, number) };
    if answer == KNOWN {
        translate(TOOL, task);
        translate(TOOL, parallel);
    }
    answer
}

/// LLVM's runtime, at least up to 19, follows a null pointer if the thread executes no task, such as a worker between regions, and writes
/// through null pointers of the tool.
unsafe extern "C-unwind" fn get_task_memory<const TOOL: usize>(
    address: *mut *mut c_void,
    size: *mut usize,
    block: c_int,
) -> c_int {
    let Some(runtime) = runtime_for(TOOL).filter(|_| !address.is_null() && !size.is_null()) else { return 0 };
    // SAFETY: the runtime's `ompt_get_task_info` (OpenMP 5.0, 4.6.1.14) writes nothing through null pointers.
    let answer = unsafe { (runtime.get_task_info)(0, null_mut(), null_mut(), null_mut(), null_mut(), null_mut()) };
    match runtime.get_task_memory {
        // SAFETY: the runtime's `ompt_get_task_memory`, with the tool's arguments of the same call (OpenMP 5.0, 4.6.1.15).
        Some(get) if answer == KNOWN => unsafe { get(address, size, block) },
        _ => 0,
    }
}

/// Ends the tool; the others stay. A single tool still has the runtime's own callbacks, and the runtime makes the reports that are due
/// before the tool's end (OpenMP 5.0, 4.6.1.19). LLVM's runtime shuts itself down for that: in a region it then hangs for ever, or
/// continues and calls the tool back, so it is not called there.
unsafe extern "C-unwind" fn finalize_tool<const TOOL: usize>() {
    finalize(TOOL);
}

fn finalize(tool: usize) {
    if !words_are_ours() {
        registration::replace_callbacks();
        if !runtime::in_parallel() {
            runtime::all().for_each(finalize_runtimes_tool);
        }
    }
    tools::finalize(tool);
    registration::answer_for_none();
}

fn finalize_runtimes_tool(runtime: &Runtime) {
    if let Some(finalize) = own(runtime, c"ompt_finalize_tool") {
        // SAFETY: `ompt_finalize_tool` takes and returns nothing; the tool itself has called it here (OpenMP 5.0, 4.6.1.19).
        unsafe { finalize() };
    }
}
