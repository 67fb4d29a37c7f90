//! The C programs that are measured: built when the benchmark starts, run as each mode wants it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::rows::Mode;

/// The programs, and the libraries to preload.
pub(crate) struct Programs {
    pub(crate) library: PathBuf,
    pub(crate) collector: PathBuf,
    folder: PathBuf,
    constructs: PathBuf,
    requests: PathBuf,
}

/// Which program.
#[derive(Clone, Copy)]
pub(crate) enum Program {
    Constructs,
    Requests,
}

/// What `gcc` gets for programs.
const OPENMP: &[&str] = &["-fopenmp"];

impl Programs {
    /// Builds the programs with gcc, and `libora.so` too unless another is given.
    pub(crate) fn build(library: Option<PathBuf>) -> Result<Self> {
        Self::build_with(library, &["ora"])
    }

    /// The same with these packages.
    pub(crate) fn build_with(library: Option<PathBuf>, packages: &[&str]) -> Result<Self> {
        let here = env::current_exe().context("this program's own path is not known")?;
        let beside = here.parent().context("this program lies in no folder")?;
        let library = match library {
            Some(library) => library,
            None => {
                // Run by cargo: what is measured is what the sources say.
                if let Some(cargo) = env::var_os("CARGO") {
                    let here = env!("CARGO_MANIFEST_DIR");
                    let packages = packages.iter().flat_map(|package| ["--package", package]);
                    let mut build = Command::new(cargo);
                    output(build.current_dir(here).args(["build", "--release", "--quiet"]).args(packages))?;
                }
                beside.join("libora.so")
            }
        };
        if !library.is_file() {
            bail!("{} does not exist. Next: cargo build --release, or name it with --library", library.display());
        }
        let library = library.canonicalize()?;
        let folder = beside.join("bench-programs");
        std::fs::create_dir_all(&folder).with_context(|| format!("can't create {}", folder.display()))?;
        let mut programs =
            Self { library, folder, collector: PathBuf::new(), constructs: PathBuf::new(), requests: PathBuf::new() };
        programs.collector = programs.compile("collector", "collector", &["-shared", "-fPIC"])?;
        programs.constructs = programs.compile("constructs", "constructs", OPENMP)?;
        programs.requests = programs.compile("requests", "requests", OPENMP)?;
        Ok(programs)
    }

    /// Compiles one of our sources, named without its ending, to a file of that name. With gcc.
    pub(crate) fn compile(&self, source: &str, name: &str, more: &[&str]) -> Result<PathBuf> {
        self.compile_with("gcc", source, name, more)
    }

    /// The same, with another compiler that takes gcc's options.
    pub(crate) fn compile_with(&self, compiler: &str, source: &str, name: &str, more: &[&str]) -> Result<PathBuf> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let result = self.folder.join(name);
        let mut command = Command::new(compiler);
        command.args(["-std=gnu11", "-Wall", "-Wextra", "-O2"]).arg("-I").arg(here.join("../../headers")).args(more);
        command
            .arg("-o")
            .arg(&result)
            .arg(here.join("programs").join(source).with_extension("c"))
            .args(["-ldl", "-lm"]);
        output(&mut command)?;
        Ok(result)
    }

    /// Where to keep what a run leaves.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The command `ora` that belongs to the library, if it knows `ora tasks`.
    pub(crate) fn ora_tasks(&self) -> Option<PathBuf> {
        let ora = self.library.parent()?.join("ora");
        let help = Command::new(&ora).args(["tasks", "--help"]).output().ok()?;
        help.status.success().then_some(ora)
    }

    /// A command that runs `program` as `mode` wants it, with `arguments` and its heap moved to one of [`SHIFTS`] places.
    pub(crate) fn command(&self, program: Program, mode: Mode, arguments: &[&str], shift: u32) -> Command {
        let mut command = Command::new(self.path(program));
        command.env("BENCH_SHIFT", shift.to_string());
        command.args(arguments);
        self.watch(&mut command, mode);
        command
    }

    /// A command that counts events.
    pub(crate) fn counting(&self) -> Command {
        let mut command = Command::new(&self.constructs);
        command.arg("count");
        self.watch(&mut command, Mode::All);
        command.env("BENCH_MODE", "count");
        command
    }

    /// Where `program` is.
    pub(crate) fn path(&self, program: Program) -> &Path {
        match program {
            Program::Constructs => &self.constructs,
            Program::Requests => &self.requests,
        }
    }

    /// Sets the variables of a mode, and takes out what would change the measurement.
    pub(crate) fn watch(&self, command: &mut Command, mode: Mode) {
        undisturbed(command);
        if !mode.is_preloaded() {
            return;
        }
        let mut preload = self.library.clone().into_os_string();
        if let Some(collector) = mode.collector() {
            preload.push(":");
            preload.push(&self.collector);
            command.env("BENCH_MODE", collector);
        }
        command.env("LD_PRELOAD", preload);
    }
}

/// How many places of the heap `constructs.c` tells apart.
pub(crate) const SHIFTS: u32 = 4;

/// How many processors this process may use.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// Variables that would change what is measured; the start of each name.
const DISTURBING: &[&str] =
    &["ORA_", "OMP_", "GOMP_", "KMP_", "LD_PRELOAD", "BENCH_MODE", "BENCH_CALLBACKS", "BENCH_COUNT"];

/// Takes out of a command's variables what would change the measurement. Waiting threads spin, as long as each has a
/// processor.
pub(crate) fn undisturbed(command: &mut Command) {
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if DISTURBING.iter().any(|start| name.starts_with(start)) {
            command.env_remove(&*name);
        }
    }
    command.env("OMP_WAIT_POLICY", if processors() < 2 { "passive" } else { "active" });
}

/// Runs a command to its end and returns what it wrote to stdout.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("can't start {name}: is it installed?"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("{name} failed: {}\n{}", output.status, errors.trim_end());
    }
    // What the library or the loader has to say belongs to whoever reads the tables.
    if !errors.trim().is_empty() {
        eprint!("{errors}");
    }
    String::from_utf8(output.stdout).with_context(|| format!("{name} wrote what is no UTF-8"))
}
