//! Functions of a libgomp that the adapter itself calls, by their types.
//!
//! An instance's functions are those of the libgomp that it serves (`Runtime::adopt`, `resolve`), under their names. That libgomp is
//! loaded: a wrapper of the instance runs, or the caller has checked [`Runtime::is_there`].
#![allow(unsafe_code)] // addresses of code become functions

use super::call_data::Dependences;
use super::names::Entry;
use super::runtime::Runtime;
use ompt_core::thread::Thread;
use ompt_core::tls;
use std::ffi::{CStr, c_void};
use std::mem::transmute;
use std::sync::atomic::Ordering::Relaxed;
use system::arch::call_through;
use system::objects::{Import, Object};

type Query = extern "C" fn() -> i32;

/// The entries of a taskgroup, which a wrapper calls in libgomp's place so that its wait is reported.
pub(super) struct Taskgroup {
    pub(super) start: unsafe extern "C-unwind" fn(),
    pub(super) register: unsafe extern "C-unwind" fn(usize),
    pub(super) end: unsafe extern "C-unwind" fn(),
}

/// A query that takes nothing and returns an int, without side effects (omp.h).
#[derive(Clone, Copy)]
pub(super) struct Question(Entry);

pub(super) const THREAD_NUMBER: Question = Question(Entry::omp_get_thread_num);
pub(super) const TEAM_SIZE: Question = Question(Entry::omp_get_num_threads);
pub(super) const MAX_THREADS: Question = Question(Entry::omp_get_max_threads);
pub(super) const LEVEL: Question = Question(Entry::omp_get_level);
pub(super) const CANCELLATION: Question = Question(Entry::omp_get_cancellation);
pub(super) const TEAM: Question = Question(Entry::omp_get_team_num);
pub(super) const TEAMS: Question = Question(Entry::omp_get_num_teams);
pub(super) const MAX_TEAMS: Question = Question(Entry::omp_get_max_teams);
pub(super) const DEVICES: Question = Question(Entry::omp_get_num_devices);
pub(super) const INITIAL_DEVICE: Question = Question(Entry::omp_get_initial_device);
pub(super) const DEFAULT_DEVICE: Question = Question(Entry::omp_get_default_device);

