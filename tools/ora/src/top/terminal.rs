//! The terminal while it shows a screen. It gets back what it showed before on every way out, also by a panic.

use std::io;

use anyhow::{Context, Result};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{self, EnterAlternateScreen};
use ratatui::layout::Rect;
use ratatui::{DefaultTerminal, TerminalOptions, Viewport};

use crate::signals;

/// Of a terminal that says it has no size, as new ones of containers and of scripts do.
const USUAL: Rect = Rect::new(0, 0, 80, 24);

/// A terminal that shows a screen, until it is dropped.
#[derive(Debug)]
pub(super) struct Terminal(DefaultTerminal);

impl Terminal {
    /// # Errors
    /// If it can't show a screen.
    pub(super) fn take() -> Result<Self> {
        signals::end_at_hang_up();
        signals::note_after_program();
        // It restores the terminal on a panic, before the message.
        let has_no_size = terminal::size().is_ok_and(|(columns, lines)| columns == 0 || lines == 0);
        let taken = if has_no_size { without_size() } else { ratatui::try_init() };
        let taken = taken.inspect_err(|_| ratatui::restore());
        taken.map(Self).context("the terminal can't show a screen: use --batch")
    }

    /// Shows a screen.
    ///
    /// # Errors
    /// If it can't be written to.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut ratatui::Frame<'_>)) -> io::Result<()> {
        self.0.draw(draw).map(|_| ())
    }
}

/// A screen of the usual size.
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
