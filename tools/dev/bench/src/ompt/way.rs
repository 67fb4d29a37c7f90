//! Ways of running the programs of `bench ompt`: a runtime and a tool.

use std::fmt;

use serde::Serialize;

/// A runtime, and the registrations of its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Way {
    /// gcc's program on libgomp, without the library.
    Bare,
    /// Level 0: with the library, and no tool.
    Off,
    /// A tool of OpenMP 5 has registered nothing.
    Attached,
    /// The tool of OpenMP 5 has registered an empty callback for the row's events.
    Callback,
    /// The tool of OpenMP 5 has registered an empty callback for all its events.
    All,
    /// The ways [`Attached`](Self::Attached) to [`All`](Self::All), with a tool of Technical Report 2.
    Tr2Attached,
    Tr2Callback,
    Tr2All,
    /// clang's program on LLVM's runtime: without a tool, and then with the runtime's own OMPT and the tool of OpenMP 5.
    NativeBare,
    NativeAttached,
    NativeCallback,
    NativeAll,
}

/// A tool interface on a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interface {
    /// OpenMP 5, implemented by this library on libgomp.
    Ours,
    /// Technical Report 2, implemented by this library on libgomp.
    Tr2,
    /// OpenMP 5, implemented by LLVM's runtime itself.
    Native,
}

/// Registrations of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Registered {
    Nothing,
    /// The row's events.
    Rows,
    All,
}

impl Way {
    pub(crate) const EVERY: [Self; 12] = [
        Self::Bare,
        Self::Off,
        Self::Attached,
        Self::Callback,
        Self::All,
        Self::Tr2Attached,
        Self::Tr2Callback,
        Self::Tr2All,
        Self::NativeBare,
        Self::NativeAttached,
        Self::NativeCallback,
        Self::NativeAll,
    ];

    /// True if it runs clang's program.
    pub(crate) const fn is_native(self) -> bool {
        matches!(self, Self::NativeBare | Self::NativeAttached | Self::NativeCallback | Self::NativeAll)
    }

    /// The tool's interface and its registrations; `None` if there is no tool.
    pub(crate) const fn tool(self) -> Option<(Interface, Registered)> {
        Some(match self {
            Self::Bare | Self::Off | Self::NativeBare => return None,
            Self::Attached => (Interface::Ours, Registered::Nothing),
            Self::Callback => (Interface::Ours, Registered::Rows),
            Self::All => (Interface::Ours, Registered::All),
            Self::Tr2Attached => (Interface::Tr2, Registered::Nothing),
            Self::Tr2Callback => (Interface::Tr2, Registered::Rows),
            Self::Tr2All => (Interface::Tr2, Registered::All),
            Self::NativeAttached => (Interface::Native, Registered::Nothing),
            Self::NativeCallback => (Interface::Native, Registered::Rows),
            Self::NativeAll => (Interface::Native, Registered::All),
        })
    }
}

impl Interface {
    pub(crate) const EVERY: [Self; 3] = [Self::Ours, Self::Native, Self::Tr2];

    /// The way with the same program on the same runtime, but without a tool.
    pub(crate) const fn bare(self) -> Way {
        match self {
            Self::Ours | Self::Tr2 => Way::Bare,
            Self::Native => Way::NativeBare,
        }
    }

    /// The way with a tool that has registered nothing.
    pub(crate) const fn attached(self) -> Way {
        match self {
            Self::Ours => Way::Attached,
            Self::Tr2 => Way::Tr2Attached,
            Self::Native => Way::NativeAttached,
        }
    }

    /// The way with a tool that has registered the row's events.
    pub(crate) const fn callback(self) -> Way {
        match self {
            Self::Ours => Way::Callback,
            Self::Tr2 => Way::Tr2Callback,
            Self::Native => Way::NativeCallback,
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Bare => "bare",
            Self::Off => "level 0",
            Self::Attached => "attached",
            Self::Callback => "callback",
            Self::All => "all",
            Self::Tr2Attached => "TR2 att.",
            Self::Tr2Callback => "TR2 call.",
            Self::Tr2All => "TR2 all",
            Self::NativeBare => "bare",
            Self::NativeAttached => "attached",
            Self::NativeCallback => "callback",
            Self::NativeAll => "all",
        })
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ours => "ours",
            Self::Tr2 => "TR2",
            Self::Native => "libomp",
        })
    }
}
