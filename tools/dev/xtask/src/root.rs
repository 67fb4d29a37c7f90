//! Roots: Debian systems of other releases, below the target folder, in which chores try out the project's products.
//!
//! `debootstrap` creates a root once, and it is kept. The name of its folder is the release and a hash of the list of packages. Only root
//! can create one. Commands run there in mount and process namespaces of their own, so that nothing remains mounted and no process remains
//! when they end.

use std::collections::{BTreeSet, hash_map::DefaultHasher};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{needs, workspace};

/// Settings of apt in each root. A mirror's copy of sid may be older than the date until which sid declares itself valid.
const APT: &str = "APT::Install-Recommends \"false\";\nAcquire::Check-Valid-Until \"false\";\n\
    Acquire::Languages \"none\";\nDPkg::Use-Pty \"0\";\n";

/// Prepares the namespaces, and runs a command in the root: `ROOT FOLDER FORMAT [OUTSIDE INSIDE]... -- COMMAND...`. The shell stays as the
/// first process and reaps orphans.
const ENTER: &str = r#"set -e
root=$1 folder=$2 format=$3
shift 3
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount -t proc proc "$root/proc"
if [ -n "$format" ]; then
    mount -t binfmt_misc binfmt_misc "$root/proc/sys/fs/binfmt_misc"
    printf %s "$format" > "$root/proc/sys/fs/binfmt_misc/register"
fi
while [ "$1" != -- ]; do
    mount --bind "$1" "$root$2"
    shift 2
done
shift
set +e
chroot "$root" env -C "$folder" "$@"
exit $?"#;

/// System in a folder.
pub(crate) struct Root {
    folder: PathBuf,
    /// Folders of this system that are visible in the root, with their paths there.
    shown: Vec<(PathBuf, PathBuf)>,
    /// Line that registers an emulator; empty if none is needed.
    format: String,
}

/// Reason why no root can be created here, with the next step; `None` if one can be created.
pub(crate) fn obstacle() -> Option<String> {
    if !needs::is_root() {
        return Some("only root can make a system in a folder".to_owned());
    }
    requirements::DEBOOTSTRAP.complaint()
}

/// Creates the root of a release (`bookworm`, `trixie`, `sid`) with these packages, in addition to those that Debian requires. A package of
/// another architecture is named with it: `libgomp1:arm64`.
pub(crate) fn make(suite: &str, packages: &[impl AsRef<str>]) -> Result<Root> {
    if let Some(obstacle) = obstacle() {
        bail!("{obstacle}");
    }
    let roots = workspace::target().join("roots");
    fs::create_dir_all(&roots).with_context(|| format!("can't create {}", roots.display()))?;
    let base = roots.join(suite);
    once(&base, |new| bootstrap(suite, new))?;
    let mut packages: Vec<&str> = packages.iter().map(AsRef::as_ref).collect();
    packages.sort_unstable();
    packages.dedup();
    let folder = roots.join(format!("{suite}-{:016x}", key(&packages)));
    once(&folder, |new| {
        println!("installing in a root of {suite}: {}", packages.join(" "));
        duplicate(&base, new)?;
        install(&Root { folder: new.to_path_buf(), shown: Vec::new(), format: String::new() }, &packages)
    })?;
    Ok(Root { folder, shown: Vec::new(), format: String::new() })
}

impl Root {
    /// Folder of the root in this system.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns a copy that may be changed, as the root itself is shared. An earlier copy of this name is replaced.
    pub(crate) fn copy(&self, name: &str) -> Result<Self> {
        let folder = self.folder.with_extension(name);
        remove(&folder)?;
        duplicate(&self.folder, &folder)?;
        Ok(Self { folder, shown: self.shown.clone(), format: self.format.clone() })
    }

    /// Makes a folder of this system visible at the same path in the root.
    pub(crate) fn show(&mut self, folder: &Path) -> Result<()> {
        self.show_at(folder, folder)
    }

    /// Makes a folder of this system, which is created if necessary, visible at another path in the root. That path may be inside a folder
    /// that was made visible before.
    pub(crate) fn show_at(&mut self, folder: &Path, inside: &Path) -> Result<()> {
        ensure!(inside.is_absolute(), "{} is no path from the root", inside.display());
        // Inside the folder that was made visible there before, if any.
        let shown = |(folder, place): &(PathBuf, PathBuf)| Some(folder.join(inside.strip_prefix(place).ok()?));
        let place = self.shown.iter().rev().find_map(shown).unwrap_or_else(|| self.inside(inside));
        for folder in [folder, &place] {
            fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
        }
        self.shown.push((folder.to_path_buf(), inside.to_path_buf()));
        Ok(())
    }

