//! A Markdown document: its links, headings and code.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::Result;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::{sources, workspace};

/// A document of the checkout.
#[derive(Default)]
pub(crate) struct Document {
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// Links that don't name another site.
    pub(crate) links: Vec<String>,
    /// Anchors of the headings.
    pub(super) anchors: HashSet<String>,
    /// Code blocks, each with its language; indented blocks have none.
    pub(super) blocks: Vec<(String, String)>,
    /// Code within sentences.
    pub(super) code: Vec<String>,
}

/// All documents of the checkout.
pub(super) fn all() -> Result<Vec<Document>> {
    let all = sources::read_all(&workspace::root(), "md")?.into_iter();
    Ok(all.map(|(path, text)| Document { path, ..Document::of(text) }).collect())
}

impl Document {
    pub(crate) fn of(text: String) -> Self {
        let mut document = Self::default();
        let (mut heading, mut block) = (None, None);
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) if is_local(&dest_url) => {
                    document.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => block = Some((String::new(), String::new())),
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                    block = Some((language.into_string(), String::new()));
                }
                Event::Text(words) => {
                    let open = block.as_mut().map(|(_, code)| code).or(heading.as_mut());
                    open.into_iter().for_each(|text| text.push_str(&words));
                }
                Event::Code(words) => {
                    heading.iter_mut().for_each(|title: &mut String| title.push_str(&words));
                    document.code.push(words.into_string());
                }
                Event::End(TagEnd::Heading(_)) => document.add_anchor(&heading.take().unwrap_or_default()),
                Event::End(TagEnd::CodeBlock) => document.blocks.extend(block.take()),
                _ => {}
            }
        }
        Self { text, ..document }
    }

    /// Adds the anchor of a heading, as mdBook and GitHub generate it; a repeated heading gets a number.
    fn add_anchor(&mut self, title: &str) {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect();
        let mut name = anchor.clone();
        let mut again = 0;
        while !self.anchors.insert(name.clone()) {
            again += 1;
            name = format!("{anchor}-{again}");
        }
    }

    /// The document's path in the checkout.
    pub(super) fn shown(&self) -> String {
        workspace::shown(&self.path)
    }
}

/// True for a link that doesn't name another site.
fn is_local(link: &str) -> bool {
    !link.contains("://") && !link.starts_with("mailto:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_headings_and_code_are_found() {
        let text = "# A `b` (c), D\n## Again\n## Again\n[x](y.md#z) [s](https://e.org) ![p](p.svg)\n\n    [no](code.md)\n\n```sh\na\n```\n";
        let document = Document::of(text.to_owned());
        assert_eq!(document.links, ["y.md#z", "p.svg"]);
        assert_eq!(document.anchors, ["a-b-c-d", "again", "again-1"].map(str::to_owned).into());
        let blocks: Vec<_> = document.blocks.iter().map(|(language, code)| (&**language, &**code)).collect();
        assert_eq!(blocks, [("", "[no](code.md)\n"), ("sh", "a\n")]);
        assert_eq!(document.code, ["b"]);
    }
}
