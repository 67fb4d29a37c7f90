//! Entries for a process without any OpenMP runtime: a program may test for names with weak references, find the exported ones, and call
//! them. They behave as a team of one thread.
#![allow(unsafe_code)] // calls the program's outlined functions, and writes bounds through its pointers

use std::cell::Cell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use system::warning::Warning;

#[derive(Clone, Copy)]
struct Work {
    /// Bounds that the next `_next` call returns: a loop that was started together with its region.
    bounds: Option<(usize, usize)>,
    /// Number of sections that are done, and number of all sections.
    sections: (usize, usize),
}

const NONE: Work = Work { bounds: None, sections: (0, 0) };

// It needs no destructor, and is reached only without a runtime that reports.
thread_local!(static WORK: Cell<Work> = const { Cell::new(NONE) });

fn work<T>(change: impl FnOnce(&Cell<Work>) -> T) -> Option<T> {
    WORK.try_with(change).ok()
}

/// # Safety
/// The function takes the data.
unsafe fn with_work(new: Work, function: unsafe extern "C-unwind" fn(usize), data: usize) -> usize {
    let before = work(|w| w.replace(new));
    // SAFETY: by this function's `# Safety` the function takes the data.
    unsafe { function(data) };
    work(|w| w.set(before.unwrap_or(NONE)));
    1
}

pub(super) extern "C-unwind" fn nothing() -> usize {
    0
}

/// `GOMP_teams4`: a league of one team.
pub(super) extern "C-unwind" fn teams(_low: u32, _high: u32, _limit: u32, first: bool) -> bool {
    first
}

/// `GOMP_error`: the end of the program, without libgomp's text.
pub(super) extern "C-unwind" fn error() {
    static FATAL: Warning = Warning::new();
    FATAL.say(&[b"ora: an error directive ends the program; there is no libgomp to print its message\n"]);
    // SAFETY: exit(3) takes any status.
    unsafe { libc::exit(1) }
}

/// `omp_target_alloc` on the host device.
pub(super) extern "C-unwind" fn target_alloc(bytes: usize, _device: i32) -> usize {
    // SAFETY: `malloc` takes any size (malloc(3)).
    unsafe { libc::malloc(bytes) }.addr()
}

/// `omp_target_free` on the host device.
pub(super) unsafe extern "C-unwind" fn target_free(address: *mut c_void, _device: i32) {
    // SAFETY: the program frees what `target_alloc` has given it, or null (OpenMP 5.0, 3.6.2).
    unsafe { libc::free(address) };
}

/// `omp_target_memset` on the host device.
pub(super) unsafe extern "C-unwind" fn target_memset(address: *mut c_void, byte: i32, count: usize) -> *mut c_void {
    // SAFETY: the program fills this many bytes of a memory block (OpenMP 6.0, 25.8).
    unsafe { libc::memset(address, byte, count) }
}

/// `omp_target_memcpy` within the host device.
pub(super) unsafe extern "C-unwind" fn target_memcpy(
    to: *mut u8,
    from: *const u8,
    bytes: usize,
    to_offset: usize,
    from_offset: usize,
) -> i32 {
    // SAFETY: the program copies this many bytes between two memory blocks (OpenMP 5.0, 3.6.4).
    unsafe { libc::memcpy(to.wrapping_add(to_offset).cast(), from.wrapping_add(from_offset).cast(), bytes) };
    0
}

/// A routine that fails: the host is the only device.
pub(super) extern "C-unwind" fn failure() -> i32 {
    libc::EINVAL
}

pub(super) extern "C-unwind" fn one() -> bool {
    true
}

pub(super) unsafe extern "C-unwind" fn parallel(function: unsafe extern "C-unwind" fn(usize), data: usize) -> usize {
    // SAFETY: compiled code passes its outlined function with the data (libgomp_g.h).
    unsafe { with_work(NONE, function, data) }
}

pub(super) unsafe extern "C-unwind" fn target(
    _device: i32,
    function: unsafe extern "C-unwind" fn(usize),
    _unused: usize,
    _count: usize,
    addresses: usize,
) {
    // SAFETY: compiled code passes its outlined function with the data (libgomp_g.h).
    unsafe { with_work(NONE, function, addresses) };
}

pub(super) unsafe extern "C-unwind" fn target_ext(
    _device: i32,
    function: unsafe extern "C-unwind" fn(usize),
    _count: usize,
    addresses: usize,
) {
    // SAFETY: compiled code passes its outlined function with the data (libgomp_g.h).
    unsafe { with_work(NONE, function, addresses) };
}

