//! Cells of the signal stress test: programs, each with its runtime and adapter.

use std::fmt;
use std::path::PathBuf;

use crate::forge::{Forge, Language, fortran_is_here};
use crate::library::libora;
use crate::pomp::{self, Form, opari_is_here};
use crate::run::Launch;
use crate::stacks::{Compiler, INSTALLED, Stack};
use crate::suite::PROGRAMS;

/// A program on a runtime.
pub struct Cell {
    host: String,
    program: PathBuf,
    source: String,
    argument: &'static str,
    env: Vec<(&'static str, &'static str)>,
    stack: Option<Stack>,
    /// True if the program itself is linked to the library.
    pub is_linked: bool,
    /// True if the program prints the same each time, which holds on libgomp, for which these programs were written.
    pub says_the_same: bool,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<16} {:<24}", self.host, self.source)
    }
}

impl Cell {
    /// Name of the runtime and its adapter.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Launches the program, without tools.
    pub fn launch(&self, forge: &Forge) -> Launch {
        let launch = match &self.stack {
            Some(stack) => stack.launch(forge, &self.program),
            None => Launch::of(forge, &self.program),
        };
        let launch = self.env.iter().fold(launch.threads(4), |launch, (name, value)| launch.env(name, value));
        if self.argument.is_empty() { launch } else { launch.arg(self.argument) }
    }
}

/// Argument that makes a program run longer, so that the stress test does not consist of starts and exits.
fn argument(source: &str) -> &'static str {
    match source {
        "churn.c" => "400",
        _ => "",
    }
}

/// Every program on every runtime that is installed.
///
/// # Panics
/// With `CI=true`, if anything is missing.
pub fn all(forge: &Forge) -> Vec<Cell> {
    let stacks = [(Compiler::Gcc, "libgomp"), (Compiler::Clang, INSTALLED), (Compiler::Gcc, INSTALLED)];
    let stacks = stacks.into_iter().filter_map(|stack| Stack::find(stack, "the signal stress test"));
    stacks.flat_map(|stack| on(forge, &stack)).chain(embedded(forge)).chain(instrumented(forge)).collect()
}

fn on(forge: &Forge, stack: &Stack) -> Vec<Cell> {
    let built = PROGRAMS.iter().filter(|program| !program.is_fortran() || fortran_is_here(program.source));
    let built = built.filter_map(|program| Some((program, stack.program(forge, program.source)?)));
    built
        .map(|(program, path)| Cell {
            host: stack.to_string(),
            program: path,
            source: program.source.to_owned(),
            argument: argument(program.source),
            env: program.env.to_vec(),
            stack: Some(stack.clone()),
            is_linked: false,
            says_the_same: !stack.speaks_ompt(),
        })
        .collect()
}

/// Programs on a runtime that embeds the library.
fn embedded(forge: &Forge) -> Vec<Cell> {
    let library = libora();
    let folder = format!("-Wl,-rpath,{}", library.parent().expect("a file lies in a folder").display());
    let flags = ["-O2", "-g", "-Iembed", "-pthread", "-rdynamic", &folder];
    let sources = ["embed/teams.c", "embed/teams_program.c"];
    let program = forge.link(Language::C11, &sources, &flags, &[&library], "");
    vec![linked("embed", "teams_program.c", program)]
}

/// Programs instrumented by OPARI, with libgomp linked statically.
fn instrumented(forge: &Forge) -> Vec<Cell> {
    if !opari_is_here("the signal stress test") {
        return Vec::new();
    }
    let sources = ["pomp/constructs.c", "pomp/objects.cc", "pomp/constructs.f90"].into_iter();
    let sources = sources.filter(|source| !source.ends_with("f90") || fortran_is_here(source));
    sources.map(|source| linked("pomp (static)", source, pomp::build(forge, source, Form::Static))).collect()
}

fn linked(host: &str, source: &str, program: PathBuf) -> Cell {
    Cell {
        host: host.to_owned(),
        program,
        source: source.to_owned(),
        argument: "",
        env: Vec::new(),
        stack: None,
        is_linked: true,
        says_the_same: true,
    }
}
