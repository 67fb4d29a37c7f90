//! Libraries and environment with which `ora` would start a program.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;

use super::findings::{Effect, Findings};
use super::tools::ToolVariables;
use crate::attach::{Attached, TOOL_LIBRARIES};
use crate::{libraries, preload};
use terminal::printable::Shown;

/// Libraries and environment of a program that `ora` starts.
#[derive(Debug)]
pub(super) struct Setting {
    /// libora.so.
    pub(super) library: Option<PathBuf>,
    /// Libraries that `ora` would preload.
    pub(super) ours: Vec<PathBuf>,
    /// Value of LD_PRELOAD for the program.
    pub(super) preload: Option<OsString>,
    /// The environment as tools would meet it.
    pub(super) tool_variables: ToolVariables,
}

impl Setting {
    /// Looks for the libraries and at the environment; what stands in the way becomes a reason. `tools`: those that the user
    /// would add.
    pub(super) fn look(tools: &[PathBuf], findings: &mut Findings) -> Self {
        let library = libraries::find(libraries::LIBRARY);
        if let Err(error) = &library {
            findings.reason(
                "library_missing",
                Effect::HidesAll,
                format!("{error:#}"),
                "build the project with `cargo build --release`, or put libora.so beside ora or into ../lib",
            );
        }
        let collectors = libraries::find(libraries::COLLECTORS);
        if let Err(error) = &collectors {
            findings.fact("collectors", format!("`ora stat` will not work: {error:#}"));
        }
        disabled(findings, env::var_os("ORA_DISABLE").as_deref());
        for variable in ["LD_AUDIT", "LD_BIND_NOT"] {
            if let Some(value) = env::var_os(variable) {
                findings.fact("environment", format!("{variable}={} is set and is left as it is", value.shown()));
            }
        }
        if let Some(text) = fs::read_to_string("/etc/ld.so.preload").ok().filter(|text| !text.trim().is_empty()) {
            findings.fact("environment", format!("/etc/ld.so.preload also preloads: {}", text.trim()));
        }
        let library = library.ok();
        let tools = Attached::of(tools).unwrap_or_else(|error| unusable(&error, findings));
        let list = tools.list(env::var_os(TOOL_LIBRARIES).as_deref()).unwrap_or_else(|error| {
            unusable(&error, findings);
            env::var_os(TOOL_LIBRARIES)
        });
        let ours: Vec<PathBuf> = library.iter().cloned().chain(collectors).chain(tools.preloaded).collect();
        let preload = match preload::preload(&ours, env::var_os("LD_PRELOAD").as_deref()) {
            Ok(preload) => Some(preload),
            Err(error) => {
                findings.reason(
                    "preload_unusable",
                    Effect::HidesAll,
                    format!("{error:#}"),
                    "move libora.so to a path without blanks and colons",
                );
                None
            }
        };
        let tool_variables = ToolVariables {
            preload: preload.clone(),
            libraries: list,
            tool: env::var_os("OMP_TOOL"),
            ..ToolVariables::default()
        };
        Self { library, ours, preload, tool_variables }
    }
}

/// The program would not be started with such tools. It is examined as it is without them.
fn unusable(error: &anyhow::Error, findings: &mut Findings) -> Attached {
    findings.reason(
        "tool_unusable",
        Effect::HidesPart,
        format!("{error:#}"),
        "name one library that is a tool of OMPT for each --tool: one of OpenMP 5, one of TR2",
    );
    Attached::default()
}

/// Adds a reason if the variable turns the library off.
pub(super) fn disabled(findings: &mut Findings, value: Option<&OsStr>) {
    match value {
        Some(value) if value == "1" => findings.reason(
            "disabled",
            Effect::HidesAll,
            "ORA_DISABLE=1 is set: the library refuses every collector's START and calls no tool",
            "unset it: `env -u ORA_DISABLE ora stat -- PROGRAM`",
        ),
        Some(value) if value != "0" => findings
            .fact("environment", format!("ORA_DISABLE={} is ignored by the library: it can be 0 or 1", value.shown())),
        _ => {}
    }
}
