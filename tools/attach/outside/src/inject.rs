//! Injection: a stopped thread of the process creates another thread, which loads the libraries while the program
//! runs.

use std::fs::File;
use std::io::{self, Write as _};
use std::mem::offset_of;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use attach_inside::mailbox::{Mailbox, mail};
use untrusted::descriptor::OtherProcess;

use crate::arch;
use crate::chosen_thread::{Chosen, any_thread, safe_thread};
use crate::deadline::{Deadline, UNDOING};
use crate::leftovers::Leftovers;
use crate::library_files::LibraryFiles;
use crate::memory::Memory;
use crate::refusal::Refusal;
use crate::remote_call::{Caller, Place};
use crate::stop_time::StopTime;
use crate::target::Target;
use crate::urgency::ShortTurns;
use crate::watchdog::{self, Step};

/// Memory that is mapped in the process: code, mailbox and texts, a stack, and the frame for the thread's return.
const CODE: u64 = 0;
const MAIL: u64 = 4096;
const MAIL_BYTES: usize = 512;
const TEXTS: u64 = MAIL + MAIL_BYTES as u64;
const STACK_END: u64 = FRAME - 256;
const FRAME: u64 = MAPPING as u64 - (64 << 10);
const MAPPING: usize = 256 << 10;

/// The two libraries, by their paths for `ora`.
#[derive(Clone, Debug)]
pub struct Libraries {
    /// `libora.so`
    pub library: PathBuf,
    /// The watching library.
    pub watcher: PathBuf,
}

/// Request for a session.
#[derive(Clone, Debug)]
pub struct Wish {
    /// One of `attach_inside::mailbox::kind`.
    pub kind: u32,
    /// Name of the entry point of the watching library.
    pub entry: &'static str,
    /// Number of items after its memory.
    pub items: usize,
    /// Its settings: see `attach_inside::settings`.
    pub settings: Vec<u8>,
    /// Table of the calls that gcc's code makes for constructs, for `libora.so`; empty: none.
    pub call_sites: Vec<u8>,
}

/// A session that is about to start.
#[derive(Debug)]
pub struct Injected {
    /// Its shared memory.
    pub area: File,
    /// The pipe that keeps its session open. Writing to it never blocks.
    pub pipe: File,
    /// The longest stop of a thread.
    pub stopped: StopTime,
    /// Number of threads that were tried.
    pub tries: u32,
}

/// Brings the watching library into the process. `is_over`: whether the user has interrupted meanwhile.
///
/// # Errors
/// The reason why that can't be done. Then the process is as before, except for libraries that it has loaded.
pub fn inject(
    target: &mut Target,
    libraries: &Libraries,
    wish: &Wish,
    is_over: &dyn Fn() -> bool,
) -> Result<Injected, Refusal> {
    let calls = watchdog::begin(Step::Calls);
    target.stacks.learn_likely();
    let turns = ShortTurns::of(system::threads::id());
    let mut prepared = prepare(target, libraries, wish)?;
    let started = start(target, &mut prepared, wish);
    drop(turns);
    let (stopped, tries) = match started {
        Ok(started) => started,
        Err(refusal) => {
            if let Some(made) = prepared.made {
                undo(target, made);
            }
            return Err(refusal);
        }
    };
    drop(calls);
    // From here on everything in the process belongs to the new thread. If there is no session, the thread gives it
    // back when the pipe is closed.
    let area = wait(target, prepared.mapping, is_over)?;
    Ok(Injected { area, pipe: prepared.pipe, stopped, tries })
}

/// Memory and descriptors that are made in the process for the new thread.
struct Prepared {
    mapping: u64,
    files: LibraryFiles,
    /// Descriptor of the file for the table of calls, and the file, still empty.
    call_sites: Option<(i32, File)>,
    reader: i32,
    pipe: File,
    /// `None` once the new thread may own it.
    made: Option<Leftovers>,
    stopped: StopTime,
}

