//! Checks of the reader of settings by region (`region_settings`) against a plain split of the text, and that written settings are read
//! back the same.

use region_settings::{Line, Object, Region, Wrong, lines};

pub(crate) fn check(file: &[u8]) {
    let read: Vec<_> = lines(file).collect();
    let plain: Vec<_> =
        file.split(|byte| *byte == b'\n').enumerate().filter_map(|(at, line)| plain(at, line)).collect();
    assert_eq!(read, plain);
    for line in read.into_iter().flatten() {
        written_is_read(&line);
    }
}

/// Parses a line in the format of `docs/reference/tune-file.md`.
fn plain(at: usize, line: &[u8]) -> Option<Result<Line<'_>, Wrong>> {
    let said = line.iter().position(|byte| *byte == b'#').map_or(line, |mark| &line[..mark]);
    let words: Vec<&[u8]> = said.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
    let read = match words.as_slice() {
        [] => return None,
        [b"object", _, .., id] => object(said.trim_ascii(), id),
        [b"region", begin, end, settings @ ..] => region(begin, end, settings),
        _ => None,
    };
    Some(read.ok_or(Wrong(at + 1)))
}

fn object<'a>(said: &'a [u8], id: &'a [u8]) -> Option<Line<'a>> {
    let name = said[b"object".len()..said.len() - id.len()].trim_ascii();
    let build_id = match id {
        b"-" => None,
        id if id.len() % 2 == 0 && id.iter().all(u8::is_ascii_hexdigit) => Some(id),
        _ => return None,
    };
    Some(Line::Object(Object { name, build_id }))
}

fn region<'a>(begin: &[u8], end: &[u8], settings: &[&[u8]]) -> Option<Line<'a>> {
    let address = |word: &[u8]| {
        let digits = word.strip_prefix(b"0x").filter(|digits| !digits.is_empty() && !digits.starts_with(b"+"))?;
        u64::from_str_radix(&String::from_utf8_lossy(digits), 16).ok()
    };
    let mut region = Region { begin: address(begin)?, end: address(end)?, threads: 0, chunk: 0 };
    for setting in settings {
        let text = String::from_utf8_lossy(setting);
        let (name, number) = text.split_once('=')?;
        *match name {
            "threads" => &mut region.threads,
            "chunk" => &mut region.chunk,
            _ => return None,
        } = number.parse().ok()?;
    }
    (region.begin < region.end).then_some(Line::Region(region))
}

fn written_is_read(line: &Line<'_>) {
    let text = match line {
        Line::Object(object) if std::str::from_utf8(object.name).is_ok() => object.to_string(),
        Line::Object(_) => return,
        Line::Region(region) => region.to_string(),
    };
    assert_eq!(lines(text.as_bytes()).collect::<Vec<_>>(), [Ok(*line)]);
}
