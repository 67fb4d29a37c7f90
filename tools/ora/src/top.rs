//! `ora top`: shows where a program's time goes at the moment, once a second. It starts programs, attaches to processes and controls the
//! terminal for the crate `top`, which observes and displays.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, Write};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ::terminal::printable::command_line;
use ::top::batch::Look;
use ::top::{Found, Options, Source};
use anyhow::{Context, Result, anyhow};
use attach_inside::mailbox::kind;
use attach_outside::process::Process;
use attach_outside::process_clock;
use attach_outside::target::Allowed;
use hang::current::Events;
use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{self, EnterAlternateScreen};
use ratatui::layout::Rect;
use ratatui::{DefaultTerminal, TerminalOptions, Viewport};
use stat_analysis::FinishedRun;
use stat_analysis::stat::{Report, Run, Table};
use stat_layout::area::SharedArea;
use stat_layout::clock::monotonic_ns;
use stat_layout::stat::layout::Area;
use symbols::Instrumented;

use crate::args::Top;
use crate::counted_run::Prepared;
use crate::exit::{Exit, Failure};
use crate::live::{self, Session};
use crate::output::{Answer, Output};
use crate::{doctor, signals};

/// There is no such process, or there are several.
const NO_PROCESS: u8 = 2;

/// # Errors
/// If the process can't be attached to, the program can't be started, or the output can't be written.
pub(crate) fn top(args: &Top) -> Result<Exit> {
    let has_screen = !args.batch && !args.json && args.output.is_none() && args.count.is_none();
    if has_screen && !io::stdout().is_terminal() {
        let message = "ora top needs a terminal for its screen: add --batch for text, or --json".to_owned();
        return Err(Failure { code: NO_PROCESS, message }.into());
    }
    let mut output = match args.program.is_empty() {
        true => Output::open_or_stdout(args.output.as_deref())?,
        false => Output::open(args.output.as_deref())?,
    };
    let options = Options {
        interval: args.interval(),
        count: args.count,
        json: args.json,
        threads: args.rows,
        has_colour: args.screen.paper(&io::stdout()).colour,
    };
    let mut host = Host { args, output: &mut output };
    let source: Box<dyn Source> = match (&args.process, args.program.is_empty()) {
        (_, false) => Box::new(Started::start(&args.program, has_screen)?),
        (Some(named), true) => source(process(named)?, args)?,
        (None, true) => {
            signals::take_note();
            if has_screen {
                ::top::screen::choose(&options, &mut Screen { args, terminal: Terminal::take()? })?;
            } else {
                ::top::batch::list(&options, &mut host)?;
            }
            return Ok(Exit::Code(0));
        }
    };
    let (words, is_borrowed) = (source.words(), source.is_borrowed());
    let attached = source.pid().filter(|_| args.program.is_empty());
    let (run, exit) =
        if has_screen { on_screen(args, &options, source)? } else { ::top::batch::watch(&options, source, &mut host)? };
    if !args.json && !is_borrowed {
        output.write(&table(args, &words, run, attached))?;
    }
    Ok(exit)
}

/// Shows a process, or a program that we start, on the screen. Returns the final figures, and the exit status.
fn on_screen(args: &Top, options: &Options, mut source: Box<dyn Source>) -> Result<(Run, Exit)> {
    let mut screen = Screen { args, terminal: Terminal::take()? };
    let shown = ::top::screen::watch(options, &mut *source, &mut screen);
    drop(screen);
    let ended = source.end()?;
    shown?;
    Ok(ended)
}

/// Finds the figures of a process, or attaches to it.
///
/// # Errors
/// The reason why it can't be attached to.
fn source(pid: u32, args: &Top) -> Result<Box<dyn Source>> {
    if let Some(found) = Found::of(pid) {
        signals::take_note();
        return Ok(Box::new(found));
    }
    let session = live::begin_collector::<Area>(pid, Allowed { seccomp: args.allow_seccomp }, kind::STAT)?;
    Ok(Box::new(Attached { pid, session }))
}

