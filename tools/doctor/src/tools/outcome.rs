//! Outcome of a run for each tool: asked by libora.so, or by a runtime without it, and the tool's answer.
#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "in a folder that `ora` has made for itself, which no other user may enter"
    )
)]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::record::{self, Record};
use super::{libomp, listed};
use crate::findings::{Effect, Findings};
use crate::found_tool::{Found, Outcome, Place};
use crate::object::Object;
use crate::runtime_reasons;
use crate::tool_variables::ToolVariables;
use linking::tool::Interface;
use terminal::printable::Shown;

/// Two files to which the outcome is written.
#[derive(Debug)]
pub(crate) struct Watch {
    record: PathBuf,
    /// File that libomp writes for us; `None` if the user has set `OMP_TOOL_VERBOSE_INIT`.
    libomp: Option<PathBuf>,
}

impl Watch {
    pub(crate) fn in_folder(folder: &Path, may_log: bool) -> Self {
        let libomp = (may_log && env::var_os(libomp::VARIABLE).is_none()).then(|| folder.join("libomp"));
        Self { record: folder.join("tools"), libomp }
    }

    /// Variables for the program's environment.
    pub(crate) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let record = (record::VARIABLE, self.record.clone().into());
        let libomp = self.libomp.iter().map(|file| (libomp::VARIABLE, file.clone().into()));
        std::iter::once(record).chain(libomp).collect()
    }

    /// Replaces the expected outcome of each tool by the observed one.
    pub(crate) fn apply(&self, tool_variables: &ToolVariables, findings: &mut Findings) {
        let record = Record::read(&self.record);
        let mut answers: Vec<(usize, Option<bool>)> = Vec::new();
        for asked in &record.asked {
            let place = place_of(&asked.file, asked.interface, tool_variables, &mut findings.tools);
            answers.push((place, asked.attached));
        }
        let text = self.libomp.as_ref().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
        // The library's record is complete if the runtime has asked the library.
        for (file, attached) in libomp::asked(&text).into_iter().filter(|_| !record.knows(Interface::OpenMp5)) {
            let by_linker =
                |tool: &Found| tool.interface == Interface::OpenMp5 && tool.found_in != Place::OmpToolLibraries;
            let place = match file {
                Some(file) => Some(place_of(&file, Interface::OpenMp5, tool_variables, &mut findings.tools)),
                None => findings.tools.iter().position(by_linker),
            };
            answers.extend(place.map(|place| (place, Some(attached))));
            if attached && let Some(tool) = place.and_then(|place| findings.tools.get(place)) {
                instead_of_us(&tool.file.clone(), findings);
            }
        }
        for (place, tool) in findings.tools.iter_mut().enumerate() {
            let said: Vec<_> = answers.iter().filter(|(of, _)| *of == place).map(|(_, said)| *said).collect();
            answered(tool, &said);
        }
        for interface in Interface::ALL {
            not_asked(interface, &record, findings);
            conclude(interface, findings);
        }
        self.left_to_runtime(&text, findings);
    }

    /// Tools that another runtime should have asked and has not, as far as is known.
    fn left_to_runtime(&self, log: &str, findings: &mut Findings) {
        for tool in findings.tools.iter_mut().filter(|tool| tool.outcome == Outcome::RuntimeAsks) {
            match &self.libomp {
                None => tool.set(Outcome::Unknown, format!("{} is set: look there", libomp::VARIABLE)),
                Some(_) if log.is_empty() => tool.set(Outcome::NotAsked, "no process used that runtime"),
                Some(_) => tool.set(Outcome::NotAsked, "by the runtime's log of the last process"),
            }
        }
    }
}

/// Adds the reason for a runtime that has this tool instead of the library.
fn instead_of_us(tool: &Path, findings: &mut Findings) {
    let kind = findings.runtimes.iter().find(|runtime| runtime.host.is_some() && runtime.kind.has_ompt());
    if let Some(kind) = kind.map(|runtime| runtime.kind).filter(|_| !findings.has("disabled")) {
        let effect = if findings.has("no_region") { Effect::HidesAll } else { Effect::HidesPart };
        findings.reasons.retain(|reason| reason.id != "no_region");
        runtime_reasons::has_other_tool(kind, tool, effect, findings);
    }
}

