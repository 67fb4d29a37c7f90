//! Places of calls in a program, and their text.

use terminal::printable::Shown;

use crate::brief::brief;

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Function, file and line, from debug information.
    Line {
        /// The function.
        function: String,
        /// Path of the source file.
        file: String,
        /// The line.
        line: u32,
    },
    /// Function and address, from the symbol table.
    Symbol {
        /// The function.
        function: String,
        /// Address in the file that tells the place from others of the function, as `objdump` shows it: that of the construct's body,
        /// or the call's return address.
        address: u64,
        /// File name of the program or library.
        object: String,
    },
    /// An address in the file, as `objdump` shows it.
    Offset {
        /// File name of the program or library.
        object: String,
        /// The address.
        address: u64,
    },
    /// An address that is not in a file: code that was generated while the program ran.
    Address(u64),
    /// A chunk of a taskloop that was run where its taskloop was not on the stack.
    Chunk,
    /// The stack did not show it.
    Unknown,
    /// One of the places beyond the number that a thread can distinguish.
    Many,
}

impl Place {
    /// Short text for the location.
    pub fn name(&self) -> String {
        match self {
            Self::Line { function, file, line } => format!("{} at {}:{line}", function.shown(), short(file).shown()),
            Self::Symbol { function, address, object } => {
                format!("{} ({}+{address:#x})", function.shown(), object.shown())
            }
            Self::Offset { object, address } => format!("{}+{address:#x}", object.shown()),
            Self::Address(address) => format!("code without a file, at {address:#x}"),
            Self::Chunk => "chunks of taskloops, run outside of them".to_owned(),
            Self::Unknown => "place unknown".to_owned(),
            Self::Many => "more places".to_owned(),
        }
    }

    /// The name without the argument list of its function.
    pub fn brief_name(&self) -> String {
        self.function().map_or_else(|| self.name(), |function| self.with_function(brief(function)).name())
    }

    /// File and line, if there is debug information.
    pub fn line(&self) -> Option<(&str, u32)> {
        match self {
            Self::Line { file, line, .. } => Some((file, *line)),
            _ => None,
        }
    }

    /// The function, if it is known.
    pub fn function(&self) -> Option<&str> {
        match self {
            Self::Line { function, .. } | Self::Symbol { function, .. } => Some(function),
            _ => None,
        }
    }

    /// The place of the construct with this body: its function may have been inlined there.
    pub(super) fn within(self, author: String, body: u64) -> Self {
        // clang's older names do not contain an author.
        let function = |own: String| if author.starts_with('.') { own } else { author };
        match self {
            Self::Line { function: own, file, line } => Self::Line { function: function(own), file, line },
            Self::Symbol { function: own, object, .. } => {
                Self::Symbol { function: function(own), address: body, object }
            }
            other => other,
        }
    }

    /// The same place, with another name of the function.
    pub fn with_function(&self, name: &str) -> Self {
        let mut named = self.clone();
        if let Self::Line { function, .. } | Self::Symbol { function, .. } = &mut named {
            name.clone_into(function);
        }
        named
    }

    /// Kind of the location as a word for JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Line { .. } => "line",
            Self::Symbol { .. } => "symbol",
            Self::Offset { .. } => "offset",
            Self::Address(_) => "address",
            Self::Chunk => "taskloop_chunk",
            Self::Unknown => "unknown",
            Self::Many => "more",
        }
    }
}

/// File name of a path.
pub fn short(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
