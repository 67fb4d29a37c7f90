//! Error message about a generated file that is stale.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

use crate::workspace;

/// Fails if the file at `path` is not exactly `expected`; the message shows the first difference and `remedy`.
pub(crate) fn check(path: &Path, expected: &str, remedy: &str) -> Result<()> {
    let shown = workspace::shown(path);
    let found = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!("{shown} is missing. Next: {remedy}"),
        Err(error) => return Err(error).with_context(|| format!("can't read {shown}")),
    };
    match first_difference(&found, expected) {
        None => Ok(()),
        Some(hint) => bail!("{shown} is stale: {hint}\nNext: {remedy}, then look at `git diff {shown}`"),
    }
}

/// The first line that differs, from both sides; `None` if there is none.
fn first_difference(found: &str, expected: &str) -> Option<String> {
    if found == expected {
        return None;
    }
    let (mut left, mut right) = (found.lines(), expected.lines());
    for number in 1.. {
        match (left.next(), right.next()) {
            (Some(a), Some(b)) if a == b => {}
            (None, None) => break,
            (a, b) => {
                let side = |line: Option<&str>| line.map_or("(end of file)".to_owned(), str::to_owned);
                return Some(format!("line {number}\n  - {}\n  + {}", side(a), side(b)));
            }
        }
    }
    Some("line ends".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
    }

    #[test]
    fn the_first_line_that_differs_is_shown_from_both_sides() {
        assert_eq!(first_difference("a\nb\n", "a\nc\n").unwrap(), "line 2\n  - b\n  + c");
        assert_eq!(first_difference("a\n", "a\nc\n").unwrap(), "line 2\n  - (end of file)\n  + c");
    }

    #[test]
    fn a_missing_last_line_end_is_a_difference() {
        assert_eq!(first_difference("a", "a\n").unwrap(), "line ends");
    }
}
