//! Injection: a stopped thread of the process creates one thread more, which loads the libraries while the program runs.

use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

use attached::mailbox::{Mailbox, mail};

use crate::arch::{self, Registers};
use crate::candidates;
use crate::chosen_thread::{Chosen, any_thread, safe_thread, stop};
use crate::memory::Memory;
use crate::process::Process;
use crate::refusal::Refusal;
use crate::remote_call::{Caller, Place};
use crate::stop_time::StopTime;
use crate::target::Target;
use crate::urgency::ShortTurns;

/// Longest wait for the new thread, while the program runs. On a busy machine Linux 6.18 has kept a whole group of threads waiting
/// for a minute or two (`docs/troubleshooting.md`).
const PATIENCE: Duration = Duration::from_secs(60);

/// Memory that is mapped in the process: code, mailbox and texts, a stack, and the frame for the thread's return.
const CODE: u64 = 0;
const MAIL: u64 = 4096;
const MAIL_BYTES: usize = 512;
const TEXTS: u64 = MAIL + MAIL_BYTES as u64;
const STACK_END: u64 = FRAME - 256;
const FRAME: u64 = MAPPING as u64 - (64 << 10);
const MAPPING: usize = 256 << 10;

/// The two libraries, by their paths here.
#[derive(Clone, Debug)]
pub struct Libraries {
    /// `libora.so`
    pub library: PathBuf,
    /// The library that watches.
    pub watcher: PathBuf,
}

/// The wish for a session.
#[derive(Clone, Debug)]
pub struct Wish {
    /// One of `attached::mailbox::kind`.
    pub kind: u32,
    /// Name of the entry point of the library that watches.
    pub entry: &'static str,
    /// Items behind its memory.
    pub items: usize,
    /// Its settings: see `attached::settings`.
    pub settings: Vec<u8>,
}

/// A session that is about to begin.
#[derive(Clone, Debug)]
pub struct Injected {
    /// Path at which its memory can be opened.
    pub area: PathBuf,
    /// Path of the pipe that keeps its session open.
    pub pipe: PathBuf,
    /// The longest stop of a thread.
    pub stopped: StopTime,
    /// Number of threads that were looked at.
    pub tries: u32,
}

/// Brings the library that watches into the process.
///
/// # Errors
/// The reason for which that can't be done.
pub fn inject(target: &mut Target, libraries: &Libraries, wish: &Wish) -> Result<Injected, Refusal> {
    let pid = target.process.pid;
    target.stacks.learn_likely();
    let turns = ShortTurns::of(system::threads::id());
    let (mapping, names, first_stop) = prepare(target, libraries)?;
    let failed = |step: &'static str| move |error: io::Error| ended_or(pid, step, &error);
    let (memory, texts) = (Memory(target.process), mailbox(target, &names, mapping, wish));
    memory.write(mapping + MAIL, &texts).map_err(failed("memory in the process"))?;
    let chosen = safe_thread(target).inspect_err(|_| undo(target, mapping, &names))?;
    let Chosen { tracee, registers, tries, stopped } = chosen;
    let mut caller =
        Caller::new(tracee, target.process, registers, target.instruction).map_err(failed("the thread"))?;
    let place =
        Place { code: mapping + CODE, stack: mapping + STACK_END, mailbox: mapping + MAIL, frame: mapping + FRAME };
    let arguments = [mapping + MAIL + offset_of!(Mailbox, thread) as u64, 0, thread_code(mapping), mapping + MAIL];
    let created = caller.call(place, target.functions.create, arguments);
    let created = created.map_err(failed("a thread in the process"))?;
    let stopped = caller.release().map_err(failed("the thread"))?.longer(first_stop).longer(stopped);
    drop(turns);
    if created != 0 {
        return Err(ended_or(pid, "it can't create a thread", &io::Error::from_raw_os_error(created)));
    }
    let ready = wait(target, mapping)?;
    Ok(Injected { stopped, tries, ..ready })
}

/// Maps the memory in the process, with the code in it, and makes the files that it needs. Any thread can do that at any moment: it
/// makes system calls only. Also the time for which it was stopped.
fn prepare(target: &Target, libraries: &Libraries) -> Result<(u64, Names, StopTime), Refusal> {
    let process = target.process;
    let failed = |step: &'static str| move |error: io::Error| ended_or(process.pid, step, &error);
    let (tracee, registers) = any_thread(target)?;
    let mut caller = Caller::new(tracee, process, registers, target.instruction).map_err(failed("the thread"))?;
    let mapping = map(&mut caller).map_err(failed("memory in the process"))?;
    let (names, files) = names(&mut caller, target, libraries, mapping).map_err(failed("files in the process"))?;
    let stopped = caller.release().map_err(failed("the thread"))?;
    for (fd, path) in files {
        copy(process, fd, &path).map_err(failed("files in the process"))?;
    }
    Ok((mapping, names, stopped))
}

