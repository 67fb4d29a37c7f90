//! `ora hang`: determines from outside which threads of a process wait for which others.

use std::collections::VecDeque;
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
/// Maximum number of forked processes that are examined.
const MAX_FORKED: usize = 16;
/// Maximum number of processes whose start is read, to find forked ones.
const MAX_CHILDREN: usize = 1024;

/// # Errors
/// If the process can't be examined, or the answer can't be written.
pub(crate) fn hang(args: &Hang) -> Result<Exit> {
    let mut outcome = examine(args, Process { pid: args.pid })?;
    if !outcome.hangs() {
        add_forked(args, &mut outcome);
    }
    let answer = if args.json {
        Answer::Json(json::document(&outcome)?)
    } else {
        Answer::Page(text::page(&outcome), args.screen)
    };
    Output::open_or_stdout(args.output.as_deref())?.write_paged(&answer)?;
    Ok(Exit::Code(if outcome.hangs() { HANGS } else { 0 }))
}

/// Adds what hangs in processes that a process has forked, and in those that these have forked, unless they hang themselves.
fn add_forked(args: &Hang, outcome: &mut Outcome) {
    let mut open = VecDeque::from([(Process { pid: args.pid }, outcome.waits())]);
    let (mut children, mut examined) = (0, 0);
    while let Some((parent, waits)) = open.pop_front() {
        for child in parent.children() {
            children += 1;
            let is_forked = child.is_forked();
            if children > MAX_CHILDREN || is_forked && examined >= MAX_FORKED {
                return outcome.note_unexamined(examined);
            }
            if !is_forked {
                continue;
            }
            examined += 1;
            // A child that may not be examined, or ends meanwhile, proves nothing about its parent.
            let Ok(found) = examine(args, child) else { continue };
            if found.hangs() {
                outcome.add_forked(&found, parent.pid, waits);
            } else {
                open.push_back((child, waits && found.waits()));
            }
        }
    }
}

fn examine(args: &Hang, process: Process) -> Result<Outcome> {
    let pid = process.pid;
    let status = target::living(process).map_err(failure)?;
    let refused = |error: io::Error| -> Failure { refusal(process, &status, &error) };
    let files = Files::default();
    let watchdog = watch_over_tracing(pid);
    let mut observer = Observer::new(process, &files).map_err(refused)?;
    let look = stable::settled(&mut observer, Duration::from_millis(args.between)).map_err(refused)?;
    drop(watchdog);
    if look.threads.is_empty() {
        return Err(failure(attach_outside::Refusal::Ended(pid)).into());
    }
    let words = process.words().iter().map(|word| word.to_string_lossy().into_owned()).collect();
    Ok(Outcome::of(pid, words, &observer, look))
}

/// Failure for a refusal by the kernel.
fn refusal(process: Process, status: &Status, error: &io::Error) -> Failure {
    failure(permission::forbidden(process, status, error))
}
