//! Converts bytes to what `ora decode` shows. The bytes are a request buffer, in one of several notations, or a log of
//! requests.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod answers;
mod buffer;
mod c_array;
mod calls;
mod described;
mod hex;
mod input;
mod layout;
mod names;
mod records;
mod replies;
mod text;
mod walk;

use std::fmt::Write as _;

use anyhow::{Context, Result};
use json_document::{Document, Versioned};
use serde::Serialize;

use buffer::Buffer;
use calls::Calls;
pub use input::Format;
use terminal::printable::Shown;

/// The formats of the input and of the output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The format; `None` if it is to be recognized by the content.
    pub format: Option<Format>,
    /// Numbers in text are `int`s.
    pub words: bool,
    /// The buffer has come back from the library.
    pub reply: bool,
    /// Write one JSON object instead of text.
    pub json: bool,
}

/// Decoded bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// Text that is not escaped for a terminal, or JSON.
    pub shown: String,
    /// True if nothing is malformed or violates the protocol.
    pub is_good: bool,
}

/// Decoded bytes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Body<'a> {
    /// Form of the input.
    format: Format,
    /// True: nothing is malformed, and no reply breaks the protocol (exit code 0; the library may refuse
    /// entries all the same); else exit code 1.
    well_formed: bool,
    #[serde(flatten)]
    what: What<'a>,
}

impl Versioned for Body<'_> {
    const SCHEMA: &'static str = "ora-decode";
    const VERSION: u32 = 1;
}

/// Content of the input.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum What<'a> {
    /// A buffer, with the key missing for a log.
    Buffer(&'a Buffer),
    /// A log, with the key missing for a buffer.
    Log(&'a Calls),
}

/// Decodes the bytes of a file. `name` is used for the file in messages.
///
/// # Errors
/// If the bytes don't have the format.
pub fn decode(bytes: Vec<u8>, name: &str, options: Options) -> Result<Decoded> {
    let format = options.format.unwrap_or_else(|| input::detect(&bytes));
    let (shown, is_good) = if format == Format::Log {
        let calls = Calls::of(records::read(&bytes)?);
        let good = calls.is_good();
        (if options.json { document(format, good, What::Log(&calls))? } else { calls.text() }, good)
    } else {
        let bytes = input::buffer(bytes, format, options.words)
            .with_context(|| format!("cannot read {} as {}", name.shown(), format.words()))?;
        let buffer = Buffer::of(&bytes, options.reply);
        let good = buffer.is_good();
        (if options.json { document(format, good, What::Buffer(&buffer))? } else { buffer.text() }, good)
    };
    Ok(Decoded { shown, is_good })
}

fn document(format: Format, well_formed: bool, what: What<'_>) -> Result<String> {
    Ok(Document::of(Body { format, well_formed, what }).text()?)
}

impl Format {
    fn words(self) -> &'static str {
        match self {
            Self::Raw => "raw bytes",
            Self::Hex => "hexadecimal text (--format says otherwise)",
            Self::C => "a C array (--format says otherwise)",
            Self::Log => "a log",
        }
    }
}

/// Every name of the interface.
pub fn numbers() -> String {
    let mut out = String::new();
    for (family, names) in names::families() {
        let _ = writeln!(out, "{family}");
        for (number, name) in names {
            let _ = writeln!(out, "{number:>4}  {name}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schema_and_page_are_current() {
        schemas::assert_current::<Body<'_>>("decode-json.md");
    }
}
