//! `ora decode`: prints the content of a request buffer or of a log of requests.
#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "the user of `ora` has named them on the command line")
)]

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ::decode::Options;
use anyhow::{Context, Result, bail};
use terminal::printable::Shown;

use crate::args::Decode;
use crate::exit::{Exit, Failure};
use crate::output::{Answer, Output};

/// The input is malformed or violates the protocol.
const MALFORMED: u8 = 1;
/// The input can't be decoded.
const UNREADABLE: u8 = 2;

/// # Errors
/// If the input can't be read, or is not of a supported kind.
pub(crate) fn decode(args: &Decode) -> Result<Exit> {
    let (answer, good) = match &args.file {
        Some(file) if !args.numbers => shown(args, file).map_err(unreadable)?,
        _ => (Answer::Text(::decode::numbers()), true),
    };
    Output::Stdout.write(&answer)?;
    Ok(Exit::Code(if good { 0 } else { MALFORMED }))
}

fn unreadable(error: anyhow::Error) -> anyhow::Error {
    Failure { code: UNREADABLE, message: format!("{error:#}") }.into()
}

fn shown(args: &Decode, file: &Path) -> Result<(Answer, bool)> {
    let bytes = read(file)?;
    let options = Options { format: args.format, words: args.words, reply: args.reply, json: args.json };
    let decoded = ::decode::decode(bytes, &file.to_string_lossy(), options)?;
    let answer = if args.json { Answer::Json } else { Answer::Text };
    Ok((answer(decoded.shown), decoded.is_good))
}

/// Reads the whole input; `-` is stdin.
///
/// # Errors
/// If the file can't be read, or is empty.
fn read(file: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
    } else {
        File::open(file)
            .and_then(|mut open| open.read_to_end(&mut bytes))
            .with_context(|| format!("cannot read {}", file.shown()))?;
    }
    if bytes.is_empty() {
        bail!(
            "{} is empty: there is nothing to decode. Name a request buffer, or a log by `ora run --log-requests`",
            file.shown()
        );
    }
    Ok(bytes)
}
