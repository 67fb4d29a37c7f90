//! Checks of the readers of `ora race`: of the lines that its detector writes (`race_format::read`), and of the log of a ThreadSanitizer
//! that is linked into the program (`race_format::sanitizer_log`).

use std::fmt::Write;

use race_format::{Access, Address, Location, sanitizer_log};
use serde_json::Value;

use crate::input::Input;

/// Maximum number of reports that are written, and of frames in a stack.
const REPORTS: usize = 8;
const FRAMES: u8 = 6;

/// Object and offset of each frame of a stack.
type Frames = Vec<(String, u64)>;

/// Separator of reports, and the start of those that count.
const BAR: &str = "==================";
const BEGIN: &str = "WARNING: ThreadSanitizer: data race";

pub(crate) fn check(file: &[u8]) {
    match file.split_first() {
        Some((0, bytes)) => lines(bytes),
        Some((1, bytes)) => any_log(&String::from_utf8_lossy(bytes)),
        Some((_, plan)) => written_log_is_read(Input(plan)),
        None => {}
    }
}

/// Each line is read, skipped or truncated. A line that was read and is written again is read back the same.
fn lines(bytes: &[u8]) {
    let read = race_format::read(bytes);
    let pieces: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let (last, whole) = pieces.split_last().unwrap();
    let objects = whole.iter().filter(|line| !line.trim_ascii().is_empty());
    assert_eq!(read.lines.len() + read.skipped, objects.clone().count());
    assert_eq!(read.cut, !last.is_empty());
    // A list is read as well: its first word is the type.
    let typed = objects.filter(|line| {
        let line: Option<Value> = serde_json::from_str(&String::from_utf8_lossy(line)).ok();
        let word = line.as_ref().and_then(|line| line["type"].as_str().or(line[0].as_str()));
        word.is_some_and(|word| ["process", "module", "race", "suppressed", "end"].contains(&word))
    });
    assert!(read.lines.len() <= typed.count());
    let written: String = read.lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
    assert_eq!(race_format::read(written.as_bytes()).lines, read.lines);
}

/// Each part of a log is a report or belongs to the rest, and every report has two accesses.
fn any_log(text: &str) {
    let log = sanitizer_log::read(text);
    let mut all = vec![String::new()];
    for line in text.split_inclusive('\n') {
        if line.trim_end() == BAR { all.push(String::new()) } else { all.last_mut().unwrap().push_str(line) }
    }
    let parts = || all.iter().filter(|part| !part.trim().is_empty());
    let is_report = |part: &&String| part.trim_start().starts_with(BEGIN);
    let is_sum = |part: &&String| part.trim_start().starts_with("ThreadSanitizer: reported ");
    assert_eq!(log.reports.len(), parts().filter(is_report).count());
    assert_eq!(log.rest, parts().filter(|part| !is_report(part) && !is_sum(part)).cloned().collect::<String>());
    for (report, part) in log.reports.into_iter().zip(parts().filter(is_report)) {
        let Some(race) = report.race(1, |object| Some(u64::MAX - object.len() as u64)) else { continue };
        let frames: usize = race.accesses.iter().map(|access| access.stack.len()).sum();
        let frames = frames + race.location.map_or(0, |location| location.stack.len());
        assert!(frames <= part.lines().filter(|line| line.trim_start().starts_with('#')).count());
    }
}

/// Checks that reports, chosen by the bytes, are read back as written.
fn written_log_is_read(mut plan: Input<'_>) {
    let mut written = Vec::new();
    let mut text = String::new();
    while !plan.is_empty() && written.len() < REPORTS {
        let accesses = [access(&mut plan), access(&mut plan)];
        let location = plan.byte().is_multiple_of(2).then(|| location(&mut plan));
        write_report(&mut text, &accesses, location.as_ref(), plan.byte());
        written.push((accesses, location));
    }
    let log = sanitizer_log::read(&text);
    assert_eq!((log.reports.len(), log.rest.as_str()), (written.len(), ""), "{text}");
    let bias = |object: &str| Some(object.len() as u64 * 0x1000);
    for (report, (accesses, location)) in log.reports.into_iter().zip(written) {
        let race = report.race(7, bias).unwrap();
        let stack = |frames: &[(String, u64)]| -> Vec<Address> {
            let address =
                |(object, offset): &(String, u64)| bias(object).unwrap().wrapping_add(*offset).wrapping_add(1);
            frames.iter().map(|frame| Address(address(frame))).collect()
        };
        let expected = accesses.map(|(access, frames)| Access {
            stack: stack(&frames),
            stack_restored: !frames.is_empty(),
            ..access
        });
        assert_eq!((race.id, race.sure, race.accesses), (7, true, expected), "{text}");
        let expected = location.map(|(location, frames)| Location { stack: stack(&frames), ..location });
        assert_eq!(race.location, expected, "{text}");
    }
}

