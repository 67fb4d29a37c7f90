//! Attachment of the user's OMPT tools to a program: by `LD_PRELOAD`, or by name in `OMP_TOOL_LIBRARIES`.
//!
//! A tool of TR2 must be among the program's libraries, so it is preloaded. A tool of OpenMP 5 is named in
//! `OMP_TOOL_LIBRARIES`: it is then opened only in processes that use OpenMP, and neither its functions nor the
//! libraries that it needs come before the program's own. Both variables are inherited by the program's children.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::tool::{Interface, Tool};
use terminal::printable::Shown;

/// The runtimes' variable (OpenMP 5.0, 6.19).
pub const TOOL_LIBRARIES: &str = "OMP_TOOL_LIBRARIES";

/// The tools of a command line, grouped by the way in which they are attached to the program.
#[derive(Debug, Default)]
pub struct Attached {
    /// Tools of TR2.
    pub preloaded: Vec<PathBuf>,
    /// Tools of OpenMP 5.
    pub listed: Vec<PathBuf>,
    /// Tools that may fail to load, each with the reason.
    pub errors: Vec<(PathBuf, String)>,
    /// True if there are several tools of OpenMP 5: LLVM's and Intel's runtimes call all of them, libgomp the first
    /// that doesn't decline.
    pub several: bool,
}

impl Attached {
    /// Sorts the libraries that a user has named as tools.
    ///
    /// # Errors
    /// If a library isn't a tool, or there is one tool too many.
    pub fn of(given: &[PathBuf]) -> Result<Self> {
        let mut attached = Self::default();
        let mut taken: Vec<(Interface, &PathBuf)> = Vec::new();
        for name in given {
            let tool = Tool::read(name).map_err(|refusal| {
                anyhow::anyhow!("cannot use {} as a tool: it {refusal}; {}", name.shown(), refusal.what_to_do())
            })?;
            if taken.iter().any(|(_, first)| *first == name) {
                bail!("{} is named twice: name it once", name.shown());
            }
            let first = taken.iter().find(|(known, _)| *known == tool.interface).map(|(_, first)| *first);
            if let Some(first) = first.filter(|_| tool.interface == Interface::Tr2) {
                bail!(
                    "cannot use both {} and {}: both are tools of TR2, of which one is called. Run the program once with each",
                    first.shown(),
                    name.shown(),
                );
            }
            attached.several |= first.is_some();
            taken.push((tool.interface, name));
            let place = match tool.interface {
                Interface::Tr2 => &mut attached.preloaded,
                Interface::OpenMp5 => &mut attached.listed,
            };
            attached.errors.extend(tool.errors().into_iter().map(|error| (name.clone(), error)));
            place.push(tool.path);
        }
        Ok(attached)
    }

    /// The value of OMP_TOOL_LIBRARIES: the given tools first, followed by the user's. `None` if it needs no change.
    ///
    /// # Errors
    /// If one of our paths can't be expressed in the variable.
    pub fn list(&self, users: Option<&OsStr>) -> Result<Option<OsString>> {
        if let Some(path) = self.listed.iter().find(|path| path.as_os_str().as_bytes().contains(&b':')) {
            bail!(
                "cannot name {} in {TOOL_LIBRARIES}: the list can't hold a path with a colon. Move the file, or make a link \
                 to its folder, and try again",
                path.shown(),
            );
        }
        let users = users.unwrap_or_default().as_bytes().split(|byte| *byte == b':').filter(|name| !name.is_empty());
        let mut all: Vec<&[u8]> = Vec::new();
        for name in self.listed.iter().map(|path| path.as_os_str().as_bytes()).chain(users) {
            if !all.contains(&name) {
                all.push(name);
            }
        }
        Ok((!all.is_empty()).then(|| OsString::from_vec(all.join(&b':'))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(ours: &[&str], users: Option<&str>) -> Option<OsString> {
        let listed = ours.iter().map(PathBuf::from).collect();
        Attached { listed, ..Attached::default() }.list(users.map(OsStr::new)).unwrap()
    }

    #[test]
    fn ours_come_first_and_the_users_stay() {
        assert_eq!(list(&["/t/a.so"], Some("b.so:/c d.so")).unwrap(), "/t/a.so:b.so:/c d.so");
        assert_eq!(list(&["/t/a.so"], None).unwrap(), "/t/a.so");
        assert_eq!(list(&[], Some("b.so::/t/a.so:")).unwrap(), "b.so:/t/a.so");
        assert_eq!(list(&["/t/a.so"], Some("/t/a.so:b.so")).unwrap(), "/t/a.so:b.so");
        assert_eq!((list(&[], None), list(&[], Some(":"))), (None, None));
    }

    #[test]
    fn a_path_that_the_list_cannot_hold_is_refused() {
        let attached = Attached { listed: vec![PathBuf::from("/t:1/a.so")], ..Attached::default() };
        let message = attached.list(None).unwrap_err().to_string();
        assert!(message.contains("/t:1/a.so") && message.contains("colon"), "{message}");
    }
}
