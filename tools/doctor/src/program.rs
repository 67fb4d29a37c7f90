//! Examination of an ELF program or of a running one: its libraries, the runtimes with their service, and the reasons
//! for missing events.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::path::Path;

use linking::image::{Image, Kind};
use linking::scope::{self, Scope};
use system::arch::MACHINE;
use terminal::printable::Shown;

use crate::findings::{Effect, Findings};
use crate::object::Object;
use crate::runtime::{self, Evidence, Runtime, Service};
use crate::setting::Setting;
use crate::tool_variables::ToolVariables;
use crate::tools::{self, ProgramContext};
use crate::{events, loaded_runtime, order, privilege, runtime_reasons, static_loops};

/// Examines the program for a start by `ora`.
pub(crate) fn examine(path: &Path, setting: &Setting, findings: &mut Findings) -> anyhow::Result<()> {
    match Kind::of(path)? {
        Kind::Ours => {}
        Kind::Foreign(machine) => {
            foreign(&machine, findings);
            return Ok(());
        }
        Kind::Script(_) | Kind::Other => anyhow::bail!("{} is not an ELF program", path.shown()),
    }
    let image = Image::read(path)?;
    let Some(interpreter) = image.interpreter.clone() else {
        if image.needed.is_empty() {
            static_program(path, &image, findings);
            let context =
                ProgramContext { program: path, image: &image, objects: &[], tool_variables: &setting.tool_variables };
            tools::look(&context, findings);
            return Ok(());
        }
        findings.fact("program", "a shared library: examined as a program would load it");
        return linked(path, image, setting, findings);
    };
    let stripped = if image.stripped { ", stripped (no problem)" } else { "" };
    if scope::is_glibc(&interpreter) {
        findings.fact("program", format!("{MACHINE}, glibc, dynamically linked{stripped}"));
        if !Path::new(&interpreter).exists() {
            findings.reason(
                "interpreter_missing",
                Effect::HidesAll,
                format!("its dynamic linker {interpreter} does not exist: the program can't start"),
                "install the C library that it was built for, or build it here",
            );
        }
    } else {
        let libc = if interpreter.contains("ld-musl") { "musl" } else { "another C library than glibc" };
        findings.fact("program", format!("{MACHINE}, dynamically linked by {interpreter}{stripped}"));
        findings.reason(
            "other_libc",
            Effect::HidesAll,
            format!("it is built for {libc} (interpreter {interpreter}): libora.so needs glibc"),
            "build the program with a compiler for glibc, in a container of a glibc distribution if need be; `ora` runs it as it is",
        );
    }
    privilege::look(path, findings);
    linked(path, image, setting, findings)
}

/// The reason for a program of another machine.
pub(crate) fn foreign(machine: &str, findings: &mut Findings) {
    findings.reason(
        "other_machine",
        Effect::HidesAll,
        format!("it is a program for another machine: {machine}; libora.so is for 64-bit {MACHINE}"),
        format!("build the program for {MACHINE} (without -m32 or a cross compiler)"),
    );
}

fn static_program(path: &Path, image: &Image, findings: &mut Findings) {
    findings.fact("program", format!("{MACHINE}, statically linked"));
    let inside = runtime::built_in(path, image);
    let has = match inside {
        Some((kind, _)) => format!("; {} is inside", kind.name()),
        None => "; no OpenMP runtime was recognized inside".to_owned(),
    };
    findings.reason(
        "static_program",
        Effect::HidesAll,
        format!("it is linked statically: there is no dynamic linker that could preload libora.so{has}"),
        "link it without -static (gcc -fopenmp alone)",
    );
    if let Some((kind, _)) = inside {
        findings.runtimes.push(Runtime::new(kind, path, Service::BuiltIn));
    }
}

/// Adds whether `ora race` can find data races in the program.
fn data_races(image: &Image, objects: &[Object], findings: &mut Findings) {
    if image.is_instrumented() {
        findings.fact("data races", "built with -fsanitize=thread: `ora race` finds them");
    } else if let Some(object) = objects.iter().find(|object| object.image.is_instrumented()) {
        let library = object.path.shown();
        findings.fact(
            "data races",
            format!("of its parts {library} is built with -fsanitize=thread: `ora race` finds those there"),
        );
    }
}

