//! System calls that are async-signal-safe. Unsafe: these calls.
//!
//! They bypass the C library's functions of these names: sanitizers replace those, and need more of a thread than exists at
//! its start and in a handler.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_long, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use system::file_room;

use crate::text::Text;

const FILE_MODE: libc::mode_t = 0o664;
const FOLDER_MODE: libc::mode_t = 0o775;
const F_SETSIG: c_int = 10;
const F_SETOWN_EX: c_int = 15;
const F_OWNER_TID: c_int = 0;

/// `struct f_owner_ex` (fcntl(2)).
#[repr(C)]
struct Owner {
    kind: c_int,
    tid: c_int,
}

/// An open file, closed on drop.
#[derive(Debug)]
pub(crate) struct Descriptor(c_int);

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: `answered` took the descriptor from the call that opened it; only this value has it, and it is closed once.
        unsafe { libc::syscall(libc::SYS_close, self.0) };
    }
}

impl Descriptor {
    /// A system call's result as a descriptor, unless it is an error.
    pub(crate) fn answered(number: c_long) -> Option<Self> {
        c_int::try_from(number).ok().filter(|fd| *fd >= 0).map(Self)
    }

    /// Makes the kernel send a thread this signal when the descriptor has input; otherwise returns an error number.
    pub(crate) fn send_signals(&self, tid: u32, signal: c_int) -> Result<(), c_int> {
        let owner = Owner { kind: F_OWNER_TID, tid: tid.cast_signed() };
        // SAFETY: F_SETOWN_EX reads an `f_owner_ex`, which `owner` is (fcntl(2)).
        let owned = unsafe { libc::syscall(libc::SYS_fcntl, self.0, F_SETOWN_EX, &raw const owner) } == 0;
        let control = |command: c_int, number: c_int| {
            // SAFETY: F_SETSIG and F_SETFL take a number: no memory is touched (fcntl(2)).
            unsafe { libc::syscall(libc::SYS_fcntl, self.0, command, number) == 0 }
        };
        let done = owned && control(F_SETSIG, signal) && control(libc::F_SETFL, libc::O_ASYNC | libc::O_NONBLOCK);
        if done { Ok(()) } else { Err(errno()) }
    }

    fn open(path: &CStr, flags: c_int) -> Option<Self> {
        // SAFETY: `path` is a C string, which the call only reads; the mode is there for O_CREAT (openat(2)).
        let fd = unsafe {
            libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags | libc::O_CLOEXEC, FILE_MODE)
        };
        Self::answered(fd)
    }

    pub(crate) fn read_only(path: &CStr) -> Option<Self> {
        Self::open(path, libc::O_RDONLY)
    }

    pub(crate) fn new_file(path: &CStr) -> Option<Self> {
        Self::open(path, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL)
    }

    pub(crate) fn read_write(path: &CStr) -> Option<Self> {
        Self::open(path, libc::O_RDWR | libc::O_NOFOLLOW | libc::O_NONBLOCK)
    }

    /// Reads bytes and returns their number; 0 at the end or for an error.
    pub(crate) fn read(&self, into: &mut [u8]) -> usize {
        // SAFETY: the kernel writes at most `into.len()` bytes, to `into` (read(2)).
        let got = unsafe { libc::syscall(libc::SYS_read, self.0, into.as_mut_ptr(), into.len()) };
        usize::try_from(got).unwrap_or(0)
    }

    /// Reads bytes at an offset of the file, like [`Self::read`].
    pub(crate) fn read_at(&self, offset: u64, into: &mut [u8]) -> usize {
        // SAFETY: the kernel writes at most `into.len()` bytes, to `into` (pread(2)).
        let got =
            unsafe { libc::syscall(libc::SYS_pread64, self.0, into.as_mut_ptr(), into.len(), offset.cast_signed()) };
        usize::try_from(got).unwrap_or(0)
    }

    /// Allocates space on the disk, so that writing to a mapping of it never fails; otherwise returns an error
    /// number.
    pub(crate) fn take_room(&self, offset: u64, bytes: u64) -> Result<(), c_int> {
        file_room::take(self.0, offset, bytes)
    }

    /// Maps a part of the file, shared: writes go to the file.
    pub(crate) fn map_shared(&self, offset: u64, bytes: usize) -> Option<*mut u8> {
        map(bytes, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, self.0, offset)
    }

    /// Maps a part of the file, private and read-only, forever.
    pub(crate) fn map_private(&self, offset: u64, bytes: usize) -> Option<&'static [u8]> {
        let base = map(bytes, libc::PROT_READ, libc::MAP_PRIVATE, self.0, offset)?;
        // SAFETY: just mapped with this length, never unmapped, and not written to.
        Some(unsafe { std::slice::from_raw_parts(base, bytes) })
    }
}

