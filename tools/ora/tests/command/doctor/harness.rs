//! Compiles small C programs, forges copies of them, and runs `ora doctor` on them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use compat_tests::requirements;
use serde_json::Value;

use crate::compiled::copy_program;
use crate::harness::{self, CLANG, LIBOMP, ORA, in_crate};
use crate::reference::document;

/// Folder for the programs of `ora doctor`, removed on drop.
pub(crate) struct Folder(harness::Folder);

impl Folder {
    /// Creates a new, empty folder.
    pub(crate) fn new() -> Self {
        Self(harness::Folder::new())
    }

    /// Path of a file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.file(name)
    }

    /// Option with which a linker searches it for libraries.
    pub(crate) fn library_path(&self) -> String {
        format!("-L{}", self.file("").display())
    }

    /// Compiles `programs/NAME.c` to `TO`.
    pub(crate) fn compile(&self, name: &str, to: &str, options: &[&str]) -> PathBuf {
        self.gcc(Command::new("gcc").arg(program(name)), to, options)
    }

    /// Compiles an OMPT tool: `tests/command/programs/toolN.c`, or `programs/NAME.c`.
    pub(crate) fn tool(&self, name: &str, to: &str, options: &[&str]) -> PathBuf {
        let name = if name.starts_with("tool") { format!("../../programs/{name}") } else { name.to_owned() };
        let headers = headers();
        self.compile(&name, to, &[&["-shared", "-fPIC", headers.as_str()], options].concat())
    }

    /// OpenMP program with one region.
    pub(crate) fn region(&self) -> PathBuf {
        self.compile("region", "region", &["-fopenmp"])
    }

    /// Compiles with clang for the real LLVM runtime; `None` if they are missing, and then a line is printed.
    pub(crate) fn clang(&self, name: &str, to: &str, options: &[&str]) -> Option<PathBuf> {
        let mut clang = Command::new(CLANG);
        self.0.compile_by(&requirements::CLANG, clang.arg("-fopenmp").args(LIBOMP).arg(program(name)).args(options), to)
    }

    /// Compiles or links files of the folder with gcc.
    pub(crate) fn link(&self, to: &str, options: &[&str]) -> PathBuf {
        self.gcc(Command::new("gcc").current_dir(self.file("")), to, options)
    }

    /// Without warnings, because gcc would warn about some of the programs.
    fn gcc(&self, gcc: &mut Command, to: &str, options: &[&str]) -> PathBuf {
        self.0
            .compile_by(&requirements::GCC, gcc.args(["-std=gnu11", "-O1"]).args(options), to)
            .expect("gcc is installed")
    }

    /// Copies a program with some bytes replaced, which must occur in it.
    pub(crate) fn forged(&self, program: &Path, to: &str, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
        let mut bytes = fs::read(program).unwrap();
        change(&mut bytes);
        let (changed, copy) = (self.file("changed"), self.file(to));
        fs::write(&changed, bytes).unwrap();
        fs::set_permissions(&changed, program.metadata().unwrap().permissions()).unwrap();
        copy_program(&changed, &copy);
        copy
    }
}

/// Path of the source `programs/NAME.c`.
fn program(name: &str) -> PathBuf {
    in_crate("tests/command/doctor/programs").join(format!("{name}.c"))
}

/// gcc's option for the folder of the headers.
pub(crate) fn headers() -> String {
    format!("-I{}", in_crate("../../headers").display())
}

/// Source of a tool of OpenMP 5, to be compiled into a program.
pub(crate) fn tool5() -> String {
    harness::source("tool5").display().to_string()
}

/// `ora doctor` with these words, in a plain environment.
pub(crate) fn doctor(words: &[&str]) -> Command {
    let mut command = Command::new(ORA);
    command.arg("doctor").args(words).env("OMP_WAIT_POLICY", "passive").stdin(Stdio::null());
    for variable in ["LD_PRELOAD", "LD_LIBRARY_PATH", "ORA_DISABLE", "ORA_IBAR", "ASAN_OPTIONS"] {
        command.env_remove(variable);
    }
    for variable in ["OMP_TOOL", "OMP_TOOL_LIBRARIES", "OMP_TOOL_VERBOSE_INIT", "ORA_TOOL_LOG"] {
        command.env_remove(variable);
    }
    command
}

/// Answer in JSON, with the exit code.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) json: Value,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
}

impl Answer {
    /// Runs a `doctor` command to which the program is added.
    pub(crate) fn of(command: &mut Command, program: &Path, arguments: &[&str]) -> Self {
        let folder = Folder::new();
        let file = folder.file("out.json");
        let output =
            command.arg("--json").arg("-o").arg(&file).arg("--").arg(program).args(arguments).output().unwrap();
        let text = fs::read_to_string(&file).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let json = document(text);
        for reason in json["reasons"].as_array().unwrap() {
            assert!(reason["what_to_do"].as_str().is_some_and(|text| text.len() > 5), "{reason}");
        }
        Self { json, code: output.status.code(), stdout: String::from_utf8_lossy(&output.stdout).into_owned() }
    }

    /// Returns the answer about a program that is not run.
    pub(crate) fn about(program: &Path) -> Self {
        Self::of(&mut doctor(&[]), program, &[])
    }

    /// Returns the answer after a run.
    pub(crate) fn run(program: &Path, arguments: &[&str]) -> Self {
        Self::of(&mut doctor(&["--run"]), program, arguments)
    }

    pub(crate) fn verdict(&self) -> &str {
        self.json["verdict"].as_str().unwrap()
    }

    /// Ids of the reasons.
    pub(crate) fn reasons(&self) -> Vec<&str> {
        self.json["reasons"].as_array().unwrap().iter().map(|reason| reason["id"].as_str().unwrap()).collect()
    }

    /// Kinds and services of the runtimes.
    pub(crate) fn runtimes(&self) -> Vec<(&str, &str)> {
        let runtimes = self.json["runtimes"].as_array().unwrap().iter();
        runtimes.map(|runtime| (runtime["kind"].as_str().unwrap(), runtime["service"].as_str().unwrap())).collect()
    }

    /// Interface, file name, place and outcome of each tool.
    pub(crate) fn tools(&self) -> Vec<String> {
        let word = |tool: &Value, key: &str| tool[key].as_str().unwrap().to_owned();
        let line = |tool: &Value| {
            let file = word(tool, "file");
            let name = file.rsplit('/').next().unwrap();
            format!("{} {name} {} {}", word(tool, "interface"), word(tool, "found_in"), word(tool, "outcome"))
        };
        self.json["tools"].as_array().unwrap().iter().map(line).collect()
    }

    /// Expects exactly these reasons, and a matching exit code.
    pub(crate) fn expect(&self, verdict: &str, reasons: &[&str]) {
        assert_eq!((self.verdict(), self.reasons().as_slice()), (verdict, reasons), "{:#}", self.json);
        assert_eq!(self.code, Some(i32::from(verdict != "seen")));
    }
}

/// Program that has printed its first line and waits.
pub(crate) struct Waiting(Child);

impl Waiting {
    /// Starts `programs/waits.c` with this command.
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "2\n");
        Self(child)
    }

    /// Returns the answer about the process.
    pub(crate) fn ask(&self) -> Answer {
        Answer::of(&mut doctor(&[]), Path::new(&self.0.id().to_string()), &[])
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
