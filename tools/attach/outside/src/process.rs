//! Facts about a process from `/proc` (proc(5)).

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use untrusted::proc_text;

use crate::mapped::Mapped;
use crate::process_clock::TICK_NS;

/// Maximum number of times that the threads are listed, until a list has none that wasn't known. The kernel truncates a list
/// if a thread ends just then (Linux, `next_tid` in fs/proc/base.c).
const LISTS: u32 = 10;

/// A process, by its number as this process sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
}

/// Fields of `/proc/PID/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// State, such as `R`, `S` or `Z`; `?` if it is missing.
    pub state: char,
    /// Number of the thread group: the process.
    pub group: u32,
    /// Effective user.
    pub user: u32,
    /// The process that started it; 0 if it is not visible to this one.
    pub parent: u32,
    /// The process that traces this one; 0 if there is none.
    pub tracer: u32,
    /// 0: no seccomp; 1: strict; 2: a filter.
    pub seccomp: u32,
    /// Signals that are pending and not blocked.
    pub pending: u64,
}

impl Process {
    /// A file of its folder in `/proc`.
    pub fn file(self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.pid))
    }

    /// A file that has this path for the process: it may have another root.
    pub fn path(self, path: &Path) -> PathBuf {
        self.living_folder().join("root").join(path.strip_prefix("/").unwrap_or(path))
    }

    /// A thread that has the process's memory and root: the first one, unless it has ended by pthread_exit(3). Then the kernel shows
    /// neither in the process's own folder.
    pub(crate) fn living_thread(self) -> u32 {
        let has_ended = |status: io::Result<Status>| status.map_or(true, |status| matches!(status.state, 'Z' | 'X'));
        if !has_ended(self.status()) {
            return self.pid;
        }
        self.threads().into_iter().find(|tid| !has_ended(self.thread_status(*tid))).unwrap_or(self.pid)
    }

    /// The folder in `/proc` that has the process's memory and root: its own, or that of another thread once the first one has ended.
    pub fn living_folder(self) -> PathBuf {
        match self.living_thread() {
            first if first == self.pid => self.file(""),
            other => self.file(&format!("task/{other}")),
        }
    }

    /// Content of a file about its memory, which is empty in the process's own folder once the first thread has ended.
    pub(crate) fn about_memory(self, name: &str, largest: u64) -> io::Result<Vec<u8>> {
        let of_first = proc_text::read(&self.file(name), largest);
        if of_first.as_ref().is_ok_and(|bytes| !bytes.is_empty()) || self.living_thread() == self.pid {
            return of_first;
        }
        proc_text::read(&self.living_folder().join(name), largest)
    }

    /// True if there is a process with this number.
    pub fn lives(self) -> bool {
        let asked = Pid::from_raw(self.pid.cast_signed()).map(test_kill_process);
        asked.is_some_and(|asked| matches!(asked, Ok(()) | Err(Errno::PERM)))
    }

    /// The words of its command line.
    pub fn words(self) -> Vec<OsString> {
        let bytes = self.about_memory("cmdline", proc_text::LARGEST_WORDS).unwrap_or_default();
        let words = bytes.split(|byte| *byte == 0).filter(|word| !word.is_empty());
        words.map(|word| OsStr::from_bytes(word).to_owned()).collect()
    }

    /// Its status.
    ///
    /// # Errors
    /// If the process does not exist.
    pub fn status(self) -> io::Result<Status> {
        proc_text::text(&self.file("status")).map(|text| Status::of(&text))
    }

    /// Status of one of its threads.
    ///
    /// # Errors
    /// If the thread does not exist.
    pub fn thread_status(self, tid: u32) -> io::Result<Status> {
        proc_text::text(&self.file(&format!("task/{tid}/status"))).map(|text| Status::of(&text))
    }

    /// Number of a field of `/proc/PID/task/TID/stat`, counted from 1 (proc_pid_stat(5)): from the third on.
    fn stat_field(self, tid: u32, number: usize) -> Option<u64> {
        let text = proc_text::text(&self.file(&format!("task/{tid}/stat"))).ok()?;
        // The second is a name, which may contain any character.
        let rest = text.get(text.rfind(')')? + 1..)?;
        rest.split_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
    }

    /// True if it was forked, and has not started a program since.
    pub fn is_forked(self) -> bool {
        /// The kernel's flag (Linux, include/linux/sched.h).
        const PF_FORKNOEXEC: u64 = 0x40;
        self.stat_field(self.pid, 9).is_some_and(|flags| flags & PF_FORKNOEXEC != 0)
    }

    /// The processor that a thread runs on, or ran on last.
    pub fn processor(self, tid: u32) -> Option<usize> {
        self.stat_field(tid, 39)?.try_into().ok()
    }

    /// Time since a thread started, to a hundredth of a second.
    pub fn age(self, tid: u32) -> Option<Duration> {
        let uptime: f64 = proc_text::text(Path::new("/proc/uptime")).ok()?.split_whitespace().next()?.parse().ok()?;
        let begun = Duration::from_nanos(self.stat_field(tid, 22)?.saturating_mul(TICK_NS));
        Some(Duration::try_from_secs_f64(uptime).ok()?.saturating_sub(begun))
    }

    /// The processes that its threads have started and not waited for, in the order of their numbers.
    pub fn children(self) -> Vec<Self> {
        let threads = self.threads();
        let lists = threads.iter().filter_map(|tid| proc_text::text(&self.file(&format!("task/{tid}/children"))).ok());
        let numbers: BTreeSet<u32> = lists
            .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
            .collect();
        numbers.into_iter().map(|pid| Self { pid }).collect()
    }

    /// Its threads, in the order of their numbers. One that ends meanwhile may be among them.
    pub fn threads(self) -> Vec<u32> {
        let mut threads = BTreeSet::new();
        for _ in 0..LISTS {
            let before = threads.len();
            let entries = fs::read_dir(self.file("task")).into_iter().flatten().flatten();
            threads.extend(entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()));
            if before == threads.len() {
                break;
            }
        }
        threads.into_iter().collect()
    }

    /// Its memory mappings, in the order of their addresses.
    ///
    /// # Errors
    /// If they may not be inspected.
    pub fn mappings(self) -> io::Result<Vec<Mapped>> {
        let text = self.about_memory("maps", proc_text::LARGEST_MAPS)?;
        Ok(text.split(|byte| *byte == b'\n').filter_map(Mapped::of).collect())
    }

    /// The name of a thread, as the system has it.
    pub fn thread_name(self, tid: u32) -> String {
        let text = proc_text::text(&self.file(&format!("task/{tid}/comm"))).unwrap_or_default();
        text.trim_end().to_owned()
    }

    /// A thread's time on a processor, its time ready without one, both in nanoseconds, and the number of its turns (Linux,
    /// Documentation/scheduler/sched-stats). `None` if the thread does not exist, or the kernel doesn't count.
    pub fn scheduled(self, tid: u32) -> Option<[u64; 3]> {
        let text = proc_text::text(&self.file(&format!("task/{tid}/schedstat"))).ok()?;
        let mut words = text.split_whitespace().map(|word| word.parse().ok());
        Some([words.next()??, words.next()??, words.next()??])
    }

    /// State of a thread in the kernel; `None` if it is ending, or has ended.
    ///
    /// # Errors
    /// If the thread does not exist, or may not be inspected.
    pub fn in_kernel(self, tid: u32) -> io::Result<Option<InKernel>> {
        let now = proc_text::text(&self.file(&format!("task/{tid}/syscall"))).map(|text| InKernel::of(&text))?;
        // A first thread that has ended is listed as long as others go on, as if it was blocked.
        let is_in_no_call = matches!(now, Some(InKernel::Blocked { call: None, .. }));
        let has_ended = is_in_no_call && self.thread_status(tid).is_ok_and(|status| status.state == 'Z');
        Ok(now.filter(|_| !has_ended))
    }
}

