//! `ora doctor --run`: observations of a run of the program under the library.
//!
//! There are two sources. The collector of `ora stat` counts regions and records the answer to START. The dynamic
//! linker's own log (`LD_DEBUG=files,bindings`) lists loaded files and symbol bindings: it names every process, needs
//! no tracing, and remains available after the end of the process, whose maps are gone then.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use linking::image::{Image, texts_in};
use linking::tool_libraries::TOOL_LIBRARIES;
use terminal::printable::Shown;

use crate::bindings::Log;
use crate::events::{self, Event};
use crate::findings::{Effect, Findings, Subject};
use crate::object::Object;
use crate::observation::{Binding, ObservedRun, Role};
use crate::runtime::{Kind, Runtime, Service};
use crate::runtime_reasons;
use crate::setting::Setting;
use crate::tool_variables::ToolVariables;
use crate::tools::Watch;

const START_UNSUPPORTED: u32 = 3;
const START_SEQUENCE_ERR: u32 = 4;
/// Function that code compiled by clang calls to fork a team.
const CLANG_FORK: &str = "__kmpc_fork_call";

/// A run of the program that has ended, as the collector saw it.
#[derive(Debug)]
pub struct Ended {
    /// Exit code, unless a signal ended it.
    pub exit_code: Option<u8>,
    /// Signal that ended it.
    pub signal: Option<i32>,
    /// The end, in words.
    pub exit: String,
    /// True if the collector ran in the program.
    pub collector_started: bool,
    /// The library's answer to START; `None` if the library wasn't loaded.
    pub session_error_code: Option<u32>,
    /// Number of parallel regions of all processes.
    pub regions: u64,
    /// Number of processes that used OpenMP.
    pub processes_with_openmp: usize,
}

/// Adds that the program was not run, because the library can't be preloaded.
pub(crate) fn not_run(findings: &mut Findings) {
    findings.fact("run", "the program was not run: libora.so can't be preloaded");
    findings.subject = Subject::Run;
}

/// Runs the program and adds what happened. `folder` is empty and used for logs; `start` runs the program with these
/// libraries preloaded, and with these variables.
///
/// # Errors
/// If it can't be started.
pub(crate) fn run(
    setting: &Setting,
    library: &Path,
    folder: &Path,
    findings: &mut Findings,
    start: impl FnOnce(&[PathBuf], Vec<(&'static str, OsString)>) -> anyhow::Result<Ended>,
) -> anyhow::Result<()> {
    // Reasons about what could not be known before are settled by the run.
    findings.reasons.retain(|reason| reason.effect != Effect::Unknown && reason.id != "no_openmp");
    // Intel's runtime crashes if its log goes to a file (2026.2: it frees the file's name twice).
    let dies = |path: &Path| texts_in(path, &["Intel(R) OMP alternative compiler support: yes"]) > 0;
    let may_log = !findings.runtimes.iter().any(|runtime| runtime.kind.has_ompt() && dies(&runtime.path));
    let watch = Watch::in_folder(folder, may_log);
    let mut variables = watch.variables();
    // Include the user's tools.
    variables.extend(setting.tool_variables.libraries.clone().map(|list| (TOOL_LIBRARIES, list)));
    variables.push(("LD_DEBUG", OsString::from("files,bindings")));
    variables.push(("LD_DEBUG_OUTPUT", folder.join("log").into()));
    let ended = start(&setting.ours, variables)?;
    let logs = Log::all(folder, &functions(library));
    let mut observed = ObservedRun {
        exit_code: ended.exit_code,
        signal: ended.signal,
        collector_started: ended.collector_started,
        session_error_code: ended.session_error_code,
        regions: ended.regions,
        processes_with_openmp: ended.processes_with_openmp,
        bindings: Vec::new(),
        exit: ended.exit,
    };
    // Statically linked code doesn't appear in a log.
    let linked_in = |path: &Path| Image::read(path).is_ok_and(|image| image.program);
    findings.runtimes.retain(|runtime| {
        matches!(runtime.service, Service::BuiltIn | Service::Instrumented) || linked_in(&runtime.path)
    });
    // An installed library is a link, but the log names files.
    let library = library.canonicalize().unwrap_or_else(|_| library.to_owned());
    for log in &logs {
        judge(log, &library, &setting.tool_variables, &mut observed, findings);
    }
    findings.events = raised(&observed, findings);
    session(&observed, findings);
    watch.apply(&setting.tool_variables, findings);
    findings.run = Some(observed);
    findings.subject = Subject::Run;
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
    runtime_reasons::too_many(private, findings);
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
            runtime_reasons::silenced(kind, &path, Effect::HidesPart, findings);
        }
    }
}

/// Adds what the collector reports about its session.
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
            "remove the other collector from LD_PRELOAD, or from the program",
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
        // There was nothing else to see.
        if matches!(reason.id, "private_runtime" | "omp_tool_disabled" | "bypassed") {
            reason.effect = Effect::HidesAll;
        }
    }
}
