//! Checks of `ora decode`: request buffers, their textual formats, and request logs.

use crate::input::Input;
use decode::{Decoded, Format, Options};
use request_format::{BLANK, HEAD, Head, MAGIC, end, kind};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write as _;

pub(crate) fn check(file: &[u8]) {
    let mut input = Input(file);
    match input.byte() % 4 {
        0 => any_bytes(input.byte(), input.0),
        1 => buffer(input.0),
        2 => log(input),
        _ => damaged_log(input.0),
    }
}

/// Decodes bytes in a format as text and as JSON, checks that these agree, and returns the JSON; `None` if the bytes are rejected.
fn decoded(bytes: &[u8], options: Options) -> Option<Value> {
    let run = |json| decode::decode(bytes.to_vec(), "a file", Options { json, ..options }).ok();
    let (text, json) = (run(false), run(true));
    assert_eq!(text.as_ref().map(|it| it.is_good), json.as_ref().map(|it| it.is_good));
    let Decoded { shown, is_good } = json?;
    assert!(!text.unwrap().shown.is_empty());
    let json: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(json["well_formed"], is_good);
    Some(json)
}

fn any_bytes(choice: u8, bytes: &[u8]) {
    let formats = [None, Some(Format::Raw), Some(Format::Hex), Some(Format::C), Some(Format::Log)];
    let format = formats[usize::from(choice & 0x3f) % formats.len()];
    let options = Options { format, words: choice & 0x40 != 0, reply: choice & 0x80 != 0, json: false };
    decoded(bytes, options);
}

/// Decodes with a plain walk; returns the entries' offsets and sizes, the offset of the end, and the call's result.
fn plain(bytes: &[u8]) -> (Vec<(usize, usize)>, usize, Option<i32>) {
    let (mut at, mut entries) = (0, Vec::new());
    loop {
        let Some(size) = bytes.get(at..at + 4) else { return (entries, at, None) };
        let size = i32::from_ne_bytes(size.try_into().unwrap());
        if size == 0 {
            return (entries, at, Some(0));
        }
        if size < 16 || size % 4 != 0 {
            return (entries, at, Some(-1));
        }
        let size = usize::try_from(size).unwrap();
        if bytes.len() - at < size {
            return (entries, at, None);
        }
        entries.push((at, size));
        at += size;
    }
}

/// Offsets and sizes of entries in JSON.
fn entries(json: &Value) -> Vec<(usize, usize)> {
    let number = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    json.as_array().unwrap().iter().map(|entry| (number(&entry["offset"]), number(&entry["sz"]))).collect()
}

fn buffer(bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let raw = decoded(bytes, Options { format: Some(Format::Raw), ..Options::default() }).unwrap();
    let (wanted, offset, returns) = plain(bytes);
    assert_eq!(entries(&raw["buffer"]["entries"]), wanted);
    assert_eq!(raw["buffer"]["end"]["offset"], offset);
    assert_eq!(raw["buffer"]["returns"].as_i64(), returns.map(i64::from));
    for (text, format, words) in spellings(bytes) {
        let options = Options { format: Some(format), words, ..Options::default() };
        let read = decoded(text.as_bytes(), options).unwrap_or_else(|| panic!("refused: {text}"));
        assert_eq!(read["buffer"], raw["buffer"], "{text}");
    }
}

