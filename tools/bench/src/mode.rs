//! Levels of watching.

use std::fmt;

use serde::Serialize;

/// How the program is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// Without the library.
    Bare,
    /// The same once more: what differs is noise.
    Again,
    /// With the library, and no tool: level 0.
    Off,
    /// A session is open, no event is registered: level 1.
    Tracking,
    /// FORK has an empty callback: level 2.
    Fork,
    /// Every event of tasks that the host knows has an empty callback: level 2.
    TaskEvents,
    /// Under `ora profile`, so many samples a second.
    Sampled100,
    Sampled1000,
    /// Every event that the host knows has an empty callback: level 2.
    All,
    /// Under `ora tasks`.
    Profiled,
}

impl Mode {
    /// Those that constructs are measured in.
    pub(crate) const ALL: [Self; 6] = [Self::Bare, Self::Again, Self::Off, Self::Tracking, Self::Fork, Self::All];

    /// Whether the library is to be preloaded: the command `ora` does that itself.
    pub(crate) const fn is_preloaded(self) -> bool {
        !matches!(self, Self::Bare | Self::Again | Self::Sampled100 | Self::Sampled1000 | Self::Profiled)
    }

    /// What the collector calls it; `None` where there is no collector of ours.
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
