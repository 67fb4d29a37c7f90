//! Ways to observe a program, from not at all to rapidly changing sessions. None of them may affect the program.

use crate::forge::Forge;
use crate::run::{Launch, Outcome};

/// Way to observe a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// The library is loaded but turned off by `ORA_DISABLE=1`, under a collector that tries everything.
    Disabled,
    /// The library is loaded and no tool attaches.
    LevelZero,
    /// A session without a registration.
    Tracking,
    /// Every event, with callbacks that only change errno.
    Armed,
    /// Every event, with workers reported late.
    ArmedLate,
    /// Callbacks that use OpenMP's locks themselves.
    Locking,
    /// A thread opens and closes sessions all the time.
    Storm,
    /// Every callback of OpenMP 5; they only change errno.
    Tool5,
    /// Every event of TR2; callbacks only change errno.
    ToolTr2,
    /// Tools of OpenMP 5 and TR2 whose callbacks make all queries, together with a collector that has every event.
    Together,
    /// Tools of OpenMP 5 and TR2 whose callbacks make no queries, together with a collector that has every event.
    Beside,
    /// Tools of OpenMP 5 and TR2 and a collector, each of which attaches and detaches all the time as far as it can.
    StormTogether,
}

impl Watch {
    /// All ways to observe a program.
    pub const ALL: [Self; 11] = [
        Self::Disabled,
        Self::LevelZero,
        Self::Tracking,
        Self::Armed,
        Self::ArmedLate,
        Self::Locking,
        Self::Storm,
        Self::Tool5,
        Self::ToolTr2,
        Self::Together,
        Self::StormTogether,
    ];

    /// Activity of tools, from none to the most intrusive.
    pub const LEVELS: [Self; 8] = [
        Self::LevelZero,
        Self::Tracking,
        Self::Armed,
        Self::ArmedLate,
        Self::Storm,
        Self::Tool5,
        Self::ToolTr2,
        Self::Together,
    ];

    /// True if it has a thread of its own, which may be the last one of the process.
    pub fn has_thread(self) -> bool {
        matches!(self, Self::Storm | Self::StormTogether)
    }

    /// Adds the libraries and variables to a launch.
    pub fn over(self, forge: &Forge, launch: Launch) -> Launch {
        let launch = launch.with_ora();
        let preload = |launch: Launch, collector: &str| launch.with_collector(&forge.collector(collector));
        let tool5 = |launch: Launch| launch.with_tool(&forge.tool("tools5/every.cc"));
        let tr2 = |launch: Launch| launch.with_tool(&forge.tool("tr2/every.cc"));
        match self {
            Self::Disabled => tr2(tool5(preload(launch, "armed.c"))).env("ORA_DISABLE", "1"),
            Self::LevelZero => launch,
            Self::Tracking => preload(launch, "tracking.c"),
            Self::Armed => preload(launch, "armed.c"),
            Self::ArmedLate => preload(launch, "armed.c").env("ORA_IBAR", "late"),
            Self::Locking => preload(launch, "locking.c"),
            Self::Storm => preload(launch, "storm.c"),
            Self::Tool5 => tool5(launch),
            Self::ToolTr2 => tr2(launch),
            Self::Together => tr2(tool5(preload(launch, "armed.c"))).env("TOOL_ASKS", "1"),
            Self::Beside => tr2(tool5(preload(launch, "armed.c"))),
            Self::StormTogether => tr2(tool5(preload(launch, "storm.c"))).env("TOOL_STORM", "1"),
        }
    }
}

/// Runs a program bare and under each watch; exit code and output must be the same, byte for byte.
///
/// # Panics
/// At the first difference.
pub fn goes_unnoticed(forge: &Forge, watches: &[Watch], launch: impl Fn() -> Launch) -> Outcome {
    let bare = launch().run();
    for watch in watches {
        is_unnoticed(*watch, &watch.over(forge, launch()).run(), &bare);
    }
    bare
}

/// Checks that exit code and output of a run under a watch are those of the bare run, byte for byte.
///
/// # Panics
/// If they differ.
pub fn is_unnoticed(watch: Watch, watched: &Outcome, bare: &Outcome) {
    let same = watched.status == bare.status && watched.stdout == bare.stdout && watched.stderr == bare.stderr;
    assert!(
        same,
        "{watch:?} shows: {}\n{}\n-- bare was: {}\n{}",
        watched.status,
        watched.describe(),
        bare.status,
        bare.describe()
    );
}
