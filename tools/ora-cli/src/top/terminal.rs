//! The terminal while it shows a screen. It gets back what it showed before on every way out, also by a panic.

use std::io;

use anyhow::{Context, Result};
use ratatui::DefaultTerminal;

use crate::signals;

/// A terminal that shows a screen, until it is dropped.
#[derive(Debug)]
pub(super) struct Terminal(DefaultTerminal);

impl Terminal {
    /// # Errors
    /// If it can't show a screen.
    pub(super) fn take() -> Result<Self> {
        signals::end_at_hang_up();
        // It restores the terminal on a panic, before the message.
        let taken = ratatui::try_init().inspect_err(|_| ratatui::restore());
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

impl Drop for Terminal {
    fn drop(&mut self) {
        ratatui::restore();
    }
}
