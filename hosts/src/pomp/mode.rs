//! What instrumented code's calls do: one byte, which each of them reads.

use super::{forward, imports, locks, records, routines};
use ompt_core::{first_use, host};
use std::sync::atomic::{AtomicU8, Ordering::*};

/// [`WATCHED`] and so on; 0: nothing at all.
pub(super) static MODE: AtomicU8 = AtomicU8::new(0);

/// A tool has attached.
pub(super) const WATCHED: u8 = 1;
/// Calls go on to another measurement library.
pub(super) const FORWARDED: u8 = 2;
/// Calls are noted: some tool wants to know of them.
pub(super) const CALLS: u8 = 4;
/// No runtime tells anything of the instrumented code: all that is known of it is known from its own calls.
pub(super) const ALONE: u8 = 8;
/// The instrumented code was compiled by gcc, for a runtime that tells the rest: what gcc does without a runtime is told by
/// us.
pub(super) const ADDS: u8 = 16;
/// The first call is awaited: it is the first use of the runtime, at which tools are looked for.
pub(super) const AWAITED: u8 = 32;

/// Whether some of the flags are set.
#[inline(always)]
pub(super) fn has(flags: u8) -> bool {
    MODE.load(Relaxed) & flags != 0
}

/// Whether the runtime is told of by nobody else.
#[inline(always)]
pub(super) fn is_alone() -> bool {
    MODE.load(Relaxed) & (WATCHED | ALONE) == WATCHED | ALONE
}

/// Whether what gcc inlines is told here.
#[inline(always)]
pub(super) fn tells_inlined() -> bool {
    let mode = MODE.load(Relaxed);
    mode & WATCHED != 0 && mode & (ALONE | ADDS) != 0
}

/// [`ALONE`], [`ADDS`] or neither, as far as is known.
static PLACE: AtomicU8 = AtomicU8::new(0);

/// To be called once while the library is being loaded.
pub(super) fn load() {
    look();
    if imports::now().is_instrumented() {
        routines::look();
        locks::look();
        if forward::look() {
            MODE.fetch_or(FORWARDED, Relaxed);
        }
    }
    if place() == ALONE && first_use::is_awaited() {
        MODE.fetch_or(AWAITED, Relaxed);
    }
}

/// The instrumented code makes a call.
#[inline(always)]
pub(super) fn note_use() {
    if has(AWAITED) {
        first_use();
    }
}

#[cold]
fn first_use() {
    first_use::happens();
    MODE.fetch_and(!AWAITED, Relaxed);
}

/// The next call is the first use of the runtime again: a forked child asks its tools anew.
pub(super) fn await_use() {
    if place() == ALONE {
        MODE.fetch_or(AWAITED, Relaxed);
    }
}

/// A tool attaches.
pub(super) fn track() {
    look();
    let calls = if host::tells_calls() { CALLS } else { 0 };
    if place() == ALONE {
        records::set_up();
        routines::look();
        locks::tell();
    }
    MODE.fetch_or(WATCHED | calls | place(), Release);
}

/// Looks beside which host the instrumented code runs, as long as nothing has been told: then that stays.
pub(super) fn look() {
    let imports = imports::now();
    let place = match imports {
        _ if !imports.is_instrumented() => 0,
        _ if !imports.has_runtime() => ALONE,
        _ if imports.is_of_gcc() => ADDS,
        _ => 0,
    };
    let known = MODE.load(Relaxed) & (ALONE | ADDS);
    PLACE.store(if known == 0 { place } else { known }, Relaxed);
}

/// Where the instrumented code runs: [`ALONE`], beside a host to which it [`ADDS`], or elsewhere (0).
pub(super) fn place() -> u8 {
    PLACE.load(Relaxed)
}
