//! Files of the project, found by walking the checkout.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Files below `root` with this extension, sorted; hidden folders and build output are omitted.
pub(crate) fn with_extension(root: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = all(root)?;
    found.retain(|path| path.extension().is_some_and(|its| its == extension));
    Ok(found)
}

/// The same files, each with its text.
pub(crate) fn read_all(root: &Path, extension: &str) -> Result<Vec<(PathBuf, String)>> {
    with_extension(root, extension)?.into_iter().map(|path| read(&path).map(|text| (path, text))).collect()
}

/// Text of a file.
pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))
}

/// All files below `root`, sorted; hidden folders and build output are omitted.
pub(crate) fn all(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    walk(root, &mut found)?;
    found.sort_unstable();
    Ok(found)
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        // A link could lead out of the checkout, or form a cycle.
        if entry.file_type()?.is_dir() {
            if name != "target" && !name.to_string_lossy().starts_with('.') {
                walk(&path, found)?;
            }
        } else {
            found.push(path);
        }
    }
    Ok(())
}
