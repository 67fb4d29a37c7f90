//! Where the record of a queued task lives: behind the task's arguments, in the block that libgomp allocates for them and
//! frees with the task. So nothing is allocated here, and nothing is left over when a task is cancelled.
//!
//! The program's function finds its arguments at the block's start, as without us. libgomp hands that address alone to the
//! function that it calls, so there is one such function for each distance from the arguments to the record: a stub of two
//! instructions that adds the distance.
#![allow(unsafe_code)] // stubs in assembly

use super::task::Frame;
use super::task_run::run;
use ompt_core::task::Task;
use std::arch::naked_asm;
use std::mem::MaybeUninit;

/// What travels with a task.
#[repr(C)]
pub(super) struct Record {
    /// Without an id in the chunks of a taskloop, which get theirs when they start.
    pub(super) task: Task,
    /// The program's outlined function.
    pub(super) function: usize,
}

impl Record {
    /// The record of the task that is created in a frame.
    #[inline(always)]
    pub(super) fn of(frame: &Frame) -> Self {
        Self { task: frame.task.clone(), function: frame.function }
    }
}

/// A block of ours in place of the program's arguments, with their bytes and a record, for as long as `call` takes. Without
/// memory for it `call` gets the program's function and arguments: the task goes unreported.
pub(super) fn with_block(frame: &Frame, stub: usize, call: impl FnOnce(usize, usize)) {
    const SMALL: usize = 1024 / 8;
    let whole = frame.distance + size_of::<Record>();
    let mut small = [const { MaybeUninit::<u64>::uninit() }; SMALL];
    let large = whole > size_of_val(&small);
    // SAFETY: malloc may be called here: libgomp is about to call it for the same task.
    let block = if large { unsafe { libc::malloc(whole) }.cast() } else { small.as_mut_ptr().cast::<u8>() };
    if block.is_null() {
        return call(frame.function, frame.data);
    }
    // SAFETY: the program's arguments have this size, and the block has room for them.
    unsafe { (frame.data as *const u8).copy_to_nonoverlapping(block, frame.size) };
    // SAFETY: the block has room for a record at this distance, a multiple of its alignment.
    unsafe { block.add(frame.distance).cast::<Record>().write(Record::of(frame)) };
    frame.block.set(block.cast());
    call(stub, block.addr());
    if large {
        // SAFETY: allocated above.
        unsafe { libc::free(block.cast()) };
    }
}

/// Distances grow by this much, up to [`FINE`] of them; then four times between two powers of two.
const STEP: usize = 8;
const FINE: usize = 128;
/// Distances above are not served.
const LARGEST: usize = 1 << 30;

/// Bytes from one stub to the next.
const STUB: usize = 16;

/// Arguments of `size` bytes: the distance from their start to the record, and the stub for it. `None` if they are too
/// large: then the task goes unreported.
#[inline(always)]
pub(super) fn place(size: usize) -> Option<(usize, usize)> {
    let (distance, number) = if size <= FINE * STEP {
        let number = size.div_ceil(STEP);
        (number * STEP, number)
    } else {
        coarse(size)?
    };
    Some((distance, stubs as *const () as usize + number * STUB))
}

#[cold]
fn coarse(size: usize) -> Option<(usize, usize)> {
    if size > LARGEST {
        return None;
    }
    // `size` lies above 2^octave and up to 2^(octave + 1), which has four quarters.
    let octave = (size - 1).ilog2() as usize;
    let quarter = (1 << octave) / 4;
    let quarters = size.div_ceil(quarter);
    let first = (FINE * STEP).ilog2() as usize;
    Some((quarters * quarter, FINE + 1 + (octave - first) * 4 + quarters - 5))
}

/// All stubs, one behind the other: they pass on the block and the address of its record.
#[unsafe(naked)]
unsafe extern "C" fn stubs() {
    naked_asm!(
        ".balign 16",
        ".set ora_distance, 0",
        ".rept {fine} + 1",
        "lea rsi, [rdi + ora_distance]",
        "jmp {run}",
        ".balign 16, 0xcc",
        ".set ora_distance, ora_distance + {step}",
        ".endr",
        ".set ora_quarter, {fine} * {step} / 4",
        ".rept 20",
        ".set ora_distance, ora_quarter * 5",
        ".rept 4",
        "lea rsi, [rdi + ora_distance]",
        "jmp {run}",
        ".balign 16, 0xcc",
        ".set ora_distance, ora_distance + ora_quarter",
        ".endr",
        ".set ora_quarter, ora_quarter * 2",
        ".endr",
        fine = const FINE,
        step = const STEP,
        run = sym run,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the stub at this address adds: `lea rsi, [rdi + n]`, n in one or four bytes.
    fn added(stub: usize) -> usize {
        // SAFETY: a stub is 16 bytes of code.
        let code = unsafe { *(stub as *const [u8; STUB]) };
        match code {
            [0x48, 0x8d, 0x37, ..] => 0,
            [0x48, 0x8d, 0x77, n, ..] => n.into(),
            [0x48, 0x8d, 0xb7, a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]) as usize,
            other => panic!("{other:x?} is no stub"),
        }
    }

    #[test]
    fn every_distance_has_its_stub() {
        let octaves = (10..30).flat_map(|o| [1, 2, 3, 4].map(|q| (4 + q) << (o - 2)));
        let borders: Vec<usize> = (0..=FINE).map(|n| n * STEP).chain(octaves).collect();
        for size in borders.iter().flat_map(|b| [b.saturating_sub(1), *b, b + 1]).filter(|size| *size <= LARGEST) {
            let (distance, stub) = place(size).expect("there is a stub");
            assert!(distance >= size && distance <= size.max(8).next_multiple_of(8) * 5 / 4, "{size}: {distance}");
            assert!(borders.contains(&distance) && distance.is_multiple_of(8));
            assert_eq!(added(stub), distance, "arguments of {size} bytes");
        }
        assert!(place(LARGEST + 1).is_none());
    }
}