/// Maps the memory in the process, with the code in it, and creates the files that it needs. Any thread can do that at any moment:
/// it only makes system calls.
fn prepare(target: &Target, libraries: &Libraries, wish: &Wish) -> Result<Prepared, Refusal> {
    let failed = |step: &'static str| move |error: io::Error| ended_or(target.process.pid, step, &error);
    // Read before a thread is stopped.
    let watcher = target.loaded(&libraries.watcher);
    let (mut caller, text) = any_thread(target, target.deadline)?;
    let mut made = Leftovers::default();
    let paths = [libraries.library.as_path(), &libraries.watcher];
    let prepare = || {
        let mapping = map(&mut caller, &mut made).map_err(failed("memory in the process"))?;
        let files = LibraryFiles::make(&mut caller, text, target, (paths, watcher), &mut made);
        let files = files.map_err(failed("files in the process"))?;
        // Without it the collector sees less.
        let file = |_| memory_file(&mut caller, text, target.other(), &mut made).ok();
        let call_sites = Some(()).filter(|()| !wish.call_sites.is_empty()).and_then(file);
        let (reader, pipe) =
            pipe(&mut caller, text, target.other(), &mut made).map_err(failed("a pipe in the process"))?;
        Ok((mapping, files, call_sites, reader, pipe))
    };
    let prepared = prepare();
    if prepared.is_err() {
        caller.allow(Deadline::after(UNDOING));
        std::mem::take(&mut made).take_back(&mut caller);
    }
    let (mapping, files, call_sites, reader, pipe) = prepared?;
    let stopped = caller.release().map_err(failed("the thread"))?;
    Ok(Prepared { mapping, files, call_sites, reader, pipe, made: Some(made), stopped })
}

/// Makes a file in the process's memory for the table of calls: its descriptor there, and the file.
fn memory_file(caller: &mut Caller, text: u64, other: &OtherProcess, made: &mut Leftovers) -> io::Result<(i32, File)> {
    let number = made.memory_file(caller, text, "ora-call-sites")?;
    Ok((number, other.memory(number)?))
}

/// Creates a pipe of which the process has the reader, and only `ora` the writer.
fn pipe(caller: &mut Caller, text: u64, other: &OtherProcess, made: &mut Leftovers) -> io::Result<(i32, File)> {
    let [reader, writer] = made.pipe(caller, text)?;
    let pipe = other.pipe(writer)?;
    made.close(caller, writer)?;
    Ok((reader, pipe))
}

/// Fills the mailbox and creates the thread. Returns the longest stop of a thread, and the number of threads that
/// were tried.
fn start(target: &mut Target, prepared: &mut Prepared, wish: &Wish) -> Result<(StopTime, u32), Refusal> {
    let pid = target.process.pid;
    let failed = |step: &'static str| move |error: io::Error| ended_or(pid, step, &error);
    let mapping = prepared.mapping;
    prepared.files.fill().map_err(failed("files in the process"))?;
    if let Some((_, file)) = &mut prepared.call_sites {
        file.write_all(&wish.call_sites).map_err(failed("files in the process"))?;
    }
    let mailbox = mailbox(target, prepared, wish);
    target.execution.write(mapping + MAIL, &mailbox).map_err(failed("memory in the process"))?;
    let Chosen { tracee, registers, tries, stopped } = safe_thread(target)?;
    let execution = Arc::clone(&target.execution);
    let caller = Caller::new(tracee, execution, target.process, registers, target.instructions, target.deadline);
    let mut caller = caller.map_err(failed("the thread"))?;
    let place =
        Place { code: mapping + CODE, stack: mapping + STACK_END, mailbox: mapping + MAIL, frame: mapping + FRAME };
    let arguments = [mapping + MAIL + offset_of!(Mailbox, thread) as u64, 0, thread_code(mapping), mapping + MAIL];
    let made = prepared.made.take();
    let created = caller.call(place, target.functions.create, arguments);
    let created = created.map_err(failed("a thread in the process"))?;
    let stopped = caller.release().map_err(failed("the thread"))?.longer(prepared.stopped).longer(stopped);
    if created != 0 {
        prepared.made = made;
        return Err(ended_or(pid, "it can't create a thread", &io::Error::from_raw_os_error(created)));
    }
    let restored = mapping + MAIL + offset_of!(Mailbox, restored) as u64;
    target.execution.write(restored, &1_u32.to_ne_bytes()).map_err(failed("memory in the process"))?;
    Ok((stopped, tries))
}

/// Undoes what [`prepare`] has created, as far as possible.
fn undo(target: &Target, made: Leftovers) {
    if let Ok((mut caller, _)) = any_thread(target, Deadline::after(UNDOING)) {
        made.take_back(&mut caller);
    }
}

