//! The program's call into the runtime, found on the stack. Unsafe: reads the thread's own stack.
//!
//! Unwinding takes microseconds. But there are only few functions between our callback and the program (of the library,
//! sometimes of the runtime), and they are always the same. So an unwound path is remembered: the return addresses, and their
//! distances from the callback's frame. If they are found there again, the path is the same, and the word after them is the
//! address in the program. Each step is checked only if the one before matched, so the words read always belong to the
//! frames.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr::with_exposed_provenance;

use system::arch::{CALL_PUSHES, code_address};

use crate::objects::{OBJECTS, Owner};
use stat_layout::loaded::SharedTables;

const WAYS: usize = 8;
const STEPS: usize = 20;
/// Number of times that a thread unwinds without checking whether that pays off. Paths that never repeat would cost
/// too much.
const FREE_UNWINDS: u32 = 4096;
/// After that, a thread unwinds only once in this many times.
const THEN_EACH: u32 = 64;

/// The paths that one thread has found, the last used one first. A path of zeros is unused.
#[derive(Debug)]
pub(crate) struct Ways {
    ways: [Way; WAYS],
    unwound: u32,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    /// Return addresses on the path, with their distances from the callback's frame.
    steps: [Step; STEPS],
    length: usize,
    /// The distance of the address in the program; 0 if the stack has none.
    end: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Step {
    distance: usize,
    returns_to: usize,
}

/// Result of the search for the innermost call in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The call in the program returns to this address.
    Program(u64),
    /// No function of the program is on the stack.
    Nobody,
    /// The stack could not be read.
    Unknown,
}

const NO_WAY: Way = Way { steps: [Step { distance: 0, returns_to: 0 }; STEPS], length: 0, end: 0 };

impl Ways {
    /// Another thread gets them: it may unwind as often as any.
    pub(crate) fn renew(&mut self) {
        self.unwound = 0;
    }

    /// Searches for the innermost call in the program. `base` is an address in the frame of the callback that the library
    /// called and that has not returned.
    #[inline(always)]
    pub(crate) fn find(&mut self, tables: SharedTables<'_>, base: usize) -> Found {
        self.last(base).unwrap_or_else(|| self.find_other(tables, base))
    }

    /// Result of [`find`](Self::find) if the path is the one used last; otherwise `None`.
    #[inline(always)]
    pub(crate) fn last(&self, base: usize) -> Option<Found> {
        let [first, ..] = &self.ways;
        first.leads_from(base).then(|| first.found(base))
    }

    /// Result of [`find`](Self::find) if the path is not the one used last.
    #[inline(never)]
    fn find_other(&mut self, tables: SharedTables<'_>, base: usize) -> Found {
        let Some(found) = self.ways.iter().position(|way| way.leads_from(base)) else {
            return self.unwind(tables, base);
        };
        self.ways.get_mut(..=found).unwrap_or_default().rotate_right(1);
        let [first, ..] = &self.ways;
        first.found(base)
    }

    /// The address on the stack of the word that [`Self::find`] has found just now, from the same `base`.
    pub(crate) fn slot(&self, base: usize) -> Option<usize> {
        self.ways.first().map(|way| way.end).filter(|end| *end > 0).map(|end| base + end)
    }

    /// Number of searches in paths that were not known.
    pub(crate) fn unwound(&self) -> u32 {
        self.unwound
    }

    #[cold]
    fn unwind(&mut self, tables: SharedTables<'_>, base: usize) -> Found {
        self.unwound = self.unwound.saturating_add(1);
        if self.unwound > FREE_UNWINDS && !self.unwound.is_multiple_of(THEN_EACH) {
            return Found::Unknown;
        }
        let mut walk = Walk { tables, base, below: base, in_runtime: false, way: NO_WAY, complete: false };
        // SAFETY: `visit` gets what is passed here, and stays within this call.
        unsafe { _Unwind_Backtrace(visit, (&raw mut walk).cast()) };
        if !walk.complete || walk.way.length == 0 {
            return Found::Unknown;
        }
        self.ways.rotate_right(1);
        if let Some(first) = self.ways.first_mut() {
            *first = walk.way;
        }
        walk.way.found(base)
    }
}

impl Way {
    #[inline(always)]
    fn leads_from(&self, base: usize) -> bool {
        // SAFETY: each word is read only if the frames before it are those of the path, with the sizes that they had
        // then.
        let is_there = |step: &Step| unsafe { return_address(base + step.distance) } == step.returns_to;
        // Paths usually have two or three steps.
        let [first, second, third, ..] = &self.steps;
        if self.length < 2 {
            return self.length == 1 && is_there(first);
        }
        let rest = || self.steps.get(3..self.length).unwrap_or_default().iter().all(is_there);
        is_there(first) && is_there(second) && (self.length == 2 || is_there(third) && (self.length == 3 || rest()))
    }

    /// The answer of a path that matches there.
    #[inline(always)]
    fn found(&self, base: usize) -> Found {
        match self.end {
            0 => Found::Nobody,
            // SAFETY: `leads_from` or the unwinder has found the frames on the way, and after them this word.
            end => Found::Program(unsafe { return_address(base + end) } as u64),
        }
    }
}