/// Index of the tool in the list; an unexpected tool is added.
fn place_of(file: &Path, interface: Interface, tool_variables: &ToolVariables, tools: &mut Vec<Found>) -> usize {
    let full = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let file = full(file);
    let same = |tool: &Found| tool.interface == interface && full(&tool.file) == file;
    if let Some(place) = tools.iter().position(same) {
        return place;
    }
    let in_list = listed::names(tool_variables.libraries.as_deref().unwrap_or_default()).any(|name| full(name) == file);
    let found_in = match Object::read(&file) {
        Some(object) if object.image.program => Place::Executable,
        _ if in_list => Place::OmpToolLibraries,
        _ => Place::Linked,
    };
    tools.push(Found::new(interface, file, found_in));
    tools.len() - 1
}

/// `said`: the answers in each process in which the tool was asked.
fn answered(tool: &mut Found, said: &[Option<bool>]) {
    let count = |what: Option<bool>| said.iter().filter(|said| **said == what).count();
    let outcome = match (count(Some(true)), count(Some(false)), count(None)) {
        (0, 0, 0) => return,
        (0, 0, _) => Outcome::Unknown,
        (0, ..) => Outcome::Declined,
        _ => Outcome::Attached,
    };
    let times = |what: Option<bool>| terminal::quantity::count(count(what) as u64, "process", "processes");
    let why = match outcome {
        Outcome::Unknown => "it was called, and has not returned".to_owned(),
        Outcome::Declined => format!("in {}", times(Some(false))),
        _ => format!("in {}", times(Some(true))),
    };
    tool.reason = None;
    tool.recorded = true;
    tool.set(outcome, why);
}

/// Sets the outcome of tools that were not asked.
fn not_asked(interface: Interface, record: &Record, findings: &mut Findings) {
    let winner = findings.tools.iter().find(|tool| tool.interface == interface && tool.outcome == Outcome::Attached);
    let winner = winner.map(|tool| tool.file.shown().to_string());
    let ended = |word: &str| record.ended.iter().find(|(_, of, said)| *of == interface && said == word);
    let why = match (winner, ended("disabled"), ended("left_to_runtime")) {
        (Some(winner), ..) => format!("{winner} is attached"),
        (_, Some((pid, ..)), _) => format!("OMP_TOOL=disabled was set in process {pid}"),
        (_, _, Some((pid, ..))) => format!("process {pid} has a runtime with OMPT of its own, which was not used"),
        _ if record.asked.is_empty() && record.ended.is_empty() => "no process used OpenMP".to_owned(),
        _ => String::new(),
    };
    let expected = [Outcome::Asked, Outcome::AskedIfOthersDecline, Outcome::Unknown];
    for tool in findings.tools.iter_mut().filter(|tool| tool.interface == interface) {
        if expected.contains(&tool.outcome) && !tool.recorded {
            tool.set(Outcome::NotAsked, why.clone());
        }
    }
}

/// Adds the reasons why no tool of the interface was attached.
pub(super) fn conclude(interface: Interface, findings: &mut Findings) {
    let tools = findings.tools.iter().filter(|tool| tool.interface == interface);
    if tools.clone().any(|tool| tool.outcome == Outcome::Attached) {
        return;
    }
    let silent = tools
        .clone()
        .find(|tool| tool.outcome == Outcome::Unknown && tool.recorded)
        .map(|tool| tool.file.shown().to_string());
    let declined: Vec<_> =
        tools.filter(|tool| tool.outcome == Outcome::Declined).map(|tool| tool.file.shown().to_string()).collect();
    if let Some(file) = silent {
        findings.reason(
            "tool_no_answer",
            Effect::HidesPart,
            format!("{file} was called, and has not returned: did the process end in its {}?", interface.function()),
            "look at the tool's own messages, or run the program in a debugger",
        );
    }
    if !declined.is_empty() {
        findings.reason(
            "tool_declined",
            Effect::HidesPart,
            format!("{} was called, and declined to be a tool of this run", declined.join(", ")),
            "look up in the tool's documentation what it needs (Archer: a program built with -fsanitize=thread)",
        );
    }
}