/// Takes back what [`prepare`] has made, as far as that can be done.
fn undo(target: &Target, mapping: u64, names: &Names) {
    let process = target.process;
    for tid in candidates::of(process, &target.stacks.objects) {
        let Ok(Some(tracee)) = stop(process, tid) else { continue };
        let Some(registers) = tracee.registers().ok().filter(Registers::may_run) else { continue };
        let Ok(mut caller) = Caller::new(tracee, process, registers, target.instruction) else { continue };
        let _ = caller.system_call(libc::SYS_munmap, [mapping, MAPPING as u64, 0, 0, 0, 0]);
        for file in names.files.into_iter().filter(|file| *file > 0) {
            let _ = caller.system_call(libc::SYS_close, [file.unsigned_abs().into(), 0, 0, 0, 0, 0]);
        }
        return;
    }
}

/// The bytes of the mailbox and of the texts behind it.
fn mailbox(target: &Target, names: &Names, mapping: u64, wish: &Wish) -> Vec<u8> {
    let functions = target.functions;
    let mut texts = Texts { at: mapping + TEXTS, bytes: Vec::new() };
    let [library_file, watcher_file] = names.files;
    let mailbox = Mailbox {
        detach: functions.detach,
        dlopen: functions.dlopen,
        dlsym: functions.dlsym,
        dlerror: functions.dlerror,
        library: texts.put(&names.library),
        watcher: texts.put(&names.watcher),
        entry: texts.put(wish.entry),
        kind: wish.kind,
        items: wish.items as u64,
        mapping,
        mapping_bytes: MAPPING as u64,
        library_file,
        watcher_file,
        settings: [texts.put_bytes(&wish.settings), wish.settings.len() as u64],
        ..Mailbox::default()
    };
    let mut bytes = bytes_of(&mailbox);
    bytes.resize(MAIL_BYTES, 0);
    bytes.extend(texts.bytes);
    bytes
}

fn ended_or(pid: u32, step: &'static str, error: &io::Error) -> Refusal {
    match error.raw_os_error() {
        Some(libc::ESRCH | libc::ECHILD) => Refusal::Ended(pid),
        _ => Refusal::System { pid, step, message: error.to_string() },
    }
}

fn thread_code(mapping: u64) -> u64 {
    mapping + CODE + 256
}

/// Maps the memory, with the code in it.
fn map(caller: &mut Caller) -> io::Result<u64> {
    let access = (libc::PROT_READ | libc::PROT_WRITE).unsigned_abs().into();
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS).unsigned_abs().into();
    let mapping = caller.system_call(libc::SYS_mmap, [0, MAPPING as u64, access, flags, u64::MAX, 0])?;
    caller.memory().write(mapping + CODE, arch::CALLER)?;
    caller.memory().write(thread_code(mapping), arch::THREAD)?;
    let executable = (libc::PROT_READ | libc::PROT_EXEC).unsigned_abs().into();
    caller.system_call(libc::SYS_mprotect, [mapping + CODE, MAIL, executable, 0, 0, 0])?;
    Ok(mapping)
}

/// Names by which the process loads the libraries.
struct Names {
    library: String,
    watcher: String,
    /// Descriptors of files in memory, 0 for none.
    files: [i32; 2],
}

/// The names, and the files in memory that are to be filled: descriptor and source.
fn names(
    caller: &mut Caller,
    target: &Target,
    libraries: &Libraries,
    mapping: u64,
) -> io::Result<(Names, Vec<(i32, PathBuf)>)> {
    let mut files = Vec::new();
    let in_memory = target.stacks.objects.iter().filter(|object| object.name().starts_with("memfd:")).count();
    let mut name = |loaded: &Option<String>, path: &Path| -> io::Result<(String, i32)> {
        match loaded {
            Some(loaded) => Ok((loaded.clone(), 0)),
            None if target.same_files => Ok((path.display().to_string(), 0)),
            None => {
                let fd = file_in_memory(caller, path, mapping)?;
                files.push((fd, path.to_owned()));
                // The dynamic linker takes a name that it knows for the library that it has loaded by it, and descriptors' numbers
                // come again: so each library in memory has a name of its own.
                let differs = "./".repeat(in_memory + files.len());
                Ok((format!("/proc/self/fd/{differs}{fd}"), fd))
            }
        }
    };
    let (library, first) = name(&target.library, &libraries.library)?;
    let (watcher, second) = name(&target.loaded(&libraries.watcher), &libraries.watcher)?;
    Ok((Names { library, watcher, files: [first, second] }, files))
}

