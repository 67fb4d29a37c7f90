//! Trials: a source and files in an empty folder, and commands that have to succeed there.

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::with_release;

/// Timeout of a command: a launcher may wait for a network.
const LONGEST: Duration = Duration::from_secs(60);

/// Variables that change what compilers, runtimes and launchers do. They are removed, as the machine is tried, not the user's environment.
const IGNORED: [&str; 5] = ["LD_PRELOAD", "LD_LIBRARY_PATH", "OMP_TOOL", "OMP_TOOL_LIBRARIES", "TSAN_OPTIONS"];

/// Trial of a requirement.
#[derive(Debug)]
pub(crate) struct Trial {
    /// Name and text of a source.
    pub(crate) source: (&'static str, &'static str),
    /// Commands, run one after the other; `./program` is the compiler's output.
    pub(crate) commands: &'static [&'static [&'static str]],
    /// Files that have to exist besides those that the commands use.
    pub(crate) files: &'static [&'static str],
}

impl Trial {
    /// Files and programs that it depends on.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &'static str> {
        let programs = self.commands.iter().filter_map(|words| words.first().copied());
        programs.filter(|program| !program.starts_with("./")).chain(self.files.iter().copied())
    }

    /// Runs it with the programs in these folders. The error names the fault.
    pub(crate) fn run(&self, path: &OsStr) -> Result<(), String> {
        if let Some(file) = self.files.iter().map(|file| with_release(file)).find(|file| !Path::new(file).is_file()) {
            return Err(format!("{file} is missing"));
        }
        let folder = Folder::new().map_err(|error| format!("no folder for a trial: {error}"))?;
        let (name, text) = self.source;
        if !name.is_empty() {
            fs::write(folder.0.join(name), text).map_err(|error| format!("no source for a trial: {error}"))?;
        }
        self.commands.iter().try_for_each(|words| {
            let words: Vec<String> = words.iter().map(|word| with_release(word)).collect();
            folder.run(&words, path)
        })
    }
}

/// Empty folder, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("ora-trial-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = env::temp_dir().join(name);
        // Fails if the folder already exists.
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }

    /// Runs a command in it. The error is the command's output, shortened.
    fn run(&self, words: &[String], path: &OsStr) -> Result<(), String> {
        let Some((program, arguments)) = words.split_first() else { return Ok(()) };
        let said = self.0.join("said");
        let file = File::create(&said).map_err(|error| format!("no file for a trial: {error}"))?;
        let again = file.try_clone().map_err(|error| format!("no file for a trial: {error}"))?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.0).env("PATH", path);
        // The same settings as in the tests: in a container, root may be the only user.
        command
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .env("OMP_NUM_THREADS", "2");
        IGNORED.iter().for_each(|variable| _ = command.env_remove(variable));
        let child = command.stdin(Stdio::null()).stdout(file).stderr(again).spawn();
        let status = match child.map(ends) {
            Ok(Ok(Some(status))) => status,
            Ok(Ok(None)) => return Err(format!("`{}` has not ended in {} s", words.join(" "), LONGEST.as_secs())),
            Ok(Err(error)) => return Err(format!("`{program}` is lost: {error}")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(format!("{program} is missing")),
            Err(error) => return Err(format!("{program} can't be started: {error}")),
        };
        if status.success() {
            return Ok(());
        }
        let said = fs::read(said).unwrap_or_default();
        Err(format!("incomplete: `{}` says: {}", words.join(" "), reason(&String::from_utf8_lossy(&said), status)))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Status of a process; `None` if it didn't end in time and was killed.
fn ends(mut child: std::process::Child) -> io::Result<Option<ExitStatus>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if begun.elapsed() > LONGEST {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// The first line that names an error, or else the first line, or else the status.
fn reason(said: &str, status: ExitStatus) -> String {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let names_error = |line: &&str| ["error", "cannot", "not found"].iter().any(|word| line.contains(word));
    lines().find(names_error).or_else(|| lines().next()).map_or_else(|| status.to_string(), str::to_owned)
}