fn linked(path: &Path, image: Image, setting: &Setting, findings: &mut Findings) -> anyhow::Result<()> {
    let mut variables: Vec<(&str, OsString)> = Vec::new();
    variables.extend(setting.preload.clone().map(|value| ("LD_PRELOAD", value)));
    variables.extend(env::var_os("LD_LIBRARY_PATH").map(|value| ("LD_LIBRARY_PATH", value)));
    let scope = scope::of(path, &image, &variables);
    let mut objects: Vec<Object> = scope.objects.iter().filter_map(|path| Object::read(path)).collect();
    loaded_runtime::by_library(&image, &mut objects, findings);
    findings.fact("how", scope.way.clone());
    complaints(&scope, findings);
    if image.interpreter.as_deref().is_none_or(scope::is_glibc) {
        missing(&scope, findings);
    }
    order::look(path, &image, &objects, setting, findings);
    data_races(&image, &objects, findings);
    static_loops::look(path, &image, &objects, findings);
    runtimes(path, &image, &objects, &setting.tool_variables, findings);
    tools::look(
        &ProgramContext { program: path, image: &image, objects: &objects, tool_variables: &setting.tool_variables },
        findings,
    );
    Ok(())
}

fn complaints(scope: &Scope, findings: &mut Findings) {
    let ours = |line: &&String| line.contains("libora") && !line.contains("cannot open");
    if let Some(line) = scope.complaints.iter().find(ours) {
        findings.reason(
            "preload_refused",
            Effect::HidesAll,
            format!("the program's dynamic linker refuses libora.so: {line}"),
            "build libora.so on (or for) the system whose C library the program uses",
        );
    }
    for line in scope.complaints.iter().filter(|line| line.contains("LD_PRELOAD") && !line.contains("libora")) {
        findings.fact("LD_PRELOAD", format!("the dynamic linker ignores a library of yours: {line}"));
    }
    let version = |line: &&String| line.contains(": version `") && !line.contains("libora");
    if let Some(line) = scope.complaints.iter().find(version) {
        findings.reason(
            "library_not_found",
            Effect::HidesAll,
            format!("the program can't start: {line}"),
            "run it on the system that it was built for, or build it here",
        );
    }
}

/// Adds the reason if libraries of the program were not found.
fn missing(scope: &Scope, findings: &mut Findings) {
    if !scope.missing.is_empty() {
        findings.reason(
            "library_not_found",
            Effect::HidesAll,
            format!("the program can't start: {} was not found", scope.missing.join(", ")),
            "install it, or name its folder in LD_LIBRARY_PATH",
        );
    }
}

