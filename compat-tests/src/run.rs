//! Runs of a program, with or without the library, each with a time limit.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::forge::Forge;
use crate::library::{SANITIZER, libora};
use crate::trace::Trace;

/// Command of a run, with its environment and preloaded libraries.
pub struct Launch {
    program: PathBuf,
    args: Vec<String>,
    env: Vec<(String, String)>,
    preload: Vec<PathBuf>,
    timeout: Duration,
    scratch: TempDir,
}

/// Result of a run. Its scratch folder is removed on drop, unless the test fails.
pub struct Outcome {
    /// Whole command, for repetition by hand.
    pub command: String,
    /// Exit code or signal.
    pub status: ExitStatus,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// Process id.
    pub pid: u32,
    scratch: TempDir,
}

impl Launch {
    /// Creates a launch without the library and without the caller's own OpenMP settings.
    ///
    /// # Panics
    /// If the scratch folder can't be created.
    pub fn of(forge: &Forge, program: &Path) -> Self {
        let scratch = tempfile::Builder::new().prefix("run-").tempdir_in(forge.dir());
        let scratch = scratch.unwrap_or_else(|e| panic!("{}: {e}", forge.dir().display()));
        let launch = Self {
            program: program.to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            preload: Vec::new(),
            timeout: Duration::from_secs(120),
            scratch,
        };
        launch.env("OMP_WAIT_POLICY", "passive")
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    /// Sets a variable; a later value replaces an earlier one.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.retain(|(n, _)| n != name);
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Keeps waiting threads of LLVM's and Intel's runtimes from sleeping, unless the program sets that itself. Without this, 6 of 300 runs
    /// of `small/task_sort.cc` with four threads on libomp 19 never ended, even without a tool.
    #[must_use]
    pub fn awake(mut self) -> Self {
        const SLEEP: &str = "KMP_BLOCKTIME";
        self.env.retain(|(name, _)| name != "OMP_WAIT_POLICY");
        if self.env.iter().any(|(name, _)| name == SLEEP) { self } else { self.env(SLEEP, "infinite") }
    }

    /// Sets `OMP_NUM_THREADS`.
    #[must_use]
    pub fn threads(self, count: u32) -> Self {
        self.env("OMP_NUM_THREADS", &count.to_string())
    }

    /// Preloads the library under test.
    #[must_use]
    pub fn with_ora(mut self) -> Self {
        self.preload.push(libora());
        self
    }

    /// Preloads any other library, after those already added.
    #[must_use]
    pub fn with_preload(mut self, library: &Path) -> Self {
        self.preload.push(library.to_owned());
        self
    }

    /// Preloads a collector, after the libraries already added.
    #[must_use]
    pub fn with_collector(mut self, collector: &Path) -> Self {
        self.preload.push(collector.to_owned());
        self.with_trace()
    }

    /// Sets the path of the trace, for a tool that is in the process without being preloaded.
    #[must_use]
    pub fn with_trace(self) -> Self {
        let trace = self.scratch.path().join("trace");
        self.env("ORA_TEST_TRACE", &trace.to_string_lossy())
    }

    /// Preloads an OMPT tool, after the libraries already added; the tool counts its callbacks ([`Outcome::callback_counts`]).
    #[must_use]
    pub fn with_tool(mut self, tool: &Path) -> Self {
        self.preload.push(tool.to_owned());
        let heard = self.scratch.path().join("heard");
        self.env("ORA_TEST_HEARD", &heard.to_string_lossy())
    }

    /// Sets the time limit.
    #[must_use]
    pub fn within(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Turns the trace off, since it takes memory from the program.
    #[must_use]
    pub fn without_trace(mut self) -> Self {
        self.env.retain(|(name, _)| name != "ORA_TEST_TRACE");
        self
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// If it can't be started, or exceeds its time limit, in which case it is killed.
    pub fn run(self) -> Outcome {
        let timeout = self.timeout;
        let (ended, outcome) = self.attempt();
        assert!(ended, "not done after {timeout:?}, killed: {}", outcome.describe());
        outcome
    }

    /// Runs it to its end, or kills it after its time limit. Returns true if it ended by itself.
    ///
    /// # Panics
    /// If it can't be started.
    pub fn attempt(self) -> (bool, Outcome) {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(self.scratch.path()).stdin(Stdio::null());
        let sanitizer = std::env::var_os(SANITIZER).map(PathBuf::from);
        let prefixes = ["OMP_", "GOMP_", "KMP_", "ORA_", "LD_", "TSAN_", "ARCHER_"];
        let of_sanitizer = |name: &str| sanitizer.is_some() && name == "TSAN_OPTIONS";
        let foreign = |name: &str| prefixes.iter().any(|p| name.starts_with(p)) && !of_sanitizer(name);
        std::env::vars_os().filter(|(n, _)| n.to_str().is_some_and(foreign)).for_each(|(n, _)| {
            command.env_remove(n);
        });
        let mut shown = self.env.clone();
        let list: Vec<_> = sanitizer.iter().chain(&self.preload).map(|p| p.to_string_lossy().into_owned()).collect();
        if !list.is_empty() {
            shown.push(("LD_PRELOAD".to_owned(), list.join(":")));
        }
        command.envs(shown.iter().cloned());
        let line = shown.iter().map(|(n, v)| format!("{n}={v}")).chain([self.program.to_string_lossy().into_owned()]);
        let line = line.chain(self.args.iter().cloned()).collect::<Vec<_>>().join(" ");
        let (out, err) = (self.scratch.path().join("stdout"), self.scratch.path().join("stderr"));
        let create = |p: &Path| File::create(p).unwrap_or_else(|e| panic!("{}: {e}", p.display()));
        // Files instead of pipes: a grandchild that outlives the program can't keep us waiting.
        command.stdout(create(&out)).stderr(create(&err));
        let mut child = command.spawn().unwrap_or_else(|e| panic!("can't start {line}: {e}"));
        let start = Instant::now();
        let mut ended = true;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if !ended || start.elapsed() < self.timeout => std::thread::sleep(Duration::from_millis(2)),
                Ok(None) => {
                    ended = false;
                    // Fails if the process has just ended.
                    let _ = child.kill();
                }
                Err(e) => panic!("lost sight of {line}: {e}"),
            }
        };
        let read = |p: &Path| fs::read(p).unwrap_or_default();
        let outcome = Outcome {
            command: line,
            status,
            stdout: read(&out),
            stderr: read(&err),
            pid: child.id(),
            scratch: self.scratch,
        };
        (ended, outcome)
    }
}

impl Outcome {
    /// Returns `self` if the program ended with exit code 0.
    ///
    /// # Panics
    /// With the command and its output otherwise.
    #[must_use]
    pub fn succeeded(self) -> Self {
        assert!(self.status.success(), "{}: {}", self.status, self.describe());
        self
    }

    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Command and output, for messages.
    pub fn describe(&self) -> String {
        let out = String::from_utf8_lossy(&self.stdout);
        let err = String::from_utf8_lossy(&self.stderr);
        format!("{}\n-- stdout\n{out}\n-- stderr\n{err}", self.command)
    }

