//! The frame from which rt_sigreturn(2) restores a thread, in the kernel's layout (linux/arch/arm64:
//! include/uapi/asm/sigcontext.h, include/uapi/asm/ptrace.h, kernel/signal.c).

/// Bytes of the signal's information before the context.
const INFORMATION: usize = 128;
/// Offset of the mask of signals in the context.
const MASK: usize = INFORMATION + 40;
/// Offset of the general registers in the context: after the address of a fault.
const GENERAL: usize = INFORMATION + 184;
/// Offset of the records with other registers.
const RECORDS: usize = INFORMATION + 464;
/// Bytes of a set of vector registers of 16 bytes each.
const PLAIN: usize = 512;
/// Bytes before scalable vector registers, in ptrace's set and in the record.
pub(super) const HEADER: usize = 16;
/// `SVE_PT_REGS_SVE`: the set has scalable registers, not the plain ones.
const IS_SCALABLE: u16 = 1;

/// `FPSIMD_MAGIC`, `SVE_MAGIC`, `EXTRA_MAGIC`
const PLAIN_RECORD: u32 = 0x4650_8001;
const SCALABLE_RECORD: u32 = 0x5356_4501;
const EXTRA_RECORD: u32 = 0x4558_5401;

/// Vector registers, in either form.
struct Vectors<'a> {
    /// The lower 16 bytes of each.
    plain: Vec<u8>,
    /// Status and control register.
    status: [u32; 2],
    /// Bytes of a scalable register, and all of them with their predicates.
    scalable: Option<(u16, &'a [u8])>,
}

/// The frame at `at`: the general registers up to the processor's state, and vector registers as read by ptrace(2). The
/// alternate signal stack is not changed: the kernel refuses one without a size.
pub(super) fn of(at: u64, blocked: u64, general: &[u64], vectors: &[u8], has_scalable: bool) -> Vec<u8> {
    let vectors = if has_scalable { scalable(vectors) } else { plain(vectors, None) }.unwrap_or_else(none);
    let mut frame = vec![0; MASK];
    frame.extend(blocked.to_le_bytes());
    frame.resize(GENERAL, 0);
    frame.extend(general.iter().flat_map(|word| word.to_le_bytes()));
    frame.resize(RECORDS, 0);
    let record = |mark: u32, bytes: usize| [mark, u32::try_from(bytes).unwrap_or_default()];
    let [status, control] = vectors.status;
    frame.extend(numbers(record(PLAIN_RECORD, PLAIN + 16).into_iter().chain([status, control])));
    frame.extend(vectors.plain);
    if let Some((length, registers)) = vectors.scalable {
        let bytes = (HEADER + registers.len()).next_multiple_of(16);
        // They may need more space than the frame has, so they come after it, after this record and an empty one.
        let place = at + (frame.len() + 48) as u64;
        frame.extend(numbers(record(EXTRA_RECORD, 32)));
        frame.extend(place.to_le_bytes());
        frame.extend(numbers([u32::try_from(bytes + 16).unwrap_or_default(), 0, 0, 0]));
        frame.extend([0; 16]);
        frame.extend(numbers(record(SCALABLE_RECORD, bytes).into_iter().chain([length.into(), 0])));
        frame.extend(registers);
        frame.resize(frame.len().next_multiple_of(16), 0);
    }
    frame.extend([0; 16]);
    frame
}

fn numbers(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn none<'a>() -> Vectors<'a> {
    Vectors { plain: vec![0; PLAIN], status: [0; 2], scalable: None }
}

/// The plain registers, followed by status and control.
fn plain<'a>(set: &[u8], scalable: Option<(u16, &'a [u8])>) -> Option<Vectors<'a>> {
    let status = [PLAIN, PLAIN + 4].map(|at| Some(u32::from_le_bytes(*set.get(at..)?.first_chunk()?)));
    let [status, control] = status;
    Some(Vectors { plain: set.get(..PLAIN)?.to_vec(), status: [status?, control?], scalable })
}

/// The set `NT_ARM_SVE`.
fn scalable(set: &[u8]) -> Option<Vectors<'_>> {
    let half = |at: usize| Some(u16::from_le_bytes(*set.get(at..)?.first_chunk()?));
    let (length, flags) = (half(8)?, half(12)?);
    if flags & IS_SCALABLE == 0 {
        return plain(set.get(HEADER..)?, None);
    }
    let bytes = usize::from(length);
    // 32 registers; 16 predicates and one more, with one bit per byte each
    let registers = set.get(HEADER..HEADER + 32 * bytes + 17 * bytes / 8)?;
    let lower = |number: usize| registers.get(number * bytes..number * bytes + 16);
    let lower: Option<Vec<&[u8]>> = (0..32).map(lower).collect();
    let status = (HEADER + registers.len()).next_multiple_of(16);
    let words = [status, status + 4].map(|at| Some(u32::from_le_bytes(*set.get(at..)?.first_chunk()?)));
    let [status, control] = words;
    Some(Vectors { plain: lower?.concat(), status: [status?, control?], scalable: Some((length, registers)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn half(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    #[test]
    fn records_follow_each_other_to_an_empty_one() {
        let mut set = vec![0; 528];
        (set[0], set[PLAIN]) = (7, 9);
        let frame = of(0x1000, 1, &[0; 34], &set, false);
        assert_eq!((half(&frame, MASK), half(&frame, RECORDS), half(&frame, RECORDS + 4)), (1, PLAIN_RECORD, 528));
        assert_eq!((half(&frame, RECORDS + 8), frame[RECORDS + 16]), (9, 7));
        assert_eq!((frame.len(), half(&frame, RECORDS + 528)), (RECORDS + 528 + 16, 0));
    }

    #[test]
    fn scalable_registers_lie_behind_the_others() {
        let (length, begin) = (32, RECORDS + 528);
        let registers = 32 * length + 17 * length / 8;
        let mut set = vec![0; HEADER + (HEADER + registers).next_multiple_of(16) - HEADER + 16];
        (set[8], set[12], set[HEADER + length]) = (length as u8, 1, 5);
        set[(HEADER + registers).next_multiple_of(16)] = 9;
        let frame = of(0x1000, 0, &[0; 34], &set, true);
        // The second register's lower part, and the status
        assert_eq!((frame[RECORDS + 16 + 16], half(&frame, RECORDS + 8)), (5, 9));
        assert_eq!((half(&frame, begin), half(&frame, begin + 4)), (EXTRA_RECORD, 32));
        let place = half(&frame, begin + 8) as usize - 0x1000;
        assert_eq!(place, begin + 48);
        assert_eq!((half(&frame, place), half(&frame, place + 8)), (SCALABLE_RECORD, 32));
        assert_eq!((frame[place + HEADER + length], frame.len() % 16), (5, 0));
        assert_eq!(half(&frame, begin + 16) as usize, frame.len() - place);
        assert_eq!(half(&frame, frame.len() - 16), 0);
        // Plain registers in the same set
        set[12] = 0;
        assert_eq!(of(0x1000, 0, &[0; 34], &set, true).len(), begin + 16);
    }
}
