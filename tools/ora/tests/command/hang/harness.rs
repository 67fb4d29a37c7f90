//! Programs that are examined while they hang, or while they run.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::harness::{Folder, errors, ora, run, source};
use crate::reference::document;
use compat_tests::requirements;
use serde_json::Value;

/// Maximum wait until a program hangs.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// Number of consecutive times that a hanging program has to show the same.
const SAME: u32 = 4;

/// Program that is killed on drop.
pub(super) struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Starts a program, and waits until it reports that it has started. Its stdin stays open.
    pub(super) fn start(program: &Path, case: &str, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(program);
        command.arg(case).env_remove("LD_PRELOAD").env("OMP_WAIT_POLICY", "passive").envs(variables.iter().copied());
        Self::begin(command.stdin(Stdio::piped()).stdout(Stdio::piped()), case)
    }

    /// Like [`Running::start`], for a command.
    pub(super) fn begin(command: &mut Command, case: &str) -> Self {
        let mut running = Self(command.spawn().unwrap());
        let mut line = String::new();
        BufReader::new(running.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "{case}");
        running
    }

    pub(super) fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Waits until all threads except this many sleep and have not run for some time.
    pub(super) fn stands_still(&self, awake: usize) {
        stands_still(self.pid(), awake);
    }

    pub(super) fn hang(&self, options: &[&str]) -> Output {
        run(ora(&["hang", &self.pid().to_string()]).args(options))
    }

    /// Answer as JSON, and the exit code.
    pub(super) fn answer(&self, options: &[&str]) -> (Value, Option<i32>) {
        let output = self.hang(&[options, &["--json"]].concat());
        assert!(!output.stdout.is_empty(), "{}", errors(&output));
        (document(&output.stdout), output.status.code())
    }
}

/// Compiles a program for LLVM's runtime. `None` if clang is missing, and then a line is printed.
pub(super) fn on_llvms_runtime(folder: &Folder, name: &str, optimisation: &str) -> Option<PathBuf> {
    let release = requirements::llvm();
    let mut clang = Command::new(format!("clang-{release}"));
    clang.args([optimisation, "-g", "-fopenmp", &format!("-L/usr/lib/llvm-{release}/lib")]);
    clang.arg(format!("-Wl,-rpath,/usr/lib/llvm-{release}/lib")).arg(source(name));
    folder.compile_by(&requirements::CLANG, &mut clang, &format!("{name}-llvm{optimisation}"))
}

/// State of each thread of a process, and its running time.
fn threads(pid: u32) -> Vec<(bool, String)> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let thread = |task: std::io::Result<std::fs::DirEntry>| {
        let folder = task.ok()?.path();
        let state = std::fs::read_to_string(folder.join("stat")).ok()?;
        let ran = std::fs::read_to_string(folder.join("schedstat")).ok()?;
        Some((state.rsplit(") ").next()?.starts_with('S'), format!("{folder:?} {ran}")))
    };
    tasks.filter_map(thread).collect()
}

/// Waits until all threads of a process except this many sleep and have not run for some time.
pub(super) fn stands_still(pid: u32, awake: usize) {
    let begun = Instant::now();
    let (mut same, mut before) = (0, Vec::new());
    while same < SAME {
        assert!(begun.elapsed() < MAX_WAIT, "the program doesn't come to its hang");
        thread::sleep(Duration::from_millis(20));
        let now: Vec<_> = threads(pid).into_iter().filter(|(asleep, _)| *asleep).collect();
        let is_same = now == before && !now.is_empty() && threads(pid).len() - now.len() == awake;
        same = if is_same { same + 1 } else { 0 };
        before = now;
    }
}
