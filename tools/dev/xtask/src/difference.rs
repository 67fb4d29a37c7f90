//! Comparison of a generated file with the one in the checkout.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::workspace;

/// Writes `text` to a generated file or, with `check`, fails if it is not what the file has. `remedy` is the command that writes it.
pub(crate) fn update(path: &Path, text: &str, check: bool, remedy: &str) -> Result<()> {
    let shown = workspace::shown(path);
    if check {
        self::check(path, text, remedy)?;
        println!("{shown} is current");
    } else {
        workspace::write(path, text)?;
        println!("wrote {shown}");
    }
    Ok(())
}

/// Fails if the file at `path` is not exactly `expected`; the message contains the differences and `remedy`.
pub(crate) fn check(path: &Path, expected: &str, remedy: &str) -> Result<()> {
    let shown = workspace::shown(path);
    let mut diff = Command::new("diff");
    diff.args(["--unified=0", "--new-file"]).arg(path).arg("-").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut diff = diff.spawn().context("can't start `diff`")?;
    diff.stdin.take().context("no pipe to `diff`")?.write_all(expected.as_bytes())?;
    let output = diff.wait_with_output()?;
    let differences = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success(),
        "{shown} is stale:\n{differences}\nNext: {remedy}, then look at `git diff {shown}`"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_from_both_sides_and_a_missing_file_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let error = |expected| check(&file, expected, "mend it").map_err(|error| error.to_string());
        assert!(error("a\n").unwrap_err().contains("is stale"));
        std::fs::write(&file, "a\nb\n").unwrap();
        assert_eq!(error("a\nb\n"), Ok(()));
        let said = error("a\nc\n").unwrap_err();
        assert!(said.contains("-b\n+c\n") && said.contains("Next: mend it"), "{said}");
        assert!(error("a\nb").is_err(), "an end without a line break");
    }
}