    /// Replaces a file of a visible folder by a file of this system.
    pub(crate) fn show_file(&mut self, file: &Path, inside: &Path) {
        self.shown.push((file.to_path_buf(), inside.to_path_buf()));
    }

    /// Makes the kernel start an emulator for another processor's programs, by a line for `binfmt_misc`. Commands then run in a user
    /// namespace of their own, whose only user is root.
    pub(crate) fn emulate(&mut self, format: String) {
        self.format = format;
    }

    /// Path in this system of a path in the root, unless another folder is visible there.
    pub(crate) fn inside(&self, path: &Path) -> PathBuf {
        self.folder.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Command in the root, with root's privileges, `/` as its folder, and a fresh environment.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        self.command_in(Path::new("/"), program)
    }

    /// Command in a folder of the root.
    pub(crate) fn command_in(&self, folder: &Path, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("unshare");
        let (path, proxies): (Vec<_>, Vec<_>) = env::vars_os()
            .filter(|(name, _)| name == "PATH" || name.to_string_lossy().to_lowercase().ends_with("_proxy"))
            .partition(|(name, _)| name == "PATH");
        // Programs of this system run until `chroot`.
        if !self.format.is_empty() {
            command.args(["--user", "--map-root-user"]);
        }
        command.args(["--mount", "--pid", "--fork", "--kill-child", "--", "sh", "-c", ENTER, "root"]);
        command.arg(&self.folder).arg(folder).arg(&self.format);
        command.args(self.shown.iter().flat_map(|(folder, inside)| [folder, inside]));
        command.args(["--", "env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]);
        command.arg(program);
        command.env_clear().envs(path).envs(proxies);
        command.envs([("HOME", "/root"), ("LC_ALL", "C.UTF-8"), ("DEBIAN_FRONTEND", "noninteractive")]);
        command
    }

    /// Runs a shell command line in the root.
    pub(crate) fn run(&self, line: &str) -> Result<()> {
        workspace::run(self.command("sh").args(["-euc", line]))
            .with_context(|| format!("`{line}` in {}", workspace::shown(&self.folder)))
    }
}

/// Creates a folder unless it exists. The folder gets its name once it is complete.
fn once(folder: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if folder.exists() {
        return Ok(());
    }
    let new = folder.with_extension(format!("new{}", std::process::id()));
    remove(&new)?;
    make(&new)?;
    match fs::rename(&new, folder) {
        // Another process finished first.
        Err(_) if folder.exists() => remove(&new),
        renamed => renamed.with_context(|| format!("can't rename {}", new.display())),
    }
}

/// Creates a minimal system of a release.
fn bootstrap(suite: &str, folder: &Path) -> Result<()> {
    let packages = workspace::target().join("roots/packages");
    fs::create_dir_all(&packages).with_context(|| format!("can't create {}", packages.display()))?;
    let mut cache = OsString::from("--cache-dir=");
    cache.push(&packages);
    // In a mount namespace, because it mounts /proc, and would leave that mounted if it were killed.
    let mut command = Command::new("unshare");
    command.args(["--mount", "--", "debootstrap", "--variant=minbase"]).arg(cache).arg(suite).arg(folder);
    workspace::run(command.arg(mirror()?))?;
    workspace::write(&folder.join("etc/apt/apt.conf.d/90root"), APT)
}

/// Debian mirror that this system's own apt uses.
fn mirror() -> Result<String> {
    let format = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian"];
    let mirrors = workspace::read(Command::new("apt-get").args(format))?;
    let first = mirrors.lines().find(|uri| !uri.contains("security"));
    first.map(str::to_owned).context("apt names no mirror of Debian. Next: apt-get update, on a Debian system")
}

fn install(root: &Root, packages: &[&str]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    let architectures: BTreeSet<&str> = packages.iter().filter_map(|name| Some(name.split_once(':')?.1)).collect();
    for architecture in architectures {
        root.run(&format!("dpkg --add-architecture {architecture}"))?;
    }
    root.run(&format!("apt-get -qq update; apt-get -qq install -y {}; apt-get clean", packages.join(" ")))
}

/// Hash of the inputs of a root.
fn key(packages: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (APT, packages).hash(&mut hasher);
    hasher.finish()
}

fn duplicate(from: &Path, to: &Path) -> Result<()> {
    workspace::run(Command::new("cp").args(["--archive", "--reflink=auto"]).arg(from).arg(to))
}

/// Removes a root. Nothing of this system is mounted there: mounts exist only in the namespaces of commands.
fn remove(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    workspace::run(Command::new("rm").args(["--recursive", "--force", "--one-file-system"]).arg(folder))
}
