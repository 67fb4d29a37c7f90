//! Installed documents: `share/doc/ora`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::book::{links, pages};
use crate::{sources, workspace};

/// Documents at the project's root.
const AT_ROOT: [&str; 5] = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// Pages of the book that lead through the book alone.
const OF_THE_BOOK: [&str; 2] = ["SUMMARY.md", "introduction.md"];

/// Writes the root's documents and the book's pages to a folder, and the schemas of JSON documents to one below it.
pub(super) fn write(folder: &Path) -> Result<()> {
    workspace::empty(folder)?;
    let documents = documents()?;
    let schemas = sources::with_extension(&workspace::root().join("docs/reference/schemas"), "json")?;
    let schemas =
        schemas.into_iter().map(|file| (format!("schemas/{}", installed_name(&file.to_string_lossy())), file));
    for (name, from) in documents.clone().into_iter().chain(schemas) {
        let text = if name.ends_with(".md") {
            pages::page(&from, |target| installed(target, &documents))?
        } else {
            fs::read_to_string(&from).with_context(|| format!("can't read {}", from.display()))?
        };
        workspace::write(&folder.join(name), &text)?;
    }
    Ok(())
}

/// The installed documents by their names, with their files.
type Documents = BTreeMap<String, PathBuf>;

/// All documents to install.
///
/// # Errors
/// If the book's folder can't be read, or two documents have the same name.
fn documents() -> Result<Documents> {
    let root = workspace::root();
    let book = sources::with_extension(&root.join("docs"), "md")?;
    let mut documents = Documents::new();
    for file in AT_ROOT.iter().map(|name| root.join(name)).chain(book) {
        let name = installed_name(&file.to_string_lossy());
        if OF_THE_BOOK.contains(&name.as_str()) {
            continue;
        }
        if let Some(other) = documents.insert(name, file.clone()) {
            bail!("{} and {} would be one file when installed", workspace::shown(&other), workspace::shown(&file));
        }
    }
    Ok(documents)
}

/// The name of a document in its folder: the last part of its path; that of a release begins with the word.
fn installed_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("release-{name}") } else { name.to_owned() }
}

/// Checks the links of the documents in a folder: each leads to a file.
pub(super) fn have_no_dead_link(folder: &Path) -> Result<()> {
    for path in sources::with_extension(folder, "md")? {
        let text = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
        for target in links::local(&text).iter().filter(|target| !target.starts_with('#')) {
            let file = target.split('#').next().unwrap_or_default();
            ensure!(folder.join(file).exists(), "{} has a dead link: {target}", path.display());
        }
    }
    Ok(())
}

/// The target of a link in an installation: another document or a header; `None` for everything else.
fn installed(target: &str, documents: &Documents) -> Option<String> {
    if target.contains("://") || target.starts_with('#') {
        return Some(target.to_owned());
    }
    let (path, place) = target.split_once('#').unwrap_or((target, ""));
    let hash = if place.is_empty() { "" } else { "#" };
    let name = installed_name(path);
    if documents.contains_key(&name) {
        return Some(format!("{name}{hash}{place}"));
    }
    let header = path.split_once("headers/").map(|(_, header)| header);
    let is_there = |header: &&str| workspace::root().join("headers").join(header).is_file();
    header.filter(is_there).map(|header| format!("../../../include/ora/{header}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_what_is_installed_and_others_are_words() {
        let documents = ["threats.md", "request-log.md"].map(|name| (name.to_owned(), PathBuf::new())).into();
        for (line, expected) in [
            ("see [this](docs/threats.md#names), please", "see [this](threats.md#names), please"),
            (
                "[`x.h`](headers/omp-tools.h) and [y](ora/runtimes/src/lib.rs).",
                "[`x.h`](../../../include/ora/omp-tools.h) and y.",
            ),
            ("[there](https://example.org) [here](#below)", "[there](https://example.org) [here](#below)"),
            ("[log](../reference/request-log.md)", "[log](request-log.md)"),
        ] {
            assert_eq!(pages::relinked(line, |target| installed(target, &documents)), expected);
        }
    }

    #[test]
    fn no_installed_document_has_a_dead_link() {
        let documents = documents().unwrap();
        for (name, file) in documents.iter().filter(|(name, _)| name.ends_with(".md")) {
            let text = pages::page(file, |target| installed(target, &documents)).unwrap();
            for target in links::local(&text).iter().filter(|target| !target.starts_with('#')) {
                assert!(
                    installed(target, &documents).is_some() || target.starts_with("../../../include/ora/"),
                    "{name}: {target}"
                );
            }
        }
    }
}
