//! Distinguishes the program's own functions from those of the system's libraries.

use std::collections::BTreeSet;

use crate::profile::{Function, Profile};

/// Recognises the program's own code.
pub(super) struct OwnCode {
    executables: BTreeSet<String>,
}

impl OwnCode {
    /// The own code of a profile's processes.
    pub(super) fn of(profile: &Profile) -> Self {
        let executables = profile.processes.iter().filter_map(|process| process.facts.executable.as_deref());
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        Self { executables: executables.map(name).collect() }
    }

    /// True for a function whose source is not among the system's or, without a source, that is in an executable.
    pub(super) fn is_own(&self, function: &Function) -> bool {
        if function.is_pseudo() {
            return false;
        }
        match function.file.as_deref().filter(|file| file.starts_with('/')) {
            Some(file) => !file.starts_with("/usr/"),
            // Libraries of the system have relative paths, or none.
            None if self.executables.is_empty() => !function.object.contains(".so"),
            None => self.executables.contains(&function.object),
        }
    }

    /// The innermost frame of the program's own code on a stack: its number, and the number of its function.
    pub(super) fn innermost(&self, profile: &Profile, context: u32) -> Option<(u32, u32)> {
        profile.frames(context).find_map(|number| {
            let (frame, function) = profile.code.frame(number)?;
            self.is_own(function).then_some((number, frame.function))
        })
    }
}
