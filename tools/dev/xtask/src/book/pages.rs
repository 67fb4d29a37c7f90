//! Pages for readers without the checkout: the files that a page quotes are part of it, and links out of the pages are words.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// A page with the files that it quotes (`{{#include PATH}}`, relative to the page), and each link's target as `target` gives it;
/// where that is `None`, the link's text remains.
///
/// # Errors
/// If the page or a file that it quotes can't be read.
pub(crate) fn page(file: &Path, target: impl Fn(&str) -> Option<String>) -> Result<String> {
    let text = fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))?;
    Ok(relinked(&with_quotes(&text, file)?, target))
}

/// The text of a page with the files that it quotes.
fn with_quotes(text: &str, page: &Path) -> Result<String> {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.trim_end().strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}")) {
            Some(name) => {
                let file = page.parent().unwrap_or(Path::new(".")).join(name);
                out += &fs::read_to_string(&file)
                    .with_context(|| format!("{} quotes {name}, which can't be read", page.display()))?;
            }
            None => out += line,
        }
    }
    Ok(out)
}

/// A text with other targets of its links. Code is left as it is.
pub(crate) fn relinked(text: &str, target: impl Fn(&str) -> Option<String>) -> String {
    let (mut out, mut prose) = (String::with_capacity(text.len()), String::new());
    let mut code = false;
    for line in text.split_inclusive('\n') {
        code ^= line.starts_with("```");
        if code || line.starts_with("    ") {
            // A link's text may go on in the next line, but not behind code.
            relink(&std::mem::take(&mut prose), &target, &mut out);
            out.push_str(line);
        } else {
            prose.push_str(line);
        }
    }
    relink(&prose, &target, &mut out);
    out
}

fn relink(prose: &str, target_of: impl Fn(&str) -> Option<String>, out: &mut String) {
    let mut rest = prose;
    while let Some((before, words, target, after)) = link(rest) {
        out.push_str(before);
        match target_of(target) {
            Some(target) => out.push_str(&format!("[{words}]({target})")),
            None => out.push_str(words),
        }
        rest = after;
    }
    out.push_str(rest);
}

/// The first link of a text: the text before it, its text, its target, and the text behind it.
fn link(text: &str) -> Option<(&str, &str, &str, &str)> {
    let middle = text.find("](")?;
    let begin = text.get(..middle)?.rfind('[')?;
    let target = text.get(middle + 2..)?;
    let end = target.find(')')?;
    Some((text.get(..begin)?, text.get(begin + 1..middle)?, target.get(..end)?, target.get(end + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_get_other_targets_or_become_words() {
        let target = |target: &str| target.strip_prefix("in/").map(str::to_owned);
        for (text, expected) in [
            ("a [b](in/c#d), [e](out/f) g", "a [b](c#d), e g"),
            ("two\nlines [of\na link](in/x)", "two\nlines [of\na link](x)"),
            ("```c\na[1](b);\n```\n[c](d)\n    e[2](f);\n", "```c\na[1](b);\n```\nc\n    e[2](f);\n"),
            ("no link", "no link"),
        ] {
            assert_eq!(relinked(text, target), expected);
        }
    }

    #[test]
    fn quoted_files_are_part_of_the_page() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.c"), "int a;\n").expect("a file");
        let page = folder.path().join("page.md");
        assert_eq!(with_quotes("```c\n{{#include a.c}}\n```\n", &page).expect("a page"), "```c\nint a;\n```\n");
        assert!(with_quotes("{{#include b.c}}\n", &page).is_err());
    }
}
