//! Checks of the parser of OPARI's strings (`runtimes::pomp`), and of the region files that are written from them and that `report` reads.

use runtimes::pomp::fields::{with_fields, with_line};
use symbols::{Instrumented, SourceLine};

/// Maximum length of a string: longer ones are truncated.
const KEPT: usize = 640;
const CONSTRUCTS: [&str; 21] = [
    "parallel",
    "parallelfor",
    "paralleldo",
    "parallelsections",
    "parallelworkshare",
    "for",
    "do",
    "sections",
    "single",
    "workshare",
    "master",
    "critical",
    "atomic",
    "ordered",
    "barrier",
    "flush",
    "task",
    "taskuntied",
    "taskwait",
    "userRegion",
    "region",
];

pub(crate) fn check(file: &[u8]) {
    match file.split_first() {
        Some((0, text)) => regions(&String::from_utf8_lossy(text)),
        Some((_, text)) => string(text),
        None => {}
    }
}

fn string(bytes: &[u8]) {
    let zero = bytes.iter().position(|byte| *byte == 0);
    let stars = bytes.windows(2).position(|pair| pair == b"**");
    let end = zero.into_iter().chain(stars).min();
    let kept = end.unwrap_or(bytes.len()).min(KEPT);
    let shown = with_fields(bytes, |fields| {
        // The second asterisk may be past the part that is kept.
        let text = fields.text.strip_suffix(b"*").filter(|text| kept + 1 == KEPT && text.len() == kept);
        assert_eq!(text.unwrap_or(fields.text), &bytes[..kept]);
        let value = |name: &str| {
            let start = format!("{name}=").into_bytes();
            let mut fields = bytes[..kept].split(|byte| *byte == b'*');
            fields.rfind(|field| field.starts_with(&start)).map_or(&[][..], |field| &field[start.len()..])
        };
        let number = |digits: &[u8]| str::from_utf8(digits).ok().and_then(|it| it.parse::<u32>().ok()).unwrap_or(0);
        // FILE:FIRST:LAST
        let place = |value: &[u8]| {
            let colon = |text: &[u8]| text.iter().rposition(|byte| *byte == b':');
            let Some(second) = colon(value) else { return (Vec::new(), 0, number(value)) };
            let last = number(&value[second + 1..]);
            match colon(&value[..second]) {
                Some(first) => (value[..first].to_vec(), number(&value[first + 1..second]), last),
                None => (Vec::new(), number(&value[..second]), last),
            }
        };
        let (file, first, last) = place(value("sscl"));
        let (_, end_first, end_last) = place(value("escl"));
        assert_eq!((fields.file, fields.lines), (&file[..], [first, last, end_first, end_last]));
        assert_eq!(fields.is_known, CONSTRUCTS.map(str::as_bytes).contains(&value("regionType")));
        assert_eq!((fields.sections, fields.is_ordered), (number(value("numSections")), value("hasOrdered") == b"1"));
        let schedule = value("hasSchedule").split(|byte| *byte == b',').next().unwrap();
        assert_eq!(fields.schedule, schedule.rsplit(|byte| *byte == b':').next().unwrap());
        let names = ["criticalName", "userRegionName", "userGroupName"];
        assert!(names.map(value).contains(&fields.name), "{fields:?}");
        written_is_read(fields.text, (&file, first, last.max(end_last)));
    });
    assert_eq!(shown.is_some(), end.is_some() || bytes.len() >= KEPT);
}

/// Checks that the line written for a call is read back as the same object, address and place.
fn written_is_read(text: &[u8], (file, first, _): (&[u8], u32, u32)) {
    for (function, is_end) in [("POMP2_Parallel_fork", false), ("POMP2_Implicit_barrier_enter", true)] {
        let line = with_line((b"/a program", 0x1a2b), function.as_bytes(), text, |line| line.concat());
        let Some(line) = line else { continue };
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        let line = String::from_utf8_lossy(&line);
        let read: Vec<_> = Instrumented::lines(&line).collect();
        if file.is_empty() {
            assert_eq!(read, []);
            continue;
        }
        let [(object, address, SourceLine { file: place, line })] = &read[..] else { panic!("{read:?}") };
        assert_eq!((*object, *address, place.as_str()), ("/a program", 0x1a2b, &*String::from_utf8_lossy(file)));
        assert!(if is_end { *line >= first } else { *line == first });
    }
}

/// Checks the reader of region files with arbitrary text.
fn regions(text: &str) {
    let wanted: Vec<_> = text.split('\n').filter_map(plain).collect();
    assert_eq!(Instrumented::lines(text).collect::<Vec<_>>(), wanted);
}

/// Parses a line of seven fields if all of its numbers are valid.
fn plain(line: &str) -> Option<(&str, u64, SourceLine)> {
    let number = |digits: &str, radix| {
        let is_number = !digits.is_empty() && digits.chars().all(|it| it.is_digit(radix));
        u64::from_str_radix(digits, radix).ok().filter(|_| is_number)
    };
    let fields: Vec<&str> = line.split('\t').collect();
    let [object, address, function, _, first, last, file, ..] = fields[..] else { return None };
    let (first, last) = (number(first, 10)?, number(last, 10)?);
    let (first, last) = (u32::try_from(first).ok()?, u32::try_from(last).ok()?);
    let line = if function.starts_with("POMP2_Implicit_barrier_") { last } else { first };
    let place = SourceLine { file: file.to_owned(), line };
    (!file.is_empty()).then_some((object, number(address, 16)?, place))
}
