//! Destination of a command's answer: a stream or a file.

use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result};
use terminal::page::{Page, Paper};
use terminal::pager;
use terminal::printable::{self, Shown};

use crate::output_file::OutputFile;
use crate::{output_name, signals};
use terminal::screen::{self, Screen};

/// Content of a command's answer.
pub(crate) enum Answer {
    /// Plain text: control characters are escaped.
    Text(String),
    /// Text that is laid out for the width of its destination.
    Page(Page, Screen),
    /// JSON, written as it is.
    Json(String),
}

/// Destination of an answer.
pub(crate) enum Output {
    Stdout,
    Stderr,
    File(OutputFile),
}

impl Output {
    /// Opens FILE (see [`output_name`]), stdout for `-`, or stderr by default. Must be called before the program runs, so that an error
    /// about FILE is reported immediately.
    ///
    /// # Errors
    /// If the file can't be created.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        let plain = |path: &Path| path == Path::new("-") || path.starts_with("/dev");
        let path = path.map(|path| if plain(path) { path.to_owned() } else { output_name::expand_file(path) });
        Self::file_or(path.as_deref(), Self::Stderr)
    }

    /// Like [`Self::open`], with stdout in place of stderr.
    ///
    /// # Errors
    /// If the file can't be created.
    pub(crate) fn open_or_stdout(path: Option<&Path>) -> Result<Self> {
        path.map_or(Ok(Self::Stdout), |path| Self::open(Some(path)))
    }

    /// A file, `-` for stdout, or a stream by default.
    ///
    /// # Errors
    /// If the file can't be created.
    pub(crate) fn file_or(path: Option<&Path>, stream: Self) -> Result<Self> {
        let Some(path) = path else { return Ok(stream) };
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        Ok(Self::File(OutputFile::open(path).with_context(|| format!("cannot write to {}", path.shown()))?))
    }

    /// # Errors
    /// If it can't be written. A closed pipe is not an error: its reader has seen enough.
    pub(crate) fn write(&mut self, answer: &Answer) -> Result<()> {
        let text = self.laid_out(answer);
        self.put(&text)?;
        // `ora stat --json -- PROGRAM | jq`, whose user sees the object here.
        let is_json_seen = matches!((&self, answer), (Self::Stderr, Answer::Json(_))) && io::stderr().is_terminal();
        if is_json_seen && !io::stdout().is_terminal() {
            say(
                "stdout is the program's, so the JSON is on stderr. To use it elsewhere, name a file: `--json -o FILE`",
            );
        }
        Ok(())
    }

    /// Like `write`, but uses a pager for a page that goes to stdout, which is a terminal, and doesn't fit on it.
    ///
    /// # Errors
    /// The same as those of `write`.
    pub(crate) fn write_paged(&mut self, answer: &Answer) -> Result<()> {
        let text = self.laid_out(answer);
        let pageable = matches!((&self, answer), (Self::Stdout, Answer::Page(..)));
        let lines = if pageable { screen::height(&io::stdout()) } else { None };
        let longer = lines.is_some_and(|lines| text.lines().count() >= lines);
        if longer && pager::show(&text, signals::keep_exit_status, signals::leave_keys_to_child) {
            Ok(())
        } else {
            self.put(&text)
        }
    }

    /// [`Self::write_paged`], unless the user wants no pager.
    ///
    /// # Errors
    /// If it can't be written.
    pub(crate) fn show(&mut self, answer: &Answer, no_pager: bool) -> Result<()> {
        if no_pager { self.write(answer) } else { self.write_paged(answer) }
    }

    fn laid_out<'a>(&self, answer: &'a Answer) -> Cow<'a, str> {
        match answer {
            Answer::Text(text) => printable::text(text),
            Answer::Page(page, screen) => page.render(self.paper(*screen)).into(),
            Answer::Json(text) => text.into(),
        }
    }

    fn put(&mut self, text: &str) -> Result<()> {
        let written = match self {
            Self::Stdout => all(&mut io::stdout().lock(), text),
            Self::Stderr => all(&mut io::stderr().lock(), text),
            Self::File(file) => all(file, text),
        };
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written.with_context(|| format!("cannot write to {}", self.name())),
        }
    }

    fn paper(&self, screen: Screen) -> Paper {
        match self {
            Self::Stdout => screen.paper(&io::stdout()),
            Self::Stderr => screen.paper(&io::stderr()),
            Self::File(file) => screen.paper(file.file()),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Stdout => "stdout".to_owned(),
            Self::Stderr => "stderr".to_owned(),
            Self::File(file) => file.path().shown().to_string(),
        }
    }
}

fn all(to: &mut impl Write, text: &str) -> io::Result<()> {
    to.write_all(text.as_bytes())?;
    // Data that remains in a buffer would be lost silently.
    to.flush()
}

/// Prints a line on stderr, apart from the answer. Ignores a closed stderr.
pub(crate) fn say(what: impl std::fmt::Display) {
    let line = format!("ora: {what}\n");
    let _ = io::stderr().write_all(printable::text(&line).as_bytes());
}
