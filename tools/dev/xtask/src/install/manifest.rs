//! Manifest of an installation: its files and the folders made for them, so that `uninstall` leaves nothing behind.
//!
//! A text file below the prefix. A line is a path relative to the prefix; that of a folder ends with a slash. `./` is the prefix
//! itself, `../` the folder that it is in.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

/// Path of the manifest below the prefix.
pub(super) const NAME: &str = "share/ora/manifest";

/// Files and folders that an installation has made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest(BTreeSet<String>);

impl Manifest {
    /// Reads the manifest of a prefix. `None`: there is none.
    ///
    /// # Errors
    /// If it can't be read, or names a file outside of the prefix.
    pub(super) fn read(prefix: &Path) -> Result<Option<Self>> {
        let path = prefix.join(NAME);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("can't read {}", path.display())),
        };
        let lines: BTreeSet<String> = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
        if let Some(line) = lines.iter().find(|line| !is_valid(line)) {
            bail!(
                "{} is damaged: `{line}` is not a path below {}. Nothing was removed",
                path.display(),
                prefix.display()
            );
        }
        Ok(Some(Self(lines)))
    }

    /// Its text.
    pub(super) fn text(&self) -> String {
        self.0.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Adds a file.
    pub(super) fn add(&mut self, name: &str) {
        self.0.insert(name.to_owned());
    }

    /// Makes a folder with those that it is in, and adds those that were missing.
    pub(super) fn make_folder(&mut self, prefix: &Path, folder: &Path) -> Result<()> {
        let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let names = missing.map(|folder| name_of(prefix, folder)).collect::<Result<Vec<_>>>()?;
        fs::create_dir_all(folder).with_context(|| format!("can't create {}", folder.display()))?;
        self.0.extend(names);
        Ok(())
    }

    /// The entries of both.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.0.extend(other.0.iter().cloned());
        self
    }

    /// The files of this installation that another one doesn't have.
    pub(super) fn without_files_of(&self, other: &Self) -> Self {
        Self(self.0.iter().filter(|line| !is_folder(line) && !other.0.contains(*line)).cloned().collect())
    }

    /// The folders alone.
    pub(super) fn folders(&self) -> Self {
        Self(self.0.iter().filter(|line| is_folder(line)).cloned().collect())
    }

    /// Removes the files, and the folders that are empty then, the deepest first; reports each path. A file that is gone
    /// already is no error, and a folder with other files stays.
    pub(super) fn remove(&self, prefix: &Path, mut report: impl FnMut(&Path)) -> Result<()> {
        for name in self.0.iter().filter(|line| !is_folder(line)) {
            let path = prefix.join(name);
            match fs::remove_file(&path) {
                Ok(()) => report(&path),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error).with_context(|| format!("can't remove {}", path.display())),
            }
        }
        let mut folders: Vec<PathBuf> = self.0.iter().filter_map(|line| folder_of(prefix, line)).collect();
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
        for folder in folders {
            match fs::remove_dir(&folder) {
                Ok(()) => report(&folder),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => {}
                Err(error) => return Err(error).with_context(|| format!("can't remove {}", folder.display())),
            }
        }
        Ok(())
    }
}

fn is_folder(line: &str) -> bool {
    line.ends_with('/')
}

/// True for a path below the prefix, and for a folder that the prefix is in.
fn is_valid(line: &str) -> bool {
    let mut parts = Path::new(line).components();
    parts.clone().all(|part| matches!(part, Component::Normal(_)))
        || (is_folder(line) && (line == "./" || parts.all(|part| part == Component::ParentDir)))
}

/// The line for a folder, which has the slash.
fn name_of(prefix: &Path, folder: &Path) -> Result<String> {
    if folder == prefix {
        return Ok("./".to_owned());
    }
    if let Ok(below) = folder.strip_prefix(prefix) {
        let below = below.to_str().with_context(|| format!("{} is no UTF-8", below.display()))?;
        return Ok(format!("{below}/"));
    }
    let above = prefix.strip_prefix(folder).with_context(|| format!("{} is not above the prefix", folder.display()))?;
    Ok("../".repeat(above.components().count()))
}

