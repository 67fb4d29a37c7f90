//! Session of a collector in a running process, from its start to the final figures. Unsafe: system calls.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::time::{Duration, Instant};

use attach_inside::mailbox::GO;
use attach_inside::progress::{NO_FILE, NO_SIGNAL, OTHER_TOOL, Progress, ProgressPage, stage};
use attach_outside::Refusal;
use attach_outside::deadline::{ATTACHING, Deadline};
use attach_outside::inject::{Injected, Libraries, Wish, inject};
use attach_outside::process::Process;
use attach_outside::process_clock::cpu_ns;
use attach_outside::stop_time::StopTime;
use attach_outside::target::Target;
use stat_analysis::{Exit, FinishedRun};
use stat_layout::area::{Shared, SharedArea};
use stat_layout::clock::monotonic_ns;
use stat_layout::ticks::{Moment, Pace, Source};

use crate::signals;

/// Maximum wait for the final figures.
const DETACHING: Duration = ATTACHING;
/// Answer to START if another collector has the session.
const SEQUENCE: i32 = 4;

/// Collector in a running process, with the memory that it shares.
#[derive(Debug)]
pub(crate) struct Session<M: Memory> {
    pid: u32,
    shared: M,
    /// Keeps the session open.
    pipe: Option<File>,
    begun: Moment,
    begun_ns: u64,
    begun_cpu_ns: u64,
}

/// End of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched {
    /// Times of the session, like those of a run.
    pub(crate) run: FinishedRun,
}

impl<M: Memory> Session<M> {
    /// Injects the collector, and waits until it has started.
    ///
    /// # Errors
    /// The reason why that can't be done.
    pub(crate) fn begin(target: &mut Target, libraries: &Libraries, wish: &Wish) -> Result<Self, Refusal> {
        let pid = target.process.pid;
        let injected = inject(target, libraries, wish, &signals::interrupted)?;
        if std::env::var_os("ORA_ATTACH_TIMES").is_some() {
            crate::output::say(format_args!("{}", times(&injected)));
        }
        let failed = |step: &'static str| {
            move |error: std::io::Error| match error.kind() {
                std::io::ErrorKind::NotFound => Refusal::Ended(pid),
                _ => Refusal::System { pid, step, message: error.to_string() },
            }
        };
        let shared = M::from_file(injected.area).map_err(failed("the collector's memory"))?;
        let mut pipe = injected.pipe;
        let (begun, begun_ns, begun_cpu_ns) = (Moment::now(shared.clock()), monotonic_ns(), cpu_ns(pid));
        pipe.write_all(&[GO]).map_err(failed("the collector's pipe"))?;
        let session = Self { pid, shared, pipe: Some(pipe), begun, begun_ns, begun_cpu_ns };
        if !session.reach(stage::WATCHING, target.deadline()) {
            if !session.is_served() {
                return Err(Refusal::Ended(pid));
            }
            let message =
                "the collector does not begin: another thread may be in a call of the dynamic linker".to_owned();
            return Err(Refusal::System { pid, step: "the collector", message });
        }
        match session.progress().answer.load(Relaxed) {
            0 => Ok(session),
            SEQUENCE => Err(Refusal::Busy(pid)),
            NO_FILE => Err(Refusal::NoFile(pid)),
            NO_SIGNAL => Err(Refusal::NoSignal(pid)),
            OTHER_TOOL => Err(Refusal::OtherTool(pid)),
            other => {
                let message =
                    format!("the library refuses to start (error code {other}): is ORA_DISABLE=1 set in the process?");
                Err(Refusal::System { pid, step: "the collector", message })
            }
        }
    }

    fn progress(&self) -> &Progress {
        self.shared.progress()
    }

    /// Watches for this time, or until the user interrupts or the process ends; then ends the session.
    ///
    /// # Errors
    /// If the final figures don't arrive.
    pub(crate) fn watch(&mut self, time: Option<Duration>) -> Result<Watched, Refusal> {
        let begun = Instant::now();
        while !signals::interrupted() {
            let left = time.map(|time| time.saturating_sub(begun.elapsed()));
            if left.is_some_and(|left| left.is_zero()) || !self.lives_for(left) {
                break;
            }
        }
        self.end()
    }

    /// Times of the session up to now.
    pub(crate) fn so_far(&self) -> FinishedRun {
        let cpu_ns = cpu_ns(self.pid).saturating_sub(self.begun_cpu_ns);
        let end_ns = monotonic_ns();
        let pace = Pace::between(self.begun, Moment::now(self.shared.clock()));
        FinishedRun { exit: Exit::Code(0), start_ns: self.begun_ns, end_ns, cpu_ns, pace }
    }

    /// Ends the session.
    ///
    /// # Errors
    /// If the final figures don't arrive.
    pub(crate) fn end(&mut self) -> Result<Watched, Refusal> {
        let pid = self.pid;
        if let Some(pipe) = &mut self.pipe {
            // If the process has ended, its figures are final anyway.
            let _ = pipe.write_all(b"e");
        }
        let so_far = self.so_far();
        let ended = self.reach(stage::DONE, Deadline::after(DETACHING)) || !self.is_served();
        self.pipe = None;
        if !ended {
            let message = "its collector does not end. It will, as soon as the process lets it run".to_owned();
            return Err(Refusal::System { pid, step: "the final figures", message });
        }
        Ok(Watched { run: FinishedRun { cpu_ns: so_far.cpu_ns, ..self.so_far() } })
    }

    /// Waits until the collector has reached a stage. Returns false if the process has ended or executed another program, or if it takes
    /// too long.
    fn reach(&self, wanted: u32, deadline: Deadline) -> bool {
        loop {
            // Checked first, as the collector closes its end of the pipe after its last stage.
            let is_served = self.is_served();
            // Acquire: pairs with the stores in `attach_inside::serve`; publishes the data that belongs to the stage.
            if self.progress().stage.load(Acquire) >= wanted {
                return true;
            }
            if deadline.is_over() || !is_served {
                return false;
            }
            std::thread::sleep(Duration::from_micros(300));
        }
    }

    /// True while the collector's thread exists.
    fn is_served(&self) -> bool {
        Process { pid: self.pid }.lives() && self.pipe.as_ref().is_some_and(|pipe| has_reader(pipe, 0))
    }

    /// Waits for this time, but at most a second. Returns false if the process's end of the pipe is closed, because the process has ended
    /// or executes another program.
    pub(crate) fn lives_for(&self, time: Option<Duration>) -> bool {
        let Some(pipe) = &self.pipe else { return false };
        let time = time.unwrap_or(Duration::from_secs(1)).min(Duration::from_secs(1));
        // Rounded up, so that the last fraction doesn't cause a busy loop.
        has_reader(pipe, i32::try_from(time.as_millis()).unwrap_or(1000) + 1)
    }
}