pub(super) unsafe extern "C-unwind" fn parallel_loop(
    function: unsafe extern "C-unwind" fn(usize),
    data: usize,
    _threads: u32,
    start: usize,
    end: usize,
) {
    // SAFETY: compiled code passes its outlined function with the data (libgomp_g.h).
    unsafe { with_work(Work { bounds: Some((start, end)), ..NONE }, function, data) };
}

pub(super) extern "C-unwind" fn parallel_loop_start(_: usize, _: usize, _: u32, start: usize, end: usize) {
    work(|w| w.set(Work { bounds: Some((start, end)), ..w.get() }));
}

pub(super) unsafe extern "C-unwind" fn parallel_sections(
    function: unsafe extern "C-unwind" fn(usize),
    data: usize,
    _threads: u32,
    count: u32,
) {
    // SAFETY: compiled code passes its outlined function with the data (libgomp_g.h).
    unsafe { with_work(Work { sections: (0, count as usize), ..NONE }, function, data) };
}

pub(super) extern "C-unwind" fn parallel_sections_start(_: usize, _: usize, _: u32, count: u32) {
    work(|w| w.set(Work { sections: (0, count as usize), ..w.get() }));
}

pub(super) extern "C-unwind" fn sections_start(count: u32) -> usize {
    work(|w| w.set(Work { sections: (0, count as usize), ..w.get() }));
    sections_next()
}

pub(super) extern "C-unwind" fn sections_next() -> usize {
    let next = |w: &Cell<Work>| {
        let now = w.get();
        let (done, count) = now.sections;
        let next = if done < count { done + 1 } else { 0 };
        w.set(Work { sections: (next.max(done), count), ..now });
        next
    };
    work(next).unwrap_or(0)
}

/// `(start, end, incr, ..., &begin, &end)`, where the pointers are arguments `OUT` and `OUT + 1`.
pub(super) unsafe extern "C-unwind" fn loop_start<const OUT: usize>(
    start: isize,
    end: isize,
    step: isize,
    a3: usize,
    a4: usize,
    a5: usize,
    a6: usize,
) -> bool {
    let out = |i: usize| [a3, a4, a5, a6].get(OUT + i - 3).map_or(0, |a| *a);
    let some = if step < 0 { start > end } else { start < end };
    // SAFETY: compiled code passes addresses for a loop's bounds in the entry's arguments `OUT` and `OUT + 1`
    // (`long *`, libgomp_g.h), or 0 here.
    some && unsafe { hand_out(out(0), out(1), start.cast_unsigned(), end.cast_unsigned()) }
}

/// `(up, start, end, incr, ..., &begin, &end)`.
pub(super) unsafe extern "C-unwind" fn loop_ull_start<const OUT: usize>(
    up: bool,
    start: usize,
    end: usize,
    _step: usize,
    a4: usize,
    a5: usize,
    a6: usize,
    a7: usize,
) -> bool {
    let out = |i: usize| [a4, a5, a6, a7].get(OUT + i - 4).map_or(0, |a| *a);
    let some = if up { start < end } else { start > end };
    // SAFETY: compiled code passes addresses for a loop's bounds in the entry's arguments `OUT` and `OUT + 1`
    // (`long *`, libgomp_g.h), or 0 here.
    some && unsafe { hand_out(out(0), out(1), start, end) }
}

/// `(ncounts, counts, ..., &begin, &end)`, where the pointers are arguments `OUT` and `OUT + 1`.
pub(super) unsafe extern "C-unwind" fn doacross_start<const OUT: usize>(
    _: u32,
    counts: *const usize,
    a2: usize,
    a3: usize,
    a4: usize,
    a5: usize,
) -> bool {
    let out = |i: usize| [a2, a3, a4, a5].get(OUT + i - 2).map_or(0, |a| *a);
    // SAFETY: compiled code passes an array with a count for each loop of the nest, at least one (`long *counts`,
    // libgomp_g.h).
    let iterations = unsafe { *counts };
    // SAFETY: compiled code passes addresses for a loop's bounds in the entry's arguments `OUT` and `OUT + 1`
    // (`long *`, libgomp_g.h), or 0 here.
    iterations != 0 && unsafe { hand_out(out(0), out(1), 0, iterations) }
}

pub(super) unsafe extern "C-unwind" fn task(
    function: unsafe extern "C-unwind" fn(usize),
    data: usize,
    copy: Option<unsafe extern "C-unwind" fn(usize, usize)>,
    size: usize,
    align: usize,
) {
    // SAFETY: compiled code passes its outlined function with `size` bytes of data, aligned to `align`, and what copies them
    // (`GOMP_task`, libgomp_g.h).
    unsafe { on_a_copy(function, data, copy, size, align, None) };
}

