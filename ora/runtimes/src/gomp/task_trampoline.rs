//! libgomp passes the address of a task's arguments, and nothing else, to the function that it calls. The record follows the arguments, so
//! there is one such function for each distance between the two: a trampoline that adds the distance.

use super::task_run::run;

/// Distances grow by this much, up to [`FINE`] of them; then there are four between every two powers of two.
pub(super) const STEP: usize = 8;
const FINE: usize = 128;
/// The largest distance that is served.
const LARGEST: usize = 1 << 30;

/// Bytes from one trampoline to the next.
pub(super) const TRAMPOLINE: usize = system::arch::DISTANCE_BYTES;

/// For arguments of `size` bytes: the distance from their start to the record, and the trampoline for it. `None` if they are too large:
/// then the task is not reported.
#[inline(always)]
pub(super) fn place(size: usize) -> Option<(usize, usize)> {
    let (distance, number) = if size <= FINE * STEP {
        let number = size.div_ceil(STEP);
        (number * STEP, number)
    } else {
        coarse(size)?
    };
    Some((distance, trampolines as *const () as usize + number * TRAMPOLINE))
}

#[cold]
fn coarse(size: usize) -> Option<(usize, usize)> {
    if size > LARGEST {
        return None;
    }
    // `size` is above 2^octave and at most 2^(octave + 1), and that range has four quarters.
    let octave = (size - 1).ilog2() as usize;
    let quarter = (1 << octave) / 4;
    let quarters = size.div_ceil(quarter);
    let first = (FINE * STEP).ilog2() as usize;
    Some((quarters * quarter, FINE + 1 + (octave - first) * 4 + quarters - 5))
}

system::distance_table! {
    /// All trampolines, one after the other: they pass on the block and the address of its record.
    fn trampolines, FINE, STEP, note_and_run, coarse
}

system::record_again_and_jump! {
    /// Runs a task by [`run`], and records its frame on a thread that has recorded a call before: on other threads calls are not reported.
    /// (At a region's last barrier no frame is recorded, only the return address of the region's call.)
    fn note_and_run, "ora_thread", 16, run
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use system::objects::any_object;

    /// The distance that the trampoline at this address adds.
    pub(in super::super) fn added(trampoline: usize) -> usize {
        let mut code = [0; TRAMPOLINE];
        any_object(&mut |object| {
            let found = object.code_at(trampoline);
            code.iter_mut().zip(found).for_each(|(byte, found)| *byte = *found);
            !found.is_empty()
        });
        system::arch::added_distance(code).unwrap_or_else(|| panic!("{code:x?} is no trampoline"))
    }

    #[test]
    fn every_distance_has_its_trampoline() {
        let octaves = (10..30).flat_map(|o| [1, 2, 3, 4].map(|q| (4 + q) << (o - 2)));
        let borders = (0..=FINE).map(|n| n * STEP).chain(octaves);
        let sizes = borders.clone().flat_map(|b| [b.saturating_sub(1), b, b + 1]);
        for size in sizes.filter(|size| *size <= LARGEST) {
            let (distance, trampoline) = place(size).expect("there is a trampoline");
            assert!(distance >= size && distance <= size.max(8).next_multiple_of(8) * 5 / 4, "{size}: {distance}");
            assert!(borders.clone().any(|border| border == distance) && distance.is_multiple_of(8));
            assert_eq!(added(trampoline), distance, "arguments of {size} bytes");
        }
        assert!(place(LARGEST + 1).is_none());
    }
}
