//! Reasons why a process can't be watched, each with the next step.

use thiserror::Error;

use crate::watchdog::Step;

/// A reason, in words for the user.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// No process has this number.
    #[error("there is no process {0}. Check the number with `ps`")]
    NoProcess(u32),
    /// The number is that of a thread.
    #[error("{thread} is a thread of process {process}: use that number")]
    Thread {
        /// The number that was given.
        thread: u32,
        /// The process that it belongs to.
        process: u32,
    },
    /// The process has ended, and its parent has not waited for it.
    #[error("process {0} has already ended (a zombie): there is nothing to watch")]
    Zombie(u32),
    /// Its first thread has ended, and others go on.
    #[error(
        "the first thread of process {0} has ended, and ora attach needs it. Start the program by `ora stat -- PROGRAM`"
    )]
    WithoutFirstThread(u32),
    /// The process is stopped.
    #[error("process {0} is stopped: resume it with `kill -CONT {0}`, and try again")]
    Stopped(u32),
    /// It belongs to someone else.
    #[error("process {0} belongs to another user: run ora as that user, or as root")]
    OtherUser(u32),
    /// Yama forbids it.
    #[error(
        "the system forbids tracing process {pid}: /proc/sys/kernel/yama/ptrace_scope is {scope}. {}",
        if *.scope >= 3 { "Nothing but a restart of the system changes that: start the program by `ora stat -- PROGRAM`" }
        else { "Run ora as root, or set it to 0 (`sysctl kernel.yama.ptrace_scope=0`)" }
    )]
    Yama {
        /// The process.
        pid: u32,
        /// The setting.
        scope: u32,
    },
    /// Another process traces it.
    #[error("process {pid} is being traced by process {tracer}, a debugger perhaps: end that, and try again")]
    Traced {
        /// The process.
        pid: u32,
        /// Its tracer.
        tracer: u32,
    },
    /// Another process traces one of its threads.
    #[error(
        "thread {thread} of process {pid} is being traced by process {tracer}, a debugger or strace perhaps: end that, and try again"
    )]
    ThreadTraced {
        /// The process.
        pid: u32,
        /// The thread.
        thread: u32,
        /// Its tracer.
        tracer: u32,
    },
    /// A step takes too long.
    #[error("gave up on process {pid} after {seconds} s: {}", .step.explained(*.pid))]
    Overdue {
        /// The process.
        pid: u32,
        /// Time that was waited.
        seconds: u64,
        /// The step.
        step: Step,
    },
    /// It is a child of vfork(2), which uses its parent's memory.
    #[error(
        "process {pid} shares its memory with process {parent}, which waits for it (vfork): attach to process {parent}, or try again \
         when {pid} executes its own program"
    )]
    SharesMemory {
        /// The process.
        pid: u32,
        /// Its parent.
        parent: u32,
    },
    /// The kernel refuses for another reason.
    #[error("the system forbids tracing process {0}: {remedy}start the program by `ora stat -- PROGRAM`", remedy = may_be_forbidden())]
    Forbidden(u32),
    /// The program does not have a dynamic linker.
    #[error(
        "the program of process {0} is linked statically: libora.so can't be loaded into it. Link it without -static"
    )]
    Static(u32),
    /// The dynamic linker has not loaded glibc yet.
    #[error("process {0} is still being loaded: attach to it a moment later")]
    Starting(u32),
    /// The program uses another C library.
    #[error("the program of process {0} doesn't use glibc but {1}: libora.so is for glibc. Build it for glibc")]
    OtherLibrary(u32, String),
    /// The program is for another processor.
    #[error("the program of process {0} is for {1}, and this ora is for {machine}: use an ora for {1}", machine = system::arch::MACHINE)]
    OtherMachine(u32, String),
    /// Calling functions is not supported on this processor.
    #[error(
        "ora attach works on x86-64 and aarch64 only: it has no code for {machine} to run in other processes. Start the program by \
         `ora stat -- PROGRAM`",
        machine = system::arch::MACHINE
    )]
    UnknownMachine,
    /// No OpenMP runtime is loaded.
    #[error("process {0} has loaded no OpenMP runtime: ask `ora doctor {0}`; if it loads one later, try again then")]
    NoRuntime(u32),
    /// The runtime accepts tools only at its start.
    #[error(
        "process {pid} runs on {runtime}, which takes tools at its start only. Start the program by `ora run --standby -- PROGRAM`: then \
         `ora attach` works at any time"
    )]
    EarlyRuntime {
        /// The process.
        pid: u32,
        /// The runtime's name.
        runtime: String,
    },
    /// It may make only few system calls.
    #[error(
        "process {0} runs under a seccomp filter, which may end it for a system call that it doesn't make itself. If the filter is the \
         usual one of a container, add --allow-seccomp; else start the program by `ora stat -- PROGRAM`"
    )]
    Seccomp(u32),
    /// Functions of the C library were not found.
    #[error("the C library of process {0} has no {1}: it is older than glibc 2.17, or its memory can't be read")]
    NoFunction(u32, &'static str),
    /// No thread was at a safe moment.
    #[error("no thread of process {pid} could be used in {tries} tries: the last one was {reason}. Try again")]
    NoSafeMoment {
        /// The process.
        pid: u32,
        /// Number of tries.
        tries: u32,
        /// State of the last thread.
        reason: String,
    },
    /// It could not write a recording for this user.
    #[error(
        "process {0} sees other files than ora does (it runs in a container, with another root, or as another user), and none of its \
         folders /tmp, /var/tmp, /dev/shm and /run can take a recording: run ora where the process is and as its user, or use \
         `ora attach {0} stat`"
    )]
    OtherFiles(u32),
    /// The folder can't be written to from there.
    #[error(
        "process {0} can't create a file in the folder of the recording: name a folder with -o that it may write to"
    )]
    NoFile(u32),
    /// The program handles all signals for samples itself.
    #[error(
        "process {0} has handlers of its own for the signals that interrupt threads: choose another one, for example --signal 45"
    )]
    NoSignal(u32),
    /// There is, or was, a tool of OpenMP 5.
    #[error(
        "process {0} has or had a tool of OpenMP 5, and a process has one: it was not ora's, or it is libora.so itself, on LLVM's or \
         Intel's runtime. Use `ora attach {0} profile`, or start the program by `ora trace`"
    )]
    OtherTool(u32),
    /// The process ended meanwhile.
    #[error("process {0} ended, or executed another program, while ora was about to attach")]
    Ended(u32),
    /// The user has interrupted `ora` before the session began.
    #[error("interrupted before process {0} was watched: it continues as before")]
    Interrupted(u32),
    /// The dynamic linker refuses a library.
    #[error(
        "process {pid} can't load the library: {message}. Install ora where it can read it, or ask `ora doctor {pid}`"
    )]
    NotLoaded {
        /// The process.
        pid: u32,
        /// The dynamic linker's message.
        message: String,
    },
    /// Another collector of `ora` watches it.
    #[error("process {0} is being watched by ora already: wait for that to end, and try again")]
    Busy(u32),
    /// A step failed with a system error.
    #[error("cannot attach to process {pid}: {step}: {message}")]
    System {
        /// The process.
        pid: u32,
        /// The step.
        step: &'static str,
        /// The system's message.
        message: String,
    },
}

/// Causes for which the kernel forbids tracing, with remedies, up to the last resort.
fn may_be_forbidden() -> &'static str {
    if rustix::process::geteuid().is_root() {
        "it may be outside of this container, or protected by a security module. If it is yours, "
    } else {
        "it may run with more rights than its user, or in a container with more. Run ora as root, or "
    }
}
