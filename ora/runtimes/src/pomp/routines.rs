//! What a runtime that nobody watches says of the calling thread, where its routines can be found: among the dynamic symbols,
//! or in the symbol table of the program, into which it is linked.
#![allow(unsafe_code)] // addresses become functions

#[cfg(not(feature = "linked"))]
use super::mode;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI64, AtomicPtr, Ordering::*};
#[cfg(not(feature = "linked"))]
use system::executable;
use system::linker::Scope;

/// A routine that takes an int, or nothing, and returns an int.
struct Routine {
    name: &'static CStr,
    address: AtomicPtr<()>,
}

impl Routine {
    const fn called(name: &'static CStr) -> Self {
        Self { name, address: AtomicPtr::new(null_mut()) }
    }

    fn call(&self) -> Option<u32> {
        self.call_with(0)
    }

    /// Those that take nothing don't look at the argument.
    fn call_with(&self, argument: i32) -> Option<u32> {
        let address = self.address.load(Relaxed);
        if address.is_null() {
            return None;
        }
        // SAFETY: `look` stored the runtime's function of `name`, which returns an int and takes one int (OpenMP 5.0, 3.2.19)
        // or nothing (3.2.2 to 3.2.4, 3.2.18); then it reads no argument register (System V ABI for x86-64, 3.2.3).
        let routine: extern "C" fn(i32) -> i32 = unsafe { std::mem::transmute(address) };
        u32::try_from(routine(argument)).ok()
    }
}

static THREAD_NUMBER: Routine = Routine::called(c"omp_get_thread_num");
static TEAM_SIZE: Routine = Routine::called(c"omp_get_num_threads");
static LEVEL: Routine = Routine::called(c"omp_get_level");
static ANCESTOR: Routine = Routine::called(c"omp_get_ancestor_thread_num");
static MAX_THREADS: Routine = Routine::called(c"omp_get_max_threads");

/// Finds the routines. Takes the dynamic linker's lock: to be called while the library is being loaded, or by a tool.
pub(super) fn look() {
    for routine in [&THREAD_NUMBER, &TEAM_SIZE, &LEVEL, &ANCESTOR, &MAX_THREADS] {
        if routine.address.load(Relaxed).is_null()
            && let Some(found) = find(routine.name)
        {
            routine.address.store(found, Relaxed);
        }
    }
}

/// A function of the runtime's, by its name.
#[cfg(not(feature = "linked"))]
pub(super) fn find(name: &CStr) -> Option<*mut ()> {
    // Where the runtime is part of the program, another one may have come with some library.
    let own = || executable::symbol(name).map(|address| address.cast_mut().cast());
    let own = if mode::place() == mode::ALONE { own() } else { None };
    own.or_else(|| Scope::Next.symbol(name).map(<*mut c_void>::cast))
}

/// The same in a program that has everything in it.
#[cfg(feature = "linked")]
pub(super) fn find(name: &CStr) -> Option<*mut ()> {
    super::linked::find(name)
}

/// The calling thread's number in its team.
pub(super) fn thread_number() -> Option<u32> {
    THREAD_NUMBER.call()
}

/// How many threads its team has.
pub(super) fn team_size() -> Option<u32> {
    TEAM_SIZE.call()
}

/// In how many regions the calling thread is, without the `less` innermost ones, and which thread's it is in each of their
/// teams: the same on a region's members, of whom their own region is left out, as on the thread that has met it.
pub(super) fn path(less: u32) -> Option<u64> {
    let level = LEVEL.call()?.checked_sub(less)?;
    let step = |path: Option<u64>, level: u32| {
        let number = ANCESTOR.call_with(i32::try_from(level).ok()?)?;
        Some((path? ^ u64::from(number) ^ u64::from(level) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31))
    };
    (1..=level).fold(Some(u64::from(level) + 1), step)
}

/// Whether it is in a parallel region. Async-signal-safe, as runtimes promise no lock for that.
pub(super) fn in_parallel() -> bool {
    LEVEL.call().is_some_and(|level| level > 0)
}

/// `POMP2_Lib_get_max_threads`: how many threads the next region may have. Instrumented code asks for as many, so the answer
/// has to be the runtime's own; where it can't be found, it is what a runtime begins with.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // exported by its name, not by its path
pub extern "C" fn POMP2_Lib_get_max_threads() -> i32 {
    if MAX_THREADS.address.load(Relaxed).is_null() {
        look();
    }
    let known = MAX_THREADS.call().unwrap_or_else(initial_threads);
    i32::try_from(known).unwrap_or(1)
}

/// The same in Fortran.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // exported by its name, not by its path
pub extern "C" fn pomp2_lib_get_max_threads_() -> i32 {
    POMP2_Lib_get_max_threads()
}

/// What `OMP_NUM_THREADS` says first, or how many processors the process may use.
fn initial_threads() -> u32 {
    // SAFETY: a C literal. The environment must not be changed by another thread meanwhile (getenv(3), MT-Safe env).
    let value = unsafe { libc::getenv(c"OMP_NUM_THREADS".as_ptr()) };
    let digits = if value.is_null() {
        0
    } else {
        // SAFETY: not null, so a C string of the environment (getenv(3)).
        unsafe { libc::atoi(value) }
    };
    if let Ok(threads @ 1..) = u32::try_from(digits) {
        return threads;
    }
    // SAFETY: sysconf(3) takes a number and touches no memory of ours.
    let online = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    u32::try_from(online).unwrap_or(1).max(1)
}

/// `POMP2_Get_new_task_handle`: instrumented code doesn't ask; other libraries that speak POMP2 may.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // exported by its name, not by its path
pub extern "C" fn POMP2_Get_new_task_handle() -> i64 {
    static LAST: AtomicI64 = AtomicI64::new(0);
    LAST.fetch_add(1, Relaxed) + 1
}