/// Table of `ora stat`, for the whole time.
fn table(args: &Top, words: &[OsString], run: Run, attached: Option<u32>) -> Answer {
    let shown: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let program = words.first().map(OsString::as_os_str).unwrap_or_default();
    let (name, runs) = (command_line(&shown), [run]);
    let followed = !args.program.is_empty();
    let report = Report::of(&runs);
    let why_unseen = if report.subject.is_none() { doctor::why_unseen(program) } else { None };
    let is_known = report.subject.as_ref().is_some_and(|shown| shown.process.is_explained());
    let without_events = attached.filter(|_| !is_known).and_then(|pid| live::doing(pid, Events::Regions));
    let table = Table { name: &name, why_unseen, without_events, wanted_runs: 1, rows: args.rows, followed };
    Answer::Page(table.render(&report), args.screen)
}

/// Process with this id or name.
fn process(named: &str) -> Result<u32, Failure> {
    if let Ok(pid) = named.parse() {
        return Ok(pid);
    }
    let failure = |message: String| Failure { code: NO_PROCESS, message };
    match ::top::candidates::named(named).as_slice() {
        [pid] => Ok(*pid),
        [] => Err(failure(format!("no process runs a program named {named}. Start it by `ora top -- {named}`"))),
        several => {
            let numbers: Vec<String> = several.iter().map(u32::to_string).collect();
            let numbers = numbers.join(", ");
            Err(failure(format!("several processes run {named}: name one by its number ({numbers})")))
        }
    }
}

/// Signals and the output, for consecutive observations.
struct Host<'a> {
    args: &'a Top,
    output: &'a mut Output,
}

impl ::top::batch::BatchHost for Host<'_> {
    fn is_interrupted(&self) -> bool {
        signals::interrupted()
    }

    fn write(&mut self, look: Look) -> Result<()> {
        self.output.write(&match look {
            Look::Json(line) => Answer::Json(line),
            Look::Page(page) => Answer::Page(page, self.args.screen),
        })
    }
}

/// Signals and the terminal, for the screen.
struct Screen<'a> {
    args: &'a Top,
    terminal: Terminal,
}

impl ::top::screen::ScreenHost for Screen<'_> {
    fn draw(&mut self, draw: &mut dyn FnMut(&mut ratatui::Frame<'_>)) -> Result<()> {
        self.terminal.0.draw(draw)?;
        Ok(())
    }

    fn key(&mut self, within: Duration) -> Result<Option<KeyEvent>> {
        let read = || -> io::Result<Option<KeyEvent>> {
            if !event::poll(within)? {
                return Ok(None);
            }
            Ok(match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => Some(key),
                _ => None,
            })
        };
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            read => read.context("cannot read keys from the terminal"),
        }
    }

    fn is_interrupted(&self) -> bool {
        signals::interrupted()
    }

    fn source(&mut self, pid: u32) -> Result<Box<dyn Source>> {
        source(pid, self.args)
    }
}

/// A session of our own in a process that was already running.
#[derive(Debug)]
struct Attached {
    pid: u32,
    session: Session<SharedArea<Area>>,
}

impl Source for Attached {
    fn area(&self) -> &Area {
        self.session.area()
    }

    fn so_far(&self) -> FinishedRun {
        self.session.so_far()
    }

    fn pid(&self) -> Option<u32> {
        Some(self.pid)
    }

    fn is_over(&self) -> bool {
        !self.session.lives_for(Some(Duration::ZERO))
    }

    fn words(&self) -> Vec<OsString> {
        Process { pid: self.pid }.words()
    }

    fn end(mut self: Box<Self>) -> Result<(Run, Exit)> {
        let watched = self.session.end().map_err(live::failure)?;
        Ok((Run::read(self.session.area(), &watched.run, &Rc::default()), Exit::Code(0)))
    }
}

/// Program that runs while a thread waits for it.
#[derive(Debug)]
struct Started {
    prepared: Arc<Prepared>,
    waiting: JoinHandle<Result<FinishedRun>>,
    words: Vec<OsString>,
    begun_ns: u64,
    /// File for its output to the terminal that shows the screen.
    written: Option<File>,
    interrupts: usize,
}

/// Maximum wait for a program to start, before the first observation.
const MAX_WAIT: Duration = Duration::from_secs(2);

