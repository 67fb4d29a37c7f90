//! Installed documents: `share/doc/ora`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::book::document::Document;
use crate::book::pages;
use crate::{sources, workspace};

/// Documents in the project's root folder.
const AT_ROOT: [&str; 5] = ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT"];
/// Pages of the book that are useful only in the book.
const OF_THE_BOOK: [&str; 2] = ["SUMMARY.md", "introduction.md"];
/// Example that can be built only in the checkout.
const IN_THE_CHECKOUT: &str = "rust-tool";
/// Folder of the problems that people report: its name in pages, and its place in an installation.
const CORPUS: (&str, &str) = ("tools/advice/corpus", "examples/corpus");

/// Writes the root's documents, the book's pages with their pictures and programs, and the schemas of JSON documents to a folder.
pub(super) fn write(folder: &Path) -> Result<()> {
    workspace::empty(folder)?;
    let documents = documents()?;
    for (name, from) in &documents {
        let to = folder.join(name);
        if name.ends_with(".md") {
            let text = pages::page(from, |target| installed(from, target, &documents))?;
            workspace::write(&to, &text.replace(CORPUS.0, CORPUS.1))?;
        } else {
            workspace::write(&to, "")?;
            fs::copy(from, &to).with_context(|| format!("can't copy {}", workspace::shown(from)))?;
        }
    }
    Ok(())
}

/// Installed documents by name, with their files.
type Documents = BTreeMap<String, PathBuf>;

/// All documents to install.
///
/// # Errors
/// If a folder can't be read, or two documents have the same name.
fn documents() -> Result<Documents> {
    let root = root()?;
    let mut all: Vec<(String, PathBuf)> = AT_ROOT.iter().map(|name| ((*name).to_owned(), root.join(name))).collect();
    for extension in ["md", "png"] {
        let book = sources::with_extension(&root.join("docs"), extension)?;
        all.extend(book.into_iter().map(|file| (page_name(&last(&file)), file)));
    }
    let schemas = sources::with_extension(&root.join("docs/reference/schemas"), "json")?;
    all.extend(schemas.into_iter().map(|file| (format!("schemas/{}", last(&file)), file)));
    let (examples, corpus) = (root.join("examples"), root.join(CORPUS.0));
    for file in sources::all(&examples)?.into_iter().filter(|file| !file.starts_with(examples.join(IN_THE_CHECKOUT))) {
        let below = file.strip_prefix(&examples)?.display().to_string();
        all.push((if below == "README.md" { "examples.md".to_owned() } else { format!("examples/{below}") }, file));
    }
    let is_program = |file: &PathBuf| {
        let name = last(file);
        name.ends_with(".h") || ["program.", "twin.", "library."].iter().any(|start| name.starts_with(start))
    };
    for file in sources::all(&corpus)?.into_iter().filter(is_program) {
        all.push((format!("{}/{}", CORPUS.1, file.strip_prefix(&corpus)?.display()), file));
    }
    let mut documents = Documents::new();
    for (name, file) in all.into_iter().filter(|(name, _)| !OF_THE_BOOK.contains(&name.as_str())) {
        if let Some(other) = documents.insert(name, file.clone()) {
            bail!("{} and {} would be one file when installed", workspace::shown(&other), workspace::shown(&file));
        }
    }
    Ok(documents)
}

/// Path of the checkout, without symbolic links.
fn root() -> Result<PathBuf> {
    workspace::root().canonicalize().context("can't find the checkout")
}

/// Last component of a path.
fn last(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Name of a page in its folder; the page of a release gets a prefix.
fn page_name(name: &str) -> String {
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("release-{name}") } else { name.to_owned() }
}

/// Checks that each link of the documents in a folder leads to a file.
pub(super) fn have_no_dead_link(folder: &Path) -> Result<()> {
    for (path, text) in sources::read_all(folder, "md")? {
        for target in Document::of(text).links.iter().filter(|target| !target.starts_with('#')) {
            let file = target.split('#').next().unwrap_or_default();
            ensure!(folder.join(file).exists(), "{} has a dead link: {target}", path.display());
        }
    }
    Ok(())
}

/// Target of a page's link in an installation: another document, a folder of documents, or a header; `None` for everything else.
fn installed(page: &Path, target: &str, documents: &Documents) -> Option<String> {
    if target.contains("://") || target.starts_with('#') {
        return Some(target.to_owned());
    }
    let (path, place) = target.split_once('#').unwrap_or((target, ""));
    let hash = if place.is_empty() { "" } else { "#" };
    let file = page.parent()?.join(path).canonicalize().ok()?;
    if let Ok(header) = file.strip_prefix(root().ok()?.join("headers")) {
        return file.is_file().then(|| format!("../../../include/ora/{}", header.display()));
    }
    let name = documents.iter().find_map(|(name, from)| {
        let below = from.strip_prefix(&file).ok()?;
        name.strip_suffix(&*below.to_string_lossy()).map(|name| name.trim_end_matches('/'))
    })?;
    (!name.is_empty()).then(|| format!("{name}{hash}{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_what_is_installed_and_others_are_words() {
        let documents = documents().unwrap();
        let (readme, page) = (root().unwrap().join("README.md"), root().unwrap().join("docs/guide/slow.md"));
        for (from, line, expected) in [
            (&readme, "see [this](docs/threats.md#names), please", "see [this](threats.md#names), please"),
            (
                &readme,
                "[`x.h`](headers/omp-tools.h) and [y](ora/runtimes/src/lib.rs).",
                "[`x.h`](../../../include/ora/omp-tools.h) and y.",
            ),
            (&readme, "[there](https://example.org) [here](#below)", "[there](https://example.org) [here](#below)"),
            (&page, "[log](../reference/request-log.md)", "[log](request-log.md)"),
            (&page, "[all](../../README.md) [some](../../examples/README.md)", "[all](README.md) [some](examples.md)"),
            (
                &page,
                "[heat](../../examples/heat.c) [no](../../tools/dev/bench/README.md)",
                "[heat](examples/heat.c) no",
            ),
            (&page, "[case](../../tools/advice/corpus/critical-sum)", "[case](examples/corpus/critical-sum)"),
        ] {
            assert_eq!(pages::relinked(line, |target| installed(from, target, &documents)), expected);
        }
    }

    #[test]
    fn each_file_that_an_installed_program_includes_is_installed() {
        let documents = documents().unwrap();
        let headers = root().unwrap().join("headers");
        let mut included = 0;
        for (name, from) in documents.iter().filter(|(name, _)| name.starts_with("examples/")) {
            let text = fs::read_to_string(from).unwrap();
            for header in text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"')) {
                let file = from.parent().unwrap().join(header).canonicalize().ok();
                let is_there = file.is_some_and(|file| documents.values().any(|other| *other == file));
                assert!(is_there || headers.join(header).is_file(), "{name} includes {header}");
                included += 1;
            }
        }
        assert!(included > 10, "{included} files");
    }
}