/// Makes a file without a name, of the process, for a copy of a library.
fn file_in_memory(caller: &mut Caller, path: &Path, mapping: u64) -> io::Result<i32> {
    let word = path.file_name().and_then(|name| name.to_str()).unwrap_or("libora.so");
    caller.memory().write(mapping + TEXTS, &[word.as_bytes(), &[0]].concat())?;
    let flags = libc::MFD_CLOEXEC.into();
    let fd = caller.system_call(libc::SYS_memfd_create, [mapping + TEXTS, flags, 0, 0, 0, 0])?;
    i32::try_from(fd).map_err(io::Error::other)
}

/// Copies a library into a file of the process.
fn copy(process: Process, fd: i32, path: &Path) -> io::Result<()> {
    let mut file = File::options().write(true).open(process.file(&format!("fd/{fd}")))?;
    io::copy(&mut File::open(path)?, &mut file).map(|_| ())
}

/// C strings behind each other.
struct Texts {
    at: u64,
    bytes: Vec<u8>,
}

impl Texts {
    /// Adds one; its address.
    fn put(&mut self, text: &str) -> u64 {
        self.put_bytes(&[text.as_bytes(), &[0]].concat())
    }

    /// Adds bytes; their address.
    fn put_bytes(&mut self, bytes: &[u8]) -> u64 {
        let address = self.at + self.bytes.len() as u64;
        self.bytes.extend(bytes);
        address
    }
}

/// The bytes of a mailbox that no thread has seen yet.
fn bytes_of(mailbox: &Mailbox) -> Vec<u8> {
    let words = [
        mailbox.detach,
        mailbox.dlopen,
        mailbox.dlsym,
        mailbox.dlerror,
        mailbox.library,
        mailbox.watcher,
        mailbox.entry,
        mailbox.thread,
        mailbox.error,
        u64::from(mailbox.kind) << 32,
        mailbox.items,
        mailbox.mapping,
        mailbox.mapping_bytes,
    ];
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_ne_bytes).collect();
    bytes.resize(offset_of!(Mailbox, library_file), 0);
    bytes.extend([mailbox.library_file, mailbox.watcher_file].into_iter().flat_map(i32::to_ne_bytes));
    bytes.resize(offset_of!(Mailbox, settings), 0);
    bytes.extend(mailbox.settings.into_iter().flat_map(u64::to_ne_bytes));
    bytes
}

const _: () = assert!(offset_of!(Mailbox, kind) == offset_of!(Mailbox, stage) + size_of::<AtomicU32>());
const _: () = assert!(offset_of!(Mailbox, items) == 80 && offset_of!(Mailbox, mapping_bytes) == 96);

/// Waits for the new thread's answer.
fn wait(target: &Target, mapping: u64) -> Result<Injected, Refusal> {
    let (pid, memory, begun) = (target.process.pid, Memory(target.process), Instant::now());
    let number = |offset: usize| {
        let mut bytes = [0; 4];
        memory.read(mapping + MAIL + offset as u64, &mut bytes).ok()?;
        Some(i32::from_ne_bytes(bytes))
    };
    loop {
        let Some(stage) = number(offset_of!(Mailbox, stage)) else { return Err(Refusal::Ended(pid)) };
        let value = |offset: usize| number(offset).unwrap_or_default();
        match stage.unsigned_abs() {
            mail::READY => {
                let path = |offset: usize| target.process.file(&format!("fd/{}", value(offset)));
                let (area, pipe) = (path(offset_of!(Mailbox, area)), path(offset_of!(Mailbox, pipe)));
                return Ok(Injected { area, pipe, stopped: StopTime::default(), tries: 0 });
            }
            mail::NOT_LOADED => {
                let at = memory.word(mapping + MAIL + offset_of!(Mailbox, error) as u64);
                let message = at.filter(|at| *at != 0).and_then(|at| memory.text(at));
                return Err(Refusal::NotLoaded {
                    pid,
                    message: message.unwrap_or_else(|| "no reason given".to_owned()),
                });
            }
            mail::REFUSED => {
                let error = io::Error::from_raw_os_error(value(offset_of!(Mailbox, errno)));
                return Err(ended_or(pid, "the collector has no memory or descriptors", &error));
            }
            mail::BUSY => return Err(Refusal::Busy(pid)),
            _ if begun.elapsed() > PATIENCE => {
                let message = "it doesn't answer: the dynamic linker may be waiting for a lock".to_owned();
                return Err(Refusal::System { pid, step: "the new thread", message });
            }
            _ => std::thread::sleep(Duration::from_micros(200)),
        }
    }
}