fn map(bytes: usize, protection: c_int, flags: c_int, fd: c_int, offset: u64) -> Option<*mut u8> {
    let (nowhere, offset) = (ptr::null::<u8>(), offset.cast_signed());
    // SAFETY: a new mapping at a place that the kernel chooses touches no memory in use (mmap(2)).
    let base = unsafe { libc::syscall(libc::SYS_mmap, nowhere, bytes, protection, flags, fd, offset) };
    // Addresses of a program are positive numbers; an error is -1.
    usize::try_from(base).ok().map(ptr::with_exposed_provenance_mut)
}

/// Maps memory of zeros, forever.
pub(crate) fn zeros(bytes: usize) -> Option<*mut u8> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    map(bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
}

/// Unmaps a mapping.
///
/// # Safety
/// The memory is no longer in use.
pub(crate) unsafe fn unmap(base: *mut u8, bytes: usize) {
    // SAFETY: the memory is no longer in use, by this function's `# Safety`.
    unsafe { libc::syscall(libc::SYS_munmap, base, bytes) };
}

/// The error number of the last call.
pub(crate) fn errno() -> c_int {
    // SAFETY: takes nothing; errno's place exists as long as the calling thread (errno(3)).
    let place = unsafe { libc::__errno_location() };
    // SAFETY: errno's place may be read by its thread, which is this one (errno(3)).
    unsafe { *place }
}

/// Sets the error number.
pub(crate) fn set_errno(number: c_int) {
    // SAFETY: takes nothing; errno's place exists as long as the calling thread (errno(3)).
    let place = unsafe { libc::__errno_location() };
    // SAFETY: errno's place may be written by its thread, which is this one (errno(3)).
    unsafe { *place = number };
}

/// Creates a folder; `Err` has the error number.
pub(crate) fn make_folder(path: &CStr) -> Result<(), c_int> {
    // SAFETY: `path` is a C string, which the call only reads (mkdirat(2)).
    if unsafe { libc::syscall(libc::SYS_mkdirat, libc::AT_FDCWD, path.as_ptr(), FOLDER_MODE) } == 0 {
        Ok(())
    } else {
        Err(errno())
    }
}

/// Truncates a file to `bytes`.
pub(crate) fn cut_file(path: &CStr, bytes: u64) {
    // Through a descriptor: truncate(2) follows links.
    if let Some(file) = Descriptor::read_write(path) {
        // SAFETY: ftruncate(2) takes numbers: no memory is touched.
        unsafe { libc::syscall(libc::SYS_ftruncate, file.0, bytes.cast_signed()) };
    }
}

/// Reads the target of a symbolic link and returns its length.
pub(crate) fn read_link(path: &CStr, into: &mut [u8]) -> usize {
    // SAFETY: `path` is a C string; the kernel writes at most `into.len()` bytes, to `into` (readlinkat(2)).
    let got =
        unsafe { libc::syscall(libc::SYS_readlinkat, libc::AT_FDCWD, path.as_ptr(), into.as_mut_ptr(), into.len()) };
    usize::try_from(got).unwrap_or(0)
}

/// Copies from this process's own memory, which need not be mapped.
pub(crate) fn copy_own_memory(address: u64, into: &mut [u8]) -> usize {
    let to = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let Ok(from) = usize::try_from(address) else { return 0 };
    let from = libc::iovec { iov_base: ptr::without_provenance_mut::<c_void>(from), iov_len: into.len() };
    // SAFETY: the kernel checks the remote range, and writes at most `into.len()` bytes, to `into` (process_vm_readv(2)).
    let got = unsafe {
        libc::syscall(libc::SYS_process_vm_readv, process(), &raw const to, 1_usize, &raw const from, 1_usize, 0_usize)
    };
    usize::try_from(got).unwrap_or(0)
}

/// Address of the C library's `clock_gettime`, which needs no system call.
static CLOCK: AtomicUsize = AtomicUsize::new(0);

type GetTime = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;

/// Looks up the functions that are called later, also in handlers.
pub(crate) fn prepare() {
    // SAFETY: a constant C string; the call only looks it up.
    let found = unsafe { libc::dlsym(libc::RTLD_NEXT, c"clock_gettime".as_ptr()) };
    CLOCK.store(found.expose_provenance(), Relaxed);
}

