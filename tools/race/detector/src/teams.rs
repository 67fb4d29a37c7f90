//! Leagues of teams. On the host libgomp runs the teams one after the other on one thread; according to the standard they are
//! concurrent. So each executes on a fiber.
//!
//! The teams of a target region (`GOMP_teams4`) are a loop in one function, whose frame has the private variables of all of them:
//! the accesses to it are forgotten where a team ends. What the teams share is elsewhere.
#![allow(unsafe_code)] // calls functions of the program and the runtime

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use system::linker::Scope;

use crate::history::{Construct, Kind};
use crate::league::League;
use crate::sanitizer::{Context, sanitizer};
use crate::thread::{self, Thread};
use crate::{construct, shadow};

/// Number of teams that have started.
static TEAMS: AtomicU64 = AtomicU64::new(0);

/// A league starts with `GOMP_teams_reg`: returns what it has to call for each team in place of the program's
/// function and data.
pub(crate) fn begin_with(league: &'static League, function: usize, data: usize, codeptr: usize) -> [usize; 2] {
    league.function.store(function, Relaxed);
    league.data.store(data, Relaxed);
    league.begin(codeptr);
    [team as *const () as usize, std::ptr::from_ref(league).expose_provenance()]
}

/// `GOMP_teams4` is called: before the first team, and after each. Its first result is not known yet, so a team's fiber is
/// entered a little early.
pub(crate) fn step(league: &League, thread: &'static Thread, is_first: bool, codeptr: usize) {
    let base = league.target.load(Relaxed).max(system::arch::stack_pointer());
    if is_first {
        league.begin(codeptr);
    } else {
        leave_team(league, thread, base);
        if league.ended.load(Relaxed) >= teams() {
            return;
        }
    }
    enter_team(league, thread, base);
}

/// Forgets a team's accesses to the stack.
fn forget_frames(league: &League, thread: &Thread, base: usize) {
    let here = system::arch::stack_pointer();
    shadow::clear(here, base);
    thread.depth.forget_below(here, league.codeptr.load(Relaxed));
}

fn enter_team(league: &League, thread: &'static Thread, base: usize) {
    let here = sanitizer().and_then(|sanitizer| sanitizer.current());
    let (Some(here), Some(fiber)) = (here, thread.take_fiber()) else { return };
    // This avoids a false report, as for tasks: locals of two teams at one address.
    forget_frames(league, thread, base);
    league.group.store(TEAMS.fetch_add(1, Relaxed) + 1, Relaxed);
    league.outer.store(here.0, Relaxed);
    league.fiber.set(Some(fiber));
    thread.enter(fiber);
    league.begin.acquire();
    if let Some(task) = thread.task.get() {
        task.context.store(fiber.context().0, Relaxed);
        task.own_context.store(fiber.context().0, Relaxed);
        let (codeptr, function) = (league.codeptr.load(Relaxed), league.function.load(Relaxed));
        fiber.history.push(Construct { kind: Kind::Team, codeptr, function, ..construct::of(task, thread, base) });
    }
}

fn leave_team(league: &League, thread: &'static Thread, base: usize) {
    let ended = league.ended.fetch_add(1, Relaxed) + 1;
    let Some(fiber) = league.fiber.take() else { return };
    league.group.store(0, Relaxed);
    league.ends.join();
    forget_frames(league, thread, base);
    let outer = Context(league.outer.load(Relaxed));
    if let Some(task) = thread.task.get() {
        task.context.store(outer.0, Relaxed);
        task.own_context.store(outer.0, Relaxed);
    }
    sanitizer().inspect(|sanitizer| sanitizer.switch(outer));
    thread.give_back(fiber);
    if ended >= teams() {
        league.ends.acquire();
    }
}

/// Function that libgomp calls for each team.
///
/// # Safety
/// `league` is what [`begin_with`] has returned.
unsafe extern "C-unwind" fn team(league: *const League) {
    // SAFETY: by this function's `# Safety`, the address of a record that is never freed.
    let league: &'static League = unsafe { &*league };
    let data = std::ptr::with_exposed_provenance_mut::<c_void>(league.data.load(Relaxed));
    let function = std::ptr::with_exposed_provenance::<()>(league.function.load(Relaxed));
    // SAFETY: compiled code passed this function to `GOMP_teams_reg`, of type `void (void *)` (libgomp_g.h).
    let function = unsafe { transmute::<*const (), unsafe extern "C-unwind" fn(*mut c_void)>(function) };
    let thread = thread::here();
    let base = system::arch::stack_pointer();
    enter_team(league, thread, base);
    // SAFETY: compiled code passed the function with these data; libgomp would make the same call.
    unsafe { function(data) };
    leave_team(league, thread, base);
}

/// Number of teams of the league that the calling thread is in.
fn teams() -> usize {
    let Some(function) = Scope::Default.symbol(c"omp_get_num_teams") else { return 1 };
    // SAFETY: `int omp_get_num_teams (void)` (omp.h).
    let function = unsafe { transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(function) };
    // SAFETY: it takes nothing, and may be called everywhere.
    usize::try_from(unsafe { function() }).unwrap_or(1)
}
