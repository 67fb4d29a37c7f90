//! Loads a module's build id and unwinding rules, from its file or, if that is gone, from memory. Unsafe: own memory as
//! bytes.
//!
//! What was read is never freed, even when the code is unloaded, since a handler on another thread may read it.
//! Async-signal-safe: system calls and the arena's memory.
#![allow(unsafe_code)]

use std::ffi::CStr;

use crate::arena::Arena;
use crate::module::{Module, Rules};
use crate::system::{self, Descriptor};
use ::system::elf::{self, ProgramHeader};
use ::system::memory::page_size;

/// Memory for the rules of code without a file: 32 MiB, touched as needed. Code beyond that can't be unwound.
static COPIES: Arena = Arena::new(1 << 22);
/// Bytes of a note segment that are read.
const NOTE: usize = 512;

/// Fills in the bias, the build id and the rules, as far as they are available. `begin`: address of the file's start in
/// memory.
pub(crate) fn load(module: &mut Module, begin: Option<u64>, header: &mut [u8]) {
    let path = module.path.unwrap_or_default();
    let done = if path.starts_with(b"/") { from_file(module, path, header) } else { None };
    // A name that ends in ` (deleted)` does not belong to a file.
    if let Some(begin) = begin.filter(|_| done.is_none()) {
        let _ = from_memory(module, begin, header);
    }
}

fn from_file(module: &mut Module, path: &[u8], header: &mut [u8]) -> Option<()> {
    // The name is in `header` at first: the thread may have a small stack.
    let name = header.get_mut(..=path.len())?;
    let (end, name_bytes) = name.split_last_mut()?;
    name_bytes.copy_from_slice(path);
    *end = 0;
    let file = Descriptor::read_only(CStr::from_bytes_until_nul(name).ok()?)?;
    let got = file.read_at(0, header);
    let segments = elf::program_headers(header.get(..got)?);
    module.bias = elf::bias(segments.clone(), module.offset, module.start)?;
    read_notes(module, segments.clone(), |note, room| file.read_at(note.offset, room));
    let Some((index, segment)) = elf::unwind_index(segments) else { return Some(()) };
    let before = segment.offset % page_size() as u64;
    let length = usize::try_from(segment.length + before).ok()?;
    let mapped = file.map_private(segment.offset - before, length)?;
    module.rules = Some(Rules { address: segment.address, bytes: piece(mapped, before, segment.length)?, index });
    Some(())
}

/// Loads the rules of the vDSO, and of code whose file was deleted or replaced.
fn from_memory(module: &mut Module, begin: u64, header: &mut [u8]) -> Option<()> {
    // There may be less mapped memory than was requested.
    let rest = usize::try_from(module.end.saturating_sub(begin)).unwrap_or(usize::MAX).min(header.len());
    let got = system::copy_own_memory(begin, header.get_mut(..rest)?);
    let segments = elf::program_headers(header.get(..got)?);
    let bias = elf::bias(segments.clone(), module.offset, module.start)?;
    module.bias = bias;
    read_notes(module, segments.clone(), |note, room| system::copy_own_memory(bias.wrapping_add(note.address), room));
    let (index, segment) = elf::unwind_index(segments)?;
    let length = usize::try_from(segment.length).ok()?;
    let copy = COPIES.take(length.div_ceil(8))?;
    // SAFETY: words are bytes, and these belong to this library forever.
    let copy = unsafe { std::slice::from_raw_parts_mut(copy.as_mut_ptr().cast::<u8>(), length) };
    if system::copy_own_memory(bias.wrapping_add(segment.address), copy) < length {
        return None;
    }
    module.rules = Some(Rules { address: segment.address, bytes: copy, index });
    Some(())
}

fn read_notes(
    module: &mut Module,
    segments: impl Iterator<Item = ProgramHeader>,
    read: impl Fn(&ProgramHeader, &mut [u8]) -> usize,
) {
    let mut notes = [0; NOTE];
    for note in segments.filter(|segment| segment.kind == ProgramHeader::NOTE) {
        let length = usize::try_from(note.length).unwrap_or(usize::MAX).min(NOTE);
        let Some(room) = notes.get_mut(..length) else { continue };
        let got = read(&note, room);
        if let Some(id) = elf::build_id(room.get(..got).unwrap_or_default()) {
            module.build_id.push(id);
            return;
        }
    }
}

fn piece(bytes: &[u8], at: u64, length: u64) -> Option<&[u8]> {
    bytes.get(usize::try_from(at).ok()?..)?.get(..usize::try_from(length).ok()?)
}
