//! Trials of the packages: each is installed in a system of another release as its user would install it, used, and removed.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{root, workspace};

/// Releases with an older and newer C libraries than most: glibc 2.31, 2.41, and Debian's newest.
const SUITES: [&str; 3] = ["bullseye", "trixie", "sid"];
/// Programs that users have: a compiler, Python with scikit-learn, and shells.
const PACKAGES: [&str; 7] = ["gcc", "libc6-dev", "libgomp1", "python3-venv", "python3-sklearn", "zsh", "fish"];
/// Kinds of packages that the script supports.
const KINDS: [&str; 3] = ["wheel", "tarball", "debian"];

/// Tries the packages that [`super::build`] has left in `target/dist`.
///
/// # Errors
/// If a root can't be created, a trial fails, or files remain.
pub(crate) fn all() -> Result<()> {
    let dist = workspace::target().join("dist");
    ensure!(dist.join(super::SUMS).is_file(), "{} has no release. Next: cargo xtask release", dist.display());
    if requirements::LINTIAN.obstacle().is_none() {
        let lintian = "lintian --fail-on error --allow-root *.deb";
        workspace::run(Command::new("sh").current_dir(&dist).args(["-c", lintian]))?;
    }
    for suite in SUITES {
        let mut root = root::make(suite, &PACKAGES)?.copy("trial")?;
        root.show_at(&dist, Path::new("/packages"))?;
        root.show_at(&workspace::root().join("packaging"), Path::new("/packaging"))?;
        for kind in KINDS {
            root.run(&format!("sh /packaging/trial.sh {kind}")).with_context(|| format!("the {kind} in {suite}"))?;
            println!("the {kind} works in {suite}, and leaves nothing");
        }
    }
    Ok(())
}
