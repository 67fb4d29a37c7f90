//! The tools of OMPT that a program comes with: the caller that would ask each one, the order, and the reasons why a
//! tool is not asked.

mod caller;
mod libomp;
mod listed;
mod order;
mod outcome;
mod record;
mod running;
mod tool_runtimes;

use std::ffi::OsStr;
use std::path::Path;

use linking::image::{Image, texts_in};
use linking::tool::Interface;
use terminal::printable::Shown;

use crate::findings::{Effect, Findings};
use crate::found_tool::{Found, Outcome, Place};
use crate::object::Object;
use crate::tool_variables::{ToolVariables, is_disabled};
use caller::Caller;
pub(crate) use order::before_library;
pub(crate) use outcome::Watch;
pub(crate) use running::{Running, look as look_at_process};

/// Entry points that a tool looks up by their names.
const LOOKED_UP: [&str; 2] = ["ompt_set_callback", "ompt_get_callback"];

/// A program's parts, and its environment.
#[derive(Debug)]
pub(crate) struct ProgramContext<'a> {
    pub(crate) program: &'a Path,
    pub(crate) image: &'a Image,
    /// Libraries of the program, in the order of symbol lookup.
    pub(crate) objects: &'a [Object],
    pub(crate) tool_variables: &'a ToolVariables,
}

/// Looks for tools. Must be called when everything that hides the program's OpenMP is known.
pub(crate) fn look(context: &ProgramContext<'_>, findings: &mut Findings) {
    let mut tools: Vec<Found> = Vec::new();
    for interface in Interface::ALL {
        let mut found = order::candidates(context, interface);
        if interface == Interface::OpenMp5 {
            listed::add(context, &mut found, findings);
        }
        if !found.is_empty() {
            Caller::asks(interface, context, findings).judge(&mut found);
            tools.append(&mut found);
        }
    }
    switch(context.tool_variables.tool.as_deref(), !tools.is_empty(), findings);
    hidden(&tools, findings);
    left_to_runtime(context, &tools, findings);
    tool_runtimes::say(context, &tools, findings);
    out_of_reach(context, &tools, findings);
    findings.tools = tools;
}

/// Reports the effect of `OMP_TOOL`.
fn switch(value: Option<&OsStr>, tools: bool, findings: &mut Findings) {
    let Some(value) = value else { return };
    if !is_disabled(value) {
        if !["", "enabled"].contains(&value.to_string_lossy().trim().to_ascii_lowercase().as_str()) {
            let says = format!("OMP_TOOL={} is ignored: it can be enabled or disabled", value.shown());
            findings.fact("environment", says);
        }
    } else if tools {
        let what = "OMP_TOOL=disabled is set: no runtime calls a tool of OMPT";
        findings.reason("tool_disabled", Effect::HidesPart, what, "unset it: `env -u OMP_TOOL ora run -- PROGRAM`");
    } else {
        findings.fact("environment", "OMP_TOOL=disabled is set: tools of OMPT would not be called");
    }
}

fn hidden(tools: &[Found], findings: &mut Findings) {
    for tool in tools.iter().filter(|tool| tool.reason == Some("tool_hidden")) {
        let what = format!("{} is not called: {}", tool.file.shown(), tool.why);
        let todo =
            "run the program with one tool of each form: remove the other one from LD_PRELOAD, or from the program";
        findings.reason("tool_hidden", Effect::HidesPart, what, todo);
    }
}

/// Adds the reason if tools don't get events of libgomp because another runtime asks them.
fn left_to_runtime(context: &ProgramContext<'_>, tools: &[Found], findings: &mut Findings) {
    let asks = |tool: &Found| tool.interface == Interface::OpenMp5 && tool.outcome != Outcome::NotAsked;
    let has = |host: &str| {
        let mut hosted = findings.runtimes.iter().filter(|runtime| runtime.host == Some(host));
        hosted.any(|runtime| !tool_runtimes::is_for_tools(context, &runtime.path))
    };
    if tools.iter().any(asks) && has("gomp") && has("ompt") {
        findings.reason(
            "tool_left_to_runtime",
            Effect::HidesPart,
            "a runtime with OMPT of its own is loaded beside libgomp, and tools of OpenMP 5 are left to it: what runs on libgomp \
             is not reported to them",
            "link the program with one OpenMP runtime; or use a collector, or a tool of TR2",
        );
    }
}

/// Adds the reasons for tools in the program whose function isn't exported.
fn out_of_reach(context: &ProgramContext<'_>, tools: &[Found], findings: &mut Findings) {
    for interface in Interface::ALL.into_iter().filter(|i| context.image.concealed.contains(i.function())) {
        findings.reason(
            "tool_concealed",
            Effect::HidesPart,
            format!("the program has {}, but does not export it", interface.function()),
            "define it without `static`, and build it without -fvisibility=hidden and version scripts that conceal it",
        );
    }
    let has_one = tools.iter().any(|tool| tool.found_in == Place::Executable);
    if context.image.stripped && !has_one && texts_in(context.program, &LOOKED_UP) > 0 {
        findings.likely(
            "tool_stripped",
            Effect::HidesPart,
            "there seems to be a tool of OMPT in the program, but the program is stripped and doesn't export the \
             tool's function, so it can't be found",
            "link the program with -rdynamic (or -Wl,--export-dynamic-symbol=ompt_start_tool), or don't strip it",
        );
    }
}
