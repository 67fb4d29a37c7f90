//! The screen: observations and keys in turn.

use std::time::{Duration, Instant};

use anyhow::Result;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};

use super::Options;
use super::candidates::{Candidate, Candidates};
use super::draw::{self, Rows, Style};
use super::sample::{Sample, Sampler};
use super::source::Source;
use super::view::{View, Wish, moved, quits};

/// Maximum wait for a key before everything else is checked.
const SLICE: Duration = Duration::from_millis(50);

/// Terminal, signals, and processes to attach to, which the command controls.
pub trait ScreenHost {
    /// Draws the screen.
    ///
    /// # Errors
    /// If the terminal can't be written to.
    fn draw(&mut self, draw: &mut dyn FnMut(&mut Frame<'_>)) -> Result<()>;

    /// Returns the next key, if one is pressed within this time.
    ///
    /// # Errors
    /// If the terminal can't be read.
    fn key(&mut self, within: Duration) -> Result<Option<KeyEvent>>;

    /// True once the user has interrupted the command.
    fn is_interrupted(&self) -> bool;

    /// Finds the figures of a process, or attaches to it.
    ///
    /// # Errors
    /// The reason why it can't be attached to.
    fn source(&mut self, pid: u32) -> Result<Box<dyn Source>>;
}

/// Shows a process, or a program that we start, until it ends or the user quits.
///
/// # Errors
/// If the terminal can't show it.
pub fn watch(options: &Options, source: &mut dyn Source, host: &mut impl ScreenHost) -> Result<()> {
    show(options, host, source, false).map(drop)
}

/// Shows the processes of the user, and then the chosen one.
///
/// # Errors
/// If the terminal can't show it.
pub fn choose(options: &Options, host: &mut impl ScreenHost) -> Result<()> {
    let style = style(options);
    let mut list = List { candidates: Candidates::default(), found: Vec::new(), place: 0, message: String::new() };
    list.found = list.candidates.look();
    let mut looked = Instant::now();
    let mut interval = Duration::ZERO;
    while !host.is_interrupted() {
        let rows = Rows { place: list.place, interval, message: &list.message };
        host.draw(&mut |frame| draw::list(frame, style, &list.found, &rows))?;
        let wants_to_leave = match key(host, options.interval.saturating_sub(looked.elapsed()))? {
            Some(key) if quits(key) => true,
            Some(KeyEvent { code: KeyCode::Enter | KeyCode::Right, .. }) => list.enter(options, host)?,
            Some(key) => {
                list.place = moved(key.code, list.place, list.found.len());
                false
            }
            None => false,
        };
        if wants_to_leave {
            break;
        }
        if looked.elapsed() >= options.interval {
            list.found = list.candidates.look();
            list.place = list.place.min(list.found.len().saturating_sub(1));
            (interval, looked) = (looked.elapsed(), Instant::now());
        }
    }
    Ok(())
}

/// List to choose from.
struct List {
    candidates: Candidates,
    found: Vec<Candidate>,
    place: usize,
    /// Reason why the last chosen process couldn't be shown.
    message: String,
}

impl List {
    /// Shows the chosen process. Returns true if the user wants to quit.
    fn enter(&mut self, options: &Options, host: &mut impl ScreenHost) -> Result<bool> {
        let Some(chosen) = self.found.get(self.place) else { return Ok(false) };
        match host.source(chosen.pid) {
            Ok(mut source) => {
                let wish = show(options, host, &mut *source, true)?;
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
fn show(options: &Options, host: &mut impl ScreenHost, source: &mut dyn Source, has_list: bool) -> Result<Wish> {
    let style = style(options);
    let mut sampler = Sampler::new(source);
    let (mut view, mut sample) = (View::default(), Sample::default());
    let mut looked = Instant::now();
    // The first picture comes soon.
    let mut wanted = options.interval.min(Duration::from_millis(200));
    loop {
        host.draw(&mut |frame| draw::process(frame, style, &view, &sample))?;
        if let Some(key) = key(host, wanted.saturating_sub(looked.elapsed()))? {
            match view.key(key, &sample) {
                Wish::Quit if source.is_own_program() && !source.is_over() => source.interrupt(),
                Wish::Quit => return Ok(Wish::Quit),
                Wish::Back if has_list => return Ok(Wish::Back),
                Wish::Back | Wish::Show => {}
            }
        } else if source.is_over() && !view.paused
            || host.is_interrupted() && (source.is_over() || !source.is_own_program())
        {
            return Ok(if has_list && !host.is_interrupted() { Wish::Back } else { Wish::Quit });
        } else if looked.elapsed() >= wanted {
            (looked, wanted) = (Instant::now(), options.interval);
            if !view.paused {
                sample = sampler.look(source);
            }
        }
    }
}

/// The next key, if one is pressed soon.
fn key(host: &mut impl ScreenHost, within: Duration) -> Result<Option<KeyEvent>> {
    host.key(within.min(SLICE))
}

fn style(options: &Options) -> Style {
    Style { colour: options.has_colour }
}
