//! A running process: what it has loaded, and what it was started with.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::findings::{Effect, Findings, Subject};
use super::object::Object;
use super::program;
use super::refusal::Refusal;
use super::runtime::{self, Runtime, Service};
use super::runtime_reasons;
use super::setting;
use super::static_loops;
use super::tool_variables::ToolVariables;
use super::tools::{self, ProgramContext, Running};
use attach_outside::environment::Environment;
use attach_outside::process::Process;
use linking::image::{Image, Kind, texts_in};
use linking::scope;
use linking::tool_libraries::TOOL_LIBRARIES;
use terminal::printable::Shown;
use untrusted::proc_text;

const AGAIN: &str = "start the program again by `ora stat` or `ora run`";
/// Name of the interface's function.
const INTERFACE: [&str; 1] = ["__omp_collector_api"];
/// The type of the auxiliary vector's entry that says whether a program runs with more rights than its user.
const AT_SECURE: u64 = 23;

/// Adds whether `ora attach` would work.
type Attempt<'a> = &'a dyn Fn() -> Result<(), attach_outside::Refusal>;

/// Examines a process. `attempt`: checks whether it could be attached to.
///
/// # Errors
/// If the process doesn't exist, or may not be inspected.
pub fn examine(pid: u32, attempt: Attempt<'_>) -> anyhow::Result<Findings> {
    let folder = Process { pid }.living_folder();
    let file = |name: &str| folder.join(name);
    let maps = proc_text::read(&file("maps"), proc_text::LARGEST_MAPS).map_err(|error| refused(pid, &error))?;
    let maps = String::from_utf8_lossy(&maps);
    let exe = file("exe");
    let program = fs::read_link(&exe).map_err(|error| refused(pid, &error))?;
    let environment = Environment::of(Process { pid }).map_err(|error| refused(pid, &error))?;
    let variable = |name: &str| environment.value(name).map(OsStr::to_owned);

    let mut findings = Findings::new(Subject::Process, pid.to_string());
    findings.fact("program", program.shown().to_string());
    if let Kind::Foreign(machine) = Kind::of(&exe)? {
        program::foreign(&machine, &mut findings);
        return Ok(findings);
    }
    let image = Image::read(&exe)?;
    let loaded = loaded(&maps, &file("root"), &program);
    let library = loaded.iter().find(|object| object.is_library());
    match library {
        Some(library) => {
            findings.fact("library", format!("{} is loaded", library.path.shown()));
            setting::disabled(&mut findings, variable("ORA_DISABLE").as_deref());
        }
        None => without_library(pid, &file("auxv"), &image, variable("LD_PRELOAD").as_deref(), attempt, &mut findings),
    }
    attachable(pid, attempt, &mut findings);
    collectors(&loaded, &mut findings);
    let wanted = ["LD_PRELOAD", "LD_LIBRARY_PATH"].map(|name| (name, variable(name)));
    let variables: Vec<_> = wanted.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let at_start =
        if image.interpreter.is_some() { scope::of_process(&exe, &image, &variables).objects } else { Vec::new() };
    let at_start: Vec<PathBuf> = at_start.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let tool_variables = ToolVariables {
        preload: variable("LD_PRELOAD"),
        libraries: variable(TOOL_LIBRARIES),
        tool: variable("OMP_TOOL"),
        folder: fs::read_link(file("cwd")).unwrap_or_default(),
    };
    static_loops::look(&exe, &image, &loaded, &mut findings);
    let (first, later) = runtimes(&program, &image, loaded, &at_start, &tool_variables, &mut findings);
    let context = ProgramContext { program: &program, image: &image, objects: &first, tool_variables: &tool_variables };
    let record = variable("ORA_TOOL_LOG");
    let running = Running { pid, later: &later, record: record.as_deref() };
    tools::look_at_process(&context, &running, &mut findings);
    Ok(findings)
}

fn refused(pid: u32, error: &io::Error) -> Refusal {
    let message = match error.kind() {
        io::ErrorKind::NotFound => {
            format!("there is no process {pid}, or it is one of the kernel's. Check the number with `ps`")
        }
        io::ErrorKind::PermissionDenied => {
            format!("process {pid} belongs to another user: run ora as that user, or as root")
        }
        _ => format!("cannot examine process {pid}: {error}"),
    };
    Refusal(message)
}

/// Adds whether `ora attach` would work.
fn attachable(pid: u32, attempt: Attempt<'_>, findings: &mut Findings) {
    match attempt() {
        Ok(()) => findings.fact("attach", format!("`ora attach {pid}` would work")),
        Err(refusal) => findings.fact("attach", format!("`ora attach {pid}` would not work: {refusal}")),
    }
}

