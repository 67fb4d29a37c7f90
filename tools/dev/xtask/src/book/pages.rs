//! Pages for readers without the checkout: quoted files become part of the page, and links to targets outside of the pages become plain
//! words.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use pulldown_cmark::{Event, Options, Parser, Tag};

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
pub(crate) fn relinked(text: &str, target_of: impl Fn(&str) -> Option<String>) -> String {
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event else { continue };
        let (before, link) = (text.get(done..range.start), text.get(range.start..range.end));
        // A link without `](` is an address alone. That of a picture starts with `!`.
        let parts = link.and_then(|link| link.split_once('[').zip(link.rsplit_once("](")));
        let (Some(before), Some(((mark, _), (words, _)))) = (before, parts) else { continue };
        let words = words.get(mark.len() + 1..).unwrap_or_default();
        out.push_str(before);
        out += &target_of(&dest_url).map_or_else(|| words.to_owned(), |target| format!("{mark}[{words}]({target})"));
        done = range.end;
    }
    out + text.get(done..).unwrap_or_default()
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
            ("```c\na[1](b);\n```\n[c](d)\n\n    e[2](f);\n", "```c\na[1](b);\n```\nc\n\n    e[2](f);\n"),
            ("![a](in/b), `[c](d)`, <https://e.org>", "![a](b), `[c](d)`, <https://e.org>"),
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