/// Executes all iterations as one chunk: their bounds are the first two words of the data.
pub(super) unsafe extern "C-unwind" fn taskloop(
    function: unsafe extern "C-unwind" fn(usize),
    data: usize,
    copy: Option<unsafe extern "C-unwind" fn(usize, usize)>,
    size: usize,
    align: usize,
    _flags: u32,
    _tasks: usize,
    _priority: i32,
    start: usize,
    end: usize,
) {
    // SAFETY: compiled code passes its outlined function with `size` bytes of data, aligned to `align`, that begin with two
    // words for the bounds, and what copies them (`GOMP_taskloop`, libgomp_g.h).
    unsafe { on_a_copy(function, data, copy, size, align, Some((start, end))) };
}

/// # Safety
/// The function takes the data, or the copy that `copy` makes of it in as much room; the data begins with two bounds if there are any.
unsafe fn on_a_copy(
    function: unsafe extern "C-unwind" fn(usize),
    data: usize,
    copy: Option<unsafe extern "C-unwind" fn(usize, usize)>,
    size: usize,
    align: usize,
    bounds: Option<(usize, usize)>,
) {
    // SAFETY: by this function's `# Safety` the data at `to` begins with two words for the bounds if there are any.
    let bound = |to: usize| bounds.map(|(from, end)| unsafe { hand_out(to, to + size_of::<usize>(), from, end) });
    let Some(copy) = copy else {
        bound(data);
        // SAFETY: by this function's `# Safety` the function takes the data.
        return unsafe { function(data) };
    };
    let align = align.max(1);
    let run = |room: usize| {
        // Alignments are powers of two.
        let to = room.wrapping_add(align - 1) & align.wrapping_neg();
        // SAFETY: by this function's `# Safety` `copy` takes the data and `size` bytes of room: `room` has `size + align` bytes, so `size`
        // bytes follow the aligned `to`.
        unsafe { copy(to, data) };
        bound(to);
        // SAFETY: by this function's `# Safety` the function takes the copy of the data at `to`.
        unsafe { function(to) };
    };
    let bytes = size + align;
    if bytes <= SMALL_DATA {
        on_the_stack::<SMALL_DATA>(run);
    } else if bytes <= MORE {
        on_the_stack::<MORE>(run);
    } else {
        in_memory(bytes, run);
    }
}

/// Room for the data of most tasks, and of nearly all. As in a runtime, an undeferred task has its copy on the stack.
const SMALL_DATA: usize = 256;
const MORE: usize = 4096;

#[inline(never)]
fn on_the_stack<const BYTES: usize>(run: impl FnOnce(usize)) {
    let mut room = MaybeUninit::<[u8; BYTES]>::uninit();
    run(room.as_mut_ptr().addr());
}

fn in_memory(bytes: usize, run: impl FnOnce(usize)) {
    // SAFETY: `malloc` takes any size (malloc(3)); null is handled below.
    let room = unsafe { libc::malloc(bytes) };
    if room.is_null() {
        static NO_MEMORY: Warning = Warning::new();
        NO_MEMORY.say(&[b"ora: the system refuses memory for a task's data: the program can't go on\n"]);
        // SAFETY: `exit` takes any number (exit(3)); a runtime without memory also ends the program this way.
        unsafe { libc::exit(libc::EXIT_FAILURE) };
    }
    run(room.addr());
    // SAFETY: `room` came from `malloc` above; the task that ran in it is over.
    unsafe { libc::free(room) };
}

pub(super) unsafe extern "C-unwind" fn loop_next(begin: usize, end: usize) -> bool {
    let bounds = work(|w| {
        let now = w.get();
        w.set(Work { bounds: None, ..now });
        now.bounds
    });
    // SAFETY: compiled code passes addresses for the next bounds (`bool GOMP_loop_*_next (long *, long *)`,
    // libgomp_g.h).
    bounds.flatten().is_some_and(|(from, to)| unsafe { hand_out(begin, end, from, to) })
}

/// # Safety
/// Both are addresses to which a bound may be written, or 0.
unsafe fn hand_out(begin: usize, end: usize, from: usize, to: usize) -> bool {
    if begin != 0 && end != 0 {
        // SAFETY: by this function's `# Safety` a bound may be written to `begin`, which is not 0.
        unsafe { (begin as *mut usize).write(from) };
        // SAFETY: by this function's `# Safety` a bound may be written to `end`, which is not 0.
        unsafe { (end as *mut usize).write(to) };
    }
    true
}
