//! What is measured, and at which levels of watching.

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

/// A construct of `constructs.c`.
pub(crate) struct Construct {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Two threads take part, which wait for one another.
    pub(crate) meets: bool,
}

/// The constructs, in the order of the tables.
pub(crate) const CONSTRUCTS: &[Construct] = &[
    Construct { name: "region_1", title: "empty region, 1 thread", meets: false },
    Construct { name: "region_2", title: "empty region, 2 threads", meets: true },
    Construct { name: "barrier_2", title: "barrier, 2 threads", meets: true },
    Construct { name: "critical_named", title: "named critical", meets: false },
    Construct { name: "critical_unnamed", title: "unnamed critical", meets: false },
    Construct { name: "lock", title: "lock set + unset", meets: false },
    Construct { name: "nest_lock", title: "nest lock set + unset", meets: false },
    Construct { name: "single_2", title: "single + its barrier, 2 threads", meets: true },
    Construct { name: "single_nowait", title: "single nowait, 1 thread", meets: false },
    Construct { name: "dynamic_chunk", title: "dynamic loop, per chunk", meets: false },
];

/// The requests of `requests.c`: name and title.
pub(crate) const REQUESTS: &[(&str, &str)] = &[
    ("no_request", "(a call that does nothing)"),
    ("empty_list", "(an empty list)"),
    ("state_28", "STATE, 28-byte entry"),
    ("state_32", "STATE, 32-byte entry"),
    ("current_prid", "CURRENT_PRID"),
    ("state_and_prid", "STATE + CURRENT_PRID, one batch"),
    ("register", "REGISTER"),
];

/// Where a request is made: the end of the row's name, and its title.
pub(crate) const PLACES: [(&str, &str); 2] = [("outside", "outside of regions"), ("inside", "inside a region")];
