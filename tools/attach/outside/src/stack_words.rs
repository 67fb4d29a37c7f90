//! Words of a stack, read in larger and larger parts: a system call for each of them would be half of what a deep stack takes.

use std::cell::RefCell;

use crate::memory::Memory;

/// Bytes that are read together at first, and at most.
const FIRST: usize = 1 << 10;
const MOST: usize = 1 << 18;

/// The part that was read last.
#[derive(Debug)]
struct Part {
    start: u64,
    bytes: Vec<u8>,
    /// Number of bytes to read next.
    next: usize,
}

/// Words of a stack of another process.
#[derive(Debug)]
pub(crate) struct StackWords {
    memory: Memory,
    part: RefCell<Part>,
}

impl StackWords {
    pub(crate) fn of(memory: Memory) -> Self {
        Self { memory, part: RefCell::new(Part { start: 0, bytes: Vec::new(), next: FIRST }) }
    }

    /// The word at an address. Callers' frames, which are needed next, lie at higher addresses.
    pub(crate) fn word(&self, address: u64) -> Option<u64> {
        let mut part = self.part.borrow_mut();
        part.word(address).or_else(|| {
            part.read(self.memory, address);
            part.word(address)
        })
    }
}

impl Part {
    fn word(&self, address: u64) -> Option<u64> {
        let from = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let word = self.bytes.get(from..from.checked_add(size_of::<u64>())?)?;
        word.try_into().ok().map(u64::from_ne_bytes)
    }

    /// Reads from an address on, as far as memory is mapped there.
    fn read(&mut self, memory: Memory, address: u64) {
        self.start = address;
        self.bytes.resize(self.next, 0);
        let got = memory.read_some(address, &mut self.bytes).unwrap_or(0);
        self.bytes.truncate(got);
        self.next = (2 * self.next).min(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Process;

    #[test]
    fn words_are_those_of_the_memory_up_to_its_last() {
        let memory = Memory(Process { pid: std::process::id() });
        let values: Vec<u64> = (0..100_000).collect();
        let (start, words) = (values.as_ptr().addr() as u64, StackWords::of(memory));
        for index in (0..100_000).step_by(7).chain([99_999, 3, 4, 0]) {
            assert_eq!(words.word(start + 8 * index), Some(index));
        }
        assert_eq!((words.word(8), words.word(u64::MAX - 3)), (None, None));
    }
}
