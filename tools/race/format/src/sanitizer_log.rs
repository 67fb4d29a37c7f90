//! Reports as printed by ThreadSanitizer. If it is linked into the program, as clang does, the detector isn't asked about
//! reports: they are read from its log.

use crate::{Access, Address, Location, Race};

/// A frame: file name of the object, and offset of the instruction in it.
type Frame = (String, u64);

/// Content of a log.
#[derive(Debug, Default, PartialEq)]
pub struct Log {
    /// Reports of data races, in the order of the log.
    pub reports: Vec<Report>,
    /// Everything that is not about data races.
    pub rest: String,
}

/// A report of a data race.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    accesses: Vec<(Access, Vec<Frame>)>,
    location: Option<(Location, Vec<Frame>)>,
}

/// Line that separates reports.
const BAR: &str = "==================";
const BEGIN: &str = "WARNING: ThreadSanitizer: data race";

/// Reads a log.
pub fn read(text: &str) -> Log {
    let mut log = Log::default();
    for part in parts(text).into_iter().filter(|part| !part.trim().is_empty()) {
        if part.trim_start().starts_with(BEGIN) {
            log.reports.push(report(part));
        } else if !part.trim_start().starts_with("ThreadSanitizer: reported ") {
            log.rest.push_str(part);
        }
    }
    log
}

/// The parts of a log between its bars. The names of files in it may contain as many such characters.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut end) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim_end() == BAR {
            parts.push(text.get(begin..end).unwrap_or_default());
            begin = end + line.len();
        }
        end += line.len();
    }
    parts.push(text.get(begin..).unwrap_or_default());
    parts
}

/// The part of a report to which the current frames belong.
enum Reading {
    Access,
    Location,
    Other,
}

fn report(text: &str) -> Report {
    let mut report = Report::default();
    let mut reading = Reading::Other;
    for line in text.lines() {
        let words = line.trim();
        if let Some(frame) = frame(words) {
            let frames = match reading {
                Reading::Access => report.accesses.last_mut().map(|(_, frames)| frames),
                Reading::Location => report.location.as_mut().map(|(_, frames)| frames),
                Reading::Other => None,
            };
            if let Some(frames) = frames {
                frames.push(frame);
            }
        } else if let Some(access) = access(words) {
            report.accesses.push((access, Vec::new()));
            reading = Reading::Access;
        } else if let Some(location) = location(words) {
            // If there are several, the first is the memory's; others are what its mapping belongs to.
            if report.location.is_none() {
                report.location = Some((location, Vec::new()));
                reading = Reading::Location;
            } else {
                reading = Reading::Other;
            }
        } else if !words.is_empty() && !words.starts_with('#') && !words.starts_with('[') {
            reading = Reading::Other;
        }
    }
    report
}

/// `#0 main a.c:9:14 (program+0xe471f) (BuildId: ...)`.
fn frame(words: &str) -> Option<Frame> {
    let rest = words.strip_prefix('#')?;
    let rest = rest.rsplit_once(" (BuildId: ").map_or(rest, |(rest, _)| rest);
    let (place, offset) = rest.strip_suffix(')')?.rsplit_once("+0x")?;
    let (_, object) = place.rsplit_once(" (")?;
    Some((object.to_owned(), u64::from_str_radix(offset, 16).ok()?))
}

/// `Previous atomic write of size 8 at 0x7ffc by thread T2 (mutexes: ...):`.
fn access(words: &str) -> Option<Access> {
    let line = words.to_ascii_lowercase();
    let line = line.strip_prefix("previous ").unwrap_or(&line);
    let (atomic, line) = line.strip_prefix("atomic ").map_or((false, line), |rest| (true, rest));
    let (write, rest) = match line.strip_prefix("write of size ") {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix("read of size ")?),
    };
    let mut words = rest.split_whitespace();
    let size = words.next()?.parse().ok()?;
    let address = hexadecimal(words.nth(1)?)?;
    let thread = rest.split(" by ").nth(1)?;
    Some(Access { write, atomic, size, address: Address(address), os_thread: number(thread), ..Access::default() })
}

