//! `ora doctor --run`: observations of a run of the program under the library.
//!
//! There are two sources. The collector of `ora stat` counts regions and records the answer to START. The dynamic
//! linker's own log (`LD_DEBUG=files,bindings`) lists loaded files and symbol bindings: it names every process, needs
//! no tracing, and outlives the process, whose maps are gone when it has ended.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;

use super::bindings::Log;
use super::events::{self, Event};
use super::findings::{Effect, Findings};
use super::program::Object;
use super::runtime::{self, Kind, Runtime, Service};
use super::setting::Setting;
use super::tools::{ToolVariables, Watch};
use crate::attach::TOOL_LIBRARIES;
use crate::exit::{Exit, Failure};
use crate::image::{Image, texts_in};
use crate::program::preloading;
use crate::scratch;
use crate::stat;
use terminal::printable::Shown;

const START_UNSUPPORTED: u32 = 3;
const START_SEQUENCE_ERR: u32 = 4;
/// Function that code by clang calls to fork a team.
const CLANG_FORK: &str = "__kmpc_fork_call";

/// Symbol bindings from one file to another.
#[derive(Debug, Serialize)]
pub(super) struct Binding {
    pid: u32,
    pub(super) importer: PathBuf,
    pub(super) provider: PathBuf,
    pub(super) role: Role,
    pub(super) functions: Vec<String>,
}

/// Meaning of a binding for the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Role {
    /// The program's call comes to the library.
    ToLibrary,
    /// The library's call goes to the runtime.
    ToRuntime,
    /// A call goes to a runtime with OMPT, which reports to the library.
    #[serde(rename = "to_telling_runtime")]
    ToOmptRuntime,
    /// A call goes past the library.
    Past,
}

/// Observations of one run.
#[derive(Debug, Serialize)]
pub(super) struct ObservedRun {
    pub(super) exit_code: Option<u8>,
    pub(super) signal: Option<i32>,
    pub(super) collector_started: bool,
    pub(super) session_error_code: Option<u32>,
    pub(super) regions: u64,
    pub(super) processes_with_openmp: usize,
    pub(super) bindings: Vec<Binding>,
    #[serde(skip)]
    pub(super) exit: String,
}

/// Runs the program and adds what happened.
///
/// # Errors
/// If it can't be started.
pub(super) fn run(words: &[OsString], setting: &Setting, findings: &mut Findings) -> anyhow::Result<()> {
    let (Some(library), Some(word), true) = (setting.library.as_deref(), words.first(), setting.preload.is_some())
    else {
        findings.fact("run", "the program was not run: libora.so can't be preloaded");
        return Ok(());
    };
    // Whatever could not be known is known afterwards.
    findings.reasons.retain(|reason| reason.effect != Effect::Unknown && reason.id != "no_openmp");
    let folder = scratch::folder().context("cannot make a folder for the dynamic linker's log: set TMPDIR")?;
    // Intel's runtime dies of a log in a file (2026.2: it frees the file's name twice).
    let dies = |path: &Path| texts_in(path, &["Intel(R) OMP alternative compiler support: yes"]) > 0;
    let may_log = !findings.runtimes.iter().any(|runtime| runtime.kind.has_ompt() && dies(&runtime.path));
    let watch = Watch::in_folder(folder.path(), may_log);
    let mut variables = watch.variables();
    // With the user's tools.
    variables.extend(preloading(word, &setting.ours)?);
    variables.extend(setting.tool_variables.libraries.clone().map(|list| (TOOL_LIBRARIES, list)));
    variables.push(("LD_DEBUG", OsString::from("files,bindings")));
    variables.push(("LD_DEBUG_OUTPUT", folder.path().join("log").into()));
    let run = stat::measure_with(words, true, &variables).map_err(not_started)?;
    let logs = Log::all(folder.path(), &functions(library));
    let main = run.main.as_ref();
    let with_openmp = run.others.len() + usize::from(main.is_some_and(stat::snapshot::Process::used_openmp));
    let forks = |process: &stat::snapshot::Process| process.sum(|thread| thread.forks);
    let mut observed = ObservedRun {
        exit_code: if let Exit::Code(code) = run.exit { Some(code) } else { None },
        signal: if let Exit::Signal(signal) = run.exit { Some(signal) } else { None },
        collector_started: main.is_some(),
        session_error_code: main.and_then(|process| process.who.session),
        regions: main.map_or(0, forks) + run.others.iter().map(forks).sum::<u64>(),
        processes_with_openmp: with_openmp,
        bindings: Vec::new(),
        exit: run.exit.to_string(),
    };
    // What is linked in shows in no log.
    let linked_in = |path: &Path| Image::read(path).is_ok_and(|image| image.program);
    findings.runtimes.retain(|runtime| {
        matches!(runtime.service, Service::BuiltIn | Service::Instrumented) || linked_in(&runtime.path)
    });
    // An installed one is a link, and the log has files.
    let library = library.canonicalize().unwrap_or_else(|_| library.to_owned());
    for log in &logs {
        judge(log, &library, &setting.tool_variables, &mut observed, findings);
    }
    findings.events = raised(&observed, findings);
    session(&observed, findings);
    watch.apply(&setting.tool_variables, findings);
    findings.run = Some(observed);
    Ok(())
}

/// Events that the adapters could raise in this run, by the functions that the callers import.
fn raised(observed: &ObservedRun, findings: &Findings) -> Vec<Event> {
    let callers: BTreeSet<&Path> = observed
        .bindings
        .iter()
        .filter(|binding| matches!(binding.role, Role::ToLibrary | Role::ToOmptRuntime))
        .map(|binding| binding.importer.as_path())
        .collect();
    let calls = callers.into_iter().filter_map(|path| Image::read(path).ok()).flat_map(|image| image.imports);
    events::of(&findings.runtimes, &calls.collect())
}

