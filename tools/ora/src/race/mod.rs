//! `ora race`: runs a program that is built with ThreadSanitizer, and shows its data races in OpenMP's words.
//!
//! [`check`] looks at the program, [`runs`] runs it with the detector (`libora_race.so`), which leaves lines of [`race_format`].
//! [`recorded`] and [`finding`] make functions, lines and variables of them, [`merge`] one finding of each pair of places,
//! and [`cause`] says what is missing.

mod address_layout;
mod cause;
mod check;
mod debug_info;
mod describe;
mod finding;
mod frames;
mod json;
mod merge;
mod outcome;
mod recorded;
mod runs;
#[cfg(test)]
mod sample;
mod sanitizer_options;
mod sarif;
mod source;
mod suppressions;
mod text;
mod unseen;

use std::env;
use std::ffi::OsString;

use ::terminal::printable::command_line;
use anyhow::Result;

use crate::args::Race;
use crate::exit::{Exit, OWN_FAILURE};
use crate::output::{Answer, Output, say};

pub(crate) use check::is_instrumented;
use finding::Tools;
use outcome::Outcome;

/// Exit code where races were found; ThreadSanitizer has the same.
const RACY: u8 = 66;

/// # Errors
/// If no race could be found in the program, a library is missing, a file can't be read or written, or the program can't be
/// started.
pub(crate) fn race(args: &Race) -> Result<Exit> {
    let program = args.program.first().map(OsString::as_os_str).unwrap_or_default();
    let rules = suppressions::read(&args.suppressions)?;
    check::check(program)?;
    let mut output = Output::open(args.output.as_deref())?;
    let mut sarif = args.sarif.as_deref().map(|path| Output::open(Some(path))).transpose()?;
    let notes = sanitizer_options::with_users(&env::var("TSAN_OPTIONS").unwrap_or_default()).notes;
    let runs = runs::run_all(args, &runs::plans(args))?;

    let mut tools = Tools::default();
    let outcome = Outcome::of(runs, rules, notes, &mut tools);
    if !outcome.has_seen() {
        say(unseen::reason(program, &outcome));
    }
    let sources = &mut tools.sources;
    if let Some(sarif) = &mut sarif {
        sarif.write(&Answer::Json(sarif::document(&outcome, sources)?))?;
    }
    if args.json {
        output.write(&Answer::Json(json::document(&args.program, &outcome, sources)?))?;
    } else if outcome.has_seen() {
        let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
        let page = text::report(&command_line(&words), &outcome, args.max, sources);
        output.write_paged(&Answer::Page(page, args.screen))?;
    }
    Ok(exit(args, &outcome))
}

fn exit(args: &Race, outcome: &Outcome) -> Exit {
    match outcome.program_exit() {
        signal @ Exit::Signal(_) => signal,
        _ if outcome.is_racy() && !args.exit_zero => Exit::Code(RACY),
        Exit::Code(0) if !outcome.has_seen() => Exit::Code(OWN_FAILURE),
        own => own,
    }
}