/// Number of `thread T2`; 0 for the main thread.
fn number(thread: &str) -> u64 {
    let digits = thread.trim_start_matches("thread ").trim_start_matches(['T', 't']);
    digits.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// `Location is heap block of size 8000 at 0x7b1 allocated by main thread:`.
fn location(words: &str) -> Option<Location> {
    let rest = words.strip_prefix("Location is ")?;
    let behind = |word: &str| rest.split(word).nth(1).and_then(|rest| rest.split_whitespace().next());
    let size = behind(" of size ").and_then(|size| size.parse().ok()).unwrap_or(0);
    let address = behind(" at ").and_then(hexadecimal).unwrap_or(0);
    let kind = rest.split([' ', '.']).next().unwrap_or_default().to_ascii_lowercase();
    let name = rest.split('\'').nth(1).filter(|name| kind == "global" && *name != "??" && *name != "<null>");
    let known = ["global", "heap", "stack", "tls"].contains(&kind.as_str());
    known.then(|| Location {
        kind,
        address: Address(address),
        size,
        name: name.map(str::to_owned),
        ..Location::default()
    })
}

fn hexadecimal(word: &str) -> Option<u64> {
    let digits = word.strip_prefix("0x")?;
    u64::from_str_radix(digits.trim_end_matches([')', ':', ',']), 16).ok()
}

impl Report {
    /// The race, with the load bias of each object; `None` if the report was truncated before its second access.
    pub fn race(self, id: u64, bias: impl Fn(&str) -> Option<u64>) -> Option<Race> {
        // After the instruction, as return addresses are.
        let address = |(object, offset): Frame| Some(Address(bias(&object)?.wrapping_add(offset).wrapping_add(1)));
        let stack = |frames: Vec<Frame>| frames.into_iter().filter_map(address).collect::<Vec<_>>();
        let mut accesses = self.accesses.into_iter().map(|(access, frames)| {
            let stack = stack(frames);
            Access { stack_restored: !stack.is_empty(), stack, ..access }
        });
        let accesses = [accesses.next()?, accesses.next()?];
        let location = self.location.map(|(location, frames)| Location { stack: stack(frames), ..location });
        Some(Race { id, sure: true, why_possible: None, accesses, location })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "==================
WARNING: ThreadSanitizer: data race (pid=23709)
  Atomic write of size 8 at 0x7ffcff9f4668 by thread T2 (mutexes: write M12):
    #0 main.omp_outlined_debug__ /tmp/a (b)/race.c:9:14 (race_clang+0xe471f) (BuildId: bb36)
    #1 __kmp_invoke_microtask <null> (libomp.so.5+0xe0678) (BuildId: 88de)

  Previous read of size 4 at 0x7ffcff9f4668 by main thread:
    [failed to restore the stack]

  Location is heap block of size 8000 at 0x7b0000 allocated by main thread:
    #0 calloc <null> (race_clang+0x10)

  Thread T2 (tid=23711, running) created by main thread at:
    #0 pthread_create <null> (race_clang+0x61ec1) (BuildId: bb36)

SUMMARY: ThreadSanitizer: data race /tmp/rc/g/race.c:9:14 in main.omp_outlined_debug__
==================
==================
WARNING: ThreadSanitizer: thread leak (pid=1)
  Thread T1
==================
ThreadSanitizer: reported 2 warnings
";

    #[test]
    fn a_printed_report_is_a_race_with_addresses() {
        let log = read(TEXT);
        assert_eq!(log.rest, "WARNING: ThreadSanitizer: thread leak (pid=1)\n  Thread T1\n");
        let bias = |object: &str| (object == "race_clang").then_some(0x1000);
        let race = log.reports[0].clone().race(1, bias).unwrap();
        let [write, read] = &race.accesses;
        assert!(write.write && write.atomic && write.stack_restored && !read.write && !read.atomic);
        assert_eq!((write.size, write.address, write.os_thread), (8, Address(0x7ffc_ff9f_4668), 2));
        assert_eq!(write.stack, [Address(0xe_5720)]);
        assert_eq!((read.size, read.os_thread, read.stack_restored), (4, 0, false));
        let location = race.location.unwrap();
        assert_eq!((location.kind.as_str(), location.size, location.address), ("heap", 8000, Address(0x7b_0000)));
        assert_eq!(location.stack, [Address(0x1011)]);
    }

    #[test]
    fn globals_have_names_and_cut_reports_are_no_races() {
        let global = location("Location is global 'flag' of size 4 at 0x55f0 (prog+0x4014)").unwrap();
        assert_eq!((global.name.as_deref(), global.size, global.address), (Some("flag"), 4, Address(0x55f0)));
        assert_eq!(location("Location is stack of main thread.").unwrap().kind, "stack");
        assert_eq!(location("Location is TLS of thread T3.").unwrap().kind, "tls");
        let cut = TEXT.split("  Previous").next().unwrap();
        assert!(read(cut).reports[0].clone().race(1, |_| Some(0)).is_none());
    }
}