/// State of a thread in the kernel (`/proc/PID/task/TID/syscall`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InKernel {
    /// It is on a processor, or ready.
    Running,
    /// It is blocked.
    Blocked {
        /// Number of the system call; `None` if it is not in a call.
        call: Option<u64>,
        /// Arguments of the call.
        arguments: [u64; 6],
        /// Stack pointer.
        stack: u64,
        /// Instruction pointer.
        instruction: u64,
    },
}

impl InKernel {
    fn of(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let first = words.next()?;
        if first == "running" {
            return Some(Self::Running);
        }
        let call = first.parse().ok();
        let mut address = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
        let mut arguments = [0; 6];
        if call.is_some() {
            for argument in &mut arguments {
                *argument = address()?;
            }
        }
        Some(Self::Blocked { call, arguments, stack: address()?, instruction: address()? })
    }
}

impl Status {
    fn of(text: &str) -> Self {
        let value =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
        let number = |name: &str| value(name).and_then(|value| value.parse().ok()).unwrap_or_default();
        let mask = |name: &str| value(name).and_then(|value| u64::from_str_radix(value, 16).ok()).unwrap_or_default();
        let user = value("Uid").and_then(|ids| ids.split_whitespace().nth(1)?.parse().ok());
        Self {
            state: value("State").and_then(|state| state.chars().next()).unwrap_or('?'),
            group: number("Tgid"),
            user: user.unwrap_or_default(),
            parent: number("PPid"),
            tracer: number("TracerPid"),
            seccomp: number("Seccomp"),
            pending: (mask("SigPnd") | mask("ShdPnd")) & !mask("SigBlk"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::thread;

    use super::*;

    #[test]
    fn the_status_is_read_field_by_field() {
        let text = "Name:\ta b\nState:\tS (sleeping)\nTgid:\t12\nPPid:\t3\nTracerPid:\t7\nUid:\t1000\t1001\t0\t0\n\
                    SigPnd:\t0000000000000001\nShdPnd:\t0000000000000006\nSigBlk:\t0000000000000002\nSeccomp:\t2\n";
        let status = Status::of(text);
        assert_eq!((status.state, status.group, status.user, status.tracer), ('S', 12, 1001, 7));
        assert_eq!((status.parent, status.seccomp, status.pending), (3, 2, 5));
        assert_eq!(Status::of("").state, '?');
    }

    #[test]
    fn a_threads_place_in_the_kernel_is_read() {
        let blocked = InKernel::of("202 0x1 0x2 0x3 0x4 0x5 0x6 0x7ff0 0x7f01\n");
        let wanted =
            InKernel::Blocked { call: Some(202), arguments: [1, 2, 3, 4, 5, 6], stack: 0x7ff0, instruction: 0x7f01 };
        assert_eq!(blocked, Some(wanted));
        assert_eq!(InKernel::of("running"), Some(InKernel::Running));
        let faulting = InKernel::Blocked { call: None, arguments: [0; 6], stack: 0x10, instruction: 0x20 };
        assert_eq!(InKernel::of("-1 0x10 0x20"), Some(faulting));
        assert_eq!(InKernel::of("202 0x1"), None);
    }

    /// Threads that start and end all the time, and threads that look for themselves, one after the other.
    #[test]
    fn a_thread_is_listed_while_others_end() {
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Relaxed) {
                        thread::spawn(|| ()).join().unwrap();
                    }
                });
            }
            let own = Process { pid: std::process::id() };
            let sees_itself = || own.threads().contains(&system::threads::id());
            let missed =
                (0..5_000).filter(|_| !thread::scope(|scope| scope.spawn(sees_itself).join().unwrap())).count();
            done.store(true, Relaxed);
            assert_eq!(missed, 0);
        });
    }

    #[test]
    fn a_child_is_listed_and_was_not_forked_without_a_program() {
        let own = Process { pid: std::process::id() };
        let mut child = std::process::Command::new("sleep").arg("30").spawn().unwrap();
        let process = Process { pid: child.id() };
        assert!(own.children().contains(&process) && !process.is_forked() && !own.is_forked());
        assert!(own.age(own.pid).is_some() && own.processor(own.pid).is_some());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn this_process_has_this_thread_and_mappings() {
        let own = Process { pid: std::process::id() };
        assert!(!own.threads().is_empty());
        assert_eq!(own.status().unwrap().group, own.pid);
        assert!(own.mappings().unwrap().iter().any(|mapping| mapping.executable));
        assert!(Process { pid: u32::MAX >> 1 }.status().is_err());
    }
}
