//! Levels of watching.

use std::fmt;

use serde::Serialize;

/// Level of watching of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// The bare program, without the library.
    Bare,
    /// The bare program a second time: the difference is noise.
    Again,
    /// Level 0: with the library, and no tool.
    Off,
    /// Level 1: a session is open, no event is registered.
    Tracking,
    /// Level 2: FORK has an empty callback.
    Fork,
    /// Level 2: every supported event of tasks has an empty callback.
    TaskEvents,
    /// Under `ora profile`, with the given number of samples a second.
    Sampled100,
    Sampled1000,
    /// Level 2: every supported event has an empty callback.
    All,
    /// Under `ora tasks`.
    Profiled,
}

impl Mode {
    /// Levels at which constructs are measured.
    pub(crate) const ALL: [Self; 6] = [Self::Bare, Self::Again, Self::Off, Self::Tracking, Self::Fork, Self::All];

    /// True if the library must be preloaded; the command `ora` preloads it itself.
    pub(crate) const fn is_preloaded(self) -> bool {
        !matches!(self, Self::Bare | Self::Again | Self::Sampled100 | Self::Sampled1000 | Self::Profiled)
    }

    /// Name of the mode for the collector; `None` if the mode doesn't use our collector.
    pub(crate) const fn collector(self) -> Option<&'static str> {
        match self {
            Self::Bare | Self::Again | Self::Off | Self::Sampled100 | Self::Sampled1000 | Self::Profiled => None,
            Self::Tracking => Some("tracking"),
            Self::Fork => Some("fork"),
            Self::TaskEvents => Some("tasks"),
            Self::All => Some("all"),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Bare => "bare",
            Self::Again => "bare again",
            Self::Off => "level 0",
            Self::Tracking => "tracking",
            Self::Fork => "FORK only",
            Self::TaskEvents => "task events",
            Self::Sampled100 => "100 Hz",
            Self::Sampled1000 => "1 kHz",
            Self::All => "all events",
            Self::Profiled => "ora tasks",
        })
    }
}
