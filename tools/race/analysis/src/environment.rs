//! The variables of a run: those of the detector, of ThreadSanitizer and of OpenMP.

use std::ffi::OsString;
use std::path::Path;

use race_format::variable;

use crate::left::LOG;
use crate::plan::{Chunks, Options, Plan};
use crate::sanitizer_options;

/// Teams of more threads than this are not multiplied by nested regions: ThreadSanitizer fails with about 8,000
/// threads.
const MAX_NESTED_THREADS: u32 = 60;
/// Value of OMP_THREAD_LIMIT for runs with larger teams.
const LIMIT: &str = "512";
/// Maximum number of teams of a league in a varied run: each team executes the whole target region.
const MAX_TEAMS: u32 = 4;

/// Facts that the variables depend on.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Folder for the files of the processes.
    pub folder: &'a Path,
    /// The user's value of `TSAN_OPTIONS`.
    pub users_options: &'a str,
    /// The user has set `OMP_THREAD_LIMIT`.
    pub has_thread_limit: bool,
    /// ThreadSanitizer is linked into the program.
    pub has_sanitizer_inside: bool,
}

/// Variables of a run.
#[derive(Debug)]
pub struct Environment {
    /// Names and values.
    pub variables: Vec<(&'static str, OsString)>,
    /// See [`Run::logged`](crate::run::Run::logged).
    pub logged: bool,
}

/// Notes for the user about their options in the value of `TSAN_OPTIONS`.
pub fn notes(users_options: &str) -> Vec<String> {
    sanitizer_options::with_users(users_options).notes
}

/// The variables of a run.
pub fn of_run(options: &Options, plan: Plan, facts: Inputs<'_>) -> Environment {
    let Inputs { folder, users_options, .. } = facts;
    // A user who names a file for ThreadSanitizer's reports wants them there.
    let names_file = sanitizer_options::sets(users_options, "log_path");
    let raw = options.raw || names_file;
    let mut sanitizers = sanitizer_options::with_users(users_options).value;
    let logged = facts.has_sanitizer_inside && !names_file;
    if logged {
        // ThreadSanitizer's reports are only in its log, and its exit code would hide the program's.
        sanitizers = format!("exitcode=0 log_path={} {sanitizers}", folder.join(LOG).to_string_lossy());
    }
    if !raw && !sanitizer_options::sets(users_options, "suppressions") {
        // Names are looked up here, from addresses. ThreadSanitizer would take long for them, or start another
        // program.
        sanitizers = format!("symbolize=0 {sanitizers}");
    }
    let chunks = match options.chunks {
        Chunks::Auto => "auto",
        Chunks::Yes => "1",
        Chunks::No => "0",
    };
    let mut variables: Vec<(&'static str, OsString)> = vec![
        (variable::FOLDER, folder.into()),
        (variable::SEED, plan.seed.to_string().into()),
        (variable::CHUNKS, chunks.into()),
        (variable::RAW, if raw { "1" } else { "0" }.into()),
        // Other processes of the program may check a process's exit code.
        (variable::EXIT_CODE, "0".into()),
        ("TSAN_OPTIONS", sanitizers.into()),
        // Without this, no runtime activates the detector, which is its tool.
        ("OMP_TOOL", "enabled".into()),
    ];
    if let Some(threads) = plan.threads {
        variables.push(("OMP_NUM_THREADS", threads.to_string().into()));
        if options.vary {
            variables.push((variable::TEAMS, threads.min(MAX_TEAMS).to_string().into()));
        }
        if options.vary && threads > MAX_NESTED_THREADS && !facts.has_thread_limit {
            variables.push(("OMP_THREAD_LIMIT", LIMIT.into()));
        }
    }
    Environment { variables, logged }
}
