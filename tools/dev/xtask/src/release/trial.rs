//! Trials of the packages: each is installed in a system of another release as its user would, used, and removed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::root::{self, Root};
use crate::{install, workspace};

/// Releases with an older and a newer C library than most: glibc 2.31 and 2.41.
const SUITES: [&str; 2] = ["bullseye", "trixie"];
/// Programs that a user has: a compiler, Python with scikit-learn, and shells.
const PACKAGES: [&str; 7] = ["gcc", "libc6-dev", "libgomp1", "python3-venv", "python3-sklearn", "zsh", "fish"];
/// Uses an installation.
const USE: &str = include_str!("../../programs/trial.sh");
/// Program with a collector of its own.
const PROGRAM: &str = include_str!("../../programs/installed.c");

/// A way to install: lines of the shell's.
struct Way {
    package: &'static str,
    before: &'static str,
    install: &'static str,
    prefix: &'static str,
    remove: &'static str,
}

const WAYS: [Way; 3] = [
    Way {
        package: "wheel",
        before: "python3 -m venv --system-site-packages /venv",
        install: "/venv/bin/pip install --quiet --no-cache-dir --no-index /packages/*.whl",
        prefix: "/venv",
        remove: "/venv/bin/pip uninstall --quiet --yes ora-openmp",
    },
    Way {
        package: "tarball",
        before: "tar -C /tmp -xf /packages/ora-*-linux.tar.gz",
        install: "/tmp/ora-*-linux/install.sh --prefix /opt/ora",
        prefix: "/opt/ora",
        remove: "/opt/ora/share/ora/uninstall.sh && [ ! -e /opt/ora ]",
    },
    Way {
        package: "Debian packages",
        before: ":",
        install: "dpkg --install /packages/*.deb",
        prefix: "/usr",
        remove: "dpkg --purge ora libora-dev libora0",
    },
];

/// Tries what [`super::build`] has left in `target/dist`.
///
/// # Errors
/// If a root can't be made, a trial fails, or files remain.
pub(crate) fn all() -> Result<()> {
    let dist = workspace::target().join("dist");
    ensure!(dist.join(super::SUMS).is_file(), "{} has no release. Next: cargo xtask release", dist.display());
    if requirements::LINTIAN.obstacle().is_none() {
        let packages = install::files(&dist)?.into_iter().filter(|file| file.ends_with(".deb"));
        let options = ["--fail-on", "error", "--allow-root"];
        workspace::run(Command::new("lintian").current_dir(&dist).args(options).args(packages))?;
    }
    for suite in SUITES {
        let mut root = root::make(suite, &PACKAGES)?.copy("trial")?;
        root.show_at(&dist, Path::new("/packages"))?;
        workspace::write(&root.inside(Path::new("/tmp/trial.sh")), USE)?;
        workspace::write(&root.inside(Path::new("/tmp/installed.c")), PROGRAM)?;
        for way in &WAYS {
            way.is_good(&root).with_context(|| format!("the {} in {suite}", way.package))?;
            println!("the {} works in {suite}, and leaves nothing", way.package);
        }
    }
    Ok(())
}

impl Way {
    fn is_good(&self, root: &Root) -> Result<()> {
        root.run(self.before)?;
        let before = files(root.folder())?;
        root.run(self.install)?;
        root.run(&format!("sh /tmp/trial.sh {}", self.prefix))?;
        root.run(self.remove)?;
        let after = files(root.folder())?;
        let left: Vec<&String> = after.difference(&before).collect();
        ensure!(left.is_empty(), "after `{}` these are left: {left:?}", self.remove);
        Ok(())
    }
}

/// Files of a root, without those that systems keep for themselves.
fn files(root: &Path) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut next = vec![root.to_path_buf()];
    while let Some(folder) = next.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("can't read {}", folder.display()))? {
            let path = entry?.path();
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            if ["tmp", "proc", "sys", "dev", "packages", "var/lib/dpkg", "var/log", "var/cache"].contains(&&*name) {
                continue;
            }
            // pip leaves folders that are empty.
            if path.is_dir() && !path.is_symlink() {
                next.push(path);
            } else {
                found.insert(name);
            }
        }
    }
    Ok(found)
}
