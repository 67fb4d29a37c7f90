//! `ora top`: where a program's time goes right now, once a second.
//!
//! The figures come from the memory of `ora stat`'s collector ([`source`]), which the program writes anyway: a look costs it nothing.
//! The difference of two looks ([`sample`]) is shown on a screen ([`screen`]), or as text and JSON ([`batch`]).

mod batch;
mod candidates;
mod draw;
mod json;
mod load;
mod pages;
mod sample;
mod screen;
mod source;
mod started;
mod terminal;
mod view;

use std::io::{self, IsTerminal};

use anyhow::Result;
use attach_outside::target::Allowed;

use self::source::Source;
use self::started::Started;
use crate::args::Top;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// There is no such process, or there are several.
const NO_PROCESS: u8 = 2;

/// # Errors
/// If the process can't be attached to, the program can't be started, or the output can't be written.
pub(crate) fn top(args: &Top) -> Result<Exit> {
    let has_screen = !args.batch && !args.json && args.output.is_none() && args.count.is_none();
    if has_screen && !io::stdout().is_terminal() {
        let message = "ora top needs a terminal for its screen: add --batch for text, or --json".to_owned();
        return Err(Failure { code: NO_PROCESS, message }.into());
    }
    let mut output = match args.program.is_empty() {
        true => Output::open_or_stdout(args.output.as_deref())?,
        false => Output::open(args.output.as_deref())?,
    };
    let allowed = Allowed { seccomp: args.allow_seccomp };
    if !args.program.is_empty() {
        let started = Source::Started(Started::start(&args.program, has_screen)?);
        return if has_screen { screen::watch(args, started) } else { batch::watch(args, started, &mut output) };
    }
    let Some(named) = &args.process else {
        return if has_screen { screen::choose(args) } else { batch::list(args, &mut output) };
    };
    let source = Source::of_process(process(named)?, allowed)?;
    if has_screen { screen::watch(args, source) } else { batch::watch(args, source, &mut output) }
}

/// The process of this number or name.
fn process(named: &str) -> Result<u32, Failure> {
    if let Ok(pid) = named.parse() {
        return Ok(pid);
    }
    let failure = |message: String| Failure { code: NO_PROCESS, message };
    match candidates::named(named).as_slice() {
        [pid] => Ok(*pid),
        [] => Err(failure(format!("no process runs a program named {named}. Start it by `ora top -- {named}`"))),
        several => {
            let numbers: Vec<String> = several.iter().map(u32::to_string).collect();
            let numbers = numbers.join(", ");
            Err(failure(format!("several processes run {named}: name one by its number ({numbers})")))
        }
    }
}
