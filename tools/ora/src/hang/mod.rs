//! `ora hang`: who waits for whom in a process, from outside.

mod json;
mod text;

use std::io;
use std::time::Duration;

use anyhow::Result;
use attach_outside::permission;
use attach_outside::process::{Process, Status};
use attach_outside::target;
use hang::describe::{self, Description};
use hang::finding::Answer as Findings;
use hang::look::Observer;
use hang::model::Look;
use hang::stable;
use symbols::Files;

use crate::args::Hang;
use crate::exit::{Exit, Failure};
use crate::live::{failure, watch_over_tracing};
use crate::output::{Answer, Output};

/// A hang was found.
const HANGS: u8 = 3;

/// Findings in a process.
struct Outcome {
    pid: u32,
    command: Vec<String>,
    look: Look,
    findings: Vec<Description>,
    pending: Vec<String>,
    limits: Vec<String>,
}

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
    Ok(Exit::Code(if outcome.findings.is_empty() { 0 } else { HANGS }))
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
    let found = Findings::of(&look);
    Ok(Outcome {
        pid: args.pid,
        command: crate::live::words(args.pid).iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        findings: found.findings.iter().map(|finding| describe::finding(&look, finding)).collect(),
        pending: found.pending.iter().filter_map(|pending| describe::pending(&look, pending)).collect(),
        limits: limits(&observer, &look),
        look,
    })
}

/// The failure behind a refusal of the kernel's.
fn refusal(process: Process, status: &Status, error: &io::Error) -> Failure {
    failure(permission::forbidden(process, status, error))
}

/// Gaps of knowledge, in sentences.
fn limits(observer: &Observer, look: &Look) -> Vec<String> {
    let mut limits = Vec::new();
    let has = |name: &str| observer.objects().iter().any(|object| object.is(name));
    if !["libgomp", "libomp", "libiomp5"].into_iter().any(has) {
        limits.push("no OpenMP runtime is loaded: only waits outside of OpenMP are known".to_owned());
    } else if has("libgomp") && !observer.knows_teams() {
        limits.push("the teams of this libgomp's threads can't be read: waits at barriers are guesses".to_owned());
    } else if !has("libgomp") {
        limits.push("teams are known on libgomp only: who is missing at a barrier isn't known here".to_owned());
    }
    let stopped = look.threads.iter().filter_map(|thread| thread.stopped);
    if let Some(longest) = stopped.clone().max() {
        let count = terminal::quantity::count(stopped.count() as u64, "thread was", "threads were");
        let longest = terminal::quantity::time(longest.as_nanos() as f64);
        limits.push(format!("{count} stopped for a moment to read registers, for {longest} at most"));
    }
    let cut = look.threads.iter().filter(|thread| thread.is_cut).count();
    if cut > 0 {
        let threads = terminal::quantity::count(cut as u64, "thread was", "threads were");
        limits.push(format!("{threads} not looked at wholly, since it takes too long: what they hold is not known"));
    }
    let cut = look.threads.iter().filter(|thread| !thread.whole).count();
    if cut > 0 {
        limits.push(format!("{} whole", terminal::quantity::count(cut as u64, "stack is not", "stacks are not")));
    }
    limits
}
