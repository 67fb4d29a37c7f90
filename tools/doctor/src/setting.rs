//! Libraries and environment with which `ora` would start a program.
#![cfg_attr(not(test), expect(clippy::disallowed_methods, reason = "of the system, or of `ora` itself in `/proc`"))]

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use linking::preload;
use linking::tool_libraries::{Attached, TOOL_LIBRARIES};
use terminal::printable::Shown;

use crate::findings::{Effect, Findings};
use crate::tool_variables::ToolVariables;

/// Libraries of this installation: the file of each, or the reason why it isn't found.
#[derive(Debug)]
pub struct Installed {
    /// libora.so.
    pub library: Result<PathBuf, String>,
    /// The collectors of `ora stat`.
    pub collectors: Result<PathBuf, String>,
}

/// Libraries and environment of a program that `ora` starts.
#[derive(Debug)]
pub(crate) struct Setting {
    /// libora.so.
    pub(crate) library: Option<PathBuf>,
    /// Libraries that `ora` would preload.
    pub(crate) ours: Vec<PathBuf>,
    /// Value of LD_PRELOAD for the program.
    pub(crate) preload: Option<OsString>,
    /// The environment as tools would see it.
    pub(crate) tool_variables: ToolVariables,
}

impl Setting {
    /// Looks for the libraries and examines the environment; each obstacle becomes a reason. `tools`: the ones that the user
    /// would add.
    pub(crate) fn look(installed: &Installed, tools: &[PathBuf], findings: &mut Findings) -> Self {
        if let Err(error) = &installed.library {
            findings.reason(
                "library_missing",
                Effect::HidesAll,
                error,
                "install ora again (in a checkout: `cargo build --release`), or put libora.so beside ora or into ../lib",
            );
        }
        if let Err(error) = &installed.collectors {
            findings.fact("collectors", format!("`ora stat` will not work: {error}"));
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
        let library = installed.library.as_ref().ok().cloned();
        let collectors = installed.collectors.as_ref().ok().cloned();
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

    /// libora.so, if it can be preloaded.
    pub(crate) fn preloadable(&self) -> Option<&Path> {
        self.library.as_deref().filter(|_| self.preload.is_some())
    }
}

/// Adds a reason for tools with which `ora` would not start the program. The program is examined without them.
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
pub(crate) fn disabled(findings: &mut Findings, value: Option<&OsStr>) {
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
