//! What this process is: its command line, and the OpenMP runtimes in it.
//!
//! Read from `/proc` and not asked of the dynamic linker, whose lock another thread may hold while it waits for this one.
//! Allocates nothing.

use std::fs::File;
use std::io::Read;

use crate::roll::{ProcessSlot, TEXT, runtime};
use std::sync::atomic::Ordering::Relaxed;

/// Enters this process's command line.
pub(crate) fn enter_command(slot: &ProcessSlot) {
    let mut text = [0; TEXT];
    let Ok(mut file) = File::open("/proc/self/cmdline") else { return };
    if let Ok(length) = file.read(&mut text) {
        slot.command.set(text.get(..length).unwrap_or_default());
    }
}

/// Enters the runtimes that are loaded now, unless one was found before.
pub(crate) fn enter_runtimes(slot: &ProcessSlot) {
    if slot.runtimes.load(Relaxed) != 0 {
        return;
    }
    let Ok(mut maps) = File::open("/proc/self/maps") else { return };
    let mut runtimes = 0;
    each_line(
        |chunk| maps.read(chunk).unwrap_or(0),
        |line| {
            if let Some((found, path)) = runtime_in(line) {
                if runtimes == 0 {
                    slot.runtime_path.set(path);
                }
                runtimes |= found;
            }
        },
    );
    slot.runtimes.store(runtimes, Relaxed);
}

/// The runtime that a line of `/proc/self/maps` shows, with its path.
fn runtime_in(line: &[u8]) -> Option<(u32, &[u8])> {
    let path = line.get(line.iter().position(|b| *b == b'/')?..)?;
    let name = path.rsplit(|b| *b == b'/').next()?;
    let known = [(&b"libgomp"[..], runtime::GNU), (&b"libomp"[..], runtime::LLVM), (&b"libiomp5"[..], runtime::INTEL)];
    let (_, found) = known.into_iter().find(|(begin, _)| {
        // `libgomp.so.1`, or `libgomp-a34b3233.so.1` in a Python wheel, but not `libomptarget.so`.
        name.strip_prefix(*begin).is_some_and(|rest| matches!(rest.first(), Some(b'.' | b'-')))
    })?;
    Some((found, path))
}

/// Cuts what `read` delivers into lines. A line too long for the buffer is handed on in pieces.
pub(crate) fn each_line(mut read: impl FnMut(&mut [u8]) -> usize, mut line: impl FnMut(&[u8])) {
    let mut buffer = [0; 2048];
    let mut held = 0;
    loop {
        let got = buffer.get_mut(held..).map_or(0, &mut read);
        let filled = held + got;
        let mut rest = buffer.get(..filled).unwrap_or_default();
        while let Some(end) = rest.iter().position(|b| *b == b'\n') {
            line(rest.get(..end).unwrap_or_default());
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        if got == 0 || rest.len() == buffer.len() {
            line(rest);
            rest = &[];
        }
        held = rest.len();
        buffer.copy_within(filled - held..filled, 0);
        if got == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_known_by_their_file_names() {
        let seen = |path: &str| {
            let line = format!("7f00-7f01 r-xp 00000000 08:01 9    {path}");
            runtime_in(line.as_bytes()).map(|(found, path)| (found, String::from_utf8_lossy(path).into_owned()))
        };
        let found = |kind, path: &str| Some((kind, path.to_owned()));
        assert_eq!(seen("/usr/lib/libgomp.so.1.0.0"), found(runtime::GNU, "/usr/lib/libgomp.so.1.0.0"));
        assert_eq!(seen("/w/libgomp-a34b3233.so.1"), found(runtime::GNU, "/w/libgomp-a34b3233.so.1"));
        assert_eq!(seen("/usr/lib/llvm-14/lib/libomp.so.5"), found(runtime::LLVM, "/usr/lib/llvm-14/lib/libomp.so.5"));
        assert_eq!(seen("/o/libiomp5.so"), found(runtime::INTEL, "/o/libiomp5.so"));
        assert_eq!(seen("/usr/lib/libomptarget.so.14"), None);
        assert_eq!(seen("/libgomp.d/libc.so.6"), None);
        assert_eq!(seen("[heap]"), None);
    }

    #[test]
    fn lines_are_whole_however_they_arrive() {
        let long = "x".repeat(5000);
        let text = format!("one\n\ntwo\n{long}\nlast");
        for step in [1, 3, 2048] {
            let (mut at, mut lines) = (0, Vec::new());
            let read = |chunk: &mut [u8]| {
                let n = step.min(chunk.len()).min(text.len() - at);
                chunk[..n].copy_from_slice(&text.as_bytes()[at..at + n]);
                at += n;
                n
            };
            each_line(read, |line| lines.push(String::from_utf8_lossy(line).into_owned()));
            assert_eq!(lines.join("").replace('x', ""), "onetwolast");
            assert_eq!((lines[0].as_str(), lines[1].as_str(), lines[2].as_str()), ("one", "", "two"));
            assert_eq!(lines.last().unwrap(), "last");
            assert_eq!(lines.concat().len(), text.len() - 4);
        }
    }
}
