//! `ora run`: runs the program with the library, and with the user's tools: a collector, OMPT tools, or both.

use std::env;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use linking::image::texts_in;
use linking::tool::{COLLECTORS_FUNCTION, Tool};
use linking::tool_libraries::{Attached, TOOL_LIBRARIES};
use request_format::{BLANK, HEAD, Head};
use system::arch::MACHINE;
use untrusted::regular;

use crate::args::Run;
use crate::exit::Exit;
use crate::output::say;
use crate::output_file::OutputFile;
use crate::{call_sites, closed_streams, libraries, program};
use terminal::printable::Shown;

/// Replaces this process with the program (`execve`), so that the program itself is the child of this process's parent.
///
/// # Errors
/// If it can't be started; otherwise the function never returns.
pub(crate) fn run(args: &Run) -> Result<Exit> {
    let mut preloaded = Vec::new();
    if args.log_requests.is_some() {
        // Comes first, because a collector finds the first definition.
        preloaded.push(libraries::find(libraries::REQUEST_LOG)?);
    }
    preloaded.push(libraries::find(libraries::LIBRARY)?);
    match args.collector.as_slice() {
        [] => {}
        [one] => preloaded.push(collector(one)?),
        [first, second, ..] => bail!(
            "cannot run both {} and {}: the interface has one session at a time, so the second collector's START would be \
             refused. Run the program once with each",
            first.shown(),
            second.shown(),
        ),
    }
    let tools = Attached::of(&args.tool)?;
    preloaded.extend(tools.preloaded.iter().cloned());
    let mut command = program::command(&args.program, &preloaded)?;
    call_sites::hand_over(&args.program, &mut command);
    if let Some(list) = tools.list(env::var_os(TOOL_LIBRARIES).as_deref())? {
        command.env(TOOL_LIBRARIES, list);
    }
    if !args.tool.is_empty() {
        warn(&tools);
    }
    let mut log = None;
    if let Some(file) = &args.log_requests {
        command.env(request_format::FILE_VARIABLE, begin_log(log.insert(open_log(file)?), &args.program)?);
    }
    let error = closed_streams::left_closed(|| command.exec());
    log.into_iter().for_each(OutputFile::undo);
    let name = args.program.first().map(std::ffi::OsString::as_os_str).unwrap_or_default();
    Err(program::cannot_start(name, &error).into())
}

/// Prints why tools would not be called. The user has chosen that, so the program runs.
fn warn(tools: &Attached) {
    let is = |variable, value: &str| {
        env::var_os(variable).is_some_and(|set| set.to_string_lossy().trim().eq_ignore_ascii_case(value))
    };
    for (variable, value) in [("OMP_TOOL", "disabled"), ("ORA_DISABLE", "1")] {
        if is(variable, value) {
            say(format_args!(
                "{variable}={value} is set: no tool will be called. Unset it: `env -u {variable} ora run ...`"
            ));
        }
    }
    if tools.several {
        say(
            "of several tools of OpenMP 5, LLVM's and Intel's runtimes call all, libgomp the first one that doesn't decline",
        );
    }
    for (tool, error) in &tools.errors {
        say(format_args!("the tool {} can probably not be loaded: {error}", tool.shown()));
    }
}

fn open_log(file: &Path) -> Result<OutputFile> {
    OutputFile::open(file).with_context(|| format!("cannot write the log {}", file.shown()))
}

/// Writes the log's first record; returns the log's full path.
fn begin_log(file: &mut OutputFile, program: &[OsString]) -> Result<PathBuf> {
    let text: Vec<u8> = program.iter().flat_map(|word| word.as_bytes().iter().copied().chain([0])).collect();
    let head = Head { size: u32::try_from(HEAD + text.len())?, pid: std::process::id(), ..BLANK };
    let written = file.write_all(&[&head.to_bytes()[..], &text].concat());
    let path = written.and_then(|()| file.path().canonicalize());
    path.with_context(|| format!("cannot write the log {}", file.path().shown()))
}

/// Full path of the collector, which is still valid after the program has changed its working folder.
fn collector(given: &Path) -> Result<PathBuf> {
    let path = given.canonicalize().with_context(|| format!("cannot load the collector {}", given.shown()))?;
    let mut head = [0; 18];
    regular::open(&path)
        .and_then(|mut file| file.read_exact(&mut head))
        .with_context(|| format!("cannot read the collector {}", given.shown()))?;
    // Magic number, 64 bits, shared object (ELF specification, "ELF header").
    let shared_library = head.starts_with(b"\x7fELF\x02") && head.ends_with(&[3, 0]);
    if !shared_library {
        bail!(
            "{} is not a shared library for {MACHINE}. Build the collector with `gcc -shared -fPIC -o libmine.so mine.c`",
            given.shown(),
        );
    }
    if Tool::read(&path).is_ok() && texts_in(&path, &[COLLECTORS_FUNCTION]) == 0 {
        bail!("{} is a tool of OMPT and names no {COLLECTORS_FUNCTION}: use --tool", given.shown());
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_is_a_shared_library_that_exists() {
        let refused = |path: &str| format!("{:#}", collector(Path::new(path)).unwrap_err());
        assert!(refused("/no/such/lib.so").contains("cannot load the collector /no/such/lib.so"));
        assert!(refused("/etc/passwd").contains("not a shared library"));
        assert!(refused("/dev/null").contains("cannot read"));
    }
}
