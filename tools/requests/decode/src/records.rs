//! The records of a request log: reading them, and pairing the two records of each call.

use std::collections::HashMap;

use anyhow::{Result, bail};
use request_format::{HEAD, Head, MAGIC, MAX_BYTES, VERSION, kind};
use serde::Serialize;

/// A record: its head, and the text or bytes that follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) head: Head,
    pub(super) bytes: &'a [u8],
}

/// An item of the log, in the order in which the items started.
#[derive(Debug)]
pub(super) enum Item<'a> {
    /// The command line of the run.
    Log(Vec<String>),
    /// A program has loaded the recorder.
    Program { pid: u32, library: String, program: String },
    /// A call, and its end if there is one.
    Call { call: Record<'a>, end: Option<Record<'a>>, within: Option<u64> },
    /// The end of a call whose start is elsewhere: before a fork, or in a lost record.
    End(Record<'a>),
}

/// Everything that can be read.
#[derive(Debug)]
pub(super) struct Log<'a> {
    pub(super) items: Vec<Item<'a>>,
    /// Places where bytes had to be skipped.
    pub(super) damage: Vec<Damage>,
    /// Number of records that processes could not write.
    pub(super) lost: u64,
}

/// Damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Damage {
    /// Its place in the file.
    pub(super) offset: usize,
    /// Number of bytes.
    pub(super) bytes: usize,
}

/// # Errors
/// If the file does not start with a record, or starts with one of a newer kind.
pub(super) fn read(bytes: &[u8]) -> Result<Log<'_>> {
    match Head::from_bytes(bytes) {
        None => {
            bail!("this is not a log of `ora run --log-requests`: it does not begin with ORAREQ. Try another --format")
        }
        Some(head) if head.version != VERSION => {
            bail!(
                "the log has version {}, and this `ora` reads version {VERSION}: use the `ora` that wrote it",
                head.version
            )
        }
        Some(_) => {}
    }
    let (records, damage) = records(bytes);
    let mut lost: HashMap<u32, u32> = HashMap::new();
    for record in &records {
        let most = lost.entry(record.head.pid).or_default();
        *most = record.head.lost.max(*most);
    }
    Ok(Log { items: pair(records), damage, lost: lost.values().map(|lost| u64::from(*lost)).sum() })
}

fn records(bytes: &[u8]) -> (Vec<Record<'_>>, Vec<Damage>) {
    let (mut records, mut damage): (Vec<Record<'_>>, Vec<Damage>) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        if let Some((record, size)) = record(rest) {
            records.push(record);
            at += size;
            continue;
        }
        // A truncated record: continue at the next one.
        let next = (1..rest.len()).find(|skip| rest.get(*skip..).is_some_and(|rest| rest.starts_with(&MAGIC)));
        let skip = next.unwrap_or(rest.len());
        match damage.last_mut() {
            Some(last) if last.offset + last.bytes == at => last.bytes += skip,
            _ => damage.push(Damage { offset: at, bytes: skip }),
        }
        at += skip;
    }
    (records, damage)
}

/// The record at the start of the bytes, and its length; `None` if it is not complete.
fn record(bytes: &[u8]) -> Option<(Record<'_>, usize)> {
    let head = Head::from_bytes(bytes).filter(|head| head.version == VERSION)?;
    let size = usize::try_from(head.size).ok().filter(|size| *size >= HEAD)?;
    let of_text = matches!(head.kind, kind::LOG | kind::PROGRAM);
    if !of_text && size > HEAD + MAX_BYTES {
        return None;
    }
    let (whole, behind) = bytes.split_at_checked(size)?;
    let inside = whole.get(HEAD..)?;
    // The length of a truncated record that is immediately followed by another one includes bytes of that record.
    let starts = |at: usize| {
        let head = inside.get(at..).and_then(Head::from_bytes);
        head.is_some_and(|head| head.version == VERSION && head.kind <= kind::RETURN)
    };
    let holds_another = (0..inside.len()).any(starts);
    let goes_on = behind.is_empty() || behind.first() == MAGIC.first();
    (goes_on && !holds_another).then_some((Record { head, bytes: inside }, size))
}