/// Adds the program's runtimes, each with the way in which it is served.
pub(crate) fn runtimes(
    path: &Path,
    image: &Image,
    objects: &[Object],
    tool_variables: &ToolVariables,
    findings: &mut Findings,
) {
    let users = || objects.iter().filter(|object| object.runtime.is_none() && !object.ours);
    let own = (path, image);
    for (path, image) in std::iter::once(own).chain(users().map(|object| (object.path.as_path(), &object.image))) {
        match runtime::built_in(path, image) {
            // The runtime looks for its tool in the libraries that follow the program.
            Some((kind, _)) if kind.has_ompt() && path == own.0 => inside_program(kind, path, tool_variables, findings),
            // Only if no calls of a loaded runtime exist: otherwise only that runtime's calls are reported.
            Some((kind, _))
                if static_loops::is_instrumented(image) && !image.calls("GOMP_") && !image.calls("__kmpc_") =>
            {
                findings.runtimes.push(Runtime::new(kind, path, Service::Instrumented));
            }
            Some((kind, evidence)) => built_in(kind, evidence, path, path == own.0, findings),
            None => {}
        }
    }
    let calls: BTreeSet<String> =
        std::iter::once(image).chain(users().map(|object| &object.image)).flat_map(|i| i.imports.clone()).collect();
    let gcc = calls.iter().any(|name| name.starts_with("GOMP_"));
    let clang = calls.iter().any(|name| name.starts_with("__kmpc_"));
    // Like the dynamic linker, takes the first library with the name.
    let gcc_runtime = objects.iter().find(|object| object.runtime.is_some() && object.image.offers("GOMP_parallel"));
    for object in objects {
        let Some(kind) = object.runtime else { continue };
        let serves_gcc = gcc_runtime.is_some_and(|first| first.path == object.path);
        let reported = if kind.has_ompt() { !tool_variables.turn_tools_off() } else { serves_gcc };
        let service = if reported { Service::Reported } else { Service::Undisturbed };
        findings.runtimes.push(Runtime::new(kind, &object.path, service));
        if !kind.has_ompt() {
            continue;
        }
        if serves_gcc && gcc {
            findings.fact("runtime", format!("code by gcc also runs on {}", kind.name()));
        }
        let used = clang || serves_gcc || !gcc;
        if !reported && used {
            let effect = if gcc && !serves_gcc { Effect::HidesPart } else { Effect::HidesAll };
            runtime_reasons::silenced(kind, &object.path, effect, findings);
        }
    }
    findings.events = events::of(&findings.runtimes, &calls);
    let embeds = calls.iter().any(|name| name.starts_with("ora_embed_"));
    if embeds {
        findings.fact(
            "runtime",
            "one of its own, or of a library: it reports its events to libora.so itself (ora_embed.h)",
        );
    }
    if findings.runtimes.is_empty() && !embeds && !findings.has("own_entries") {
        no_openmp(calls.contains("dlopen"), gcc || clang, findings);
    }
}

/// A runtime that has OMPT, linked into the program.
fn inside_program(kind: runtime::Kind, path: &Path, tool_variables: &ToolVariables, findings: &mut Findings) {
    let silent = tool_variables.turn_tools_off();
    let service = if silent { Service::Undisturbed } else { Service::Reported };
    findings.runtimes.push(Runtime::new(kind, path, service));
    if silent {
        runtime_reasons::silenced(kind, path, Effect::HidesAll, findings);
    }
}

fn built_in(kind: runtime::Kind, evidence: Evidence, path: &Path, program: bool, findings: &mut Findings) {
    let (file, effect) = if program {
        ("the program".to_owned(), Effect::HidesAll)
    } else {
        (path.shown().to_string(), Effect::HidesPart)
    };
    let todo = "link with -fopenmp alone: without libgomp.a or libomp.a, -static, or -static-libgomp";
    let name = kind.name();
    match evidence {
        Evidence::Symbols => findings.reason(
            "static_runtime",
            effect,
            format!("{name} is linked into {file}, by its symbols: its calls can't be seen"),
            todo,
        ),
        Evidence::Texts => findings.likely(
            "static_runtime",
            effect,
            format!("{name} seems to be linked into {file}, by its messages (the file is stripped)"),
            todo,
        ),
    }
    findings.runtimes.push(Runtime::new(kind, path, Service::BuiltIn));
}

fn no_openmp(opens_later: bool, calls: bool, findings: &mut Findings) {
    if calls {
        findings.reason(
            "no_runtime",
            Effect::HidesAll,
            "it calls OpenMP functions, but no library that it loads has them",
            "link it with -fopenmp",
        );
    } else if opens_later {
        findings.reason(
            "loaded_later",
            Effect::Unknown,
            "it loads no OpenMP runtime at its start, but it or a library of it calls dlopen: what is loaded later can't be \
             known before the run",
            "see what happens: `ora doctor --run -- PROGRAM ARGUMENTS`",
        );
    } else {
        findings.reason(
            "no_openmp",
            Effect::HidesAll,
            "it uses no OpenMP: neither it nor its libraries load an OpenMP runtime",
            "compile and link it with -fopenmp",
        );
    }
}
