//! The few things in an ELF file that a walk needs (System V ABI, "Program Header").

const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
const PT_GNU_EH_FRAME: u32 = 0x6474_e550;
const EXECUTABLE: u32 = 1;
const NT_GNU_BUILD_ID: u32 = 3;
const PAGE: u64 = 4096;

/// A program header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    kind: u32,
    flags: u32,
    pub(crate) offset: u64,
    pub(crate) address: u64,
    /// Its length in the file.
    pub(crate) length: u64,
}

impl Segment {
    fn holds(&self, address: u64) -> bool {
        address.checked_sub(self.address).is_some_and(|at| at < self.length)
    }
}

/// The program headers; `image` begins where the file does and has them whole.
pub(crate) fn segments(image: &[u8]) -> impl Iterator<Item = Segment> + Clone {
    // 64 bits, in the machine's byte order.
    let ours = image.starts_with(b"\x7fELF\x02\x01");
    let table = word(image, 32).filter(|_| ours).and_then(|at| usize::try_from(at).ok());
    let (size, count) = (half(image, 54).unwrap_or(0), half(image, 56).unwrap_or(0));
    let headers = table.and_then(|at| image.get(at..)).unwrap_or_default();
    headers.chunks_exact(usize::from(size).max(56)).take(usize::from(count)).filter_map(|header| {
        let types = word(header, 0)?;
        Some(Segment {
            #[allow(clippy::cast_possible_truncation)] // the first half
            kind: types as u32,
            flags: u32::try_from(types >> 32).ok()?,
            offset: word(header, 8)?,
            address: word(header, 16)?,
            length: word(header, 32)?,
        })
    })
}

/// What is added to the file's addresses, where its code from `offset` on lies at `start`.
pub(crate) fn bias(segments: impl Iterator<Item = Segment>, offset: u64, start: u64) -> Option<u64> {
    let mut code = segments.filter(|s| s.kind == PT_LOAD && s.flags & EXECUTABLE != 0);
    let found = code.find(|s| (s.offset & !(PAGE - 1)..s.offset + s.length.max(1)).contains(&offset))?;
    // Both begin at pages.
    Some(start.wrapping_sub(offset).wrapping_sub(found.address.wrapping_sub(found.offset)))
}

/// Where the index of unwinding rules is, and the segment around it.
pub(crate) fn index(mut segments: impl Iterator<Item = Segment> + Clone) -> Option<(u64, Segment)> {
    let index = segments.clone().find(|s| s.kind == PT_GNU_EH_FRAME)?.address;
    Some((index, segments.find(|s| s.kind == PT_LOAD && s.holds(index))?))
}

/// Where notes are.
pub(crate) fn notes(segments: impl Iterator<Item = Segment>) -> impl Iterator<Item = Segment> {
    segments.filter(|s| s.kind == PT_NOTE)
}

/// The build id in some notes.
pub(crate) fn build_id(mut notes: &[u8]) -> Option<&[u8]> {
    loop {
        let lengths = word(notes, 0)?;
        let (name, text) = (usize::try_from(lengths & 0xffff_ffff).ok()?, usize::try_from(lengths >> 32).ok()?);
        let kind = word(notes, 8)? & 0xffff_ffff;
        let behind = notes.get(12..)?;
        let (name_room, text_room) = (name.checked_next_multiple_of(4)?, text.checked_next_multiple_of(4)?);
        if kind == u64::from(NT_GNU_BUILD_ID) && behind.get(..name)? == b"GNU\0" {
            return behind.get(name_room..)?.get(..text);
        }
        notes = behind.get(name_room..)?.get(text_room..)?;
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    // The last header of a note may be followed by less than a word.
    let rest = bytes.get(at..)?;
    let mut word = [0; 8];
    let there = rest.get(..rest.len().min(8)).filter(|there| there.len() >= 4)?;
    for (to, from) in word.iter_mut().zip(there) {
        *to = *from;
    }
    Some(u64::from_ne_bytes(word))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_has_code_and_rules_and_any_prefix_of_it_is_read_without_a_panic() {
        let image = std::fs::read("/proc/self/exe").unwrap();
        let (at, segment) = index(segments(&image)).unwrap();
        assert!(segment.holds(at));
        let code = segments(&image).find(|s| s.kind == PT_LOAD && s.flags & EXECUTABLE != 0).unwrap();
        let offset = code.offset & !(PAGE - 1);
        let start = 0x1000_0000 + (code.address & !(PAGE - 1));
        assert_eq!(bias(segments(&image), offset, start), Some(0x1000_0000));
        for length in 0..1024 {
            segments(&image[..length]).count();
        }
    }

    #[test]
    fn the_build_id_is_found_behind_other_notes() {
        let note = |kind: u32, text: &[u8]| {
            let mut note =
                [4_u32.to_ne_bytes(), u32::try_from(text.len()).unwrap().to_ne_bytes(), kind.to_ne_bytes()].concat();
            note.extend(b"GNU\0");
            note.extend(text);
            note
        };
        let both = [note(1, &[0; 16]), note(3, &[7; 20])].concat();
        assert_eq!(build_id(&both), Some(&[7; 20][..]));
        assert_eq!(build_id(&both[..both.len() - 1]), None);
        assert_eq!(build_id(&[]), None);
    }
}
