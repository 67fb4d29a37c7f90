//! Leagues of teams. On the host libgomp runs the teams one after the other on one thread; by the standard they are concurrent.
//! So each executes on a fiber.
//!
//! The teams of a target region (`GOMP_teams4`) are a loop in one function, whose frame has the private variables of all of them:
//! what was accessed there is forgotten where a team ends. What the teams share lies elsewhere.
#![allow(unsafe_code)] // calls functions of the program and the runtime

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use system::linker::Scope;
use system::memory::Link;

use crate::clock::Clock;
use crate::fiber::Fiber;
use crate::history::{Construct, Kind};
use crate::sanitizer::{Context, sanitizer};
use crate::shadow;
use crate::thread::{self, Thread};

/// The league that a thread executes: a league is in no other one (OpenMP 5.1, 2.7).
#[derive(Debug, Default)]
pub(crate) struct League {
    function: AtomicUsize,
    data: AtomicUsize,
    codeptr: AtomicUsize,
    /// Teams that have ended.
    ended: AtomicUsize,
    /// Set where the league begins, and joined by each team at its end.
    begin: Clock,
    ends: Clock,
    /// The fiber of the team that is executed, and the thread's context around the league.
    fiber: Link<Fiber>,
    outer: AtomicUsize,
    /// Number in the process of the team that is executed, which is a contention group; 0: none.
    group: AtomicU64,
    /// First address above the frames of the target region that the thread executes.
    target: AtomicUsize,
}

/// Teams that have begun.
static TEAMS: AtomicU64 = AtomicU64::new(0);

impl League {
    /// A league begins.
    fn begin(&self, codeptr: usize) {
        self.codeptr.store(codeptr, Relaxed);
        self.ended.store(0, Relaxed);
        self.begin.set();
        self.ends.set();
    }

    /// A league begins by `GOMP_teams_reg`: what it is to call for each team in place of the program's function and data.
    pub(crate) fn begin_with(&'static self, function: usize, data: usize, codeptr: usize) -> [usize; 2] {
        self.function.store(function, Relaxed);
        self.data.store(data, Relaxed);
        self.begin(codeptr);
        [team as *const () as usize, std::ptr::from_ref(self).expose_provenance()]
    }

    /// The contention group of the team that the thread executes.
    pub(crate) fn contention_group(&self) -> Option<u64> {
        Some(self.group.load(Relaxed)).filter(|group| *group != 0)
    }

    /// The fiber of the team that is executed.
    pub(crate) fn fiber(&self) -> Option<&'static Fiber> {
        self.fiber.get()
    }

    /// A target region begins, whose frames lie below an address.
    pub(crate) fn note_target(&self, address: usize) {
        self.target.store(address, Relaxed);
    }

    /// `GOMP_teams4` is called: before the first team, and behind each. Its first result is not known yet, so a team's fiber is
    /// entered a little early.
    pub(crate) fn step(&self, thread: &'static Thread, is_first: bool, codeptr: usize) {
        let base = self.target.load(Relaxed).max(system::arch::stack_pointer());
        if is_first {
            self.begin(codeptr);
        } else {
            self.leave_team(thread, base);
            if self.ended.load(Relaxed) >= teams() {
                return;
            }
        }
        self.enter_team(thread, base);
    }

    /// Forgets what a team has accessed on the stack.
    fn forget_frames(&self, thread: &Thread, base: usize) {
        let here = system::arch::stack_pointer();
        shadow::clear(here, base);
        thread.depth.forget_below(here, self.codeptr.load(Relaxed));
    }

    fn enter_team(&self, thread: &'static Thread, base: usize) {
        let here = sanitizer().and_then(|sanitizer| sanitizer.current());
        let (Some(here), Some(fiber)) = (here, thread.fibers.take(thread)) else { return };
        // A false report that this answers, as for tasks: locals of two teams at one address.
        self.forget_frames(thread, base);
        self.group.store(TEAMS.fetch_add(1, Relaxed) + 1, Relaxed);
        self.outer.store(here.0, Relaxed);
        self.fiber.set(Some(fiber));
        fiber.enter(thread);
        self.begin.acquire();
        if let Some(task) = thread.task.get() {
            task.context.store(fiber.context().0, Relaxed);
            task.own_context.store(fiber.context().0, Relaxed);
            let (codeptr, function) = (self.codeptr.load(Relaxed), self.function.load(Relaxed));
            fiber.history.push(Construct { kind: Kind::Team, codeptr, function, ..Construct::of(task, thread, base) });
        }
    }

    fn leave_team(&self, thread: &'static Thread, base: usize) {
        let ended = self.ended.fetch_add(1, Relaxed) + 1;
        let Some(fiber) = self.fiber.take() else { return };
        self.group.store(0, Relaxed);
        self.ends.join();
        self.forget_frames(thread, base);
        let outer = Context(self.outer.load(Relaxed));
        if let Some(task) = thread.task.get() {
            task.context.store(outer.0, Relaxed);
            task.own_context.store(outer.0, Relaxed);
        }
        sanitizer().inspect(|sanitizer| sanitizer.switch(outer));
        thread.fibers.give_back(thread, fiber);
        if ended >= teams() {
            self.ends.acquire();
        }
    }
}

/// Function that libgomp calls for each team.
///
/// # Safety
/// `league` is what [`League::begin_with`] has returned.
unsafe extern "C-unwind" fn team(league: *const League) {
    // SAFETY: by this function's `# Safety` the address of a record that stays.
    let league: &'static League = unsafe { &*league };
    let data = std::ptr::with_exposed_provenance_mut::<c_void>(league.data.load(Relaxed));
    let function = std::ptr::with_exposed_provenance::<()>(league.function.load(Relaxed));
    // SAFETY: compiled code passed this function to `GOMP_teams_reg`, of type `void (void *)` (libgomp_g.h).
    let function = unsafe { transmute::<*const (), unsafe extern "C-unwind" fn(*mut c_void)>(function) };
    let thread = thread::here();
    let base = system::arch::stack_pointer();
    league.enter_team(thread, base);
    // SAFETY: compiled code passed the function with these data; libgomp would make the same call.
    unsafe { function(data) };
    league.leave_team(thread, base);
}

/// Number of teams of the league that the calling thread is in.
fn teams() -> usize {
    let Some(function) = Scope::Default.symbol(c"omp_get_num_teams") else { return 1 };
    // SAFETY: `int omp_get_num_teams (void)` (omp.h).
    let function = unsafe { transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(function) };
    // SAFETY: it takes nothing, and may be called everywhere.
    usize::try_from(unsafe { function() }).unwrap_or(1)
}
