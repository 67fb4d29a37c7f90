//! C programs that are measured, compiled when the benchmark starts.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::mode::Mode;

/// Paths of the libraries to preload and of the compiled programs.
pub(crate) struct Programs {
    pub(crate) library: PathBuf,
    pub(crate) collector: PathBuf,
    folder: PathBuf,
}

/// Options of `gcc` for OpenMP programs.
pub(crate) const OPENMP: &[&str] = &["-fopenmp"];

impl Programs {
    /// Builds these packages, unless another library is given, and the collector.
    pub(crate) fn build(library: Option<PathBuf>, packages: &[&str]) -> Result<Self> {
        let here = env::current_exe().context("this program's own path is not known")?;
        let beside = here.parent().context("this program lies in no folder")?;
        let library = match library {
            Some(library) => library,
            None => {
                // Under cargo: builds the current sources and measures them.
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
        let mut programs = Self { library, folder, collector: PathBuf::new() };
        programs.collector = programs.compile("collector", "collector", &["-shared", "-fPIC"])?;
        Ok(programs)
    }

    /// Compiles one of our sources with gcc. `source` is its name without the extension, and `name` the output file.
    pub(crate) fn compile(&self, source: &str, name: &str, more: &[&str]) -> Result<PathBuf> {
        self.compile_with("gcc", source, name, more)
    }

    /// Compiles one of our sources with another compiler that accepts gcc's options.
    pub(crate) fn compile_with(&self, compiler: &str, source: &str, name: &str, more: &[&str]) -> Result<PathBuf> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let result = self.folder.join(name);
        let mut command = Command::new(compiler);
        command.args(["-std=gnu11", "-Wall", "-Wextra", "-O2"]).arg("-I").arg(here.join("../../../headers")).args(more);
        command
            .arg("-o")
            .arg(&result)
            .arg(here.join("programs").join(source).with_extension("c"))
            .args(["-ldl", "-lm"]);
        output(&mut command)?;
        Ok(result)
    }

    /// Path for a file that a run leaves in the folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Path of the `ora` command that belongs to the library.
    pub(crate) fn ora(&self) -> Result<PathBuf> {
        let ora = self.library.with_file_name("ora");
        if !ora.is_file() {
            bail!("{} does not exist. Next: cargo build --release", ora.display());
        }
        Ok(ora)
    }

    /// Command that runs `program` in a mode.
    pub(crate) fn command<A: AsRef<OsStr>>(
        &self,
        program: &Path,
        mode: Mode,
        arguments: impl IntoIterator<Item = A>,
    ) -> Command {
        let mut command = Command::new(program);
        command.args(arguments);
        self.watch(&mut command, mode);
        command
    }

    /// Sets the variables of a mode, and removes those that would change the measurement.
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

/// Number of heap positions that `constructs.c` distinguishes.
pub(crate) const SHIFTS: u32 = 4;

/// Number of processors that this process may use.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, Into::into)
}

/// Variables that would change the measurement, by prefix.
const DISTURBING: &[&str] =
    &["ORA_", "OMP_", "GOMP_", "KMP_", "LD_PRELOAD", "BENCH_MODE", "BENCH_CALLBACKS", "BENCH_COUNT"];

/// Removes a command's variables that would change the measurement. Waiting threads spin if each has a processor.
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
    // Messages of the library or the loader are of interest to the reader of the tables, but a profiler's are not.
    let talks = ["ora", "perf", "gprofng"].iter().any(|talker| Path::new(&name).ends_with(talker));
    if !errors.trim().is_empty() && !talks {
        eprint!("{errors}");
    }
    String::from_utf8(output.stdout).with_context(|| format!("{name} wrote what is no UTF-8"))
}