/// Work for each worker of a team, done on that worker.
pub(super) type Visitor = fn(&'static Thread);

/// Values of `Runtime::cancellation`: libgomp determines when it is loaded whether constructs can be cancelled.
const NO: u32 = 1;
const YES: u32 = 2;

impl Runtime {
    /// Result of a query, as an unsigned number; 0 without the routine.
    pub(super) fn answer(&self, Question(entry): Question) -> u32 {
        let Some(get) = self.address(entry as usize) else { return 0 };
        // SAFETY: the address is that of the bound routine, which is `int (void)` in omp.h: a `Question` has no other.
        let get = unsafe { transmute::<*const (), Query>(get.0) };
        get().cast_unsigned()
    }

    /// True if the libgomp has that function.
    pub(super) fn has(&self, entry: Entry) -> bool {
        self.address(entry as usize).is_some()
    }

    /// Number of the schedule of loops with `schedule(runtime)` (`omp_sched_t`); 0 if libgomp lacks a routine for it.
    #[cold]
    pub(super) fn schedule(&self) -> u32 {
        let Some(get) = self.address(Entry::omp_get_schedule as usize) else { return 0 };
        // SAFETY: the address is that of the bound `void omp_get_schedule (omp_sched_t *, int *)` (omp.h), which writes both.
        let get = unsafe { transmute::<*const (), extern "C" fn(&mut u32, &mut i32)>(get.0) };
        let (mut kind, mut chunk) = (0, 0);
        get(&mut kind, &mut chunk);
        kind
    }

    /// True if constructs can be cancelled (`OMP_CANCELLATION`). libgomp before gcc 4.9 doesn't support it.
    #[inline]
    pub(super) fn cancels(&self) -> bool {
        match self.cancellation.load(Relaxed) {
            0 => self.ask_cancellation(),
            known => known == YES,
        }
    }

    #[cold]
    fn ask_cancellation(&self) -> bool {
        let cancels = self.answer(CANCELLATION) != 0;
        self.cancellation.store(if cancels { YES } else { NO }, Relaxed);
        cancels
    }

    /// True if the calling thread is in a parallel region, as libgomp itself sees it. Async-signal-safe: libgomp reads an
    /// initial-exec thread-local.
    #[inline(always)]
    pub(super) fn in_parallel(&self) -> bool {
        self.is_there() && self.answer(LEVEL).cast_signed() > 0
    }

    /// `GOMP_taskwait_depend`, if the libgomp has it: waits for the tasks that a task with these dependences would wait for.
    pub(super) fn wait_for_dependences(&self) -> Option<extern "C-unwind" fn(Dependences<'_>)> {
        let wait = self.address(Entry::GOMP_taskwait_depend as usize)?;
        // SAFETY: the address is that of the bound `void GOMP_taskwait_depend (void **)` (libgomp_g.h), which reads the list.
        Some(unsafe { transmute::<*const (), extern "C-unwind" fn(Dependences<'_>)>(wait.0) })
    }

    /// The entries of a taskgroup, if the libgomp has them.
    pub(super) fn taskgroup(&self) -> Option<Taskgroup> {
        type Group = unsafe extern "C-unwind" fn();
        type Register = unsafe extern "C-unwind" fn(usize);
        let address = |entry: Entry| self.address(entry as usize);
        let start = address(Entry::GOMP_taskgroup_start)?;
        let end = address(Entry::GOMP_taskgroup_end)?;
        // That function is older than reductions.
        let register = address(Entry::GOMP_taskgroup_reduction_register).unwrap_or(start);
        Some(Taskgroup {
            // SAFETY: `GOMP_taskgroup_start` is `void (void)` (libgomp_g.h).
            start: unsafe { transmute::<*const (), Group>(start.0) },
            // SAFETY: `GOMP_taskgroup_reduction_register` is `void (uintptr_t *)` (libgomp_g.h); if it is missing, nothing is called
            // through this pointer, since reductions can't occur.
            register: unsafe { transmute::<*const (), Register>(register.0) },
            // SAFETY: `GOMP_taskgroup_end` is `void (void)` (libgomp_g.h).
            end: unsafe { transmute::<*const (), Group>(end.0) },
        })
    }

    /// Runs the work on the workers of a team of this size, which is the size of the calling thread's pool. This takes an additional
    /// region.
    pub(super) fn on_workers(&self, size: u32, work: Visitor) {
        type Body = unsafe extern "C-unwind" fn(*const c_void);
        let Some(parallel) = self.address(Entry::GOMP_parallel as usize) else { return };
        // SAFETY: the address is that of `void GOMP_parallel (void (*) (void *), void *, unsigned, unsigned)` (libgomp_g.h).
        let parallel =
            unsafe { transmute::<*const (), unsafe extern "C-unwind" fn(Body, *const c_void, u32, u32)>(parallel.0) };
        // The function itself is the argument. libgomp would pass on one in memory without ThreadSanitizer seeing it.
        // SAFETY: `visit` takes a `Visitor` as its argument, which `work` is.
        unsafe { parallel(visit, work as *const c_void, size, 0) };
    }
}

/// Function that libgomp runs in each thread of such a team; only workers do the work.
///
/// # Safety
/// `work` is a [`Visitor`].
unsafe extern "C-unwind" fn visit(work: *const c_void) {
    // SAFETY: by this function's `# Safety` `work` is one; functions and data have pointers of one size (psABI, "Data
    // Representation").
    let work = unsafe { transmute::<*const c_void, Visitor>(work) };
    tls::get().filter(|thread| thread.identity.is_worker()).inspect(|thread| work(thread));
}

/// A routine without side effects in the importing object's libgomp, while its import is unbound: a call binds it first. `None` for other
/// imports.
pub(super) fn unbound_query(object: &Object, import: &Import<'_>) -> Option<Unbound> {
    const QUERIES: [&CStr; 5] = [
        c"omp_get_num_threads",
        c"omp_get_thread_num",
        c"omp_get_max_threads",
        c"omp_in_parallel",
        c"omp_get_num_procs",
    ];
    let address = import.word().load(Relaxed);
    if !QUERIES.contains(&import.name) || !object.contains(address) {
        return None;
    }
    Some(Unbound(import.place))
}

/// See [`unbound_query`]: the import's word, in an object that stays loaded.
#[derive(Clone, Copy)]
pub(super) struct Unbound(*const usize);

impl Unbound {
    /// Makes the linker bind the routine, as it would have bound the call at hand, without its lock.
    pub(super) fn bind(self) {
        // SAFETY: the object's relocation for a routine that is `int (void)` (omp.h) is for this word, which holds an address in the
        // object: its linkage table entry (psABI, "Procedure Linkage Table"), or the routine if it has been bound since. The object is the
        // caller of the call at hand, and stays loaded.
        unsafe { call_through(self.0) };
    }
}
