//! Installation: the files that `packaging/stage.sh` puts in their places are staged below the target folder, and installed from there as a
//! tarball is, by `install.sh`.

mod documents;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::workspace;

/// Libraries that the command preloads.
const PRELOADED: &str = include_str!("../../../../packaging/preloaded.txt");

/// The command and its libraries in the folder of a build.
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
    command.env("ORA_BUILT", built).env("ORA_DOCUMENTS", documents);
    Ok(command)
}

/// Builds everything, and installs it; or, for a package, leaves it below the folder `staging`, without a manifest.
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

/// Removes what `install` has put below the prefix.
pub(crate) fn uninstall(prefix: &Path) -> Result<()> {
    workspace::run(script("uninstall.sh").arg(prefix))
}

/// Puts the scripts that install a folder's files, and remove them again, among these.
fn put_scripts(folder: &Path) -> Result<()> {
    for (name, place) in [("install.sh", "install.sh"), ("uninstall.sh", "share/ora/uninstall.sh")] {
        let (from, to) = (workspace::root().join("packaging").join(name), folder.join(place));
        fs::copy(&from, &to).with_context(|| format!("can't copy {}", from.display()))?;
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// Installs into a folder, tries the installation there, and uninstalls it.
pub(crate) fn check() -> Result<()> {
    let prefix = workspace::target().join("installed");
    if prefix.exists() {
        fs::remove_dir_all(&prefix).with_context(|| format!("can't empty {}", prefix.display()))?;
    }
    install(&prefix, None)?;
    let mut check = script("check.sh");
    check.arg(&prefix).args(requirements::GROFF.is_here("the man pages' warnings").then_some("groff"));
    workspace::run(check.args(requirements::GDB.is_here("share/ora/ora.py").then_some("gdb")))?;
    documents::have_no_dead_link(&prefix.join("share/doc/ora"))?;
    // A second installation over the first one.
    install(&prefix, None)?;
    uninstall(&prefix)?;
    ensure!(!prefix.exists(), "`uninstall` leaves files in {}", prefix.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "share/ora/manifest";

    /// A folder to install from, with these files, and an empty prefix beside it.
    fn scratch(files: &[&str]) -> tempfile::TempDir {
        let scratch = tempfile::tempdir().unwrap();
        let of = scratch.path().join("of");
        for folder in ["bin", "lib", "include", "share/ora"] {
            fs::create_dir_all(of.join(folder)).unwrap();
        }
        files.iter().for_each(|file| workspace::write(&of.join(file), "").unwrap());
        put_scripts(&of).unwrap();
        scratch
    }

    /// What a script says, and whether it succeeds. The user has bash or another shell, and nothing is set.
    fn run(script: &Path, shell: &str, words: &[&Path]) -> (bool, String) {
        let mut command = Command::new(script);
        command.args(words).env("SHELL", shell).env("XDG_DATA_DIRS", "/usr/share").env_remove("XDG_DATA_HOME");
        let output = command.env_remove("LD_LIBRARY_PATH").env_remove("PKG_CONFIG_PATH").output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).unwrap())
    }

    fn installed(scratch: &Path, shell: &str, prefix: &str) -> String {
        let prefix = scratch.join(prefix);
        let (done, said) = run(&scratch.join("of/install.sh"), shell, &[Path::new("--prefix"), &prefix]);
        assert!(done, "{said}");
        said
    }

    fn removed(prefix: &Path) -> (bool, String) {
        run(&workspace::root().join("packaging/uninstall.sh"), "sh", &[prefix])
    }

    #[test]
    fn an_installation_goes_without_a_trace_and_a_later_one_takes_what_is_gone() {
        let scratch = scratch(&["bin/ora", "share/man/man1/ora.1", "share/old/file"]);
        let (from, prefix) = (scratch.path().join("of"), scratch.path().join("prefix"));
        fs::set_permissions(from.join("bin/ora"), fs::Permissions::from_mode(0o700)).unwrap();
        installed(scratch.path(), "sh", "prefix");
        assert_eq!(fs::metadata(prefix.join("bin/ora")).unwrap().permissions().mode() & 0o777, 0o755);
        fs::remove_dir_all(from.join("share/old")).unwrap();
        installed(scratch.path(), "sh", "prefix");
        assert!(!prefix.join("share/old/file").exists());
        let (done, said) = removed(&prefix);
        assert!(done && said.contains(&format!("removed {}/bin/ora\n", prefix.display())), "{said}");
        assert!(!prefix.exists());
        let (done, said) = removed(&from);
        assert!(!done && said.contains("has no installation of ora"), "{said}");
    }

    #[test]
    fn files_and_folders_of_others_stay() {
        let scratch = scratch(&["bin/ora", "share/man/man1/ora.1"]);
        let prefix = scratch.path().join("prefix");
        fs::create_dir_all(prefix.join("bin")).unwrap();
        installed(scratch.path(), "sh", "prefix");
        fs::write(prefix.join("share/man/man1/other.1"), "").unwrap();
        assert!(removed(&prefix).0);
        assert!(prefix.join("bin").is_dir() && prefix.join("share/man/man1/other.1").is_file());
        assert!(!prefix.join("share/ora").exists() && !prefix.join("share/man/man1/ora.1").exists());
    }

    #[test]
    fn a_manifest_that_names_files_elsewhere_removes_nothing() {
        let scratch = scratch(&["bin/ora"]);
        let prefix = scratch.path().join("prefix");
        installed(scratch.path(), "sh", "prefix");
        for line in ["../outside", "/etc/passwd", "bin/../../outside", "bin/../"] {
            fs::write(prefix.join(MANIFEST), format!("{MANIFEST}\nbin/ora\n{line}\n")).unwrap();
            let (done, said) = removed(&prefix);
            assert!(!done && said.contains("damaged"), "{line}: {said}");
            let again = run(&scratch.path().join("of/install.sh"), "sh", &[Path::new("--prefix"), &prefix]);
            assert!(!again.0 && again.1.contains("damaged"), "{line}: {}", again.1);
            assert!(prefix.join("bin/ora").is_file());
        }
    }

    #[test]
    fn settings_that_are_missing_are_named_in_the_words_of_the_shell() {
        let scratch = scratch(&["bin/ora"]);
        let said = installed(scratch.path(), "/bin/bash", "my $tools");
        assert!(said.contains("my \\$tools/bin${PATH:+:$PATH}\"   # the command `ora`\n"), "{said}");
        assert!(said.contains("my \\$tools/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"   # only for"), "{said}");
        assert!(
            said.contains("/share:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}\"   # completions of bash"),
            "{said}"
        );
        let said = installed(scratch.path(), "/usr/bin/fish", "prefix");
        assert!(
            said.contains("set -gx --prepend PATH \"") && said.contains(":/usr/share\"   # completions of"),
            "{said}"
        );
        let said = installed(scratch.path(), "/bin/zsh", "prefix");
        assert!(said.contains("fpath=(\"") && !said.contains("XDG_DATA_DIRS"), "{said}");
    }
}
