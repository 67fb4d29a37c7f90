//! `ora decode`: tells what is in a request buffer, and in a log of requests.

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
use serde::Serialize;

use crate::args::Decode;
use crate::ending::{Ending, Failure};
use crate::output::{Answer, Output};
use buffer::Buffer;
use calls::Calls;
pub(crate) use input::Format;
use report::printable::Shown;

/// Goes up when a key changes its meaning or goes away; new keys may come without.
const VERSION: u32 = 1;

/// Something is malformed, or breaks the protocol.
const MALFORMED: u8 = 1;
/// There is nothing that could be decoded.
const UNREADABLE: u8 = 2;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    version: u32,
    format: Format,
    well_formed: bool,
    #[serde(flatten)]
    what: What<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum What<'a> {
    Buffer(&'a Buffer),
    Log(&'a Calls),
}

/// # Errors
/// The input can't be read, or is none.
pub(crate) fn decode(args: &Decode) -> Result<Ending> {
    let (answer, good) = match &args.file {
        Some(file) if !args.numbers => shown(args, file).map_err(unreadable)?,
        _ => (Answer::Text(numbers()), true),
    };
    Output::Stdout.write(&answer)?;
    Ok(Ending::Code(if good { 0 } else { MALFORMED }))
}

fn unreadable(error: anyhow::Error) -> anyhow::Error {
    Failure { code: UNREADABLE, message: format!("{error:#}") }.into()
}

fn shown(args: &Decode, file: &std::path::Path) -> Result<(Answer, bool)> {
    let bytes = input::read(file)?;
    let format = args.format.unwrap_or_else(|| input::detect(&bytes));
    Ok(if format == Format::Log {
        let calls = Calls::of(records::read(&bytes)?);
        let good = calls.is_good();
        let what = What::Log(&calls);
        (if args.json { document(format, good, what)? } else { Answer::Text(calls.text()) }, good)
    } else {
        let bytes = input::buffer(bytes, format, args.words)
            .with_context(|| format!("cannot read {} as {}", file.shown(), format.words()))?;
        let buffer = Buffer::of(&bytes, args.reply);
        let good = buffer.is_good();
        let what = What::Buffer(&buffer);
        (if args.json { document(format, good, what)? } else { Answer::Text(buffer.text()) }, good)
    })
}

fn document(format: Format, well_formed: bool, what: What<'_>) -> Result<Answer> {
    let document = Document { schema: "ora-decode", version: VERSION, format, well_formed, what };
    Ok(Answer::Json(serde_json::to_string_pretty(&document)? + "\n"))
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
fn numbers() -> String {
    let mut out = String::new();
    for (family, names) in names::families() {
        let _ = writeln!(out, "{family}");
        for (number, name) in names {
            let _ = writeln!(out, "{number:>4}  {name}");
        }
    }
    out
}