fn pair(records: Vec<Record<'_>>) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = Vec::new();
    // Index in `items`, by process and number of the call.
    let mut open: HashMap<(u32, u64), usize> = HashMap::new();
    // The calls that each thread is in, the innermost last.
    let mut inside: HashMap<u32, Vec<u64>> = HashMap::new();
    for record in records {
        let head = record.head;
        match head.kind {
            kind::LOG => items.push(Item::Log(texts(record.bytes))),
            kind::PROGRAM => {
                // Another program in the same process: its numbers start again.
                open.retain(|(pid, _), _| *pid != head.pid);
                inside.remove(&head.pid);
                let mut texts = texts(record.bytes).into_iter();
                let (library, program) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
                items.push(Item::Program { pid: head.pid, library, program });
            }
            kind::CALL => {
                let stack = inside.entry(head.tid).or_default();
                open.insert((head.pid, head.call), items.len());
                items.push(Item::Call { call: record, end: None, within: stack.last().copied() });
                stack.push(head.call);
            }
            kind::RETURN => {
                if let Some(stack) = inside.get_mut(&head.tid) {
                    stack.retain(|call| *call != head.call);
                }
                let begun = open.remove(&(head.pid, head.call)).and_then(|place| items.get_mut(place));
                match begun {
                    Some(Item::Call { end, .. }) => *end = Some(record),
                    _ => items.push(Item::End(record)),
                }
            }
            // The record is from a newer recorder.
            _ => {}
        }
    }
    items
}

fn texts(bytes: &[u8]) -> Vec<String> {
    let bytes = bytes.strip_suffix(&[0]).unwrap_or(bytes);
    bytes.split(|byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use request_format::BLANK;

    fn bytes(kind: u32, pid: u32, tid: u32, call: u64, inside: &[u8]) -> Vec<u8> {
        let size = u32::try_from(HEAD + inside.len()).unwrap();
        [&Head { size, kind, pid, tid, call, ..BLANK }.to_bytes()[..], inside].concat()
    }

    fn shape(log: &[u8]) -> Vec<String> {
        let of = |item: &Item<'_>| match item {
            Item::Log(words) => words.join(" "),
            Item::Program { pid, library, program } => format!("{pid} {library} {program}"),
            Item::Call { call, end, within } => {
                format!(
                    "{}/{}{}",
                    call.head.call,
                    end.map_or("-", |_| "ok"),
                    within.map_or(String::new(), |w| format!(" in {w}"))
                )
            }
            Item::End(end) => format!("end {}", end.head.call),
        };
        read(log).unwrap().items.iter().map(of).collect()
    }

    #[test]
    fn calls_meet_their_ends_across_threads_processes_and_nesting() {
        let log = [
            bytes(kind::LOG, 1, 1, 0, b"a\0b\0"),
            bytes(kind::PROGRAM, 2, 2, 0, b"lib\0exe\0"),
            bytes(kind::CALL, 2, 2, 1, &[]),
            bytes(kind::CALL, 2, 3, 2, &[]),
            bytes(kind::CALL, 2, 2, 3, &[]),
            bytes(kind::RETURN, 2, 2, 3, &[]),
            bytes(kind::RETURN, 9, 9, 1, &[]),
            bytes(kind::RETURN, 2, 2, 1, &[]),
            bytes(kind::PROGRAM, 2, 2, 0, b"lib\0new\0"),
            bytes(kind::CALL, 2, 2, 1, &[]),
        ]
        .concat();
        assert_eq!(shape(&log), ["a b", "2 lib exe", "1/ok", "2/-", "3/ok in 1", "end 1", "2 lib new", "1/-"]);
    }

    #[test]
    fn cut_records_are_left_out_and_the_next_ones_are_found() {
        let call = |n| bytes(kind::CALL, 1, 1, n, &[7; 40]);
        for cut in [1, 10, 63, 64, 103] {
            let begun = &call(2)[..cut];
            let middle = [&call(1)[..], begun, &call(3)].concat();
            assert_eq!(shape(&middle), ["1/-", "3/- in 1"], "{cut}");
            assert_eq!(read(&middle).unwrap().damage, [Damage { offset: 104, bytes: cut }]);
            let last = [&call(1)[..], begun].concat();
            assert_eq!(shape(&last), ["1/-"], "{cut}");
        }
    }

    #[test]
    fn other_files_and_other_versions_are_refused() {
        assert!(read(b"hello").unwrap_err().to_string().contains("not a log"));
        let newer = Head { version: 2, ..BLANK }.to_bytes();
        assert!(read(&newer).unwrap_err().to_string().contains("version 2"));
    }
}
