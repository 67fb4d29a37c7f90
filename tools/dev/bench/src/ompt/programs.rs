//! Programs and tools of `bench ompt`: gcc's programs on libgomp and clang's on LLVM's runtime, with the same tools for both.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::way::{Interface, Registered, Way};
use crate::programs::{OPENMP, Programs, output, undisturbed};

/// Next step for the user if the native side is missing.
const ADVICE: &str = "`bench ompt` compares with LLVM's own runtime. Next: install clang and libomp (Debian: apt-get install \
                      clang-19 libomp-19-dev)";

/// Kind of a program.
#[derive(Clone, Copy)]
pub(crate) enum Program {
    Constructs,
    Queries,
}

/// Settings that all runs share.
#[derive(Default)]
pub(crate) struct Runs {
    /// Waiting threads sleep: times then mean little, but are measured quickly on any machine.
    pub(crate) sleep: bool,
    /// Folder with a `libomp.so.5` other than the compiler's.
    pub(crate) libomp: Option<PathBuf>,
}

/// Paths of the compiled programs and tools.
pub(crate) struct Built {
    runs: Runs,
    library: PathBuf,
    /// Version of the compiler of the native side.
    pub(crate) clang: String,
    gcc: [PathBuf; 2],
    native: [PathBuf; 2],
    tool: PathBuf,
    tool_tr2: PathBuf,
}

impl Built {
    /// Builds all programs and tools.
    pub(crate) fn build(programs: &Programs, runs: Runs) -> Result<Self> {
        if let Some(folder) = runs.libomp.as_ref().filter(|folder| !folder.join("libomp.so.5").is_file()) {
            bail!("there is no libomp.so.5 in {}", folder.display());
        }
        let (compiler, clang) = clang()?;
        let both = |compiler: &str, ending: &str, more: &[&str]| -> Result<[PathBuf; 2]> {
            let build = |name: &str| {
                programs.compile_with(compiler, &format!("ompt/{name}"), &format!("ompt-{name}-{ending}"), more)
            };
            Ok([build("constructs")?, build("queries")?])
        };
        let tool =
            |name: &str| programs.compile(&format!("ompt/{name}"), &format!("ompt-{name}.so"), &["-shared", "-fPIC"]);
        Ok(Self {
            runs,
            library: programs.library.clone(),
            gcc: both("gcc", "gcc", OPENMP)?,
            native: both(compiler, "clang", &["-fopenmp", &rpath(compiler)?]).context(ADVICE)?,
            clang,
            tool: tool("tool")?,
            tool_tr2: tool("tool_tr2")?,
        })
    }

    /// Path of a program, compiled for `way`.
    fn path(&self, program: Program, way: Way) -> &Path {
        let [constructs, queries] = if way.is_native() { &self.native } else { &self.gcc };
        match program {
            Program::Constructs => constructs,
            Program::Queries => queries,
        }
    }

    /// Command that runs a program in a way; `callbacks` are those of the row.
    pub(crate) fn command(&self, program: Program, way: Way, callbacks: &str) -> Command {
        let mut command = Command::new(self.path(program, way));
        undisturbed(&mut command);
        if self.runs.sleep {
            command.env("OMP_WAIT_POLICY", "passive");
        }
        if let Some(folder) = self.runs.libomp.as_ref().filter(|_| way.is_native()) {
            command.env("LD_LIBRARY_PATH", folder);
        }
        let tool = way.tool();
        let tools = match tool {
            None => None,
            Some((Interface::Tr2, _)) => Some(&self.tool_tr2),
            Some((Interface::Ours | Interface::Native, _)) => Some(&self.tool),
        };
        let library = (way != Way::Bare && !way.is_native()).then_some(&self.library);
        let preload: Vec<_> = library.into_iter().chain(tools).map(|file| file.as_os_str()).collect();
        if !preload.is_empty() {
            command.env("LD_PRELOAD", preload.join(":".as_ref()));
        }
        if let Some((_, registered)) = tool {
            command.env(
                "BENCH_CALLBACKS",
                match registered {
                    Registered::Nothing => "none",
                    Registered::Rows => callbacks,
                    Registered::All => "all",
                },
            );
        }
        command
    }
}

/// Name of the compiler of the native side, and the first line of its version.
pub(crate) fn clang() -> Result<(&'static str, String)> {
    let version = |name: &&'static str| {
        let said = Command::new(name).arg("--version").output().ok().filter(|said| said.status.success())?;
        let text = String::from_utf8_lossy(&said.stdout).lines().next()?.to_owned();
        Some((*name, text))
    };
    ["clang-19", "clang"].iter().find_map(version).context(ADVICE)
}

/// Linker option with which programs find the compiler's own runtime.
pub(crate) fn rpath(compiler: &str) -> Result<String> {
    let mut folder = None;
    for name in ["libomp.so.5", "libomp.so"] {
        let said = output(Command::new(compiler).arg(format!("-print-file-name={name}")))?;
        // The compiler prints the bare name if it has no such file.
        folder = folder.or_else(|| Path::new(said.trim()).parent().filter(|path| path.is_dir()).map(Path::to_path_buf));
    }
    let folder = folder.context(ADVICE)?;
    Ok(format!("-Wl,-rpath,{}", folder.display()))
}
