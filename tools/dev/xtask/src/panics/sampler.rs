//! Proves from the machine code that the signal handler of `ora profile` calls nothing that is forbidden in a handler.
//!
//! It covers all functions that the handler and the callbacks of the collector reach. None of them panics, allocates, waits for a lock or
//! touches a lazy thread-local. They call only the listed functions of other libraries. Functions that were looked up at the start are
//! called through a register, so these calls are not visible: `clock_gettime`, `sigaction` and `__omp_collector_api`.

use anyhow::Result;

use super::image::Image;
use super::reach::{self, ANYWHERE, Limits};
use super::rules::{self, Fault};
use crate::workspace;

const LIBRARY: &str = "libora_profiler.so";
/// Entry points of signals and events.
const ENTRIES: [&str; 4] = [
    "ora_profiler::handler::entry",
    "ora_profiler::session::on_fork",
    "ora_profiler::session::on_join",
    "ora_profiler::waits::on_wait",
];

/// Start of a thread. In a handler, it omits what is forbidden there.
const BEGIN: &str = "ora_profiler::threads::begin";
/// Sets a pthread key's value at a thread's first event. Never called in a handler.
const HANG_UP: &str = "ora_profiler::threads::hang_up";

/// Functions with an exception.
const ALLOWED: &str = include_str!("../../templates/sampler_panics.txt");

/// Functions of the C library that are async-signal-safe (signal-safety(7)), or equally safe because they only read or write their
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
    // Called only during unwinding, which doesn't happen without a panic.
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
