//! Totals of a profiled run: counts over all its processes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use profile_format::{FILE, Reader, Record, info};
use rustix::fs::OFlags;
use untrusted::figure;
use untrusted::recording::{self, Folder};

use terminal::printable::Shown;

use crate::undelivered::Undelivered;

/// Maximum number of zero words at the end of a record: a thread's end has the most, five.
const ZEROS: usize = 8;

/// Totals over all processes of a profile.
#[derive(Debug, Default)]
pub struct Totals {
    /// Processes that have left data.
    pub processes: usize,
    /// Threads of these processes.
    pub threads: u64,
    /// Samples of all threads.
    pub samples: u64,
    /// Signals that timers should have sent to threads that have ended, and what became of them.
    pub signals: Undelivered,
    /// Samples that could not be stored.
    pub lost: u64,
    /// Threads that still existed when their process was gone: no counts are known for these.
    pub cut_off: u64,
    /// Processes that are gone and neither reached their exit handlers nor continued as a program that has left data.
    pub vanished: usize,
    /// Bytes of all files.
    pub bytes: u64,
    /// Errors, each with the number of processes that report it.
    pub errors: Vec<(String, usize)>,
    /// Files that can't be read.
    pub unreadable: Vec<String>,
    /// In some process no session could be opened: nothing is known about its OpenMP activity.
    pub refused_session: bool,
}

impl Totals {
    /// Totals of the processes that have left data in these folders. `is_alive` returns true for the number of a
    /// process that still exists.
    pub fn of(folders: &[PathBuf], is_alive: fn(u32) -> bool) -> Self {
        let mut totals = Self::default();
        // If a process executed several programs in turn, their folders have the same name, with numbers.
        let last = last_programs(folders);
        for folder in folders {
            let replaced = is_replaced(folder, &last);
            totals.add(&folder.join(FILE), replaced, is_alive);
        }
        totals
    }

    fn add(&mut self, path: &Path, replaced: bool, is_alive: fn(u32) -> bool) {
        let bytes = match recording::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let why = "the process could not create it: the disk is full, too many files are open (ulimit -n), or the \
                           system refuses memory (ulimit -v)";
                return self.unreadable.push(format!("{}: {why}", path.shown()));
            }
            Err(error) => return self.unreadable.push(format!("{}: {error}", path.shown())),
        };
        // The first word is written once everything else that a profile needs is there.
        if bytes.iter().take(size_of::<u64>()).all(|byte| *byte == 0) {
            let why = "a profile could not be created: the disk is full, the limit on file sizes is too low \
                       (ulimit -f), or the system refuses memory (ulimit -v)";
            return self.unreadable.push(format!("{}: {why}", path.shown()));
        }
        let mut reader = match Reader::new(&bytes) {
            Ok(reader) => reader,
            Err(error) => return self.unreadable.push(format!("{}: {error}", path.shown())),
        };
        self.processes += 1;
        self.bytes += bytes.len() as u64;
        let (mut ended, mut begun, mut over, mut pid, mut rate) = (0, 0, false, None, 0);
        for record in reader.by_ref() {
            match record {
                Record::Thread { .. } => begun += 1,
                Record::Sample(_) => self.samples += 1,
                Record::ThreadEnd { asked, delivered, lost, .. } => {
                    ended += 1;
                    self.signals.add(asked, delivered);
                    self.lost = figure::sum(self.lost, lost);
                }
                Record::ThreadLate { in_kernel_ns, blocked_ns, .. } => {
                    self.signals.add_late([in_kernel_ns, blocked_ns].map(figure::bounded), rate);
                }
                Record::Info { key: info::RATE, value } => {
                    rate = str::from_utf8(value).ok().and_then(|rate| rate.parse().ok()).unwrap_or(0);
                }
                Record::End { .. } => over = true,
                Record::Info { key: info::TROUBLE, value } => self.error(&String::from_utf8_lossy(value)),
                Record::Info { key: info::PID, value } => {
                    pid = str::from_utf8(value).ok().and_then(|pid| pid.parse().ok())
                }
                Record::Info { key: info::SESSION, value } => self.refused_session |= value != b"0",
                _ => {}
            }
        }
        self.threads += begun;
        if !replaced {
            self.cut_off += begun.saturating_sub(ended);
        }
        if !over && !pid.is_some_and(is_alive) {
            self.vanished += usize::from(!replaced);
            self.bytes -= cut(path, &bytes);
        }
    }

    fn error(&mut self, text: &str) {
        match self.errors.iter_mut().find(|(known, _)| known == text) {
            Some((_, times)) => *times += 1,
            None => self.errors.push((text.to_owned(), 1)),
        }
    }
}

/// A process, by the parts of its folder's name, and the number of the program that it executes: `pid-7.2` is the second one.
fn program(folder: &Path) -> Option<((String, String), u64)> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let (rank, process) = name.split_once("pid-")?;
    let (pid, number) = process.split_once('.').unwrap_or((process, "1"));
    Some(((rank.to_owned(), pid.to_owned()), number.parse().ok()?))
}

/// The last program of each process.
fn last_programs(folders: &[PathBuf]) -> BTreeMap<(String, String), u64> {
    let mut last = BTreeMap::new();
    for (process, number) in folders.iter().filter_map(|folder| program(folder)) {
        let known = last.entry(process).or_insert(number);
        *known = number.max(*known);
    }
    last
}

/// True if the process has executed another program later.
fn is_replaced(folder: &Path, last: &BTreeMap<(String, String), u64>) -> bool {
    program(folder).is_some_and(|(process, number)| last.get(&process).is_some_and(|last| *last > number))
}

/// A process that didn't reach its exit handlers has left unused space after its last record. Returns the length that
/// was cut off.
fn cut(path: &Path, bytes: &[u8]) -> u64 {
    // The last record may also end in zeros, but in fewer words of them.
    let last = bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0);
    let used = ((last / 8 + 1 + ZEROS) * 8).min(bytes.len());
    let cut = match (path.parent(), path.file_name().and_then(OsStr::to_str)) {
        (Some(folder), Some(name)) => Folder::open(folder)
            .and_then(|folder| folder.file(name, OFlags::WRONLY))
            .and_then(|file| file.set_len(used as u64)),
        _ => return 0,
    };
    if cut.is_ok() { bytes.len().saturating_sub(used) as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_executed_in_place_of_another_is_its_successor() {
        let replaced = |folder: &str, by: &str| {
            let folders = [folder, by].map(PathBuf::from);
            is_replaced(Path::new(folder), &last_programs(&folders))
        };
        assert!(replaced("p/pid-7", "p/pid-7.2") && replaced("p/rank-1.pid-7.9", "p/rank-1.pid-7.10"));
        assert!(!replaced("p/pid-7.2", "p/pid-7") && !replaced("p/pid-7", "p/pid-8.2"));
        assert!(!replaced("p/rank-0.pid-7", "p/rank-1.pid-7.2") && !replaced("p/pid-7", "p/pid-7"));
        assert!(!replaced("p/other", "p/pid-7.2"));
    }
}