/// The return address stored in a word, where it may be signed.
///
/// # Safety
/// The address is on this thread's stack, above the caller's frame.
#[inline(always)]
#[allow(clippy::cast_possible_truncation)] // addresses have 64 bits here
unsafe fn return_address(address: usize) -> usize {
    // SAFETY: on this thread's stack, by this function's `# Safety`; a stack's words are aligned (System V ABI).
    code_address(unsafe { with_exposed_provenance::<usize>(address).read_volatile() } as u64) as usize
}

/// Size of the largest frame that is searched for a return address, in bytes.
const LARGEST_FRAME: usize = 1 << 16;

/// The word of a frame that has its return address. On some processors the call itself puts it at the frame's end. On others the called
/// function chooses where to store it: gcc at the frame's low end (`by_gcc`), LLVM at the high one. In between there may be stale ones.
///
/// # Safety
/// The frame is on this thread's stack, above the caller's frame.
unsafe fn slot_in(frame: Range<usize>, returns_to: usize, by_gcc: bool) -> Option<usize> {
    // SAFETY: in the frame, by this function's `# Safety`.
    let is_it = |slot: &usize| unsafe { return_address(*slot) } == returns_to;
    if CALL_PUSHES > 0 {
        return frame.end.checked_sub(size_of::<usize>()).filter(is_it);
    }
    if frame.len() > LARGEST_FRAME {
        return None;
    }
    let mut slots = frame.step_by(size_of::<usize>()).filter(is_it);
    if by_gcc { slots.next() } else { slots.next_back() }
}

/// An address in the OpenMP runtime that called, directly or indirectly, the callback whose frame has `base`. If there are
/// several runtimes, the address is in the one that was called first. Frames above `end` are ignored. `None` if no runtime is
/// on the stack. Takes microseconds.
#[cold]
pub(crate) fn runtime(tables: SharedTables<'_>, base: usize, end: usize) -> Option<u64> {
    let mut search = Search { tables, base, end, found: None };
    // SAFETY: `meet` gets what is passed here, and stays within this call.
    unsafe { _Unwind_Backtrace(each_frame, (&raw mut search).cast()) };
    search.found
}

struct Search<'a> {
    tables: SharedTables<'a>,
    base: usize,
    end: usize,
    found: Option<u64>,
}

extern "C" fn each_frame(context: *mut c_void, argument: *mut c_void) -> c_int {
    // SAFETY: `runtime` passes its own `Search`, and nobody else has it meanwhile.
    let search = unsafe { &mut *argument.cast::<Search<'_>>() };
    // SAFETY: `context` is the unwinder's own, valid during this callback (`_Unwind_Backtrace`).
    let returns_to = unsafe { _Unwind_GetIP(context) };
    // SAFETY: `context` is the unwinder's own, valid during this callback (`_Unwind_Backtrace`).
    let frame = unsafe { _Unwind_GetCFA(context) };
    if frame <= search.base {
        return GO_ON;
    }
    if frame > search.end {
        return STOP;
    }
    match OBJECTS.owner(search.tables, returns_to as u64) {
        None => return STOP,
        Some(Owner::Runtime) => search.found = Some(returns_to as u64),
        Some(_) => {}
    }
    GO_ON
}

struct Walk<'a> {
    tables: SharedTables<'a>,
    base: usize,
    /// The end of the previous frame.
    below: usize,
    /// The function of that frame belongs to a runtime, and so is taken for compiled by gcc; all others for compiled
    /// by LLVM.
    in_runtime: bool,
    way: Way,
    /// The path was followed to its end.
    complete: bool,
}

unsafe extern "C" {
    fn _Unwind_Backtrace(visit: extern "C" fn(*mut c_void, *mut c_void) -> c_int, argument: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

const GO_ON: c_int = 0;
const STOP: c_int = 4;

extern "C" fn visit(context: *mut c_void, argument: *mut c_void) -> c_int {
    // SAFETY: `unwind` passes its own `Walk`, and nobody else has it meanwhile.
    let walk = unsafe { &mut *argument.cast::<Walk<'_>>() };
    // SAFETY: `context` is the unwinder's own, valid during this callback (`_Unwind_Backtrace`).
    let returns_to = unsafe { _Unwind_GetIP(context) };
    // The frame's stack pointer when it made its call, which is the end of the called function's frame. SAFETY:
    // `context` is the unwinder's own, valid during this callback (`_Unwind_Backtrace`).
    let end = unsafe { _Unwind_GetCFA(context) };
    if end <= walk.base + size_of::<usize>() {
        // Frames of our own, within the callback.
        return GO_ON;
    }
    let frame = std::mem::replace(&mut walk.below, end)..end;
    if returns_to == 0 {
        walk.complete = true;
        return STOP;
    }
    // SAFETY: a frame that the unwinder has just found, above the callback's. A frame that a signal interrupted does
    // not have such a word.
    let Some(slot) = (unsafe { slot_in(frame, returns_to, walk.in_runtime) }) else { return STOP };
    let distance = slot - walk.base;
    match OBJECTS.owner(walk.tables, returns_to as u64) {
        None => STOP,
        Some(Owner::Program) => {
            walk.way.end = distance;
            walk.complete = true;
            STOP
        }
        Some(owner @ (Owner::Machinery | Owner::Runtime)) => {
            walk.in_runtime = owner == Owner::Runtime;
            let Some(step) = walk.way.steps.get_mut(walk.way.length) else { return STOP };
            *step = Step { distance, returns_to };
            walk.way.length += 1;
            // If the unwinder doesn't recognize the stack's end, the last frame seen is considered the end.
            walk.complete = true;
            GO_ON
        }
    }
}