/// The bytes in the formats of programs that print bytes.
fn spellings(bytes: &[u8]) -> Vec<(String, Format, bool)> {
    let joined = |separator: &str| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(separator);
    let (mut xxd, mut dump, mut last) = (String::new(), String::new(), None);
    for (line, row) in bytes.chunks(16).enumerate() {
        let shown: String =
            row.iter().map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' }).collect();
        let pairs: Vec<String> =
            row.chunks(2).map(|pair| pair.iter().map(|byte| format!("{byte:02x}")).collect()).collect();
        let _ = writeln!(xxd, "{:08x}: {:39}  {shown}", 16 * line, pairs.join(" "));
        // Lines equal to the previous one are omitted; the first of them is replaced by a mark.
        if last.replace(row) != Some(row) {
            let single: Vec<String> = row.iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = writeln!(dump, "{:08x}  {:48}  |{shown}|", 16 * line, single.join(" "));
        } else if !dump.ends_with("*\n") {
            dump.push_str("*\n");
        }
    }
    let _ = writeln!(dump, "{:08x}", bytes.len());
    let list: Vec<String> = bytes.iter().map(|byte| format!("{byte:#x}")).collect();
    let mut all = vec![
        (joined(""), Format::Hex, false),
        (joined(" "), Format::Hex, false),
        (xxd, Format::Hex, false),
        (dump, Format::Hex, false),
        (format!("unsigned char b[] = {{ {} }};", list.join(", ")), Format::C, false),
    ];
    if let (words, []) = bytes.as_chunks() {
        let words: Vec<_> = words.iter().map(|word| i32::from_ne_bytes(*word)).collect();
        let list: Vec<_> = words.iter().map(i32::to_string).collect();
        let gdb: Vec<_> = words.iter().map(|word| format!("{word:#010x}")).collect();
        all.push((format!("static int b[] = {{{}}}; // ends", list.join(", ")), Format::C, false));
        all.push((format!("0x7ffe0010:\t{}\n", gdb.join("\t")), Format::Hex, false));
        all.push((gdb.join(" "), Format::Hex, true));
    }
    all
}

/// Number, result, and entries of a call.
type Call = (u64, Option<i32>, Vec<(usize, usize)>);

/// Writes a log of the plan's records, and checks that every call is read together with its end.
fn log(mut plan: Input<'_>) {
    let mut file = BLANK.to_bytes().to_vec();
    let mut wanted: Vec<Call> = Vec::new();
    let mut open = HashMap::new();
    while !plan.is_empty() {
        let (what, who) = (plan.byte(), plan.byte());
        let call = u64::from(who >> 3);
        let bytes = if what % 3 == 2 { &b"a\0b\0"[..] } else { plan.piece() };
        let bytes = if bytes.windows(MAGIC.len()).any(|part| part == MAGIC) { &[] } else { bytes };
        let kind = [kind::CALL, kind::RETURN, kind::PROGRAM][usize::from(what % 3)];
        let size = u32::try_from(HEAD + bytes.len()).unwrap();
        let result = i32::from(what.cast_signed());
        let (pid, tid) = ((who & 1).into(), (who >> 1 & 3).into());
        let head = Head { size, kind, pid, tid, call, result, end: end::ZERO, ..BLANK };
        file.extend(head.to_bytes());
        file.extend(bytes);
        match kind {
            kind::CALL => {
                open.insert((pid, call), wanted.len());
                wanted.push((call, None, plain(bytes).0));
            }
            kind::RETURN => {
                if let Some(place) = open.remove(&(pid, call)) {
                    wanted[place].1 = Some(result);
                }
            }
            _ => open.retain(|(other, _), _| *other != pid),
        }
    }
    let json = decoded(&file, Options::default()).unwrap();
    assert_eq!(json["log"]["damage"].as_array().unwrap().len(), 0);
    let items = json["log"]["items"].as_array().unwrap();
    let calls = items.iter().filter(|item| item["kind"] == "call");
    let result = |call: &Value| call["result"].as_i64().map(|it| i32::try_from(it).unwrap());
    let read: Vec<_> =
        calls.map(|call| (call["call"].as_u64().unwrap(), result(call), entries(&call["entries"]))).collect();
    assert_eq!(read, wanted);
}

/// Reads arbitrary bytes after a valid head; checks that the reported gaps are inside the file and don't overlap.
fn damaged_log(bytes: &[u8]) {
    let file = [&BLANK.to_bytes()[..], bytes].concat();
    let json = decoded(&file, Options::default()).unwrap();
    let mut behind = 0;
    for place in json["log"]["damage"].as_array().unwrap() {
        let (offset, length) = (place["offset"].as_u64().unwrap(), place["bytes"].as_u64().unwrap());
        assert!(offset >= behind && length > 0, "{place}");
        behind = offset + length;
    }
    assert!(behind <= file.len() as u64);
}
