//! The tools of a running process, as far as they can be seen from outside.

use std::ffi::OsStr;
use std::path::Path;

use super::outcome::conclude;
use super::record::{self, Record};
use super::{ProgramContext, look as look_before};
use crate::findings::Findings;
use crate::found_tool::{Outcome, Place};
use crate::object::Object;
use linking::tool::Interface;

/// Facts about a running process in addition to its [`ProgramContext`].
#[derive(Debug)]
pub(crate) struct Running<'a> {
    pub(crate) pid: u32,
    /// Libraries that it has loaded after its start.
    pub(crate) later: &'a [Object],
    /// Value of ORA_TOOL_LOG in the process.
    pub(crate) record: Option<&'a OsStr>,
}

/// Looks for tools in a process.
pub(crate) fn look(context: &ProgramContext<'_>, running: &Running<'_>, findings: &mut Findings) {
    look_before(context, findings);
    let record = running
        .record
        .map(|file| Record::read(&context.tool_variables.folder.join(file)).of(running.pid))
        .unwrap_or_default();
    let attached =
        |interface: Interface| record.asked.iter().any(|a| a.interface == interface && a.attached == Some(true));
    let full =
        |path: &Path| context.tool_variables.folder.join(path).canonicalize().unwrap_or_else(|_| path.to_owned());
    for tool in &mut findings.tools {
        if tool.outcome == Outcome::NotAsked {
            continue;
        }
        let file = full(&tool.file);
        let said = record.asked.iter().find(|asked| asked.interface == tool.interface && full(&asked.file) == file);
        let mapped = context.objects.iter().chain(running.later).any(|object| full(&object.path) == file);
        match said.map(|asked| asked.attached) {
            Some(Some(true)) => tool.set(Outcome::Attached, "by its record"),
            Some(Some(false)) => tool.set(Outcome::Declined, "by its record"),
            Some(None) => {
                tool.recorded = true;
                tool.set(Outcome::Unknown, "it was called, and has not returned");
            }
            None if attached(tool.interface) => tool.set(Outcome::NotAsked, "another tool is attached"),
            None if tool.found_in == Place::OmpToolLibraries && mapped => {
                tool.set(Outcome::Attached, "it is loaded: those that decline are closed again");
            }
            None if tool.found_in == Place::OmpToolLibraries => {
                tool.set(
                    Outcome::Unknown,
                    "it is not loaded: it declined, another one is attached, or OpenMP was not used yet",
                );
            }
            None => {
                let why = format!(
                    "what it said can't be seen from outside; start the program with {}=FILE",
                    record::VARIABLE
                );
                tool.set(Outcome::Unknown, why);
            }
        }
    }
    Interface::ALL.into_iter().for_each(|interface| conclude(interface, findings));
}
