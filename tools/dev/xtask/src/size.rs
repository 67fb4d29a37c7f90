//! Size of `libora.so`, which is loaded into every watched program.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::workspace;

/// Maximum number of bytes of code and constant data on x86-64; other processors have no limit.
const MAX_TEXT: u64 = 1_130_000;

/// Fails if the library has become too large.
pub(crate) fn check() -> Result<()> {
    let library = workspace::library()?;
    let bytes = text(&library)?;
    let shown = workspace::shown(&library);
    ensure!(
        bytes <= MAX_TEXT || cfg!(not(target_arch = "x86_64")),
        "{shown} has {bytes} bytes of text, more than {MAX_TEXT}\nNext: `nm --size-sort -S --demangle {shown}` shows what is large"
    );
    println!("{shown} has {bytes} bytes of text");
    Ok(())
}

/// Bytes of a library's sections that are loaded and never written, which binutils call "text".
fn text(library: &Path) -> Result<u64> {
    let table = workspace::read(Command::new("size").arg(library))?;
    let figures = table.lines().nth(1).context("`size` has printed no figures")?;
    figures.split_whitespace().next().and_then(|text| text.parse().ok()).context("`size` has printed no number")
}
