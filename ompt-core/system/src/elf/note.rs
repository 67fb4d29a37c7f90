//! Note sections (gABI, "Note Section").

use super::fields::u32_at;

/// `NT_GNU_BUILD_ID`
const GNU_BUILD_ID: u32 = 3;

/// The build id (`NT_GNU_BUILD_ID`) among the notes in these bytes.
pub fn build_id(mut notes: &[u8]) -> Option<&[u8]> {
    loop {
        let size = |at| usize::try_from(u32_at(notes, at)?).ok();
        let (name, text, kind) = (size(0)?, size(4)?, u32_at(notes, 8)?);
        let behind = notes.get(12..)?;
        let (name_room, text_room) = (name.checked_next_multiple_of(4)?, text.checked_next_multiple_of(4)?);
        if kind == GNU_BUILD_ID && behind.get(..name)? == b"GNU\0" {
            return behind.get(name_room..)?.get(..text);
        }
        notes = behind.get(name_room..)?.get(text_room..)?;
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_types)] // no program's thread runs this
mod tests {
    use super::*;

    #[test]
    fn the_build_id_is_found_behind_other_notes() {
        let note = |kind: u32, text: &[u8]| {
            let mut note =
                [4_u32.to_le_bytes(), u32::try_from(text.len()).unwrap().to_le_bytes(), kind.to_le_bytes()].concat();
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
