//! Test programs that passed before on the same inputs: a gate in which nothing has changed needn't run them again.
//!
//! A stamp in `target/tmp/passed` is named after a hash of all that a test program reads: its own executable, the
//! products of the release build, every file of the workspace, the environment, and the system's packages. A change to
//! any of them makes every program run again. Runs of all tests take no stamp.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::Result;

use crate::{needs, sources, workspace};

/// Variables that differ from shell to shell and that no test reads.
const OF_THE_SHELL: [&str; 5] = ["OLDPWD", "PWD", "SHLVL", "WINDOWID", "_"];

/// Files of the system whose contents results of tests may depend on.
const OF_THE_SYSTEM: [&str; 6] = [
    "/etc/ld.so.cache",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/perf_event_paranoid",
    "/proc/sys/kernel/randomize_va_space",
    "/proc/sys/kernel/yama/ptrace_scope",
    // All packages of Debian's, with their versions.
    "/var/lib/dpkg/status",
];

/// The inputs that all test programs share.
pub(crate) struct Inputs {
    shared: u64,
    stamps: PathBuf,
}

impl Inputs {
    /// The present inputs, with the variables that the tests get beside the environment.
    pub(crate) fn now(variables: &[(&str, OsString)]) -> Result<Self> {
        let mut hasher = DefaultHasher::new();
        variables.hash(&mut hasher);
        let mut environment: Vec<_> = env::vars_os().filter(|(name, _)| !of_the_shell(name.to_str())).collect();
        environment.sort_unstable();
        environment.hash(&mut hasher);
        for file in sources::all(&workspace::root())?.into_iter().chain(products()?) {
            // A link is what it leads to; one that leads nowhere is only a name.
            (&file, fs::read(&file).ok()).hash(&mut hasher);
        }
        workspace::read(Command::new("rustc").arg("-vV"))?.hash(&mut hasher);
        thread::available_parallelism().ok().hash(&mut hasher);
        needs::is_root().hash(&mut hasher);
        OF_THE_SYSTEM.map(|file| fs::read(file).ok()).hash(&mut hasher);
        needs::found().map(|program| identity(&program)).collect::<Vec<_>>().hash(&mut hasher);
        variables.iter().map(|(_, value)| identity(Path::new(value))).collect::<Vec<_>>().hash(&mut hasher);
        Ok(Self { shared: hasher.finish(), stamps: workspace::target().join("tmp/passed") })
    }

    /// The stamp of a test program of this name; none if its executable can't be read.
    pub(crate) fn stamp(&self, name: &str, executable: &Path) -> Option<Stamp> {
        let mut hasher = DefaultHasher::new();
        (self.shared, name, fs::read(executable).ok()?).hash(&mut hasher);
        Some(Stamp(self.stamps.join(format!("{:016x}", hasher.finish()))))
    }
}

/// A stamp, which exists once its test program has passed.
pub(crate) struct Stamp(PathBuf);

impl Stamp {
    /// True if the test program has passed.
    pub(crate) fn exists(&self) -> bool {
        self.0.is_file()
    }

    /// Notes that the test program has passed.
    pub(crate) fn set(&self) -> Result<()> {
        workspace::write(&self.0, "")
    }

    /// Notes that the test program has failed.
    pub(crate) fn remove(&self) {
        // It is seldom there.
        let _ = fs::remove_file(&self.0);
    }
}

fn of_the_shell(name: Option<&str>) -> bool {
    name.is_some_and(|name| OF_THE_SHELL.contains(&name))
}

/// The command and the libraries of the release build, which tests run.
fn products() -> io::Result<Vec<PathBuf>> {
    let is_product = |name: &str| name == "ora" || (name.starts_with("libora") && name.ends_with(".so"));
    let folder = workspace::target().join("release");
    // Nothing may have been built yet.
    fs::create_dir_all(&folder)?;
    let files = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| file.file_name().and_then(|name| name.to_str()).is_some_and(is_product));
    files.sort_unstable();
    Ok(files)
}

/// Path, size and time of a file, behind all links; of another package's, that says whether it is the same.
fn identity(path: &Path) -> Option<(PathBuf, u64, i64)> {
    let file = path.canonicalize().ok()?;
    let its = file.metadata().ok()?;
    Some((file, its.size(), its.mtime()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(shared: u64, folder: &Path) -> Inputs {
        Inputs { shared, stamps: folder.join("passed") }
    }

    #[test]
    fn a_stamp_is_of_one_program_with_one_name_and_the_same_inputs() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        fs::write(&program, "one").expect("a file");
        let stamp = |shared, name| inputs(shared, folder.path()).stamp(name, &program).expect("a program");
        stamp(1, "a").set().expect("a stamp");
        assert!(stamp(1, "a").exists());
        assert!(!stamp(2, "a").exists() && !stamp(1, "b").exists());
        fs::write(&program, "two").expect("a file");
        assert!(!stamp(1, "a").exists());
    }

    #[test]
    fn inputs_stay_the_same_until_a_variable_differs() {
        let shared = |value: &str| Inputs::now(&[("A", OsString::from(value))]).expect("inputs").shared;
        assert_eq!(shared("1"), shared("1"));
        assert_ne!(shared("1"), shared("2"));
    }

    #[test]
    fn a_failure_takes_the_stamp_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        fs::write(&program, "").expect("a file");
        let stamp = inputs(1, folder.path()).stamp("a", &program).expect("a program");
        stamp.set().expect("a stamp");
        stamp.remove();
        assert!(!stamp.exists());
    }
}
