//! `ora validate`: runs a program with a tool that checks the OMPT implementation of its OpenMP runtime.

mod matrix;

use std::ffi::OsString;

use anyhow::{Context, Result};
use symbols::Files;
use terminal::printable::Shown;
use validate_analysis::findings::Findings;
use validate_analysis::run::Run;
use validate_analysis::{json, text};
use validate_layout::release::Release;
use validate_layout::shared_table::SharedTable;

use crate::args::Validate;
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::output_file::OutputFile;
use crate::{call_sites, file_limit, libraries, program};

/// # Errors
/// If a library is missing, FILE can't be written, or the program can't be started.
pub(crate) fn validate(args: &Validate) -> Result<Exit> {
    let mut output = Output::open(args.output.as_deref())?;
    if args.matrix {
        return matrix::matrix(&args.program, args.spec.unwrap_or(Release::V6_0), &mut output);
    }
    let shared = file_limit::lifted(SharedTable::create)?;
    let preloaded = [libraries::find(libraries::LIBRARY)?, libraries::find(libraries::VALIDATOR)?];
    let mut command = program::command(&args.program, &preloaded)?;
    call_sites::hand_over(&args.program, &mut command);
    command.env("ORA_VALIDATE_FILE", shared.path());
    if let Some(release) = args.spec {
        command.env("ORA_VALIDATE_SPEC", release.name());
    }
    // The validator appends to the file, so it must be empty at first.
    let mut trace = None;
    if let Some(path) = &args.trace {
        let unwritten = || format!("cannot write to {}", path.shown());
        let file = OutputFile::open(path).with_context(unwritten)?;
        file.empty().with_context(unwritten)?;
        trace = Some(file);
        command.env("ORA_VALIDATE_TRACE", path.canonicalize().with_context(unwritten)?);
    }
    let status = program::run(&mut command, &args.program)?;
    trace.into_iter().for_each(OutputFile::keep);
    let exit = Exit::of(status);

    let files = Files::default();
    let findings = Findings::read(shared.table(), &|object, offset| files.place_of_call(object, offset).name());
    let run = run(&args.program, exit);
    let answer = if args.json {
        Answer::Json(json::document(&run, args.spec, &findings)?)
    } else {
        let name =
            args.program.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ").shown().to_string();
        Answer::Text(text::report(&name, &run, &findings))
    };
    output.write(&answer)?;
    Ok(if exit == Exit::Code(0) && !findings.are_good() { Exit::Code(1) } else { exit })
}

fn run(program: &[OsString], exit: Exit) -> Run<'_> {
    let (exit_code, signal) = match exit {
        Exit::Code(code) => (Some(code), None),
        Exit::Signal(signal) => (None, Some(signal)),
    };
    Run { program, exit_code, signal, bad_end: (exit != Exit::Code(0)).then(|| exit.to_string()) }
}