impl Started {
    /// Starts the program. With a screen, its output to the terminal is kept for later, and it can't read from the terminal.
    ///
    /// # Errors
    /// If the system refuses memory or files. A program that can't be started is reported as an error at the end.
    fn start(words: &[OsString], has_screen: bool) -> Result<Self> {
        let prepared = Arc::new(Prepared::new()?);
        let written = has_screen.then(tempfile::tempfile).transpose().context("cannot create a file for the output")?;
        let streams = written.as_ref().map(Streams::of).transpose().context("cannot create a file for the output")?;
        let (ours, program) = (Arc::clone(&prepared), words.to_vec());
        let begun_ns = monotonic_ns();
        let run =
            move || ours.run(&program, true, |command| streams.into_iter().for_each(|all| all.take_place(command)));
        let waiting = thread::Builder::new().spawn(run).context("cannot create a thread")?;
        let started = Self { prepared, waiting, words: words.to_vec(), begun_ns, written, interrupts: 0 };
        let begun = Instant::now();
        while started.area().process_table.header.processes.load(Relaxed) == 0
            && !started.is_over()
            && begun.elapsed() < MAX_WAIT
        {
            thread::sleep(Duration::from_millis(2));
        }
        Ok(started)
    }

    fn root(&self) -> u32 {
        self.area().process_table.header.root_pid.load(Relaxed)
    }
}

impl Source for Started {
    fn area(&self) -> &Area {
        self.prepared.area()
    }

    fn so_far(&self) -> FinishedRun {
        FinishedRun::so_far(self.begun_ns, process_clock::cpu_ns(self.root()))
    }

    fn instrumented(&self) -> Rc<Instrumented> {
        self.prepared.instrumented()
    }

    fn pid(&self) -> Option<u32> {
        None
    }

    fn is_over(&self) -> bool {
        self.waiting.is_finished()
    }

    fn is_own_program(&self) -> bool {
        true
    }

    /// Interrupts the program, as Ctrl-C does; the third call kills it.
    fn interrupt(&mut self) {
        const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGKILL];
        let signal = SIGNALS.get(self.interrupts).copied().unwrap_or(libc::SIGKILL);
        if !self.is_over() && signals::send_to_program(signal) {
            self.interrupts += 1;
        }
    }

    fn words(&self) -> Vec<OsString> {
        self.words.clone()
    }

    /// Waits for the program's end, and shows its output.
    ///
    /// # Errors
    /// If the program could not be started.
    fn end(self: Box<Self>) -> Result<(Run, Exit)> {
        let Self { waiting, written, prepared, .. } = *self;
        let finished = waiting.join().map_err(|_| anyhow!("the thread that waits for the program has failed"))??;
        if let Some(mut written) = written {
            written.rewind().and_then(|()| copy(&mut written)).context("cannot show the program's output")?;
        }
        let run = Run::read(prepared.area(), &finished, &prepared.instrumented());
        Ok((run, finished.exit))
    }
}

/// A closed stdout is not an error.
fn copy(from: &mut impl Read) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match io::copy(from, &mut stdout).and_then(|_| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        copied => copied,
    }
}

/// Streams that replace those of the program that are on the terminal.
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

/// Size used for a terminal that reports no size, as new ones of containers and scripts do.
const USUAL: Rect = Rect::new(0, 0, 80, 24);

/// Terminal that shows a screen until it is dropped. Its former content is restored on every way out, including a panic.
#[derive(Debug)]
struct Terminal(DefaultTerminal);

impl Terminal {
    /// # Errors
    /// If it can't show a screen.
    fn take() -> Result<Self> {
        signals::end_at_hang_up();
        signals::note_after_program();
        // Restores the terminal on a panic, before the message is printed.
        let has_no_size = terminal::size().is_ok_and(|(columns, lines)| columns == 0 || lines == 0);
        let taken = if has_no_size { without_size() } else { ratatui::try_init() };
        let taken = taken.inspect_err(|_| ratatui::restore());
        taken.map(Self).context("the terminal can't show a screen: use --batch")
    }
}

/// Screen of the usual size.
fn without_size() -> io::Result<DefaultTerminal> {
    let taken = ratatui::try_init_with_options(TerminalOptions { viewport: Viewport::Fixed(USUAL) })?;
    execute!(io::stdout(), EnterAlternateScreen)?;
    Ok(taken)
}

impl Drop for Terminal {
    fn drop(&mut self) {
        ratatui::restore();
    }
}
