//! One run of the program with a built-in collector. Unsafe: a step between fork and exec.
#![allow(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use anyhow::Result;
use stat_analysis::{Exit, FinishedRun};
use stat_layout::area::{Shared, SharedArea};
use stat_layout::clock::monotonic_ns;
use stat_layout::ticks::{Moment, Pace, Source};

use crate::{call_sites, file_limit, libraries, program};

/// Creates the shared memory of a collector, followed by space for `items` rows.
///
/// # Errors
/// If the system refuses the memory.
pub(crate) fn shared<T: Shared>(items: usize) -> Result<Arc<SharedArea<T>>> {
    Ok(Arc::new(file_limit::lifted(|| SharedArea::create(items))?))
}

/// Runs the program once. `first` are libraries that are preloaded before the collector's. The collector finds the shared memory through
/// `variable`; without `follow` it ignores processes that the program starts. `prepare` may change the program's environment.
///
/// # Errors
/// If a library is missing, or the program can't be started.
pub(crate) fn run<T: Shared>(
    words: &[OsString],
    first: &[&Path],
    shared: &Arc<SharedArea<T>>,
    variable: &str,
    follow: bool,
    prepare: impl FnOnce(&mut Command),
) -> Result<FinishedRun> {
    let mut preloaded: Vec<PathBuf> = first.iter().map(|library| library.to_path_buf()).collect();
    preloaded.extend([libraries::find(libraries::LIBRARY)?, libraries::find(libraries::COLLECTORS)?]);
    let header = &shared.area().process_table().header;
    header.no_follow.store(u32::from(!follow), Relaxed);
    let clock = Source::best();
    header.clock.store(clock as u32, Relaxed);
    let mut command = program::command(words, &preloaded)?;
    call_sites::hand_over(words, &mut command);
    command.env(variable, shared.path());
    prepare(&mut command);
    say_who_is_first(&mut command, shared);

    let cpu_before_ns = cpu_of_children_ns();
    let began = Moment::now(clock);
    let start_ns = monotonic_ns();
    let status = program::run(&mut command, words)?;
    let cpu_ns = cpu_of_children_ns().saturating_sub(cpu_before_ns);
    let pace = Pace::between(began, Moment::now(clock));
    Ok(FinishedRun { exit: Exit::of(status), start_ns, end_ns: monotonic_ns(), cpu_ns, pace })
}

/// CPU time of all programs that this process has started and that have ended.
fn cpu_of_children_ns() -> u64 {
    // SAFETY: all zero is a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is valid for writes.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let ns = |time: libc::timeval| time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_usec.unsigned_abs() * 1000;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}

/// Tells the collector in the new process that this is the one that `ora` started.
fn say_who_is_first<T: Shared>(command: &mut Command, shared: &Arc<SharedArea<T>>) {
    let shared = Arc::clone(shared);
    let prepare = move || {
        shared.area().process_table().header.root_pid.store(std::process::id(), Relaxed);
        shared.pass_on();
        Ok(())
    };
    // SAFETY: makes two system calls and a store to shared memory, and takes no lock.
    unsafe { command.pre_exec(prepare) };
}
