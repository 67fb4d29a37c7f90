//! Instructions of the process's own code by which a thread makes a system call and then restores itself.

use std::io;

use crate::arch;
use crate::memory::Memory;
use crate::process::Process;
use crate::refusal::Refusal;
use crate::unwind::Stacks;

/// Number of bytes of a function that are read.
const FUNCTION: usize = 64;
/// Number of bytes of code that are read in one go, and in all: glibc has less than 2 MB of it.
const PIECE: u64 = 1 << 16;
const LARGEST: u64 = 64 << 20;

/// Addresses of the instructions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instructions {
    /// Address of [`arch::CALL_AND_RETURN`].
    pub(crate) call: u64,
    /// Address of [`arch::RESTORE`].
    pub(crate) restore: u64,
}

impl Instructions {
    /// Finds those of a process.
    ///
    /// # Errors
    /// If its C library does not have such instructions, or its memory can't be read.
    pub(crate) fn find(process: Process, stacks: &mut Stacks) -> Result<Self, Refusal> {
        let call = call(stacks).ok_or(Refusal::NoFunction(process.pid, arch::ENTERS_KERNEL))?;
        let restore = restore(process, stacks).ok().flatten();
        Ok(Self { call, restore: restore.ok_or(Refusal::NoFunction(process.pid, "rt_sigreturn"))? })
    }
}

fn call(stacks: &mut Stacks) -> Option<u64> {
    let libraries: Vec<usize> = c_libraries(stacks).collect();
    let at = libraries.into_iter().find_map(|library| stacks.function(library, arch::ENTERS_KERNEL))?;
    let code = stacks.memory().bytes(at, FUNCTION).ok()?;
    Some(at + position(&code, arch::CALL_AND_RETURN)? as u64)
}

/// Numbers of the objects that belong to the C library.
pub(crate) fn c_libraries(stacks: &Stacks) -> impl Iterator<Item = usize> {
    stacks.objects.iter().enumerate().filter(|(_, object)| object.is_c_library()).map(|(number, _)| number)
}

/// Searches the C library's code, and what the kernel maps into each process.
fn restore(process: Process, stacks: &Stacks) -> io::Result<Option<u64>> {
    let libraries: Vec<_> = c_libraries(stacks).filter_map(|it| stacks.objects.get(it)).collect();
    let is_library = |start: u64| libraries.iter().any(|library| library.holds(start));
    let is_kernels = |path: &std::path::Path| path.as_os_str() == "[vdso]";
    let mappings = process.mappings()?;
    let code = mappings.iter().filter(|it| it.executable && (is_library(it.start) || is_kernels(&it.path)));
    Ok(code.into_iter().find_map(|it| search(stacks.memory(), it.start, it.end, arch::RESTORE)))
}

/// The address of these bytes in a range of memory.
fn search(memory: Memory, start: u64, end: u64, wanted: &[u8]) -> Option<u64> {
    let end = end.min(start.saturating_add(LARGEST));
    let mut at = start;
    while at < end {
        // The pieces overlap, so that none ends within the bytes searched for.
        let length = usize::try_from((end - at).min(PIECE + wanted.len() as u64)).ok()?;
        if let Some(place) = position(&memory.bytes(at, length).ok()?, wanted) {
            return Some(at + place as u64);
        }
        at += PIECE;
    }
    None
}

fn position(code: &[u8], wanted: &[u8]) -> Option<usize> {
    code.windows(wanted.len().max(1)).position(|bytes| bytes == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects;

    #[test]
    fn this_process_has_both() {
        let own = Process { pid: std::process::id() };
        let mut stacks = Stacks::new(Memory(own), objects::of(&own.mappings().unwrap()));
        if !arch::CAN_CALL {
            return;
        }
        let found = Instructions::find(own, &mut stacks).unwrap();
        for (at, code) in [(found.call, arch::CALL_AND_RETURN), (found.restore, arch::RESTORE)] {
            assert_eq!(Memory(own).bytes(at, code.len()).unwrap(), code);
        }
    }

    #[test]
    fn bytes_are_found_where_two_pieces_meet() {
        let mut bytes = vec![0_u8; 3 << 16];
        let place = (2 << 16) - 1;
        bytes[place..place + 4].copy_from_slice(b"here");
        let bytes = std::hint::black_box(bytes);
        let (start, own) = (bytes.as_ptr().addr() as u64, Memory(Process { pid: std::process::id() }));
        assert_eq!(search(own, start, start + bytes.len() as u64, b"here"), Some(start + place as u64));
        assert_eq!(search(own, start, start + bytes.len() as u64, b"gone"), None);
    }
}
