//! Leagues of teams. On the host libgomp runs the teams one after the other on one thread; by the standard they are concurrent.
//! So each executes on a fiber.
#![allow(unsafe_code)] // calls the program's function

use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use system::linker::Scope;

use crate::clock::Clock;
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
}

impl League {
    /// A league begins: what libgomp is to call for each team in place of the program's function and data.
    pub(crate) fn begin(&'static self, function: usize, data: usize, codeptr: usize) -> [usize; 2] {
        self.function.store(function, Relaxed);
        self.data.store(data, Relaxed);
        self.codeptr.store(codeptr, Relaxed);
        self.ended.store(0, Relaxed);
        self.begin.set();
        self.ends.set();
        [team as *const () as usize, std::ptr::from_ref(self).expose_provenance()]
    }

    /// Runs a team's part in a fiber.
    fn run(&self, thread: &'static Thread, part: impl FnOnce()) {
        let (sanitizer, fiber) = (sanitizer(), thread.fibers.take(thread));
        let here = sanitizer.and_then(|sanitizer| sanitizer.current());
        let (Some(sanitizer), Some(here), Some(fiber)) = (sanitizer, here, fiber) else { return part() };
        let base = system::arch::stack_pointer();
        // A false report that this answers, as for tasks: locals of two teams at one address.
        shadow::clear_below(base);
        fiber.enter(thread);
        self.begin.acquire();
        let task = thread.task.get();
        let set = |context: Context| _ = task.inspect(|task| task.context.store(context.0, Relaxed));
        set(fiber.context());
        if let Some(task) = task {
            let construct = Construct::of(task, thread, base);
            fiber.history.push(Construct {
                kind: Kind::Team,
                codeptr: self.codeptr.load(Relaxed),
                function: self.function.load(Relaxed),
                ..construct
            });
        }
        part();
        self.ends.join();
        set(here);
        shadow::clear_below(base);
        sanitizer.switch(here);
        thread.fibers.give_back(thread, fiber);
    }
}

/// Function that libgomp calls for each team.
///
/// # Safety
/// `league` is what [`League::begin`] has returned.
unsafe extern "C-unwind" fn team(league: *const League) {
    // SAFETY: by this function's `# Safety` the address of a record that stays.
    let league: &'static League = unsafe { &*league };
    let data = std::ptr::with_exposed_provenance_mut::<c_void>(league.data.load(Relaxed));
    let function = std::ptr::with_exposed_provenance::<()>(league.function.load(Relaxed));
    // SAFETY: compiled code passed this function to `GOMP_teams_reg`, of type `void (void *)` (libgomp_g.h).
    let function = unsafe { transmute::<*const (), unsafe extern "C-unwind" fn(*mut c_void)>(function) };
    // SAFETY: compiled code passed the function with these data; libgomp would make the same call.
    league.run(thread::here(), || unsafe { function(data) });
    let ended = league.ended.fetch_add(1, Relaxed) + 1;
    if ended >= teams() {
        league.ends.acquire();
    }
}

/// Number of teams of the league that the calling thread is in.
fn teams() -> usize {
    let Some(function) = Scope::Default.symbol(c"omp_get_num_teams") else { return 1 };
    // SAFETY: `int omp_get_num_teams (void)` (omp.h).
    let function = unsafe { transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(function) };
    // SAFETY: it takes nothing, and may be called everywhere.
    usize::try_from(unsafe { function() }).unwrap_or(1)
}
