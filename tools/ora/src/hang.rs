//! `ora hang`: who waits for whom in a process, from outside.

use std::io;
use std::time::Duration;

use anyhow::Result;
use attach_outside::permission;
use attach_outside::process::{Process, Status};
use attach_outside::target;
use hang::look::Observer;
use hang::outcome::Outcome;
use hang::{json, stable, text};
use symbols::Files;

use crate::args::Hang;
use crate::exit::{Exit, Failure};
use crate::live::{failure, watch_over_tracing};
use crate::output::{Answer, Output};

/// A hang was found.
const HANGS: u8 = 3;

/// # Errors
/// If the process can't be looked at, or the answer can't be written.
pub(crate) fn hang(args: &Hang) -> Result<Exit> {
    let outcome = examine(args)?;
    let answer = if args.json {
        Answer::Json(json::document(&outcome)?)
    } else {
        Answer::Page(text::page(&outcome), args.screen)
    };
    Output::open_or_stdout(args.output.as_deref())?.write_paged(&answer)?;
    Ok(Exit::Code(if outcome.hangs() { HANGS } else { 0 }))
}

fn examine(args: &Hang) -> Result<Outcome> {
    let process = Process { pid: args.pid };
    let status = target::living(process).map_err(failure)?;
    let refused = |error: io::Error| -> Failure { refusal(process, &status, &error) };
    let files = Files::default();
    let watchdog = watch_over_tracing(args.pid);
    let mut observer = Observer::new(process, &files).map_err(refused)?;
    let look = stable::settled(&mut observer, Duration::from_millis(args.between)).map_err(refused)?;
    drop(watchdog);
    if look.threads.is_empty() {
        return Err(failure(attach_outside::Refusal::Ended(args.pid)).into());
    }
    let words = Process { pid: args.pid }.words().iter().map(|word| word.to_string_lossy().into_owned()).collect();
    Ok(Outcome::of(args.pid, words, &observer, look))
}

/// The failure behind a refusal of the kernel's.
fn refusal(process: Process, status: &Status, error: &io::Error) -> Failure {
    failure(permission::forbidden(process, status, error))
}
