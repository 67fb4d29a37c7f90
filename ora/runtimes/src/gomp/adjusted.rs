//! Calls of libgomp whose arguments are changed by settings by region (`ORA_TUNE`): the number of threads of a region, and the chunk size
//! of a loop with a dynamic or guided schedule.
//!
//! If there are settings, a slot leads to a function in front (`exports.rs`). That has the arguments changed here, and continues to the
//! slot's original target: the real function, or the function that reports the call. To those, the call seems to be the program's own.
//! Without a file of settings nothing leads here.

use super::entry::Code;
use super::names::Entry;
use super::region_settings::{self, Settings};
use super::routines::MAX_THREADS;
use super::runtime::{Runtime, set_original_targets};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::*};
use system::call_arguments::Arguments;

/// The construct that an entry starts, and the positions of its arguments.
#[derive(Clone, Copy)]
enum Starts {
    /// A region: its first argument is its function, the third is the number of threads.
    Region { chunk: Option<usize> },
    /// A loop inside a region.
    Loop { chunk: usize },
    /// A loop whose schedule is also an argument.
    LoopOf { schedule: usize, chunk: usize },
}

/// The position of the number of threads.
const THREADS: usize = 2;

/// Passes the entries to a macro, which expands them: `NAME what it starts;`.
macro_rules! adjusted_entries {
    ($to:ident) => {
        $to! {
            GOMP_parallel Region { chunk: None };
            GOMP_parallel_reductions Region { chunk: None };
            GOMP_parallel_loop_static Region { chunk: None };
            GOMP_parallel_loop_dynamic Region { chunk: Some(6) };
            GOMP_parallel_loop_guided Region { chunk: Some(6) };
            GOMP_parallel_loop_runtime Region { chunk: None };
            GOMP_parallel_loop_nonmonotonic_dynamic Region { chunk: Some(6) };
            GOMP_parallel_loop_nonmonotonic_guided Region { chunk: Some(6) };
            GOMP_parallel_loop_nonmonotonic_runtime Region { chunk: None };
            GOMP_parallel_loop_maybe_nonmonotonic_runtime Region { chunk: None };
            GOMP_parallel_sections Region { chunk: None };
            GOMP_parallel_start Region { chunk: None };
            GOMP_parallel_loop_static_start Region { chunk: None };
            GOMP_parallel_loop_dynamic_start Region { chunk: Some(6) };
            GOMP_parallel_loop_guided_start Region { chunk: Some(6) };
            GOMP_parallel_loop_runtime_start Region { chunk: None };
            GOMP_parallel_sections_start Region { chunk: None };
            GOMP_loop_dynamic_start Loop { chunk: 3 };
            GOMP_loop_guided_start Loop { chunk: 3 };
            GOMP_loop_nonmonotonic_dynamic_start Loop { chunk: 3 };
            GOMP_loop_nonmonotonic_guided_start Loop { chunk: 3 };
            GOMP_loop_start LoopOf { schedule: 3, chunk: 4 };
            GOMP_loop_ull_dynamic_start Loop { chunk: 4 };
            GOMP_loop_ull_guided_start Loop { chunk: 4 };
            GOMP_loop_ull_nonmonotonic_dynamic_start Loop { chunk: 4 };
            GOMP_loop_ull_nonmonotonic_guided_start Loop { chunk: 4 };
            GOMP_loop_ull_start LoopOf { schedule: 4, chunk: 5 };
        }
    };
}
pub(super) use adjusted_entries;

macro_rules! entries {
    ($($name:ident $starts:expr;)*) => {
        /// Numbers of the entries here.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)] // libgomp's names
        #[derive(Clone, Copy)]
        pub(super) enum Adjusted { $($name),* }

        /// The number of entries here.
        pub(super) const COUNT: usize = [$(Entry::$name),*].len();

        static ADJUSTED: [(Entry, Starts); COUNT] = {
            use Starts::*;
            [$((Entry::$name, $starts)),*]
        };
    };
}

adjusted_entries!(entries);

/// The original targets of these entries: null if the slot leads to the target itself.
static ORIGINAL_TARGETS: [AtomicPtr<()>; COUNT] = [const { AtomicPtr::new(null_mut()) }; COUNT];

/// Reads the file that `ORA_TUNE` names, and puts these functions in front of the instance's slots if it has settings. Called once, while
/// the library is being loaded.
pub(super) fn load(runtime: &Runtime, functions: &[Code; COUNT]) {
    if region_settings::load() {
        set_original_targets(original_target);
        for (((entry, _), function), original_target) in ADJUSTED.iter().zip(functions).zip(&ORIGINAL_TARGETS) {
            runtime.put_in_front(*entry as usize, *function, original_target);
        }
    }
}

/// The word with the original target of an entry whose calls come here.
fn original_target(entry: usize) -> Option<&'static AtomicPtr<()>> {
    let number = ADJUSTED.iter().position(|(adjusted, _)| *adjusted as usize == entry)?;
    // Relaxed: it is set once, while the library is being loaded.
    ORIGINAL_TARGETS.get(number).filter(|original_target| !original_target.load(Relaxed).is_null())
}

/// Changes the arguments of a call of the entry with this number, and returns the function to which the call continues.
pub(super) fn adjust(runtime: &Runtime, arguments: Arguments, number: usize) -> *const () {
    if let Some((_, starts)) = ADJUSTED.get(number) {
        change(runtime, *starts, arguments);
    }
    // Acquire: pairs with the exchanges of slots (`dispatch_slots`), as a call's own load of its slot does.
    ORIGINAL_TARGETS.get(number).map_or(null_mut(), |original_target| original_target.load(Acquire))
}

fn change(runtime: &Runtime, starts: Starts, arguments: Arguments) {
    match starts {
        Starts::Region { chunk } => {
            let Some(settings) = region_settings::of_body(arguments.get(0)) else { return };
            if settings.threads > 0 && settings.threads < asked(runtime, arguments.get(THREADS)) {
                arguments.set(THREADS, settings.threads as usize);
            }
            chunk.into_iter().for_each(|position| set_chunk(settings, arguments, position));
        }
        Starts::Loop { chunk } => {
            region_settings::of_code(arguments.returns_to()).inspect(|it| set_chunk(it, arguments, chunk));
        }
        Starts::LoopOf { schedule, chunk } if is_handed_out(arguments.get(schedule)) => {
            change(runtime, Starts::Loop { chunk }, arguments)
        }
        Starts::LoopOf { .. } => {}
    }
}

/// The number of threads that a region requests by its argument; without one, as many as libgomp would use.
fn asked(runtime: &Runtime, threads: usize) -> u32 {
    /// Bits of an `unsigned int`.
    const UNSIGNED: usize = 0xffff_ffff;
    match u32::try_from(threads & UNSIGNED).unwrap_or(0) {
        0 => runtime.answer(MAX_THREADS),
        threads => threads,
    }
}

fn set_chunk(settings: &Settings, arguments: Arguments, position: usize) {
    if settings.chunk > 0 {
        arguments.set(position, settings.chunk as usize);
    }
}

/// True for libgomp's numbers of the dynamic and the guided schedule (`gomp-constants.h`).
fn is_handed_out(schedule: usize) -> bool {
    matches!(schedule & 0xffff, 2 | 3)
}
