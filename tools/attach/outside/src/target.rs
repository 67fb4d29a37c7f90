//! The process to attach to: checks whether it is possible, and finds the C library's functions.

use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use system::arch::ELF_MACHINE;
use system::elf::{Header, ProgramHeader, program_headers};
use untrusted::descriptor::OtherProcess;
use untrusted::regular;

use crate::arch;
use crate::candidates;
use crate::deadline::Deadline;
use crate::environment::Environment;
use crate::execution::Execution;
use crate::instructions::{Instructions, c_libraries};
use crate::memory::{self, Memory};
use crate::objects::{self, Object};
use crate::permission::{forbidden, own_user};
use crate::process::{Process, Status};
use crate::refusal::Refusal;
use crate::unwind::Stacks;
use crate::watchdog::{self, Step};

/// Permissions that a user gives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowed {
    /// Also if a seccomp filter may end the process.
    pub seccomp: bool,
}

/// A process that can be attached to.
#[derive(Debug)]
pub struct Target {
    /// The process.
    pub process: Process,
    /// The program that it executed when it was examined: nothing else is traced or written.
    pub(crate) execution: Arc<Execution>,
    /// Deadline for attaching to it, or for leaving it as it was.
    pub(crate) deadline: Deadline,
    /// Its objects and stacks.
    pub stacks: Stacks,
    pub(crate) functions: Functions,
    pub(crate) instructions: Instructions,
    /// Name of `libora.so`, if it is loaded.
    pub library: Option<String>,
    /// True if the process sees the same files, with the same rights.
    pub same_files: bool,
}

/// Maximum wait for the dynamic linker to load glibc, and `libora.so` if that is preloaded.
const LOADING: Duration = Duration::from_secs(1);

/// Addresses of functions of the C library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Functions {
    pub(crate) create: u64,
    pub(crate) detach: u64,
    pub(crate) dlopen: u64,
    pub(crate) dlsym: u64,
    pub(crate) dlerror: u64,
}

impl Target {
    /// Examines a process that is to be attached to by a deadline.
    ///
    /// # Errors
    /// The reason why it can't be attached to.
    pub fn examine(pid: u32, allowed: Allowed, deadline: Deadline) -> Result<Self, Refusal> {
        let _reading = watchdog::begin(Step::Reading);
        let begun = Instant::now();
        loop {
            let looked = Self::look_at(pid, allowed, deadline);
            if deadline.is_over() {
                // Data that was not read may be the reason for another refusal.
                return Err(Refusal::Overdue { pid, seconds: begun.elapsed().as_secs(), step: Step::Reading });
            }
            let is_starting = match &looked {
                Err(Refusal::Starting(_)) => true,
                Err(Refusal::EarlyRuntime { .. }) => is_preloaded(Process { pid }),
                _ => false,
            };
            if !is_starting || begun.elapsed() > LOADING {
                return looked;
            }
            sleep(Duration::from_millis(5));
        }
    }

    fn look_at(pid: u32, allowed: Allowed, deadline: Deadline) -> Result<Self, Refusal> {
        let process = Process { pid };
        let status = living(process)?;
        candidates::untraced(process)?;
        if status.state == 'Z' {
            // What identifies its program is gone from the process's own folder.
            return Err(Refusal::WithoutFirstThread(pid));
        }
        if memory::is_one(pid, status.parent) {
            return Err(Refusal::SharesMemory { pid, parent: status.parent });
        }
        // First: what is read from here on belongs to it, or is not acted on.
        let execution = Execution::of(process);
        let mappings = process.mappings().map_err(|error| forbidden(process, &status, &error))?;
        machine(process, &status)?;
        let objects = objects::of(&mappings);
        c_library(process, &objects)?;
        runtime(process, &objects)?;
        if status.seccomp == 1 || status.seccomp == 2 && !allowed.seccomp {
            return Err(Refusal::Seccomp(pid));
        }
        if !arch::CAN_CALL {
            return Err(Refusal::UnknownMachine);
        }
        let execution = execution.map_err(|error| match error.kind() {
            ErrorKind::Interrupted => Refusal::Starting(pid),
            _ => forbidden(process, &status, &error),
        })?;
        let mut stacks = Stacks::until(Memory(process), objects, deadline);
        let functions = Functions::find(process, &mut stacks)?;
        let instructions = Instructions::find(process, &mut stacks)?;
        let library = loaded(&stacks, "libora.so");
        let same_files = sees_same_files(process, &status);
        if !execution.goes_on() {
            return Err(Refusal::Starting(pid));
        }
        let execution = Arc::new(execution);
        Ok(Self { process, execution, deadline, stacks, functions, instructions, library, same_files })
    }

