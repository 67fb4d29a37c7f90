//! `ora attach`: injects a collector into a running process, and shows its counts.

use std::ffi::OsString;
use std::rc::Rc;

use anyhow::{Result, bail};
use attach_inside::mailbox::kind;
use attach_outside::process::Process;
use attach_outside::target::Allowed;
use hang::current::{self, Events};
use hang::look::Observer;
use stat_analysis::{stat, tasks};
use stat_layout::area::{Shared, SharedArea};
use stat_layout::{stat as stat_memory, tasks as tasks_memory};
use symbols::{Files, Instrumented};
use terminal::printable::command_line;

use super::attempt::watch_over_tracing;
use super::begin::{begin_collector, watch_for};
use super::failure::NO_PROCESS;
use super::recording;
use super::session::{Session, Watched};
use crate::args::{Attach, Watch};
use crate::doctor;
use crate::exit::{Exit, Failure};
use crate::output::{Answer, Output};

/// # Errors
/// If the process can't be attached to, a library is missing, or FILE can't be written.
pub(crate) fn attach(args: &Attach) -> Result<Exit> {
    check(args)?;
    match args.what {
        Watch::Profile => return recording::profile(args),
        Watch::Trace => return recording::trace(args),
        Watch::Stat | Watch::Tasks => {}
    }
    let mut output = Output::open_or_stdout(args.output.as_deref())?;
    let answer = match args.what {
        Watch::Stat => {
            let (session, watched, words) = watch::<stat_memory::layout::Area>(args, kind::STAT)?;
            let run = stat::Run::read(session.area(), &watched.run, &Rc::new(Instrumented::default()));
            stat_answer(args, &words, run)?
        }
        _ => {
            let (session, watched, words) = watch::<tasks_memory::layout::TasksArea>(args, kind::TASKS)?;
            let run = tasks::TasksRun::read(&tasks::RawRun {
                area: session.area(),
                instances: session.items(),
                pace: watched.run.pace,
                finished: watched.run,
                instrumented: Rc::new(Instrumented::default()),
            });
            tasks_answer(args, &words, &run)?
        }
    };
    output.write(&answer)?;
    Ok(Exit::Code(0))
}

/// Rejects options that don't apply to the kind of watching.
fn check(args: &Attach) -> Result<()> {
    let is_recording = matches!(args.what, Watch::Profile | Watch::Trace);
    let is_profile = args.what == Watch::Profile;
    for (is_given, goes, option, with) in [
        (args.json, !is_recording, "--json", "`stat` and `tasks`: for a recording ask `ora report --json`"),
        (args.rate.is_some(), is_profile, "--rate", "`profile`"),
        (args.signal.is_some(), is_profile, "--signal", "`profile`"),
        (!args.events.is_empty(), args.what == Watch::Trace, "--events", "`trace`"),
    ] {
        if is_given && !goes {
            bail!(Failure { code: NO_PROCESS, message: format!("{option} goes with {with}") });
        }
    }
    Ok(())
}

/// Attaches, and watches for the requested time. Also returns the process's command line.
fn watch<T: Shared>(args: &Attach, kind: u32) -> Result<(Session<SharedArea<T>>, Watched, Vec<OsString>)> {
    let words = Process { pid: args.pid }.words();
    let mut session = begin_collector::<T>(args.pid, Allowed { seccomp: args.allow_seccomp }, kind)?;
    let watched = watch_for(args, &mut session)?;
    Ok((session, watched, words))
}

fn stat_answer(args: &Attach, words: &[OsString], run: stat::Run) -> Result<Answer> {
    let runs = [run];
    if args.json {
        return stat::json::document(words, &runs).map(Answer::Json);
    }
    let name = name(args.pid, words);
    let program = words.first().map(OsString::as_os_str).unwrap_or_default();
    let report = stat::Report::of(&runs);
    let why_unseen = if report.subject.is_none() { doctor::why_unseen(program) } else { None };
    let is_known = report.subject.as_ref().is_some_and(|shown| shown.process.is_explained());
    let without_events = if is_known { None } else { doing(args.pid, Events::Regions) };
    let table =
        stat::Table { name: &name, why_unseen, without_events, wanted_runs: 1, rows: args.rows, followed: false };
    Ok(Answer::Page(table.render(&report), args.screen))
}

fn tasks_answer(args: &Attach, words: &[OsString], run: &tasks::TasksRun) -> Result<Answer> {
    if args.json {
        return tasks::json::document(words, run, false).map(Answer::Json);
    }
    let name = name(args.pid, words);
    let program = words.first().map(OsString::as_os_str).unwrap_or_default();
    let why_unseen = if run.is_seen() { None } else { doctor::why_unseen(program) };
    let without_events = if run.is_known() { None } else { doing(args.pid, Events::Tasks) };
    let table =
        tasks::TasksTable { name: &name, why_unseen, without_events, rows: args.rows, places: 10, followed: false };
    Ok(Answer::Page(table.render(run), args.screen))
}

/// Activity of a process without events, in words. `None` if the process may not be examined.
pub(crate) fn doing(pid: u32, events: Events) -> Option<String> {
    let files = Files::default();
    let _watchdog = watch_over_tracing(pid);
    let mut observer = Observer::new(Process { pid }, &files).ok()?;
    let look = observer.look().ok()?;
    Some(current::without(events, pid, &observer, &look))
}

fn name(pid: u32, words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    format!("{} (process {pid})", command_line(&words))
}
