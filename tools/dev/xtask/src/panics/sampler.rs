//! Proves from the machine code that the signal handler of `ora profile` calls nothing that a handler must not.
//!
//! It covers all functions that the handler and the callbacks of the collector reach. None of them panics, allocates,
//! waits for a lock or touches a lazy thread-local. Of other libraries they call only the listed functions. Calls of
//! functions that were looked up at the start go through a register, and are not seen: `clock_gettime`, `sigaction` and
//! `__omp_collector_api`.

use anyhow::Result;

use super::image::Image;
use super::reach::{self, ANYWHERE, Limits};
use super::rules::{self, Fault};
use crate::workspace;

const LIBRARY: &str = "libora_profiler.so";
/// Entries for signals and events.
const ENTRIES: [&str; 4] = [
    "ora_profiler::handler::entry",
    "ora_profiler::session::on_fork",
    "ora_profiler::session::on_join",
    "ora_profiler::waits::on_wait",
];

/// Begin of a thread. Where it runs in a handler, it leaves out what a handler may not do.
const BEGIN: &str = "ora_profiler::threads::begin";
/// Sets a pthread key's value at a thread's first event. No handler calls it.
const HANG_UP: &str = "ora_profiler::threads::hang_up";

/// Functions with an exception.
const ALLOWED: &str = include_str!("../../templates/sampler_panics.txt");

/// Functions of the C library: async-signal-safe (signal-safety(7)), or as safe, because they only read or write their
/// arguments' memory or the thread's own.
const IMPORTS: &[&str] = &[
    "syscall",
    "getpid",
    "getppid",
    "getrlimit",
    "raise",
    "memcpy",
    "memmove",
    "memset",
    "bcmp",
    "__errno_location",
    "pthread_getspecific",
    // Where something would unwind, which nothing does that doesn't panic.
    "_Unwind_Resume",
];

/// Checks the library of the release build.
pub(crate) fn check(verbose: bool) -> Result<()> {
    let library = workspace::product(LIBRARY)?;
    let image = Image::read(&library)?;
    let entries = ENTRIES.iter().map(|name| image.find(name)).collect::<Result<Vec<_>>>()?;
    let allowed = rules::exceptions(ALLOWED);
    let limits = Limits { ends: &[BEGIN, HANG_UP], imports: IMPORTS, pointers: ANYWHERE, allowed: &allowed };
    let (reached, mut faults) = reach::walk(&image, &entries, &limits);
    let (_, of_begin) = reach::walk(&image, &[image.find(BEGIN)?], &limits);
    faults.extend(of_begin.into_iter().filter(|(fault, _)| *fault != Fault::Unknown));
    for (fault, start, reason) in &allowed {
        println!("  allowed: {start} {fault}: {reason}");
    }
    let shown = workspace::shown(&library);
    let end = format!("the handler of {shown} does what it may not");
    let count = reach::proved(&image, (reached, faults), verbose, &end)?;
    println!("{count} functions that the handler of {shown} gets to are safe in it");
    Ok(())
}
