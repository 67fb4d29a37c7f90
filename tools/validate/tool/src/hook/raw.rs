//! C structures that a runtime passes, and their conversion. Unsafe: pointers from the runtime.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr;

use validate_layout::event::{Chunk, Dependence, Frame, Word};

use crate::constants::dispatch;
use crate::memory;

/// `ompt_data_t`: a union of a number and a pointer of the same size.
pub(super) type Data = u64;

/// `ompt_frame_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct RawFrame {
    exit: Data,
    enter: Data,
    exit_flags: c_int,
    enter_flags: c_int,
}

/// `ompt_dependence_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct RawDependence {
    variable: Data,
    kind: c_int,
}

const _: () = assert!(size_of::<RawFrame>() == 24 && size_of::<RawDependence>() == 16);

/// Lowest address that can be mapped. In `ompt_get_task_info`, libomp 19 returns lower addresses if there is no
/// region.
const FIRST_ADDRESS: usize = 4096;

/// Reads a data word.
///
/// # Safety
/// `at` is null, an address below [`FIRST_ADDRESS`], or a data word that doesn't change during the call.
pub(super) unsafe fn word(at: *const Data) -> Option<Word> {
    if at.addr() < FIRST_ADDRESS || !at.is_aligned() {
        return None;
    }
    // SAFETY: aligned, and above the addresses that are never mapped, so it is a data word, by this function's
    // `# Safety`.
    let value = unsafe { at.read() };
    Some(Word { at: at.addr() as u64, value })
}

/// Reads a frame.
///
/// # Safety
/// `at` is null or a frame that doesn't change during the call.
pub(super) unsafe fn frame(at: *const RawFrame) -> Option<Frame> {
    // SAFETY: `as_ref` handles null; otherwise it is a frame that remains valid during the call, by this function's
    // `# Safety`.
    let raw = unsafe { at.as_ref() }?;
    Some(Frame { exit: raw.exit, enter: raw.enter, exit_flags: raw.exit_flags, enter_flags: raw.enter_flags })
}

/// `ompt_dispatch_chunk_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct RawChunk {
    start: u64,
    iterations: u64,
}

/// Reads the chunk of a loop or taskloop that an instance of that kind points to.
///
/// # Safety
/// The instance of a chunk is null or points to a chunk that doesn't change during the call.
pub(super) unsafe fn chunk(kind: c_int, instance: Data) -> Option<Chunk> {
    let at: *const RawChunk = ptr::with_exposed_provenance(usize::try_from(instance).ok()?);
    if ![dispatch::LOOP_CHUNK, dispatch::TASKLOOP_CHUNK].contains(&kind) || !at.is_aligned() {
        return None;
    }
    // SAFETY: `as_ref` handles null; otherwise it is a chunk, by this function's `# Safety`: `kind` is that of a
    // chunk.
    let raw = unsafe { at.as_ref() }?;
    Some(Chunk { start: raw.start, iterations: raw.iterations })
}

/// Reads dependences.
///
/// # Safety
/// `at` is null or points to `count` dependences that don't change during the call.
pub(super) unsafe fn dependences(at: *const RawDependence, count: c_int) -> Vec<Dependence> {
    let Ok(count @ 1..) = usize::try_from(count) else { return Vec::new() };
    if at.is_null() || memory::is_of_reserve() {
        return Vec::new();
    }
    // SAFETY: not null, so `at` points to `count` dependences that remain valid during the call, by this function's
    // `# Safety`.
    let all = unsafe { std::slice::from_raw_parts(at, count) };
    all.iter().map(|raw| Dependence { variable: raw.variable, kind: raw.kind }).collect()
}

/// Writes a data word, if there is one.
///
/// # Safety
/// `at` is null or a data word that no other thread accesses during the call.
pub(super) unsafe fn mark(at: *mut Data, value: Option<u64>) {
    // SAFETY: `as_mut` handles null; otherwise it is a word that no other thread accesses meanwhile, by this
    // function's `# Safety`.
    if let (Some(word), Some(value)) = (unsafe { at.as_mut() }, value) {
        *word = value;
    }
}

/// An address as a number.
pub(super) fn address(of: *const c_void) -> u64 {
    of.addr() as u64
}