fn access(plan: &mut Input<'_>) -> (Access, Frames) {
    let flags = plan.byte();
    let access = Access {
        write: flags & 1 != 0,
        atomic: flags & 2 != 0,
        size: plan.number(),
        address: Address(plan.number()),
        os_thread: plan.byte().into(),
        ..Access::default()
    };
    (access, frames(plan))
}

fn location(plan: &mut Input<'_>) -> (Location, Frames) {
    let kind = ["global", "heap", "stack", "tls"][usize::from(plan.byte() % 4)];
    let mut location = Location { kind: kind.to_owned(), ..Location::default() };
    if kind == "global" || kind == "heap" {
        location.size = plan.number();
        location.address = Address(plan.number());
    }
    if kind == "global" {
        let name: String = plan.piece().iter().map(|byte| char::from(b'a' + byte % 26)).collect();
        location.name = (!name.is_empty()).then_some(name);
    }
    let has_stack = kind == "heap";
    (location, if has_stack { frames(plan) } else { Vec::new() })
}

/// Objects and offsets of a stack. File names may contain anything but blanks: with one before a parenthesis, the name would look like the
/// end of a place.
fn frames(plan: &mut Input<'_>) -> Frames {
    let count = plan.byte() % FRAMES;
    let frame = |plan: &mut Input<'_>| {
        let name = String::from_utf8_lossy(plan.piece());
        let name = name.replace(|c: char| c.is_control() || c.is_whitespace(), "_");
        (format!("lib{name}.so"), plan.number())
    };
    (0..count).map(|_| frame(plan)).collect()
}

/// Writes a report as ThreadSanitizer does.
fn write_report(text: &mut String, accesses: &[(Access, Frames); 2], location: Option<&(Location, Frames)>, flags: u8) {
    let build_id = if flags & 1 == 0 { "" } else { " (BuildId: 0a1b)" };
    let stack = |text: &mut String, frames: &[(String, u64)]| {
        for (number, (object, offset)) in frames.iter().enumerate() {
            writeln!(text, "    #{number} f(int) /a (b)/c.c:3:{number} ({object}+{offset:#x}){build_id}").unwrap();
        }
    };
    writeln!(text, "{BAR}\n{BEGIN} (pid=12)").unwrap();
    for (number, (access, frames)) in accesses.iter().enumerate() {
        let words = [(number == 1, "Previous "), (access.atomic, "atomic ")];
        let words: String = words.iter().filter(|(is_said, _)| *is_said).map(|(_, word)| *word).collect();
        let what = words + if access.write { "write" } else { "read" };
        let what = what[..1].to_uppercase() + &what[1..];
        let thread = match access.os_thread {
            0 => "main thread".to_owned(),
            number => format!("thread T{number}"),
        };
        let mutexes = if flags & 2 == 0 { "" } else { " (mutexes: write M12)" };
        writeln!(text, "  {what} of size {} at {:#x} by {thread}{mutexes}:", access.size, access.address.0).unwrap();
        stack(text, frames);
        if frames.is_empty() {
            writeln!(text, "    [failed to restore the stack]").unwrap();
        }
        writeln!(text).unwrap();
    }
    if let Some((location, frames)) = location {
        let (size, address) = (location.size, location.address);
        let name = location.name.as_deref().unwrap_or("<null>");
        match location.kind.as_str() {
            "heap" => writeln!(text, "  Location is heap block of size {size} at {address} allocated by main thread:"),
            "global" => writeln!(text, "  Location is global '{name}' of size {size} at {address} (prog+0x4014)\n"),
            "tls" => writeln!(text, "  Location is TLS of thread T3.\n"),
            _ => writeln!(text, "  Location is stack of main thread.\n"),
        }
        .unwrap();
        stack(text, frames);
    }
    writeln!(text, "\n  Thread T2 (tid=23711, running) created by main thread at:").unwrap();
    stack(text, &[("libtsan.so.2".to_owned(), 0x61)]);
    writeln!(text, "\nSUMMARY: ThreadSanitizer: data race /a/c.c:3:1 in f(int)\n{BAR}").unwrap();
}
