//! Watchdog for steps that the kernel, or the other process, may never let end. Unsafe: a signal mask.
//!
//! Some system calls on another process can't be given a timeout, and are repeated by the kernel after a signal handler. Starting to
//! trace a thread is such a call (`ptrace_attach` in Linux): it waits while the process executes a program, which waits for the ends
//! of all other threads, and the end of a traced thread waits for its tracer. So any process can make its tracer wait forever. A
//! thread of this process then ends it; a traced thread survives that at every moment (`remote_call`).
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::mem::zeroed;
use std::ptr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::deadline::Deadline;

/// Maximum time for starting to trace a thread. It takes microseconds, unless the process executes a program just then, whose file
/// the kernel may have to read from a busy disk.
pub const TRACING: Duration = Duration::from_secs(10);
/// Time between two checks.
const LOOK: Duration = Duration::from_millis(100);

/// A step that waits for the other process or for the kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// Memory and `/proc` of the process are read.
    #[default]
    Reading,
    /// The thread with this number is about to be traced.
    Tracing(u32),
    /// Threads of the process are stopped and make system calls.
    Calls,
    /// The new thread in the process loads the libraries.
    Loading,
}

impl Step {
    /// Describes what a step in a process waits for, and what the user can do.
    pub(crate) fn explained(self, pid: u32) -> String {
        match self {
            Self::Reading => format!("its memory or /proc/{pid} could not be read in that time. Try again"),
            Self::Tracing(tid) => format!(
                "the kernel did not let ora trace its thread {tid}. Process {pid} is executing a program, and waits for the end of a \
                 thread that somebody else traces, or for a slow disk. End that tracer (TracerPid in /proc/{pid}/task/*/status), and \
                 try again"
            ),
            Self::Calls => "none of its threads has made the system calls that are needed. Try again".to_owned(),
            Self::Loading => "its new thread has not loaded the library. Try again".to_owned(),
        }
    }
}

/// The current step of a thread, and the time at which it started.
type Present = Arc<Mutex<Option<(Step, Instant)>>>;

thread_local! {
    static PRESENT: RefCell<Present> = RefCell::default();
}

/// A step of the calling thread that lasts until this value is dropped.
#[derive(Debug)]
pub(crate) struct Going {
    before: Option<(Step, Instant)>,
}

/// Records that a step of the calling thread starts.
pub(crate) fn begin(step: Step) -> Going {
    Going { before: exchange(Some((step, Instant::now()))) }
}

fn exchange(present: Option<(Step, Instant)>) -> Option<(Step, Instant)> {
    PRESENT.with_borrow(|own| std::mem::replace(&mut *lock(own), present))
}

impl Drop for Going {
    fn drop(&mut self) {
        exchange(self.before.take());
    }
}

/// Time that steps may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For all steps together; `None` if they have bounds of their own.
    pub whole: Option<Deadline>,
    /// For [`Step::Tracing`].
    pub tracing: Duration,
}

/// Watches the steps of the thread that has created it, until it is dropped.
#[derive(Debug)]
pub struct Watchdog(Arc<Leash>);

/// Makes the watching thread end.
#[derive(Debug, Default)]
struct Leash {
    is_over: Mutex<bool>,
    changed: Condvar,
}

impl Watchdog {
    /// Starts to watch. Once the limits are exceeded, `end` is called with the step and the time that has passed, on a thread of its own.
    /// It is expected to end this process: the watched thread may be in the kernel forever.
    ///
    /// If a thread can't be created, nothing is watched.
    pub fn start(limits: Limits, end: impl FnOnce(Step, Duration) + Send + 'static) -> Self {
        let leash = Arc::new(Leash::default());
        let present = PRESENT.with_borrow(Arc::clone);
        let watched = Arc::clone(&leash);
        let watch = move || watched.watch(limits, &present, end);
        without_signals(|| drop(thread::Builder::new().name("watchdog".to_owned()).spawn(watch)));
        Self(leash)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        *lock(&self.0.is_over) = true;
        self.0.changed.notify_one();
    }
}

