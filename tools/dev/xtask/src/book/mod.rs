//! The book generated from `docs/`: its links, and the commands and programs that it shows, are checked; mdBook turns it into pages.

mod commands;
mod counts;
pub(crate) mod document;
mod links;
pub(crate) mod pages;
mod programs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{needs, sources, workspace};

/// Release of mdBook with which the book is built.
const MDBOOK: &str = "0.5.4";

/// Checks the links of all documents, the files that pages quote, the programs that they show and compile, and the commands and options in
/// samples, which are compared with the programs' own help.
pub(crate) fn check() -> Result<()> {
    let documents = document::all()?;
    let mut broken = links::broken(&documents);
    broken.extend(commands::unknown(&documents)?);
    broken.extend(programs::nowhere(&documents));
    broken.extend(counts::wrong(&documents)?);
    for file in sources::with_extension(&workspace::root().join("docs"), "md")? {
        broken.extend(pages::page(&file, |_| None).err().map(|error| format!("{error:#}")));
    }
    for line in &broken {
        println!("breaks a rule: {line}");
    }
    if !broken.is_empty() {
        bail!("{} links, commands or programs of the documents lead nowhere", broken.len());
    }
    Ok(())
}

/// Checks the documents and builds the book in `target/book`.
pub(crate) fn build() -> Result<()> {
    check()?;
    let (staged, folder) = (workspace::target().join("book-pages"), workspace::target().join("book"));
    stage(&staged)?;
    workspace::run(Command::new(mdbook()?).arg("build").arg("--dest-dir").arg(&folder).arg(&staged))?;
    println!("the book is in {}", workspace::shown(&folder.join("index.html")));
    Ok(())
}

/// Writes the book's pages to a new folder, without links to targets outside of the book.
fn stage(to: &Path) -> Result<()> {
    workspace::empty(to)?;
    let book = workspace::root().join("docs").canonicalize().context("can't find docs/")?;
    for file in sources::with_extension(&book, "md")? {
        let folder = file.parent().unwrap_or(&book);
        let text = pages::page(&file, |target| within(&book, folder, target))?;
        workspace::write(&to.join(file.strip_prefix(&book)?), &text)?;
    }
    let settings = fs::read_to_string(book.join("book.toml")).context("can't read docs/book.toml")?;
    workspace::write(&to.join("book.toml"), &settings)
}

/// Target of a link, unchanged; `None` if it is outside of the book.
fn within(book: &Path, folder: &Path, target: &str) -> Option<String> {
    let file = target.split('#').next().unwrap_or_default();
    let is_within = || folder.join(file).canonicalize().is_ok_and(|file| file.starts_with(book));
    (target.contains("://") || is_within()).then(|| target.to_owned())
}

/// Path of mdBook: the one in `PATH`, or one in the target folder, where cargo installs it if necessary.
fn mdbook() -> Result<PathBuf> {
    if needs::in_path("mdbook") {
        return Ok(PathBuf::from("mdbook"));
    }
    let tools = workspace::target().join("mdbook");
    let mut install = workspace::cargo();
    let features = ["--no-default-features", "--features", "search"];
    install.args(["install", "mdbook", "--locked", "--quiet", "--version", MDBOOK]).args(features);
    // A separate folder, because with the workspace's flags cargo would rebuild the workspace's crates.
    install.arg("--root").arg(&tools).env("CARGO_TARGET_DIR", tools.join("target")).env_remove("RUSTFLAGS");
    let next = "mdBook is missing. Next: install it, for example by `cargo install mdbook`";
    workspace::run(&mut install).context(next)?;
    Ok(tools.join("bin/mdbook"))
}
