//! `ora validate --matrix`: compiles programs and runs them on several runtimes.
#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "in a folder that `ora` has made for itself, which no other user may enter"
    )
)]

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use symbols::Files;
use terminal::printable::Shown;
use validate_analysis::findings::Findings;
use validate_analysis::matrix::{self, Column};
use validate_layout::release::Release;
use validate_layout::shared_table::SharedTable;

use crate::exit::Exit;
use crate::image::Image;
use crate::output::{Answer, Output};
use crate::{file_limit, libraries, preload, scratch};

/// Names and sources of the programs, each of which ends by itself.
const PROGRAMS: [(&str, &str); 2] = [
    ("constructs", include_str!("../../../validate/tool/tests/programs/constructs.c")),
    ("teams", include_str!("../../../validate/tool/tests/programs/teams.c")),
];

/// Time after which a program counts as hanging.
const LONG: Duration = Duration::from_secs(60);

/// A runtime.
struct Runtime {
    /// The path that was given, or `libgomp`.
    name: String,
    compiler: &'static str,
    /// Library of the runtime, if the loader would not find it by itself.
    library: Option<PathBuf>,
    /// Libraries to preload.
    preloaded: Vec<PathBuf>,
}

/// # Errors
/// If a compiler or a library is missing, or FILE can't be written.
pub(super) fn matrix(runtimes: &[OsString], release: Release, output: &mut Output) -> Result<Exit> {
    let scratch =
        scratch::folder().context("cannot create a folder for programs: set TMPDIR to one that can be written")?;
    let validator = libraries::find(libraries::VALIDATOR)?;
    let adapter = libraries::find(libraries::LIBRARY)?;
    let mut all = vec![Runtime {
        name: "libgomp".to_owned(),
        compiler: "gcc",
        library: None,
        preloaded: vec![adapter.clone(), validator.clone()],
    }];
    for path in runtimes.iter().map(Path::new) {
        let library = path.canonicalize().map_err(|error| unopened(path, &error))?;
        let name = path.shown().to_string();
        all.push(if is_libgomp(&library)? {
            let preloaded = vec![adapter.clone(), validator.clone()];
            Runtime { name, compiler: "gcc", library: Some(library), preloaded }
        } else {
            Runtime { name, compiler: clang()?, library: Some(library), preloaded: vec![validator.clone()] }
        });
    }
    let columns = all.iter().map(|runtime| column(runtime, release, scratch.path())).collect::<Result<Vec<_>>>()?;
    output.write(&Answer::Text(matrix::table(&columns, release)))?;
    Ok(Exit::Code(0))
}

fn unopened(path: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!(
        "cannot open the runtime {}: {error}. Give a libgomp.so.1, libomp.so.5 or libiomp5.so; \
         docs/reference/ompt-matrix.md says how to get other releases' than the system's",
        path.shown()
    )
}

/// True for GNU's runtime. LLVM's has GNU's entry points as well.
fn is_libgomp(library: &Path) -> Result<bool> {
    let image = Image::read(library)?;
    Ok(image.offers("GOMP_parallel") && !image.offers("__kmpc_fork_call"))
}

/// The newest clang in PATH.
fn clang() -> Result<&'static str> {
    const NAMES: [&str; 5] = ["clang", "clang-22", "clang-21", "clang-20", "clang-19"];
    let found = NAMES.into_iter().find(|name| crate::program::in_path(name.as_ref()).is_some());
    found.context(
        "there is no clang, which programs for LLVM's runtime need. Debian and Ubuntu: `apt install clang libomp-dev`",
    )
}

fn column(runtime: &Runtime, release: Release, scratch: &Path) -> Result<Column> {
    let mut column = Column::new(&runtime.name);
    let folder = scratch.join(format!("runtime-{}", runtime.name.replace('/', "-")));
    fs::create_dir_all(&folder)?;
    if let Some(library) = &runtime.library {
        let name = if runtime.compiler == "gcc" { "libgomp.so.1" } else { "libomp.so.5" };
        symlink(library, folder.join(name))?;
    }
    for (name, source) in PROGRAMS {
        let program = folder.join(name);
        compile(runtime.compiler, source, &program)?;
        let shared = file_limit::lifted(SharedTable::create)?;
        let mut command = Command::new(&program);
        command.envs(preload::variables(&runtime.preloaded)?).env("LD_LIBRARY_PATH", &folder);
        command.env("ORA_VALIDATE_FILE", shared.path()).env("ORA_VALIDATE_SPEC", release.name());
        command.envs([("OMP_NUM_THREADS", "2"), ("OMP_CANCELLATION", "true"), ("OMP_WAIT_POLICY", "passive")]);
        command.envs([("KMP_TEAMS_THREAD_LIMIT", "64"), ("OMP_DYNAMIC", "false")]);
        if let Some(end) = run(&mut command)? {
            column.fail(format!("{name} {end}"));
        }
        let files = Files::default();
        column.add(&Findings::read(shared.table(), &|object, offset| files.place_of_call(object, offset).name()));
    }
    Ok(column)
}

fn compile(compiler: &str, source: &str, program: &Path) -> Result<()> {
    let file = program.with_extension("c");
    fs::write(&file, source).with_context(|| format!("cannot write {}", file.shown()))?;
    let mut command = Command::new(compiler);
    command.args(["-g", "-O1", "-w", "-D_GNU_SOURCE", "-fopenmp", "-fno-optimize-sibling-calls", "-o"]);
    if compiler != "gcc" {
        command.arg(program).arg("-fopenmp-version=51");
    } else {
        command.arg(program);
    }
    let output = command.arg(&file).output().with_context(|| format!("cannot run {compiler}"))?;
    if !output.status.success() {
        bail!("{compiler} cannot compile a program:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// Runs the program. If it fails, returns how it ended.
fn run(command: &mut Command) -> Result<Option<String>> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("cannot run a program")?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            let exit = Exit::of(status);
            return Ok((exit != Exit::Code(0)).then(|| format!("ended with {exit}")));
        }
        if start.elapsed() > LONG {
            child.kill()?;
            child.wait()?;
            return Ok(Some("hung".to_owned()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