impl Leash {
    fn watch(&self, limits: Limits, present: &Present, end: impl FnOnce(Step, Duration)) {
        let begun = Instant::now();
        let mut is_over = lock(&self.is_over);
        while !*is_over {
            let present = *lock(present);
            if let Some((step, time)) = limits.exceeded(present, begun) {
                drop(is_over);
                return end(step, time);
            }
            let woken = self.changed.wait_timeout(is_over, LOOK);
            is_over = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Limits {
    /// The step that takes too long, and the time for which it has lasted.
    fn exceeded(self, present: Option<(Step, Instant)>, begun: Instant) -> Option<(Step, Duration)> {
        match present {
            Some((step @ Step::Tracing(_), since)) if since.elapsed() >= self.tracing => Some((step, since.elapsed())),
            _ if self.whole.is_some_and(Deadline::is_over) => {
                Some((present.map_or(Step::default(), |(step, _)| step), begun.elapsed()))
            }
            _ => None,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a function with all signals blocked. A thread that it creates leaves them to the others: those of traced threads (SIGCHLD)
/// are waited for, and those of users interrupt waits.
fn without_signals(run: impl FnOnce()) {
    // SAFETY: all zero is a valid, empty signal set.
    let mut all: libc::sigset_t = unsafe { zeroed() };
    let mut before = all;
    // SAFETY: a signal set, to be written (sigfillset(3)).
    unsafe { libc::sigfillset(&raw mut all) };
    // SAFETY: a whole signal set, and one to be written (pthread_sigmask(3)).
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before) };
    run();
    // SAFETY: the set that was read above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracee::Tracee;
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Child, Command, Stdio};
    use std::sync::mpsc;

    /// A second thread is traced by a child that never waits. The first one prints the child's number, and executes
    /// `true` once it may.
    const EXECUTES: &str = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <stdio.h>\n#include <sys/prctl.h>\n\
        #include <sys/ptrace.h>\n#include <unistd.h>\n\
        static int number;\n\
        static void *sleeps(void *unused) { (void)unused; number = gettid(); for (;;) pause(); }\n\
        int main(void) {\n\
        int ends[2]; char go; pthread_t thread;\n\
        if (pipe(ends)) return 4;\n\
        prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);\n\
        pthread_create(&thread, 0, sleeps, 0); while (!*(volatile int *)&number) usleep(1000);\n\
        pid_t child = fork();\n\
        if (child == 0) { if (ptrace(PTRACE_SEIZE, number, 0, 0)) _exit(1); write(ends[1], \"x\", 1); for (;;) pause(); }\n\
        if (read(ends[0], &go, 1) != 1) return 5;\n\
        printf(\"%d\\n\", child); fflush(stdout);\n\
        if (read(0, &go, 1) == 1) execlp(\"true\", \"true\", (char *)0);\n\
        return 3; }\n";

    /// Starts that program; returns it and the number of the child that traces it.
    fn start(folder: &std::path::Path) -> (Child, u32) {
        let (source, program) = (folder.join("program.c"), folder.join("program"));
        std::fs::write(&source, EXECUTES).unwrap();
        let built = Command::new("gcc").args(["-w", "-pthread", "-o"]).args([&program, &source]).status().unwrap();
        assert!(built.success());
        let mut child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let said = BufReader::new(child.stdout.take().unwrap()).lines().next().unwrap().unwrap();
        (child, said.parse().unwrap())
    }

    #[test]
    fn a_thread_that_the_kernel_does_not_let_be_traced_is_named_after_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let (mut child, tracer) = start(folder.path());
        child.stdin.take().unwrap().write_all(b"x").unwrap();
        // Until the program waits for the end of its second thread.
        let process = crate::process::Process { pid: child.id() };
        while process.threads().iter().all(|tid| process.thread_status(*tid).unwrap().state != 'Z') {
            thread::sleep(Duration::from_millis(1));
        }
        let (sender, named) = mpsc::channel();
        let limits = Limits { whole: None, tracing: Duration::from_millis(200) };
        let watchdog = Watchdog::start(limits, move |step, time| {
            sender.send((step, time)).unwrap();
            // The end of the wait, in place of an end of this process.
            assert!(Command::new("kill").args(["-KILL", &tracer.to_string()]).status().unwrap().success());
        });
        drop(Tracee::stop_within(child.id(), Duration::from_secs(60), |_| true));
        drop(watchdog);
        let (step, time) = named.try_recv().unwrap();
        assert_eq!(step, Step::Tracing(child.id()));
        assert!(time >= Duration::from_millis(200));
        let says = step.explained(child.id());
        assert!(says.contains(&format!("its thread {}. ", child.id())), "{says}");
        // The tracer's wait above may have collected its end already.
        let _ = child.wait();
    }

    #[test]
    fn all_steps_together_have_an_end_and_the_last_one_is_named() {
        let (sender, named) = mpsc::channel();
        let whole = Some(Deadline::after(Duration::from_millis(50)));
        let watchdog = Watchdog::start(Limits { whole, tracing: TRACING }, move |step, _| sender.send(step).unwrap());
        let _calls = begin(Step::Calls);
        drop(begin(Step::Tracing(7)));
        assert_eq!(named.recv_timeout(Duration::from_secs(60)), Ok(Step::Calls));
        drop(watchdog);
    }

    #[test]
    fn nothing_ends_once_the_watchdog_is_dropped() {
        let (sender, named) = mpsc::channel();
        let whole = Some(Deadline::after(Duration::from_millis(20)));
        drop(Watchdog::start(Limits { whole, tracing: TRACING }, move |step, _| sender.send(step).unwrap()));
        // When the thread ends, so does its sender.
        assert_eq!(named.recv_timeout(Duration::from_secs(60)), Err(mpsc::RecvTimeoutError::Disconnected));
    }
}
