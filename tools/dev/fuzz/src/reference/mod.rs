//! Reference implementation of `__omp_collector_api`: effects on the byte array and the session, and the result.
//!
//! Written only from the white paper and the interface's own documentation page, one byte at a time, without regard for speed. It shares
//! nothing with the library, not even the numbers.

mod answer;
mod memory;
mod state;

pub use memory::{Bytes, Sparse};
pub use state::{Capabilities, EVENTS, Here, Layout, Session, WaitId};

/// Result of a call, and the bytes of the array that the reference can't predict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Returned value: 0, or -1 if the walk encountered an invalid entry.
    pub returned: i32,
    /// Number of entries that were handled.
    pub entries: u64,
    /// Offsets of wait ids (8 bytes each) that have not been seen before.
    pub unseen: Vec<usize>,
}

/// Handles the entries at the start of `memory`, strictly in order. `address` is the address that the array would have.
pub fn walk(
    memory: &mut impl Bytes,
    address: usize,
    session: &mut Session,
    here: &Here,
    capabilities: &Capabilities,
) -> Outcome {
    let mut outcome = Outcome::default();
    let mut at = 0;
    loop {
        if !(address + at).is_multiple_of(4) {
            outcome.returned = -1;
            return outcome;
        }
        let sz = memory.word(at);
        if sz == 0 {
            return outcome;
        }
        if sz < 16 || sz % 4 != 0 {
            outcome.returned = -1;
            return outcome;
        }
        let size = sz.unsigned_abs() as usize;
        let request = memory.word(at + 4);
        let mut entry = answer::Entry { memory, at: at + 16, room: size - 16, unseen: &mut outcome.unseen };
        let (code, result) = entry.serve(request, session, here, capabilities);
        outcome.entries += 1;
        memory.set_word(at + 8, code);
        memory.set_word(at + 12, result);
        at += size;
    }
}

/// Handles an array at an arbitrary aligned address.
pub fn walk_vec(array: &mut Vec<u8>, session: &mut Session, here: &Here, capabilities: &Capabilities) -> i32 {
    walk(array, 0, session, here, capabilities).returned
}
