//! `ora validate`: runs a program with a tool that checks the OMPT implementation of its OpenMP runtime.

mod findings;
mod json;
mod matrix;
mod text;

use anyhow::{Context, Result};
use validator::release::Release;
use validator::shared_table::SharedTable;

use crate::args::Validate;
use crate::exit::Exit;
use crate::output::{Answer, Output};
use crate::output_file::OutputFile;
use crate::{file_limit, libraries, program, signals};
use findings::Findings;
use terminal::printable::Shown;

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
    command.env("ORA_VALIDATE_FILE", shared.path());
    if let Some(release) = args.spec {
        command.env("ORA_VALIDATE_SPEC", release.name());
    }
    // The validator adds to it, so that it begins empty.
    let mut trace = None;
    if let Some(path) = &args.trace {
        let unwritten = || format!("cannot write to {}", path.shown());
        let file = OutputFile::open(path).with_context(unwritten)?;
        file.empty().with_context(unwritten)?;
        trace = Some(file);
        command.env("ORA_VALIDATE_TRACE", path.canonicalize().with_context(unwritten)?);
    }
    let status = signals::run(&mut command)
        .map_err(|error| program::cannot_start(args.program.first().map(AsRef::as_ref).unwrap_or_default(), &error))?;
    trace.into_iter().for_each(OutputFile::keep);
    let exit = Exit::of(status);

    let findings = Findings::read(shared.table());
    let answer = if args.json {
        Answer::Json(json::document(&args.program, args.spec, exit, &findings)?)
    } else {
        let name =
            args.program.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ").shown().to_string();
        Answer::Text(text::report(&name, exit, &findings))
    };
    output.write(&answer)?;
    Ok(if exit == Exit::Code(0) && !findings.are_good() { Exit::Code(1) } else { exit })
}
