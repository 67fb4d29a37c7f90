//! The libraries that `OMP_TOOL_LIBRARIES` names: the file of each one, and whether it is a tool.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::ProgramContext;
use crate::findings::{Effect, Findings};
use crate::found_tool::{Found, Outcome, Place};
use linking::scope;
use linking::tool::{Interface, Tool};
use linking::tool_libraries::TOOL_LIBRARIES;
use terminal::printable::Shown;

/// The names in a list.
pub(super) fn names(list: &OsStr) -> impl Iterator<Item = &Path> {
    let names = list.as_bytes().split(|byte| *byte == b':').filter(|name| !name.is_empty());
    names.map(|name| Path::new(OsStr::from_bytes(name)))
}

/// Adds them after those that the dynamic linker finds. One that can't be used becomes a reason.
pub(super) fn add(context: &ProgramContext<'_>, found: &mut Vec<Found>, findings: &mut Findings) {
    let mut others = !found.is_empty();
    for name in names(context.tool_variables.libraries.as_deref().unwrap_or_default()) {
        let mut tool = Found::new(Interface::OpenMp5, name.to_owned(), Place::OmpToolLibraries);
        match examine(name, &context.tool_variables.folder) {
            Ok(file) => {
                tool.file = file;
                if others {
                    tool.outcome = Outcome::AskedIfOthersDecline;
                }
                others = true;
            }
            Err(Unusable { why, todo }) => {
                let what = format!("{}, named in {TOOL_LIBRARIES}, {why}", name.shown());
                findings.reason("tool_unusable", Effect::HidesPart, what, todo);
                tool.because("tool_unusable");
                tool.why = why;
            }
        }
        found.push(tool);
    }
}

struct Unusable {
    why: String,
    todo: String,
}

/// The file of a library that a runtime would open and ask.
fn examine(name: &Path, folder: &Path) -> Result<PathBuf, Unusable> {
    let Some(file) = scope::file_of(name) else {
        let why = "is not in any folder that the dynamic linker searches".to_owned();
        return Err(Unusable {
            why,
            todo: format!("give its path, or name its folder in LD_LIBRARY_PATH: {}", name.shown()),
        });
    };
    let tool = Tool::read(&folder.join(&file))
        .map_err(|refusal| Unusable { why: refusal.to_string(), todo: refusal.what_to_do().to_owned() })?;
    if tool.interface != Interface::OpenMp5 {
        let why = "is a tool of TR2: those are not looked for in that list".to_owned();
        return Err(Unusable { why, todo: "preload it: `ora run --tool LIB -- PROGRAM` does".to_owned() });
    }
    match tool.errors().as_slice() {
        [] => Ok(file),
        errors => Err(Unusable {
            why: format!("can't be loaded: {}", errors.join("; ")),
            todo: "install what is missing, or name its folder in LD_LIBRARY_PATH".to_owned(),
        }),
    }
}
