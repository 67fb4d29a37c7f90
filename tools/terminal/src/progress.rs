//! A line on the terminal that shows the progress of a long task. It is shown on a terminal only, and erased at the
//! end.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::page::elide;

use crate::screen;

/// Pause between two updates of the line.
const PAUSE: Duration = Duration::from_millis(500);

/// A progress line on the terminal.
pub struct Progress {
    /// True if stderr is a terminal.
    terminal: bool,
    /// Others write to the same terminal meanwhile: lines are not erased, because they might be theirs.
    shared: bool,
    last: Option<Instant>,
}

impl Progress {
    /// A line for work during which only `ora` writes to the terminal.
    pub fn alone() -> Self {
        Self { terminal: io::stderr().is_terminal() && anstyle_query::term_supports_color(), shared: false, last: None }
    }

    /// A line for the runs of a program that writes to the terminal as well.
    pub fn of_runs() -> Self {
        Self { shared: io::stdout().is_terminal(), ..Self::alone() }
    }

    /// Replaces the line, unless it was updated only a moment ago.
    pub fn show(&mut self, text: &str) {
        let soon = self.last.is_some_and(|last| last.elapsed() < PAUSE);
        if !self.terminal || soon {
            return;
        }
        let columns = screen::columns(&io::stderr()).saturating_sub(1);
        let line = elide(&format!("ora: {text}"), columns);
        if self.shared {
            put(&format!("{line}\n"));
        } else {
            // The cursor returns to the start of the line, so that a message of the program starts there.
            put(&format!("\r\x1b[K{line}\r"));
        }
        self.last = Some(Instant::now());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.last.is_some() && !self.shared {
            put("\r\x1b[K");
        }
    }
}

/// Writes to stderr. Ignores a closed stderr.
fn put(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