fn clock(which: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let found = CLOCK.load(Relaxed);
    if found == 0 {
        // SAFETY: `time` is writable; for a clock that doesn't exist nothing is written.
        unsafe { libc::syscall(libc::SYS_clock_gettime, which, &raw mut time) };
    } else {
        // SAFETY: `prepare` found this address under the name `clock_gettime`, whose type this is (clock_gettime(2)).
        let call = unsafe { transmute::<usize, GetTime>(found) };
        // SAFETY: `call` is the C library's clock_gettime(2), and `time` may be written.
        unsafe { call(which, &raw mut time) };
    }
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// CLOCK_MONOTONIC, in nanoseconds.
pub(crate) fn monotonic_ns() -> u64 {
    clock(libc::CLOCK_MONOTONIC)
}

/// CLOCK_REALTIME, in nanoseconds.
pub(crate) fn real_ns() -> u64 {
    clock(libc::CLOCK_REALTIME)
}

/// CPU time of the calling thread, in nanoseconds.
pub(crate) fn cpu_ns() -> u64 {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// CPU time of all threads of the process, in nanoseconds.
pub(crate) fn process_cpu_ns() -> u64 {
    clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

/// The time between two of the kernel's ticks, in nanoseconds.
pub(crate) fn tick_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable.
    unsafe { libc::syscall(libc::SYS_clock_getres, libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    time.tv_nsec.unsigned_abs()
}

/// A thread's CPU time in nanoseconds; 0 if the thread is gone.
pub(crate) fn cpu_ns_of(tid: u32) -> u64 {
    clock(cpu_clock_of(tid))
}

/// Number of a thread's CPU clock.
pub(crate) fn cpu_clock_of(tid: u32) -> libc::clockid_t {
    // As in pthread_getcpuclockid: the complement of the number, "of a thread" and "precise".
    !tid.cast_signed() << 3 | 6
}

/// Number of processors that the calling thread may use; 0 if not known.
pub(crate) fn processors() -> u64 {
    let mut set = [0_u64; 128];
    // SAFETY: `set` is writable, and has the given length.
    let written = unsafe { libc::syscall(libc::SYS_sched_getaffinity, 0, size_of_val(&set), set.as_mut_ptr()) };
    if written < 0 { 0 } else { set.iter().map(|word| u64::from(word.count_ones())).sum() }
}

/// Time for which a thread of this process has been ready to run without a processor, in nanoseconds. `None` if the
/// kernel doesn't count it.
pub(crate) fn ready_ns_of(tid: u32) -> Option<u64> {
    let (mut path, mut text) = (Text::<64>::new(), Text::<96>::new());
    path.push(b"/proc/self/task/").number(tid.into()).push(b"/schedstat");
    let file = Descriptor::read_only(path.c())?;
    text.fill(|into| file.read(into));
    // Fields: time on processors, time ready, and number of times that it was put on a processor.
    let ready = text.bytes().split(|byte| *byte == b' ').nth(1)?;
    str::from_utf8(ready).ok()?.parse().ok()
}

/// CPU time of the calling thread in the kernel, as the kernel estimates it, in nanoseconds.
pub(crate) fn system_ns() -> u64 {
    let time = usage().ru_stime;
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_usec.unsigned_abs() * 1000
}

/// Counts of the calling thread's voluntary and involuntary context switches.
pub(crate) fn switches() -> [u64; 2] {
    let usage = usage();
    [usage.ru_nvcsw, usage.ru_nivcsw].map(i64::unsigned_abs)
}

fn usage() -> libc::rusage {
    // SAFETY: all zero is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is writable.
    unsafe { libc::syscall(libc::SYS_getrusage, libc::RUSAGE_THREAD, &raw mut usage) };
    usage
}

/// Process id of this process.
pub(crate) fn process() -> c_int {
    // SAFETY: a system call without arguments.
    unsafe { libc::getpid() }
}

/// Process id of the parent.
pub(crate) fn parent() -> c_int {
    // SAFETY: a system call without arguments.
    unsafe { libc::getppid() }
}

/// Thread id of the calling thread.
pub(crate) fn thread() -> u32 {
    // SAFETY: a system call without arguments; libc's wrapper is new, the number is not.
    let tid: c_long = unsafe { libc::syscall(libc::SYS_gettid) };
    u32::try_from(tid).unwrap_or(0)
}
