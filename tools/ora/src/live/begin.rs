//! Start of a session in a running process, and the wait for its end.

use std::time::Duration;

use anyhow::Result;
use attach_outside::inject::{Libraries, Wish};
use attach_outside::target::{Allowed, Target};
use stat_layout::ENTRY;
use stat_layout::area::{Shared, SharedArea};

use super::attempt::Attempt;
use super::failure::failure;
use super::session::{Memory, Session, Watched};
use crate::args::Attach;
use crate::output::say;
use crate::{call_sites, libraries, signals};

/// Injects a library that watches into a process. From now on signals are noted, see [`signals::take_note`].
///
/// # Errors
/// If a library is missing, or the process can't be attached to.
pub(super) fn begin<M: Memory>(
    attempt: Attempt,
    target: &mut Target,
    watcher: &str,
    wish: &Wish,
) -> Result<Session<M>> {
    let wish = Wish { call_sites: call_sites::of_process(target), ..wish.clone() };
    let libraries = Libraries { library: libraries::find(libraries::LIBRARY)?, watcher: libraries::find(watcher)? };
    signals::take_note();
    let session = Session::begin(target, &libraries, &wish).map_err(failure)?;
    drop(attempt);
    Ok(session)
}

/// Like `begin`, for one of the collectors.
///
/// # Errors
/// The same as those of `begin`.
pub(crate) fn begin_collector<T: Shared>(pid: u32, allowed: Allowed, kind: u32) -> Result<Session<SharedArea<T>>> {
    let attempt = Attempt::begin(pid);
    let mut target = attempt.examine(allowed).map_err(failure)?;
    let wish = Wish { kind, entry: ENTRY, items: 0, settings: Vec::new(), call_sites: Vec::new() };
    begin(attempt, &mut target, libraries::COLLECTORS, &wish)
}

/// Watches for the requested time, and prints that it does.
///
/// # Errors
/// If the session doesn't end.
pub(super) fn watch_for<M: Memory>(args: &Attach, session: &mut Session<M>) -> Result<Watched> {
    let until = if args.seconds.is_some() { "" } else { "; Ctrl-C ends that" };
    say(format_args!("watching process {}{until}", args.pid));
    Ok(session.watch(args.seconds.map(Duration::from_secs_f64)).map_err(failure)?)
}
