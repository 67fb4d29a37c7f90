//! The book made of `docs/`: its links and the commands that it shows are checked; mdBook turns it into pages.

mod commands;
pub(crate) mod links;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::{needs, workspace};

/// The release of mdBook that the book is built with.
const MDBOOK: &str = "0.5.4";

/// Checks the links of all documents, and the commands and options in their samples against the programs' own help.
pub(crate) fn check() -> Result<()> {
    let mut broken = links::broken()?;
    broken.extend(commands::unknown()?);
    for line in &broken {
        println!("breaks a rule: {line}");
    }
    if !broken.is_empty() {
        bail!("{} links or commands of the documents lead nowhere", broken.len());
    }
    Ok(())
}

/// Checks the documents and builds the book in `target/book`.
pub(crate) fn build() -> Result<()> {
    check()?;
    let folder = workspace::target().join("book");
    workspace::run(
        Command::new(mdbook()?).arg("build").arg("--dest-dir").arg(&folder).arg(workspace::root().join("docs")),
    )?;
    println!("the book is in {}", workspace::shown(&folder.join("index.html")));
    Ok(())
}

/// The path of mdBook: that of `PATH`, or one that is built in the target folder.
fn mdbook() -> Result<PathBuf> {
    if needs::in_path("mdbook") {
        return Ok(PathBuf::from("mdbook"));
    }
    let tools = workspace::target().join("mdbook");
    let program = tools.join("bin/mdbook");
    if !program.is_file() {
        println!("building mdBook {MDBOOK} in {}, once", workspace::shown(&tools));
        let mut install = workspace::cargo();
        install.args([
            "install",
            "mdbook",
            "--version",
            MDBOOK,
            "--locked",
            "--no-default-features",
            "--features",
            "search",
        ]);
        // A folder of its own: the workspace's flags would build its own crates anew.
        install.arg("--root").arg(&tools).env("CARGO_TARGET_DIR", tools.join("target")).env_remove("RUSTFLAGS");
        if let Err(error) = workspace::run(&mut install) {
            return Err(error.context("mdBook is missing. Next: install it, for example by `cargo install mdbook`"));
        }
    }
    Ok(program)
}