/// The bytes of the mailbox and of the texts after it.
fn mailbox(target: &Target, Prepared { mapping, files, call_sites, reader, .. }: &Prepared, wish: &Wish) -> Vec<u8> {
    let (functions, mapping) = (target.functions, *mapping);
    let mut texts = Texts { at: mapping + TEXTS, bytes: Vec::new() };
    let [library_file, watcher_file] = files.numbers;
    let mailbox = Mailbox {
        detach: functions.detach,
        dlopen: functions.dlopen,
        dlsym: functions.dlsym,
        dlerror: functions.dlerror,
        library: texts.put(&files.library),
        watcher: texts.put(&files.watcher),
        entry: texts.put(wish.entry),
        kind: wish.kind,
        items: wish.items as u64,
        mapping,
        mapping_bytes: MAPPING as u64,
        reader: *reader,
        library_file,
        watcher_file,
        call_and_return: target.instructions.call,
        settings: [texts.put_bytes(&wish.settings), wish.settings.len() as u64],
        call_sites: call_sites.as_ref().map_or(-1, |(number, _)| *number),
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
fn map(caller: &mut Caller, made: &mut Leftovers) -> io::Result<u64> {
    let mapping = made.map(caller, MAPPING as u64)?;
    caller.memory().write(mapping + CODE, arch::CALLER)?;
    caller.memory().write(thread_code(mapping), arch::THREAD)?;
    let executable = (libc::PROT_READ | libc::PROT_EXEC).unsigned_abs().into();
    caller.system_call(libc::SYS_mprotect, [mapping + CODE, MAIL, executable, 0, 0, 0])?;
    Ok(mapping)
}

/// C strings, one after the other.
struct Texts {
    at: u64,
    bytes: Vec<u8>,
}

impl Texts {
    /// Adds a string, and returns its address.
    fn put(&mut self, text: &str) -> u64 {
        self.put_bytes(&[text.as_bytes(), &[0]].concat())
    }

    /// Adds bytes, and returns their address.
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
    bytes.resize(offset_of!(Mailbox, reader), 0);
    bytes.extend(mailbox.reader.to_ne_bytes());
    bytes.resize(offset_of!(Mailbox, library_file), 0);
    bytes.extend([mailbox.library_file, mailbox.watcher_file].into_iter().flat_map(i32::to_ne_bytes));
    bytes.resize(offset_of!(Mailbox, settings), 0);
    let words = mailbox.settings.into_iter().chain([mailbox.call_and_return]);
    bytes.extend(words.flat_map(u64::to_ne_bytes));
    bytes.resize(offset_of!(Mailbox, call_sites), 0);
    bytes.extend(mailbox.call_sites.to_ne_bytes());
    bytes
}

const _: () = assert!(offset_of!(Mailbox, kind) == offset_of!(Mailbox, stage) + size_of::<AtomicU32>());
const _: () = assert!(offset_of!(Mailbox, items) == 80 && offset_of!(Mailbox, call_and_return) == 144);

/// Waits for the new thread's answer: its shared memory.
fn wait(target: &Target, mapping: u64, is_over: &dyn Fn() -> bool) -> Result<File, Refusal> {
    let _loading = watchdog::begin(Step::Loading);
    let (pid, memory) = (target.process.pid, Memory(target.process));
    let number = |offset: usize| {
        let mut bytes = [0; 4];
        target.execution.read(mapping + MAIL + offset as u64, &mut bytes).ok()?;
        Some(i32::from_ne_bytes(bytes))
    };
    loop {
        let Some(stage) = number(offset_of!(Mailbox, stage)) else { return Err(Refusal::Ended(pid)) };
        let value = |offset: usize| number(offset).unwrap_or(-1);
        match stage.cast_unsigned() {
            mail::READY => {
                let area = target.other().memory(value(offset_of!(Mailbox, area)));
                return area.map_err(|error| ended_or(pid, "the collector's memory", &error));
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
            _ if is_over() => return Err(Refusal::Interrupted(pid)),
            _ if target.deadline.is_over() => {
                let message = "it doesn't answer: the dynamic linker may be waiting for a lock".to_owned();
                return Err(Refusal::System { pid, step: "the new thread", message });
            }
            _ => std::thread::sleep(Duration::from_micros(200)),
        }
    }
}