fn without_library(
    pid: u32,
    auxv: &Path,
    image: &Image,
    preload: Option<&OsStr>,
    attempt: Attempt<'_>,
    findings: &mut Findings,
) {
    if image.interpreter.is_none() {
        let what = "the program is linked statically: there is no dynamic linker that could preload libora.so";
        findings.reason("static_program", Effect::HidesAll, what, "link it without -static (gcc -fopenmp alone)");
        return;
    }
    if proc_text::read(auxv, proc_text::LARGEST_WORDS).is_ok_and(|words| is_secure(&words)) {
        findings.reason(
            "privileged",
            Effect::HidesAll,
            "the process runs with more rights than its user (AT_SECURE): its dynamic linker ignored LD_PRELOAD",
            "run a copy of the program without these rights (`cp` drops them)",
        );
    } else if let Some(preload) = preload.filter(|preload| preload.to_string_lossy().contains("libora")) {
        findings.reason(
            "preload_refused",
            Effect::HidesAll,
            format!("it was started with LD_PRELOAD={}, but libora.so is not loaded", preload.shown()),
            "look at what `ora doctor -- PROGRAM` says of the program",
        );
    } else {
        let next = match attempt() {
            Ok(()) => format!("`ora attach {pid}` loads it while the process runs"),
            Err(_) => AGAIN.to_owned(),
        };
        findings.reason("process_without_library", Effect::HidesAll, "it was started without libora.so", next);
    }
}

fn collectors(loaded: &[Object], findings: &mut Findings) {
    let is_ours = |object: &&Object| object.path.file_name().is_some_and(|name| name == linking::preloaded::COLLECTORS);
    if let Some(own) = loaded.iter().find(is_ours) {
        findings.fact("collector", format!("{} is loaded: that of `ora stat`", own.path.shown()));
    }
    let users = loaded.iter().filter(|object| !object.ours && object.runtime.is_none());
    for object in users.filter(|object| texts_in(&object.path, &INTERFACE) > 0) {
        findings.fact("collector", format!("{} is loaded, and names the interface's function", object.path.shown()));
    }
}

/// Adds the process's runtimes: first those loaded at the start, in the order of symbol lookup, then those loaded
/// later.
fn runtimes(
    program: &Path,
    image: &Image,
    loaded: Vec<Object>,
    at_start: &[PathBuf],
    tool_variables: &ToolVariables,
    findings: &mut Findings,
) -> (Vec<Object>, Vec<Object>) {
    let place = |object: &Object| {
        let path = object.path.canonicalize().unwrap_or_else(|_| object.path.clone());
        at_start.iter().position(|known| *known == path)
    };
    let (mut first, later): (Vec<_>, Vec<_>) = loaded.into_iter().partition(|object| place(object).is_some());
    first.sort_by_key(|object| place(object));
    program::runtimes(program, image, &first, tool_variables, findings);
    let private = || later.iter().filter(|object| object.runtime == Some(runtime::Kind::Gnu));
    for object in private() {
        findings.runtimes.push(Runtime::new(runtime::Kind::Gnu, &object.path, Service::Reported));
    }
    runtime_reasons::too_many(private().count(), findings);
    for object in later.iter() {
        let Some(kind) = object.runtime.filter(|kind| kind.has_ompt()) else { continue };
        let silent = tool_variables.turn_tools_off();
        let service = if silent { Service::Undisturbed } else { Service::Reported };
        findings.runtimes.push(Runtime::new(kind, &object.path, service));
        if silent {
            runtime_reasons::silenced(kind, &object.path, Effect::HidesPart, findings);
        } else if let Some(file) = tools::before_library(program, image, &first) {
            runtime_reasons::has_other_tool(kind, &file, Effect::HidesPart, findings);
        }
    }
    if later.iter().any(|object| object.runtime.is_some()) {
        findings.reasons.retain(|reason| !matches!(reason.id, "no_openmp" | "no_runtime" | "loaded_later"));
    }
    (first, later)
}

/// The libraries that are mapped with code, by the paths that they have for the process.
fn loaded(maps: &str, root: &Path, program: &Path) -> Vec<Object> {
    let paths: BTreeSet<&str> = mapped_code(maps).collect();
    let read = |path: &str| {
        let seen = root.join(path.trim_start_matches('/'));
        let mut object = Object::read(&seen).or_else(|| Object::read(Path::new(path)))?;
        object.path = PathBuf::from(path);
        Some(object)
    };
    paths.into_iter().filter(|path| Path::new(path) != program).filter_map(read).collect()
}

fn mapped_code(maps: &str) -> impl Iterator<Item = &str> {
    maps.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let executable = words.nth(1)?.contains('x');
        let path = line.get(line.find('/')?..)?;
        executable.then(|| path.strip_suffix(" (deleted)").unwrap_or(path))
    })
}

/// True if the auxiliary vector has `AT_SECURE`. Reads pairs of words.
fn is_secure(auxv: &[u8]) -> bool {
    let words: Vec<u64> = auxv.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    words.as_chunks::<2>().0.iter().any(|[key, value]| *key == AT_SECURE && *value != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_counts_and_a_deleted_file_keeps_its_name() {
        let maps = "1-2 r--p 00000000 08:01 9    /l/libx.so\n1-2 r-xp 00000000 08:01 9    /l/a b.so (deleted)\n\
                    1-2 r-xp 00000000 00:00 0    [vdso]\n";
        assert_eq!(mapped_code(maps).collect::<Vec<_>>(), ["/l/a b.so"]);
    }

    #[test]
    fn the_auxiliary_vector_is_read() {
        let auxv = |secure: u64| [6, 4096, 23, secure, 0, 0].map(u64::to_ne_bytes).concat();
        assert!(is_secure(&auxv(1)) && !is_secure(&auxv(0)) && !is_secure(&[]));
    }
}
