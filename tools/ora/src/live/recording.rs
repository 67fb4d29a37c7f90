//! `ora attach PID profile` and `ora attach PID trace`: recordings of a running process, in a folder.

use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use attach_inside::mailbox::kind;
use attach_inside::progress::ProgressPage;
use attach_inside::settings;
use attach_outside::inject::Wish;
use attach_outside::target::Allowed;
use untrusted::proc_text;

use super::attempt::Attempt;
use super::begin::{begin, watch_for};
use super::failure::failure;
use super::process_folder::FolderOfProcess;
use crate::args::{Attach, Events, USUAL_RATE};
use crate::exit::Exit;
use crate::recording_folder::{Recording, RecordingFolder};
use crate::{libraries, profile, signals, trace};

/// Entry points of the libraries, with the number of the mailbox's layout: see [`stat_layout::ENTRY`].
const PROFILER_ENTRY: &str = "ora_profiler_serve_3";
const TRACER_ENTRY: &str = "ora_tracer_serve_3";

/// # Errors
/// If the process can't be attached to, a library is missing, or the folder can't be created.
pub(super) fn profile(args: &Attach) -> Result<Exit> {
    use profile_format::variable::{QUOTA, RATE, SIGNAL};
    let rate = args.rate.unwrap_or(USUAL_RATE);
    let mut wanted: Vec<(&CStr, String)> = vec![(RATE, rate.to_string())];
    wanted.extend(args.signal.map(|signal| (SIGNAL, signal.0.to_string())));
    wanted.extend(stat_analysis::quota::of_this_process().map(|quota| (QUOTA, quota.to_string())));
    let place = record(args, Recording::Profile, kind::PROFILE, (libraries::PROFILER, PROFILER_ENTRY), &wanted)?;
    profile::show(&place, started(args.pid), Exit::Code(0), args.screen)?;
    Ok(Exit::Code(0))
}

/// # Errors
/// The same as those of [`profile`].
pub(super) fn trace(args: &Attach) -> Result<Exit> {
    let usual = [Events::Regions, Events::Sync, Events::Tasks, Events::Locks];
    let events = if args.events.is_empty() { &usual } else { args.events.as_slice() };
    let wanted = [(trace_format::variable::EVENTS, trace::events(events))];
    let place = record(args, Recording::Trace, kind::TRACE, (libraries::TRACER, TRACER_ENTRY), &wanted)?;
    trace::show(&place, Exit::Code(0), &[], args.screen)?;
    Ok(Exit::Code(0))
}

/// Attaches, and records for the requested time.
fn record(
    args: &Attach,
    recording: Recording,
    kind: u32,
    (library, entry): (&str, &'static str),
    wanted: &[(&CStr, String)],
) -> Result<RecordingFolder> {
    let attempt = Attempt::begin(args.pid);
    let mut target = attempt.examine(Allowed { seccomp: args.allow_seccomp }).map_err(failure)?;
    let own = if target.same_files { None } else { Some(FolderOfProcess::make(&target).map_err(failure)?) };
    let place = RecordingFolder::choose(args.output.as_deref(), recording)?;
    let folder =
        if recording == Recording::Profile { profile_format::variable::FOLDER } else { trace_format::variable::FOLDER };
    let mut text = Vec::new();
    let writes_to = own.as_ref().map_or(place.folder(), FolderOfProcess::inside);
    settings::push(&mut text, folder, writes_to.as_os_str().as_bytes());
    for (name, value) in wanted {
        settings::push(&mut text, name, value.as_bytes());
    }
    let wish = Wish { kind, entry, items: 0, settings: text, call_sites: Vec::new() };
    let mut session = begin::<ProgressPage>(attempt, &mut target, library, &wish).inspect_err(|_| place.remove())?;
    watch_for(args, &mut session)?;
    signals::session_has_ended();
    if let Some(own) = own {
        own.fetch(place.opened()).context("cannot fetch what the process has recorded")?;
    }
    Ok(place)
}

/// Time at which the process was started, or that of the system's start if `/proc` doesn't contain it.
fn started(pid: u32) -> SystemTime {
    let read = |path: &str| proc_text::text(Path::new(path)).unwrap_or_default();
    let system = read("/proc/stat");
    let booted = system.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse().ok()).unwrap_or(0);
    // Field 22 (proc(5)), in hundredths of a second. It follows the name, which may contain anything.
    let process = read(&format!("/proc/{pid}/stat"));
    let ticks = process.rsplit(") ").next().and_then(|fields| fields.split(' ').nth(19)?.parse::<u64>().ok());
    SystemTime::UNIX_EPOCH + Duration::from_secs(booted) + Duration::from_millis(ticks.unwrap_or(0) * 10)
}
