//! Checks of the parser of lists of mappings (`system::maps`) against a plain split of the text, no matter where reads split it.

use crate::input::Input;
use system::maps::{Mapping, any_mapping};

pub(crate) fn check(file: &[u8]) {
    let mut input = Input(file);
    let mut buffer = vec![0; usize::from(input.byte())];
    let stop = usize::from(input.byte());
    let (splits, text) = (input.piece(), input.0);
    // The kernel ends each line with a line break; an incomplete line is not reported.
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(&[][..], |end| &text[..end]);
    let lines = whole.split(|byte| *byte == b'\n').filter(|line| line.len() < buffer.len());
    let wanted: Vec<_> = lines.filter_map(plain).take(stop.max(1)).collect();

    let (mut rest, mut splits) = (text, splits.iter().cycle());
    let read = |room: &mut [u8]| {
        let most = splits.next().map_or(usize::MAX, |most| usize::from(*most).max(1));
        let (now, later) = rest.split_at(room.len().min(rest.len()).min(most));
        room[..now.len()].copy_from_slice(now);
        rest = later;
        now.len()
    };
    let mut shown = Vec::new();
    let stopped = any_mapping(&mut buffer, read, |mapping| {
        let Mapping { start, end, is_executable, offset, inode, path } = mapping;
        shown.push((start, end, is_executable, offset, inode, path.to_vec()));
        written_is_read(&mapping);
        stop > 0 && shown.len() == stop
    });
    if stop == 0 {
        shown.truncate(1);
    }
    assert_eq!(shown, wanted);
    assert_eq!(stopped, stop > 0 && wanted.len() == stop);
}

type Plain = (u64, u64, bool, u64, u64, Vec<u8>);

/// Parses a line in the format of proc(5).
fn plain(line: &[u8]) -> Option<Plain> {
    let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let [range, permissions, offset, _, inode, path @ ..] = fields.as_slice() else { return None };
    let number = |digits: &[u8], radix| -> Option<u64> {
        let value = |byte: &u8| char::from(*byte).to_digit(radix).map(u128::from);
        let digits = digits.iter().map(value).collect::<Option<Vec<_>>>().filter(|digits| !digits.is_empty())?;
        let add = |sum: u128, digit: u128| (sum * u128::from(radix) + digit).min(1 << 64);
        u64::try_from(digits.into_iter().fold(0, add)).ok()
    };
    let dash = range.iter().position(|byte| *byte == b'-')?;
    Some((
        number(&range[..dash], 16)?,
        number(&range[dash + 1..], 16)?,
        permissions.get(2) == Some(&b'x'),
        number(offset, 16)?,
        number(inode, 10)?,
        // The kernel escapes line breaks.
        unescaped(&path.join(&b' ').into_iter().skip_while(|byte| *byte == b' ').collect::<Vec<_>>()),
    ))
}

fn unescaped(path: &[u8]) -> Vec<u8> {
    // Treats each byte as a character.
    let text: String = path.iter().map(|byte| char::from(*byte)).collect();
    text.replace("\\012", "\n").chars().map(|letter| u8::try_from(u32::from(letter)).unwrap()).collect()
}

/// Checks that the line that the kernel writes for a mapping is read back as the same mapping.
fn written_is_read(mapping: &Mapping<'_>) {
    let Mapping { start, end, is_executable, offset, inode, path } = *mapping;
    let x = if is_executable { 'x' } else { '-' };
    let mut line = format!("{start:08x}-{end:08x} r-{x}p {offset:08x} fe:01 {inode}").into_bytes();
    line.resize(line.len().max(72) + 1, b' ');
    line.extend(path);
    assert_eq!(Mapping::of(&line), Some(*mapping));
    assert_eq!(mapping.holds(start), start < end);
    assert!(!mapping.holds(end));
    assert_eq!(mapping.deleted().map(|path| [path, b" (deleted)"].concat()).as_deref().unwrap_or(path), path);
}