fn not_started(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Failure>() {
        Ok(failure) => Failure { code: 2, ..failure }.into(),
        Err(error) => error,
    }
}

/// The functions whose bindings matter.
fn functions(library: &Path) -> BTreeSet<String> {
    let exports = Image::read(library).map(|image| image.exports).unwrap_or_default();
    let calls = |name: &String| !name.starts_with("__") && !name.starts_with("ompt_");
    exports.into_iter().filter(calls).chain([CLANG_FORK.to_owned()]).collect()
}

/// Sorts one process's bindings and draws conclusions.
fn judge(
    log: &Log,
    library: &Path,
    tool_variables: &ToolVariables,
    observed: &mut ObservedRun,
    findings: &mut Findings,
) {
    let objects: Vec<Object> = log.objects.iter().filter_map(|path| Object::read(path)).collect();
    let kind = |path: &Path| objects.iter().find(|object| object.path == path)?.runtime;
    let mut served = BTreeSet::new();
    let mut past = BTreeSet::new();
    for ((importer, provider), names) in &log.bound {
        let role = if importer == library && kind(provider).is_some() {
            served.insert(provider.clone());
            Role::ToRuntime
        } else if importer == library || kind(importer).is_some() {
            continue;
        } else if provider == library {
            Role::ToLibrary
        } else if kind(provider).is_some_and(Kind::has_ompt) {
            Role::ToOmptRuntime
        } else {
            past.insert((importer.clone(), provider.clone()));
            Role::Past
        };
        observed.bindings.push(Binding {
            pid: log.pid,
            importer: importer.clone(),
            provider: provider.clone(),
            role,
            functions: names.iter().cloned().collect(),
        });
    }
    runtimes(&objects, tool_variables, findings);
    let private = objects.iter().filter(|o| o.runtime == Some(Kind::Gnu) && !served.contains(&o.path)).count();
    runtime::too_many(private, findings);
    for (importer, provider) in past.into_iter().filter(|(_, provider)| kind(provider) == Some(Kind::Gnu)) {
        findings.reason(
            "bypassed",
            Effect::HidesPart,
            format!(
                "calls of {} went straight to {}: it was loaded with RTLD_DEEPBIND, or looked the functions up by dlsym",
                importer.shown(),
                provider.shown()
            ),
            "load that library without RTLD_DEEPBIND, or link the program with -fopenmp",
        );
    }
}

/// Adds the runtimes that were loaded.
fn runtimes(objects: &[Object], tool_variables: &ToolVariables, findings: &mut Findings) {
    for object in objects {
        let Some(kind) = object.runtime else { continue };
        let silent = kind.has_ompt() && tool_variables.turn_tools_off();
        let service = if silent { Service::Undisturbed } else { Service::Reported };
        let path = object.path.canonicalize().unwrap_or_else(|_| object.path.clone());
        let runtime = Runtime::new(kind, &path, service);
        if findings.runtimes.iter().any(|known| known.path == runtime.path && known.service == service) {
            continue;
        }
        findings.runtimes.push(runtime);
        if silent {
            runtime::silenced(kind, &path, Effect::HidesPart, findings);
        }
    }
}

/// Adds the collector's account of its session.
fn session(observed: &ObservedRun, findings: &mut Findings) {
    match observed.session_error_code {
        _ if !observed.collector_started => {
            if !findings.reasons.iter().any(|reason| reason.effect == Effect::HidesAll) {
                findings.reason(
                    "not_started",
                    Effect::HidesAll,
                    "the collector did not start in the program",
                    "was LD_PRELOAD changed on the way? Look at what starts the program",
                );
            }
        }
        None => findings.reason(
            "not_preloaded",
            Effect::HidesAll,
            "libora.so was not loaded in the program",
            "was LD_PRELOAD changed on the way? Look at what starts the program",
        ),
        Some(START_UNSUPPORTED) if findings.has("disabled") => {}
        Some(START_UNSUPPORTED) => findings.reason(
            "disabled",
            Effect::HidesAll,
            "the library refused to start (UNSUPPORTED)",
            "is ORA_DISABLE=1 set on the way? Unset it",
        ),
        Some(START_SEQUENCE_ERR) => findings.reason(
            "session_taken",
            Effect::HidesAll,
            "another collector has the session, of which there is one at a time",
            "take the other collector out of LD_PRELOAD, or out of the program",
        ),
        Some(0) => no_regions(observed, findings),
        Some(code) => findings.reason(
            "session_refused",
            Effect::HidesAll,
            format!("the library refused to start: error code {code}"),
            "look the code up in headers/omp_collector_api.h",
        ),
    }
}

fn no_regions(observed: &ObservedRun, findings: &mut Findings) {
    if observed.regions > 0 {
        return;
    }
    if findings.runtimes.is_empty() {
        findings.reason(
            "no_openmp",
            Effect::HidesAll,
            "no OpenMP runtime was loaded by any process of the run",
            "compile and link the program with -fopenmp; give it arguments with which it uses OpenMP",
        );
        return;
    }
    if findings.runtimes.iter().any(|runtime| matches!(runtime.service, Service::Reported | Service::Instrumented)) {
        findings.reason(
            "no_region",
            Effect::Unknown,
            "an OpenMP runtime was loaded and is served, but no parallel region was run",
            "give the program arguments with which it runs one",
        );
    }
    for reason in &mut findings.reasons {
        // Nothing else was there to be seen.
        if matches!(reason.id, "private_runtime" | "omp_tool_disabled" | "bypassed") {
            reason.effect = Effect::HidesAll;
        }
    }
}
