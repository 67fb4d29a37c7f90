//! Description of the process and its code: records of [`profile_format`], each appended by one system call.
#![allow(unsafe_code)] // a path that is never freed

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};
use std::sync::{Mutex, OnceLock, TryLockError};

use profile_format::{Object, Record, Writable, info, variable::RANKS};
use system::environment::number;
use system::objects::{Image, any_image, generation};

use crate::settings::settings;
use crate::system_call::{self, Descriptor};
use crate::{clock, file_header, load, samples, schedstat, unload};

/// Path of the records, from the start of a process; a leaked C string, or null.
static PATH: AtomicPtr<c_char> = AtomicPtr::new(ptr::null_mut());
/// State of the loader when its objects were written.
static GENERATION: AtomicU64 = AtomicU64::new(u64::MAX);
/// The latest code at each address whose record was written, by its start.
static KNOWN: Mutex<BTreeMap<u64, Known>> = Mutex::new(BTreeMap::new());
/// Counts of the thread that loaded the recorder, up to then, or in a forked child of the one that started it.
static BEFORE: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
/// Name and version of the runtime.
static RUNTIME: OnceLock<String> = OnceLock::new();

/// The rank that a launcher has given the process.
pub(crate) fn rank() -> Option<u64> {
    RANKS.iter().find_map(|(rank, _)| number(rank))
}

/// Sets the process's folder.
pub(crate) fn set_folder(folder: &[u8]) {
    if let Ok(path) = CString::new([folder, b"/", profile_format::FILE.as_bytes()].concat()) {
        // Release: pairs with the load in `write`.
        PATH.store(path.into_raw(), Release);
    }
}

/// Sets the name of the runtime, and writes it if the process's folder is there already.
pub(crate) fn set_runtime(name: &str) {
    let _ = RUNTIME.set(name.to_owned());
    write_runtime();
}

fn write_runtime() {
    if let Some(name) = RUNTIME.get() {
        say(info::RUNTIME, name.as_bytes());
    }
}

/// Writes a fact.
fn say(key: &[u8], value: &[u8]) {
    if samples::are_beside() {
        samples::fact(key, value);
    } else {
        write(Record::Info { key, value });
    }
}

/// Writes all facts about the process.
pub(crate) fn begin() {
    for (before, count) in BEFORE.iter().zip(load::here().map_or_else(schedstat::here, |loaded| loaded.counts)) {
        before.store(count, Relaxed);
    }
    if !samples::are_beside() {
        write(Record::Begin { version: profile_format::VERSION });
        describe_process();
    }
    say(info::EVENTS, &events());
    write_runtime();
    note_objects();
}

fn describe_process() {
    let bytes = |path| fs::read(path).unwrap_or_default();
    let command = bytes("/proc/thread-self/cmdline");
    say(info::COMMAND, command.get(..command.len().min(4096)).unwrap_or_default());
    for (key, link) in [(info::EXECUTABLE, "/proc/thread-self/exe"), (info::FOLDER, "/proc/thread-self/cwd")] {
        say(key, fs::read_link(link).unwrap_or_default().as_os_str().as_bytes());
    }
    say(info::HOST, bytes("/proc/sys/kernel/hostname").trim_ascii_end());
    let mut numbers = vec![
        (info::PID, u64::from(system_call::process())),
        (info::PARENT, u64::from(std::os::unix::process::parent_id())),
        (info::BEGAN, clock::monotonic_ns()),
        (info::BEGAN_REAL, clock::real_ns()),
        (info::PROCESSORS, std::thread::available_parallelism().map_or(0, |count| count.get() as u64)),
    ];
    if let Some((rank, ranks)) = RANKS.iter().find(|(rank, _)| number(rank).is_some()) {
        numbers
            .extend([(info::RANK, number(rank)), (info::RANKS, number(ranks))].map(|(key, it)| (key, it.unwrap_or(0))));
    }
    numbers.into_iter().for_each(|(key, number)| say(key, number.to_string().as_bytes()));
    say(info::ENVIRONMENT, &openmp());
}

/// Variables that OpenMP runtimes read, each terminated by a zero byte.
fn openmp() -> Vec<u8> {
    let mut found = Vec::new();
    for (name, value) in std::env::vars_os() {
        let ours = [&b"OMP_"[..], b"GOMP_", b"KMP_"].into_iter().any(|prefix| name.as_bytes().starts_with(prefix));
        if ours && found.len() + name.len() + value.len() < 2000 {
            found.extend([name.as_bytes(), b"=", value.as_bytes(), b"\0"].concat());
        }
    }
    found
}

/// Names of the recorded kinds of events.
fn events() -> Vec<u8> {
    let chosen = settings().events;
    let names: Vec<&str> = ["regions", "sync", "tasks", "locks", "work"]
        .into_iter()
        .zip(0..)
        .filter(|(_, bit)| chosen >> bit & 1 == 1)
        .map(|(name, _)| name)
        .collect();
    names.join(",").into_bytes()
}

/// Writes the objects of code that have been loaded since the last call.
pub(crate) fn note_objects() {
    let now = generation();
    // Later than the last event of code that was unloaded, and earlier than those of another thread that finds the number changed.
    let since_ns = clock::monotonic_ns();
    if GENERATION.swap(now, Relaxed) == now {
        return;
    }
    unload::note();
    if samples::are_beside() {
        return samples::note_code(unload::has_closed());
    }
    // Another thread that is doing this writes them all.
    let Ok(mut known) = KNOWN.try_lock().or_else(|error| match error {
        TryLockError::Poisoned(poisoned) => Ok(poisoned.into_inner()),
        TryLockError::WouldBlock => Err(()),
    }) else {
        return;
    };
    let mut found = Vec::new();
    any_image(&mut |image, _| {
        found.extend(new_code(&image, &mut known));
        false
    });
    for Code { start, end, bias, build_id, path } in found {
        write(Record::Object(Object { start, end, bias, since_ns, build_id: &build_id, path: &path }));
    }
}

