//! Settings that the command passes in variables ([`race_format::variable`]).

use std::ffi::CStr;
use std::sync::OnceLock;
use system::environment::{self, number};

/// Order of the chunks of loops and the sections that one thread has executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunks {
    /// Chunks and sections of a thread are ordered.
    Ordered,
    /// Sections are concurrent; races between chunks of a thread are possible ones.
    Possible,
    /// Chunks and sections are concurrent.
    Concurrent,
}

/// Settings of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// The folder for the processes' files; without it the detector does nothing.
    pub(crate) folder: Option<&'static CStr>,
    /// Determines what is left to chance; without the variable, the process's number.
    pub(crate) seed: u64,
    pub(crate) chunks: Chunks,
    /// Number of teams if the program specifies none; 0 for the runtime's own.
    pub(crate) teams: u32,
    /// True if ThreadSanitizer's own text is let through.
    pub(crate) raw: bool,
    /// True if races change the exit code.
    pub(crate) fails: bool,
}

/// The settings, read at the first call.
pub(crate) fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    SETTINGS.get_or_init(|| Settings {
        folder: environment::value(c"ORA_RACE_DIR"),
        seed: number(c"ORA_RACE_SEED").unwrap_or_else(|| u64::from(std::process::id())),
        chunks: match environment::value(c"ORA_RACE_CHUNKS").map(CStr::to_bytes) {
            Some(b"1") => Chunks::Concurrent,
            Some(b"0") => Chunks::Ordered,
            _ => Chunks::Possible,
        },
        teams: number(c"ORA_RACE_TEAMS").and_then(|teams| u32::try_from(teams).ok()).unwrap_or(0),
        raw: number(c"ORA_RACE_RAW") == Some(1),
        fails: number(c"ORA_RACE_EXITCODE").is_some_and(|code| code != 0),
    })
}