/// The folder that a line stands for; `None` for a file's line.
fn folder_of(prefix: &Path, line: &str) -> Option<PathBuf> {
    is_folder(line).then(|| {
        let above = line.matches("../").count();
        if line == "./" || above > 0 {
            prefix.ancestors().nth(above).unwrap_or(prefix).to_owned()
        } else {
            prefix.join(line)
        }
    })
}

/// Removes what `install` has put below the prefix, and prints each path.
///
/// # Errors
/// If there is no manifest, or something can't be removed: then the manifest stays, so that the next call goes on.
pub(crate) fn uninstall(prefix: &Path) -> Result<()> {
    let prefix = std::path::absolute(prefix).with_context(|| format!("`{}` is no folder's name", prefix.display()))?;
    let Some(manifest) = Manifest::read(&prefix)? else {
        bail!(
            "{} has no installation of ora: {NAME} is missing there. Name the folder that `cargo xtask install --prefix` got; \
             one of an older version gets the file by being installed again",
            prefix.display()
        );
    };
    ensure!(manifest.0.contains(NAME), "{} is damaged: it doesn't name itself", prefix.join(NAME).display());
    let report = |path: &Path| println!("removed {}", path.display());
    // The manifest itself comes last of the files, so that a failure before can be repeated.
    let (folders, mut files) = (manifest.folders(), manifest.clone());
    files.0.remove(NAME);
    files.without_files_of(&Manifest::default()).remove(&prefix, report)?;
    let mut rest = folders;
    rest.add(NAME);
    rest.remove(&prefix, report)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Installs two files in a new folder below the given one.
    fn installed(prefix: &Path) -> Manifest {
        let mut manifest = Manifest::default();
        for name in ["bin/ora", "share/man/man1/ora.1", NAME] {
            let path = prefix.join(name);
            manifest.make_folder(prefix, path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
            manifest.add(name);
        }
        fs::write(prefix.join(NAME), manifest.text()).unwrap();
        manifest
    }

    #[test]
    fn an_installation_goes_without_a_trace() {
        let scratch = tempfile::tempdir().unwrap();
        let prefix = scratch.path().join("new/prefix");
        let manifest = installed(&prefix);
        assert_eq!(Manifest::read(&prefix).unwrap(), Some(manifest.clone()));
        assert!(manifest.text().starts_with("../\n./\nbin/\nbin/ora\n"), "{}", manifest.text());
        uninstall(&prefix).unwrap();
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
        assert!(uninstall(&prefix).unwrap_err().to_string().contains("no installation"));
    }

    #[test]
    fn files_and_folders_of_others_stay() {
        let scratch = tempfile::tempdir().unwrap();
        let prefix = scratch.path();
        fs::create_dir(prefix.join("bin")).unwrap();
        installed(prefix);
        fs::write(prefix.join("share/man/man1/other.1"), "").unwrap();
        uninstall(prefix).unwrap();
        assert!(prefix.join("bin").is_dir() && prefix.join("share/man/man1/other.1").is_file());
        assert!(!prefix.join("share/ora").exists() && !prefix.join("share/man/man1/ora.1").exists());
    }

    #[test]
    fn a_manifest_that_names_files_elsewhere_removes_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        for line in ["../outside", "/etc/passwd", "bin/../../outside", "bin/../"] {
            let prefix = scratch.path().join("prefix");
            installed(&prefix);
            fs::write(prefix.join(NAME), format!("{NAME}\nbin/ora\n{line}\n")).unwrap();
            assert!(uninstall(&prefix).unwrap_err().to_string().contains("damaged"), "{line}");
            assert!(prefix.join("bin/ora").is_file());
        }
    }
}