    /// Number of calls of each callback of an OMPT tool in all processes, by callback number; number 0 counts the tool's starts. `tool` is
    /// the tool's own name ("v5", "tr2"). Empty if the tool never started.
    ///
    /// # Panics
    /// If the counts can't be read.
    pub fn callback_counts(&self, tool: &str) -> Vec<u64> {
        let path = self.scratch.path().join(format!("heard.{tool}"));
        if !path.exists() {
            return Vec::new();
        }
        let bytes = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        bytes.chunks_exact(8).map(|word| word.try_into().map_or(0, u64::from_ne_bytes)).collect()
    }

    /// The collector's trace.
    ///
    /// # Panics
    /// If there is none, or it can't be read.
    pub fn trace(&self) -> Trace {
        let text = self.trace_of(self.pid);
        let text = text.unwrap_or_else(|| panic!("no trace of {}\n{}", self.pid, self.describe()));
        Trace::parse(&text).unwrap_or_else(|e| panic!("{e}\n{}", self.describe()))
    }

    /// Text that a tool has written in a process, if any.
    pub fn trace_of(&self, pid: u32) -> Option<String> {
        fs::read_to_string(self.scratch.path().join(format!("trace.{pid}"))).ok()
    }

    /// Text that a copy of a tool has written in the process, to a file name with this mark, if any.
    pub fn marked_trace(&self, mark: &str) -> Option<String> {
        fs::read_to_string(self.scratch.path().join(format!("trace.{}{mark}", self.pid))).ok()
    }
}

impl Drop for Outcome {
    fn drop(&mut self) {
        self.scratch.disable_cleanup(std::thread::panicking());
    }
}
