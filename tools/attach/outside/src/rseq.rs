//! Restartable sequences (rseq(2)): short pieces of code that the kernel makes a thread restart if it was interrupted within. A thread
//! that is given other registers there, and then its own ones again, would continue in the middle. Unsafe: ptrace(2).
#![allow(unsafe_code)]

use crate::execution::Execution;

/// `PTRACE_GET_RSEQ_CONFIGURATION` (linux/ptrace.h, since Linux 5.13).
const GET_CONFIGURATION: libc::c_uint = 0x420f;
/// Offset of the pointer to the current sequence in a thread's `struct rseq`, and of two fields of `struct rseq_cs`
/// (linux/rseq.h).
const SEQUENCE: u64 = 8;
const START: u64 = 8;
const LENGTH: u64 = 16;

/// `struct ptrace_rseq_configuration`
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Configuration {
    address: u64,
    bytes: u32,
    signature: u32,
    flags: u32,
    unused: u32,
}

/// True if a stopped thread that this one traces is within a sequence.
pub(crate) fn is_within(execution: &Execution, tid: u32, instruction: u64) -> bool {
    let mut own = Configuration::default();
    // SAFETY: the kernel writes at most the given number of bytes, to `own` (PTRACE_GET_RSEQ_CONFIGURATION).
    let answer = unsafe { libc::ptrace(GET_CONFIGURATION, tid, size_of::<Configuration>(), &raw mut own) };
    // Older kernels don't support the request.
    if answer < 0 || own.address == 0 {
        return false;
    }
    let word = |at: u64| {
        let mut bytes = [0; 8];
        execution.read(at, &mut bytes).ok().map(|()| u64::from_ne_bytes(bytes))
    };
    let Some(sequence) = word(own.address.wrapping_add(SEQUENCE)).filter(|sequence| *sequence != 0) else {
        return false;
    };
    let (start, length) = (word(sequence.wrapping_add(START)), word(sequence.wrapping_add(LENGTH)));
    match (start, length) {
        (Some(start), Some(length)) => instruction.wrapping_sub(start) < length,
        // The sequence can't be read.
        _ => true,
    }
}
