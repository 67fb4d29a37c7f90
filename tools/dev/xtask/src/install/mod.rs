//! Installation: `packaging/stage.sh` stages the files below the target folder, from where `install.sh` installs them in the same way as a
//! tarball.

mod documents;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{published, workspace};

/// Libraries that the command preloads.
const PRELOADED: &str = include_str!("../../../../../packaging/preloaded.txt");

/// Paths of the command and its libraries in the folder of a build.
pub(crate) fn binaries(built: &Path) -> Vec<PathBuf> {
    ["ora", "libora.so"].into_iter().chain(PRELOADED.lines()).map(|name| built.join(name)).collect()
}

/// Command that runs a script of `packaging/`.
pub(crate) fn script(name: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg(workspace::root().join("packaging").join(name));
    command.env("ORA_VERSION", env!("CARGO_PKG_VERSION")).env("ORA_PROCESSOR", workspace::processor());
    command
}

/// Command that runs a script of `packaging/` on a build.
pub(crate) fn script_on(built: &Path, name: &str) -> Result<Command> {
    let documents = workspace::target().join("xtask/documents");
    documents::write(&documents)?;
    let mut command = script(name);
    command.env("ORA_BUILT", built).env("ORA_DOCUMENTS", documents).env("ORA_CRATES", published::packages()?);
    Ok(command)
}

/// Builds everything and installs it; for a package, leaves it below the folder `staging`, without a manifest.
pub(crate) fn install(prefix: &Path, staging: Option<&Path>) -> Result<()> {
    workspace::run(workspace::cargo().args(["build", "--release", "--quiet"]))?;
    let prefix = std::path::absolute(prefix).with_context(|| format!("`{}` is no folder's name", prefix.display()))?;
    let folder = workspace::target().join("staged");
    if staging.is_none() {
        workspace::empty(&folder)?;
    }
    let root = staging.unwrap_or(&folder);
    let mut stage = script_on(&workspace::target().join("release"), "stage.sh")?;
    workspace::run(stage.arg("build").arg(&prefix).arg(root))?;
    let staged = root.join(prefix.strip_prefix("/").unwrap_or(&prefix));
    if staging.is_some() {
        println!("installed ora {} in {}", env!("CARGO_PKG_VERSION"), staged.display());
        return Ok(());
    }
    put_scripts(&staged)?;
    workspace::run(Command::new(staged.join("install.sh")).arg("--prefix").arg(&prefix))
}

/// Removes the files that `install` has put below the prefix.
pub(crate) fn uninstall(prefix: &Path) -> Result<()> {
    workspace::run(script("uninstall.sh").arg(prefix))
}

/// Adds the scripts that install and remove a folder's files to the folder.
fn put_scripts(folder: &Path) -> Result<()> {
    for (name, place) in [("install.sh", "install.sh"), ("uninstall.sh", "share/ora/uninstall.sh")] {
        let (from, to) = (workspace::root().join("packaging").join(name), folder.join(place));
        fs::copy(&from, &to).with_context(|| format!("can't copy {}", from.display()))?;
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Tests the scripts that install and remove files, and tries out an installation.
pub(crate) fn check() -> Result<()> {
    workspace::run(&mut script("test.sh"))?;
    let prefix = workspace::target().join("installed");
    if prefix.exists() {
        fs::remove_dir_all(&prefix).with_context(|| format!("can't empty {}", prefix.display()))?;
    }
    install(&prefix, None)?;
    let mut check = script("check.sh");
    check.arg(&prefix).args(requirements::GROFF.is_here("the man pages' warnings").then_some("groff"));
    workspace::run(check.args(requirements::GDB.is_here("share/ora/ora.py").then_some("gdb")))?;
    documents::have_no_dead_link(&prefix.join("share/doc/ora"))?;
    // Installs over the first installation.
    install(&prefix, None)?;
    uninstall(&prefix)?;
    ensure!(!prefix.exists(), "`uninstall` leaves files in {}", prefix.display());
    Ok(())
}