    /// Deadline for attaching to it, or for leaving it as it was.
    pub fn deadline(&self) -> Deadline {
        self.deadline
    }

    /// The process that was examined, for its descriptors and rights.
    pub fn other(&self) -> &OtherProcess {
        self.execution.process()
    }

    /// Name of the loaded library with this file name, if it is loaded.
    pub(crate) fn loaded(&self, path: &Path) -> Option<String> {
        loaded(&self.stacks, path.file_name()?.to_str()?)
    }
}

/// Name of a loaded library, by which the process finds it again; `None` if it is not loaded.
fn loaded(stacks: &Stacks, name: &str) -> Option<String> {
    let found = stacks.objects.iter().position(|object| object.is(name))?;
    Some(stacks.soname(found).unwrap_or_else(|| name.to_owned()))
}

/// Status of a process that can be inspected: it exists, and runs.
///
/// # Errors
/// If the process does not exist, has ended, or is stopped.
pub fn living(process: Process) -> Result<Status, Refusal> {
    let pid = process.pid;
    let status = process.status().map_err(|_| Refusal::NoProcess(pid))?;
    match status.state {
        'Z' if process.threads().len() <= 1 => Err(Refusal::Zombie(pid)),
        'X' => Err(Refusal::NoProcess(pid)),
        'T' => Err(Refusal::Stopped(pid)),
        _ if status.group != pid => Err(Refusal::Thread { thread: pid, process: status.group }),
        't' => Err(Refusal::Traced { pid, tracer: status.tracer }),
        _ => Ok(status),
    }
}

fn machine(process: Process, status: &Status) -> Result<(), Refusal> {
    let mut file = regular::open(&process.file("exe")).map_err(|error| forbidden(process, status, &error))?;
    let mut head = [0; Header::SIZE];
    let read = file.read_exact(&mut head);
    match Header::read(&head) {
        Some(header) if read.is_ok() && header.machine == ELF_MACHINE => Ok(()),
        Some(header) => {
            Err(Refusal::OtherMachine(process.pid, format!("another processor (ELF machine {})", header.machine)))
        }
        None => Err(Refusal::OtherMachine(process.pid, "32 bits".to_owned())),
    }
}

fn c_library(process: Process, objects: &[Object]) -> Result<(), Refusal> {
    let pid = process.pid;
    // Debian's musl is `libc.so`; glibc's file has a version.
    let is_musl = |name: &str| name.starts_with("ld-musl") || name.starts_with("libc.musl") || name == "libc.so";
    if objects.iter().any(|object| is_musl(object.name())) {
        return Err(Refusal::OtherLibrary(pid, "musl".to_owned()));
    }
    if !objects.iter().any(Object::is_c_library) {
        let other = objects.iter().find(|object| object.name().starts_with("ld") && object.name().contains(".so"));
        return Err(match other {
            Some(linker) if linker.name().starts_with("ld-linux") => Refusal::Starting(pid),
            Some(linker) => Refusal::OtherLibrary(pid, format!("that of {}", linker.path.display())),
            // The kernel maps the program before its linker.
            None if has_linker(process) => Refusal::Starting(pid),
            None => Refusal::Static(pid),
        });
    }
    Ok(())
}

/// True if the program names a dynamic linker. Its program headers are in the first page of its file.
fn has_linker(process: Process) -> bool {
    let mut page = Vec::new();
    let read = regular::open(&process.file("exe")).and_then(|file| file.take(4096).read_to_end(&mut page));
    read.is_ok() && program_headers(&page).any(|header| header.kind == ProgramHeader::INTERPRETER)
}

/// Runtimes that accept tools only at their start, by their files.
const EARLY: [(&str, &str); 3] =
    [("libomp.so", "LLVM's runtime"), ("libomp", "LLVM's runtime"), ("libiomp5", "Intel's runtime")];

fn runtime(process: Process, objects: &[Object]) -> Result<(), Refusal> {
    let has = |name: &str| objects.iter().any(|object| object.is(name));
    if has("libgomp") || has("libora.so") {
        return Ok(());
    }
    match EARLY.into_iter().find(|(file, _)| has(file)) {
        Some((_, runtime)) => Err(Refusal::EarlyRuntime { pid: process.pid, runtime: runtime.to_owned() }),
        None => Err(Refusal::NoRuntime(process.pid)),
    }
}

