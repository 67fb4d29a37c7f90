//! Query routines of a runtime without an adapter, if they can be found: among the dynamic symbols, or in the symbol table of the program
//! into which it is linked.
#![allow(unsafe_code)] // addresses become functions

#[cfg(not(feature = "linked"))]
use super::mode;
use std::ffi::CStr;
#[cfg(not(feature = "linked"))]
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, Ordering::*};
#[cfg(not(feature = "linked"))]
use system::{executable, linker::Scope};

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

    /// Calls the routine. Routines that take nothing don't read the argument.
    fn call_with(&self, argument: i32) -> Option<u32> {
        let address = self.address.load(Relaxed);
        if address.is_null() {
            return None;
        }
        // SAFETY: `look` stored the runtime's function of `name`, which returns an int and takes one int (OpenMP 5.0, 3.2.19)
        // or nothing (3.2.2 to 3.2.4, 3.2.18); then it reads no argument register (psABI).
        let routine: extern "C" fn(i32) -> i32 = unsafe { std::mem::transmute(address) };
        u32::try_from(routine(argument)).ok()
    }
}

static THREAD_NUMBER: Routine = Routine::called(c"omp_get_thread_num");
static TEAM_SIZE: Routine = Routine::called(c"omp_get_num_threads");
static LEVEL: Routine = Routine::called(c"omp_get_level");
static ANCESTOR: Routine = Routine::called(c"omp_get_ancestor_thread_num");
static MAX_THREADS: Routine = Routine::called(c"omp_get_max_threads");

/// True if the routines may be those of LLVM's runtime.
static IS_LLVMS: AtomicBool = AtomicBool::new(false);

/// Finds the routines. Takes the dynamic linker's lock: called while the library is being loaded, or by a tool.
pub(super) fn look() {
    IS_LLVMS.store(find(c"__kmpc_fork_call").is_some(), Relaxed);
    for routine in [&THREAD_NUMBER, &TEAM_SIZE, &LEVEL, &ANCESTOR, &MAX_THREADS] {
        if routine.address.load(Relaxed).is_null()
            && let Some(found) = find(routine.name)
        {
            routine.address.store(found, Relaxed);
        }
    }
}

/// Function of the runtime, by its name.
#[cfg(not(feature = "linked"))]
pub(super) fn find(name: &CStr) -> Option<*mut ()> {
    // If the runtime is part of the program, a library may have brought another runtime along.
    let own = || executable::symbol(name).map(|address| address.cast_mut().cast());
    let own = if mode::place() == mode::ALONE { own() } else { None };
    own.or_else(|| Scope::Next.symbol(name).map(<*mut c_void>::cast))
}

/// The routines of a runtime that is linked into the program together with this library: the references pull them out of their archive.
#[cfg(feature = "linked")]
macro_rules! linked {
    ($($name:ident)*) => {
        unsafe extern "C" {
            $(fn $name();)*
        }

        /// Function of the runtime, by its name, in a static program.
        pub(super) fn find(name: &CStr) -> Option<*mut ()> {
            let all: &[(&str, unsafe extern "C" fn())] = &[$((stringify!($name), $name)),*];
            let found = all.iter().find(|(known, _)| known.as_bytes() == name.to_bytes());
            found.map(|(_, routine)| *routine as *const () as *mut ())
        }
    };
}

#[cfg(feature = "linked")]
linked! {
    omp_get_thread_num omp_get_num_threads omp_get_level omp_get_ancestor_thread_num omp_get_max_threads
    omp_init_lock omp_destroy_lock omp_set_lock omp_unset_lock omp_test_lock
    omp_init_nest_lock omp_destroy_nest_lock omp_set_nest_lock omp_unset_nest_lock omp_test_nest_lock
    omp_init_lock_ omp_destroy_lock_ omp_set_lock_ omp_unset_lock_ omp_test_lock_
    omp_init_nest_lock_ omp_destroy_nest_lock_ omp_set_nest_lock_ omp_unset_nest_lock_ omp_test_nest_lock_
}

/// Number of the calling thread in its team.
pub(super) fn thread_number() -> Option<u32> {
    THREAD_NUMBER.call()
}

/// Number of threads in the calling thread's team.
pub(super) fn team_size() -> Option<u32> {
    TEAM_SIZE.call()
}

/// Number of regions around the calling thread; 0 if the routine can't be found. LLVM's routine would initialise the runtime, so it is not
/// called. Async-signal-safe, like [`in_parallel`].
pub(super) fn level() -> u32 {
    if IS_LLVMS.load(Relaxed) { 0 } else { LEVEL.call().unwrap_or(0) }
}

/// Hash of the calling thread's nesting: the number of regions that it is in, without the `less` innermost ones, and its ancestors' numbers
/// in their teams. A region's members that omit their own region get the same hash as the thread that has encountered the region.
pub(super) fn path(less: u32) -> Option<u64> {
    let level = LEVEL.call()?.checked_sub(less)?;
    let step = |path: Option<u64>, level: u32| {
        let number = ANCESTOR.call_with(i32::try_from(level).ok()?)?;
        Some((path? ^ u64::from(number) ^ u64::from(level) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31))
    };
    (1..=level).fold(Some(u64::from(level) + 1), step)
}

/// True if the calling thread is in a parallel region. Async-signal-safe: runtimes take no lock for this query.
pub(super) fn in_parallel() -> bool {
    LEVEL.call().is_some_and(|level| level > 0)
}

/// `POMP2_Lib_get_max_threads`: the largest number of threads of the next region. Instrumented code requests that number, so the result has
/// to be the runtime's own; if the runtime's routine can't be found, it is a runtime's initial value.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // exported by its name, not by its path
pub extern "C" fn POMP2_Lib_get_max_threads() -> i32 {
    if MAX_THREADS.address.load(Relaxed).is_null() {
        look();
    }
    let known = MAX_THREADS.call().unwrap_or_else(initial_threads);
    i32::try_from(known).unwrap_or(1)
}

/// `POMP2_Lib_get_max_threads` for Fortran.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // exported by its name, not by its path
pub extern "C" fn pomp2_lib_get_max_threads_() -> i32 {
    POMP2_Lib_get_max_threads()
}

/// The first number of `OMP_NUM_THREADS`, or the number of processors that the process may use.
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

/// `POMP2_Get_new_task_handle`: not called by instrumented code, but possibly by other libraries that implement POMP2.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)] // exported by its name, not by its path
pub extern "C" fn POMP2_Get_new_task_handle() -> i64 {
    static LAST: AtomicI64 = AtomicI64::new(0);
    LAST.fetch_add(1, Relaxed) + 1
}
