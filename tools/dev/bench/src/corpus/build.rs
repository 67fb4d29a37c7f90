//! Programs of a case: compiled, with the environment that they need.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use ::corpus::{Case, Command as Watched, Member};
use anyhow::{Context, Result};

use crate::programs::{Programs, output, undisturbed};

/// A program that can be run.
pub(super) struct Built {
    words: Vec<OsString>,
    library: PathBuf,
}

/// Compiles a member of a case, and the library that it needs.
pub(super) fn build(programs: &Programs, case: &Case, member: Member) -> Result<Built> {
    let source = case.source_of(member)?;
    let name = format!("{}-{}", case.name, member.stem());
    let library = programs.file(&format!("{}.so", case.name));
    let needed = case.folder.join("library.c");
    if needed.is_file() {
        let options = ["-g", "-O2", "-fopenmp", "-shared", "-fPIC", "-o"];
        output(Command::new("gcc").args(options).arg(&library).arg(needed))?;
    }
    let compiler = match source.extension().and_then(|extension| extension.to_str()) {
        Some("c") => "gcc",
        Some("cc") => "g++",
        Some("f90") => "gfortran",
        _ => return Ok(Built { words: vec!["/usr/bin/python3".into(), source.into()], library }),
    };
    let file = programs.file(&name);
    let mut command = Command::new(compiler);
    command.arg("-g");
    if case.command == Watched::Race {
        command.args(["-Og", "-fsanitize=thread"]);
    } else {
        command.arg("-O2");
    }
    if member == Member::Twin || !case.flags.iter().any(|flag| flag == "without-openmp") {
        command.arg("-fopenmp");
    }
    if compiler == "gfortran" {
        // Folder for module files.
        command.arg("-J").arg(file.parent().context("a program lies in a folder")?);
    }
    output(command.arg(source).arg("-o").arg(&file).arg("-ldl"))?;
    Ok(Built { words: vec![file.into()], library })
}

impl Built {
    /// Returns the command that runs it, preceded by the words of the command that watches it.
    pub(super) fn command(&self, case: &Case, member: Member, watched_by: &[OsString]) -> Result<Command> {
        let prefix = case.prefix_of(member).iter().map(OsString::from);
        let mut words = watched_by.iter().cloned().chain(prefix).chain(self.words.iter().cloned());
        let mut command = Command::new(words.next().context("a command has a name")?);
        undisturbed(&mut command);
        command.args(words).env_remove("OMP_WAIT_POLICY").env("CASE_LIBRARY", &self.library);
        command.envs(case.variables_of(member));
        Ok(command)
    }
}