/// True if the process started with `libora.so` preloaded. `ora run` preloads an object that needs it, so it is loaded after
/// the program's own libraries.
fn is_preloaded(process: Process) -> bool {
    let environment = Environment::of(process).ok();
    let list = environment.as_ref().and_then(|environment| environment.value("LD_PRELOAD"));
    list.is_some_and(|list| list.to_string_lossy().contains("libora.so"))
}

/// True if paths mean the same files to the process, and it has this user's rights.
fn sees_same_files(process: Process, status: &Status) -> bool {
    let own = Process { pid: std::process::id() };
    let space = |process: Process| fs::read_link(process.file("ns/mnt")).ok();
    let root = |process: Process| fs::metadata(process.file("root/.")).ok().map(|root| (root.dev(), root.ino()));
    space(process).is_some() && space(process) == space(own) && root(process) == root(own) && status.user == own_user()
}

impl Functions {
    fn find(process: Process, stacks: &mut Stacks) -> Result<Self, Refusal> {
        let libraries: Vec<usize> = c_libraries(stacks).collect();
        let mut find = |names: &[&'static str]| {
            let first = names.first().copied().unwrap_or_default();
            let mut all = names.iter().flat_map(|name| libraries.iter().map(move |library| (*library, *name)));
            let found = all.find_map(|(library, name)| stacks.function(library, name));
            found.ok_or(Refusal::NoFunction(process.pid, first))
        };
        Ok(Self {
            create: find(&["pthread_create"])?,
            detach: find(&["pthread_detach"])?,
            // Before glibc 2.34 these are in a separate library, which a program may lack.
            dlopen: find(&["dlopen", "__libc_dlopen_mode"])?,
            dlsym: find(&["dlsym", "__libc_dlsym"])?,
            dlerror: find(&["dlerror", "getpid"])?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::Stdio;

    use super::*;
    use crate::deadline::ATTACHING;

    fn refusal(pid: u32) -> Refusal {
        Target::examine(pid, Allowed::default(), Deadline::after(ATTACHING)).unwrap_err()
    }

    #[test]
    fn a_program_whose_linker_is_not_mapped_yet_is_no_static_one() {
        let own = Process { pid: std::process::id() };
        assert_eq!(c_library(own, &[]), Err(Refusal::Starting(own.pid)));
    }

    #[test]
    fn numbers_that_mean_no_process_are_refused() {
        assert_eq!(refusal(u32::MAX >> 1), Refusal::NoProcess(u32::MAX >> 1));
        let own = std::process::id();
        let tid = system::threads::id();
        assert_ne!(tid, own, "tests run on threads of their own");
        assert_eq!(refusal(tid), Refusal::Thread { thread: tid, process: own });
    }

    #[test]
    fn an_examination_ends_at_the_deadline() {
        let own = std::process::id();
        let overdue = Target::examine(own, Allowed::default(), Deadline::after(Duration::ZERO)).unwrap_err();
        assert_eq!(overdue, Refusal::Overdue { pid: own, seconds: 0, step: Step::Reading });
    }

    #[test]
    fn a_program_without_openmp_is_refused() {
        assert_eq!(refusal(std::process::id()), Refusal::NoRuntime(std::process::id()));
    }

    #[test]
    fn what_was_preloaded_is_known_before_it_is_loaded() {
        for (list, wanted) in [("/nowhere/libora.so:/nowhere/libora_guard.so", true), ("/nowhere/libc.so", false)] {
            let mut child = std::process::Command::new("cat");
            child.env("LD_PRELOAD", list).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut child = child.spawn().unwrap();
            // It answers once it runs. Before that the kernel may not have its environment yet.
            child.stdin.as_mut().unwrap().write_all(b"x").unwrap();
            child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
            assert_eq!(is_preloaded(Process { pid: child.id() }), wanted, "{list}");
            drop(child.stdin.take());
            child.wait().unwrap();
        }
        assert!(!is_preloaded(Process { pid: std::process::id() }));
    }

    #[test]
    fn an_ended_process_is_a_zombie_until_it_is_waited_for() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        let process = Process { pid };
        while process.status().is_ok_and(|status| status.state != 'Z') {
            std::thread::yield_now();
        }
        assert_eq!(refusal(pid), Refusal::Zombie(pid));
        child.wait().unwrap();
        assert_eq!(refusal(pid), Refusal::NoProcess(pid));
    }
}
