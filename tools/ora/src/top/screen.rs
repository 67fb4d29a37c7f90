//! The screen: looks and keys in turn.

use std::io;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use attach_outside::target::Allowed;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind};

use super::batch;
use super::candidates::{Candidate, Candidates};
use super::draw::{self, Rows, Style};
use super::sample::{Sample, Sampler};
use super::source::Source;
use super::terminal::Terminal;
use super::view::{View, Wish, moved, quits};
use crate::args::Top;
use crate::exit::Exit;
use crate::output::Output;
use crate::signals;

/// Longest wait for a key before the rest is looked at.
const SLICE: Duration = Duration::from_millis(50);

/// Shows one process, or a program of ours, until its end or the user's.
///
/// # Errors
/// If the terminal can't show it, or the final figures don't come.
pub(super) fn watch(args: &Top, mut source: Source) -> Result<Exit> {
    let words = source.words();
    let is_borrowed = matches!(source, Source::Found(_));
    let mut terminal = Terminal::take()?;
    let shown = show(args, &mut terminal, &mut source, false);
    drop(terminal);
    let (run, exit) = source.end()?;
    shown?;
    if !is_borrowed {
        batch::table(args, &words, run, &mut Output::Stdout)?;
    }
    Ok(exit)
}

/// Shows the processes of the user, and the one that is chosen.
///
/// # Errors
/// If the terminal can't show it.
pub(super) fn choose(args: &Top) -> Result<Exit> {
    signals::take_note();
    let style = style(args);
    let mut terminal = Terminal::take()?;
    let mut list = List { candidates: Candidates::default(), found: Vec::new(), place: 0, message: String::new() };
    list.found = list.candidates.look();
    let mut looked = Instant::now();
    let mut interval = Duration::ZERO;
    while !signals::interrupted() {
        let rows = Rows { place: list.place, interval, message: &list.message };
        terminal.draw(|frame| draw::list(frame, style, &list.found, &rows))?;
        let wants_to_leave = match key(args.interval().saturating_sub(looked.elapsed()))? {
            Some(key) if quits(key) => true,
            Some(KeyEvent { code: KeyCode::Enter | KeyCode::Right, .. }) => list.enter(args, &mut terminal)?,
            Some(key) => {
                list.place = moved(key.code, list.place, list.found.len());
                false
            }
            None => false,
        };
        if wants_to_leave {
            break;
        }
        if looked.elapsed() >= args.interval() {
            list.found = list.candidates.look();
            list.place = list.place.min(list.found.len().saturating_sub(1));
            (interval, looked) = (looked.elapsed(), Instant::now());
        }
    }
    Ok(Exit::Code(0))
}

/// The list to choose from.
struct List {
    candidates: Candidates,
    found: Vec<Candidate>,
    place: usize,
    /// The reason for which the last one couldn't be shown.
    message: String,
}

impl List {
    /// Shows the chosen process. True: the user wants to quit.
    fn enter(&mut self, args: &Top, terminal: &mut Terminal) -> Result<bool> {
        let Some(chosen) = self.found.get(self.place) else { return Ok(false) };
        match Source::of_process(chosen.pid, Allowed { seccomp: args.allow_seccomp }) {
            Ok(mut source) => {
                let wish = show(args, terminal, &mut source, true)?;
                self.message = match source.end() {
                    Ok(_) => String::new(),
                    Err(error) => error.to_string(),
                };
                Ok(wish == Wish::Quit)
            }
            Err(error) => {
                self.message = format!("{error:#}");
                Ok(false)
            }
        }
    }
}

/// Shows one process until it ends, or the user wants to leave.
fn show(args: &Top, terminal: &mut Terminal, source: &mut Source, has_list: bool) -> Result<Wish> {
    let style = style(args);
    let mut sampler = Sampler::new(source);
    let (mut view, mut sample) = (View::default(), Sample::default());
    let mut looked = Instant::now();
    // The first picture comes soon.
    let mut wanted = args.interval().min(Duration::from_millis(200));
    loop {
        terminal.draw(|frame| draw::process(frame, style, &view, &sample))?;
        if let Some(key) = key(wanted.saturating_sub(looked.elapsed()))? {
            match view.key(key, &sample) {
                Wish::Quit if source.is_own_program() && !source.is_over() => source.interrupt(),
                Wish::Quit => return Ok(Wish::Quit),
                Wish::Back if has_list => return Ok(Wish::Back),
                Wish::Back | Wish::Show => {}
            }
        } else if source.is_over() && !view.paused
            || signals::interrupted() && (source.is_over() || !source.is_own_program())
        {
            return Ok(if has_list && !signals::interrupted() { Wish::Back } else { Wish::Quit });
        } else if looked.elapsed() >= wanted {
            (looked, wanted) = (Instant::now(), args.interval());
            if !view.paused {
                sample = sampler.look(source);
            }
        }
    }
}

/// The next key, if there is one soon.
fn key(within: Duration) -> Result<Option<KeyEvent>> {
    let read = || -> io::Result<Option<KeyEvent>> {
        if !event::poll(within.min(SLICE))? {
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

fn style(args: &Top) -> Style {
    Style { colour: args.screen.paper(&io::stdout()).colour }
}