/// A piece of code.
struct Code {
    start: u64,
    end: u64,
    bias: u64,
    build_id: Vec<u8>,
    path: Vec<u8>,
}

/// Code whose record was written.
struct Known {
    end: u64,
    bias: u64,
    build_id: Vec<u8>,
    /// Name by which the linker knows the object.
    name: CString,
}

/// The pieces of code of an image that are not known yet. Nothing is allocated for an image whose pieces are.
fn new_code(image: &Image, known: &mut BTreeMap<u64, Known>) -> Vec<Code> {
    let bias = image.base() as u64;
    let build_id = image.build_id().unwrap_or_default();
    let is_code = |header: &&libc::Elf64_Phdr| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0;
    let pieces = image.headers().iter().filter(is_code).map(|header| {
        let start = bias.wrapping_add(header.p_vaddr);
        (start, start.wrapping_add(header.p_memsz))
    });
    let is_known = |&(start, end): &(u64, u64)| {
        let same = |known: &Known| (known.end, known.bias) == (end, bias) && known.build_id == build_id;
        known.get(&start).is_some_and(|known| same(known) && known.name.as_c_str() == image.name())
    };
    let new: Vec<(u64, u64)> = pieces.filter(|piece| !is_known(piece)).collect();
    if new.is_empty() {
        return Vec::new();
    }
    let bytes = |path: std::path::PathBuf| path.into_os_string().as_bytes().to_vec();
    let path = match image.name().to_bytes() {
        b"" => bytes(fs::read_link("/proc/thread-self/exe").unwrap_or_default()),
        name if name.starts_with(b"/") => name.to_vec(),
        name => fs::canonicalize(std::ffi::OsStr::from_bytes(name)).map_or_else(|_| name.to_vec(), bytes),
    };
    let code = |(start, end)| {
        replace(known, start, Known { end, bias, build_id: build_id.to_vec(), name: image.name().to_owned() });
        Code { start, end, bias, build_id: build_id.to_vec(), path: path.clone() }
    };
    new.into_iter().map(code).collect()
}

/// Adds code, and removes what was at its addresses: that is written again if it returns.
fn replace(known: &mut BTreeMap<u64, Known>, start: u64, code: Known) {
    while let Some((&other, _)) = known.range(..code.end).next_back().filter(|(_, other)| other.end > start) {
        known.remove(&other);
    }
    known.insert(start, code);
}

/// Time of these threads on processors, and ready without one, since the recorder was loaded, as counted by the kernel; `None` if it does not
/// count it, or not for all: the counts of a thread that has ended are gone, and part of a sum is no figure.
///
/// The program may have restricted itself to the system calls that write events, so no folder is read.
fn scheduled(threads: &[u32]) -> Option<String> {
    /// Reading the counts of more threads would delay the process's end.
    const MAX_THREADS: usize = 1024;
    if threads.len() > MAX_THREADS {
        return None;
    }
    let mut sums = [0_u64; 2];
    for thread in threads {
        let path = CString::new(format!("/proc/self/task/{thread}/schedstat")).ok()?;
        let counts = schedstat::counts(&path);
        if counts == [0, 0] {
            return None;
        }
        for (sum, part) in sums.iter_mut().zip(counts) {
            *sum = sum.saturating_add(part);
        }
    }
    let [running_ns, ready_ns] = [0, 1].map(|part: usize| {
        let before = BEFORE.get(part).map_or(0, |before| before.load(Relaxed));
        sums.get(part).map_or(0, |sum| sum.saturating_sub(before))
    });
    (running_ns > 0).then(|| format!("{running_ns} {ready_ns}"))
}

/// Writes that the process, with these threads, has run its exit handlers.
pub(crate) fn end(ended_ns: u64, threads: &[u32]) {
    note_objects();
    // What the threads of a running process had taken when the recorder came is not known.
    if let Some(scheduled) = scheduled(threads).filter(|_| !settings().is_attached) {
        say(info::SCHEDULED, scheduled.as_bytes());
    }
    if !samples::are_beside() {
        write(Record::End { ended_ns });
    }
}

/// Drops the file in a forked child.
pub(crate) fn forget() {
    GENERATION.store(u64::MAX, Relaxed);
    PATH.store(ptr::null_mut(), Relaxed);
    // Another thread of the parent may have held the lock: then the child's code is unknown.
    if let Ok(mut known) = KNOWN.try_lock() {
        known.clear();
    }
}

/// Appends a record.
fn write(record: Record<'_>) {
    let Some(record) = Writable::new(record) else { return };
    let mut bytes = record.head().to_ne_bytes().to_vec();
    record.body(&mut |word| bytes.extend(word.to_ne_bytes()));
    // Acquire: pairs with the store in `set_folder`.
    let path = PATH.load(Acquire);
    if path.is_null() {
        return;
    }
    // SAFETY: not null, so a C string that `set_folder` leaked.
    let path = unsafe { CStr::from_ptr(path) };
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND;
    if let Err(error) = Descriptor::open(path, flags).and_then(|file| file.append(&bytes)) {
        file_header::note_error(error);
    }
}