/// Waits for this many milliseconds. Returns false if the other end of the pipe is closed.
fn has_reader(pipe: &File, milliseconds: i32) -> bool {
    let mut wait = libc::pollfd { fd: pipe.as_raw_fd(), events: 0, revents: 0 };
    // SAFETY: a single entry, valid for writes.
    unsafe { libc::poll(&raw mut wait, 1, milliseconds) <= 0 }
}

impl<T: Shared> Session<SharedArea<T>> {
    /// The collector's memory.
    pub(crate) fn area(&self) -> &T {
        self.shared.area()
    }

    /// Row of items that follows it.
    pub(crate) fn items(&self) -> &[T::Item] {
        self.shared.items()
    }
}

/// Times of the longest stop, for tests.
fn times(injected: &Injected) -> String {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let StopTime { wall, before, tracer, thread } = injected.stopped;
    format!(
        "one thread was stopped for {:.3} ms: without a processor it {:.3}, ora {:.3}; on a processor it {:.3}, ora {:.3}; before {:.3}; \
         threads tried: {}",
        ms(wall),
        ms(thread.ready),
        ms(tracer.ready),
        ms(thread.ran),
        ms(tracer.ran),
        ms(before),
        injected.tries,
    )
}

/// Memory that a collector shares with `ora`.
pub(crate) trait Memory: Sized {
    /// Maps a file of the process.
    ///
    /// # Errors
    /// If its size may change, or it is not such memory.
    fn from_file(file: File) -> io::Result<Self>;

    /// Stage of the session.
    fn progress(&self) -> &Progress;

    /// Clock of the ticks in it.
    fn clock(&self) -> Source;
}

impl<T: Shared> Memory for SharedArea<T> {
    fn from_file(file: File) -> io::Result<Self> {
        Self::from_file(file)
    }

    fn progress(&self) -> &Progress {
        &self.area().process_table().header.progress
    }

    fn clock(&self) -> Source {
        Source::from_raw(self.area().process_table().header.clock.load(Relaxed))
    }
}

impl Memory for ProgressPage {
    fn from_file(file: File) -> io::Result<Self> {
        Self::from_file(file)
    }

    fn progress(&self) -> &Progress {
        self.progress()
    }

    fn clock(&self) -> Source {
        Source::Monotonic
    }
}
