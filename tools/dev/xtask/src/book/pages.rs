//! Pages for readers without the checkout: quoted files become part of the page, and links to targets outside of the pages become plain
//! words.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Returns a page with the files that it quotes (`{{#include PATH}}`, relative to the page), in which each link has the target that
/// `target` returns; if that is `None`, only the link's text remains.
///
/// # Errors
/// If the page or a file that it quotes can't be read.
pub(crate) fn page(file: &Path, target: impl Fn(&str) -> Option<String>) -> Result<String> {
    let text = fs::read_to_string(file).with_context(|| format!("can't read {}", file.display()))?;
    Ok(relinked(&with_quotes(&text, file)?, target))
}

/// Text of a page, including the files that it quotes.
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

/// Replaces the targets of a text's links. Code is left unchanged.
pub(crate) fn relinked(text: &str, target: impl Fn(&str) -> Option<String>) -> String {
    let (mut out, mut prose) = (String::with_capacity(text.len()), String::new());
    let mut code = false;
    for line in text.split_inclusive('\n') {
        code ^= line.starts_with("```");
        if code || line.starts_with("    ") {
            // A link's text may continue on the next line, but not after code.
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

/// First link of a text: the text before it, its own text, its target, and the text after it.
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
