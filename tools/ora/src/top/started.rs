//! A program that `ora top` has started, under the collector of `ora stat`.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, Write};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use attach_outside::process_clock;
use stat_analysis::FinishedRun;
use stat_analysis::stat::Run;
use stat_layout::clock::monotonic_ns;
use stat_layout::stat::layout::Area;
use symbols::Instrumented;

use crate::counted_run::Prepared;
use crate::exit::Exit;
use crate::signals;

/// The program, which runs while a thread waits for it.
#[derive(Debug)]
pub(super) struct Started {
    prepared: Arc<Prepared>,
    waiting: JoinHandle<Result<FinishedRun>>,
    words: Vec<OsString>,
    begun_ns: u64,
    /// Its output to a terminal that shows the screen.
    written: Option<File>,
    interrupts: usize,
}

/// Longest wait for a program to start, before the first look.
const PATIENCE: Duration = Duration::from_secs(2);

impl Started {
    /// Starts the program. With a screen, what it would write to the terminal is kept for later, and it doesn't read from there.
    ///
    /// # Errors
    /// If the system refuses memory or files. A program that can't be started is an error at the end.
    pub(super) fn start(words: &[OsString], has_screen: bool) -> Result<Self> {
        let prepared = Arc::new(Prepared::new()?);
        let written = has_screen.then(tempfile::tempfile).transpose().context("cannot get a file for the output")?;
        let streams = written.as_ref().map(Streams::of).transpose().context("cannot get a file for the output")?;
        let (ours, program) = (Arc::clone(&prepared), words.to_vec());
        let begun_ns = monotonic_ns();
        let run =
            move || ours.run(&program, true, |command| streams.into_iter().for_each(|all| all.take_place(command)));
        let waiting = thread::Builder::new().spawn(run).context("cannot create a thread")?;
        let started = Self { prepared, waiting, words: words.to_vec(), begun_ns, written, interrupts: 0 };
        let begun = Instant::now();
        while started.area().roll.header.processes.load(Relaxed) == 0
            && !started.is_over()
            && begun.elapsed() < PATIENCE
        {
            thread::sleep(Duration::from_millis(2));
        }
        Ok(started)
    }

    /// The collector's memory.
    pub(super) fn area(&self) -> &Area {
        self.prepared.area()
    }

    /// Constructs that OPARI has instrumented.
    pub(super) fn instrumented(&self) -> Rc<Instrumented> {
        self.prepared.instrumented()
    }

    /// The command line.
    pub(super) fn words(&self) -> &[OsString] {
        &self.words
    }

    /// True if the program has ended.
    pub(super) fn is_over(&self) -> bool {
        self.waiting.is_finished()
    }

    /// The run up to now.
    pub(super) fn so_far(&self) -> FinishedRun {
        FinishedRun::so_far(self.begun_ns, process_clock::cpu_ns(self.root()))
    }

    fn root(&self) -> u32 {
        self.area().roll.header.root_pid.load(Relaxed)
    }

    /// Interrupts the program, as Ctrl-C does; the third time it is killed.
    pub(super) fn interrupt(&mut self) {
        const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGKILL];
        let signal = SIGNALS.get(self.interrupts).copied().unwrap_or(libc::SIGKILL);
        if !self.is_over() && signals::send_to_program(signal) {
            self.interrupts += 1;
        }
    }

    /// Waits for the program's end, and shows what it has written meanwhile.
    ///
    /// # Errors
    /// If the program could not be started.
    pub(super) fn end(self) -> Result<(Run, Exit)> {
        let finished =
            self.waiting.join().map_err(|_| anyhow!("the thread that waits for the program has failed"))??;
        if let Some(mut written) = self.written {
            written.rewind().and_then(|()| copy(&mut written)).context("cannot show the program's output")?;
        }
        let run = Run::read(self.prepared.area(), &finished, &self.prepared.instrumented());
        Ok((run, finished.exit))
    }
}

/// A closed stdout is no error.
fn copy(from: &mut impl Read) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match io::copy(from, &mut stdout).and_then(|_| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        copied => copied,
    }
}

/// Streams of the program in place of those that are on the terminal.
#[derive(Debug)]
struct Streams([Option<File>; 2]);

impl Streams {
    fn of(written: &File) -> io::Result<Self> {
        let in_place_of = |is_terminal: bool| is_terminal.then(|| written.try_clone()).transpose();
        Ok(Self([in_place_of(io::stdout().is_terminal())?, in_place_of(io::stderr().is_terminal())?]))
    }

    fn take_place(self, command: &mut Command) {
        let Self([stdout, stderr]) = self;
        if io::stdin().is_terminal() {
            command.stdin(Stdio::null());
        }
        if let Some(stdout) = stdout {
            command.stdout(stdout);
        }
        if let Some(stderr) = stderr {
            command.stderr(stderr);
        }
    }
}
