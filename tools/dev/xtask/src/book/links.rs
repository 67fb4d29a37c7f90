//! Links between the project's documents: each names a file of the checkout and, after `#`, one of its headings.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::Result;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::{sources, workspace};

/// Returns a line for each broken link.
pub(super) fn broken() -> Result<Vec<String>> {
    let mut documents = HashMap::new();
    for (path, text) in sources::read_all(&workspace::root(), "md")? {
        documents.insert(path, Document::of(&text));
    }
    let mut lines = Vec::new();
    let mut links = 0;
    for (path, document) in &documents {
        for link in &document.links {
            links += 1;
            if let Some(fault) = fault(path, link, &documents) {
                lines.push(format!("{}: ({link}): {fault}", workspace::shown(path)));
            }
        }
    }
    lines.sort_unstable();
    println!("documents: {} files, {links} links between them", documents.len());
    Ok(lines)
}

/// Links of a document that don't name another site.
pub(crate) fn local(document: &str) -> Vec<String> {
    Document::of(document).links
}

/// Links of a document that lead into the checkout, and the anchors of its headings.
#[derive(Default)]
struct Document {
    links: Vec<String>,
    anchors: HashSet<String>,
}

impl Document {
    fn of(text: &str) -> Self {
        let mut document = Self::default();
        let mut heading = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) if is_local(&dest_url) => {
                    document.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(words) | Event::Code(words) => heading.iter_mut().for_each(|title| title.push_str(&words)),
                Event::End(TagEnd::Heading(_)) => document.add_anchor(&heading.take().unwrap_or_default()),
                _ => {}
            }
        }
        document
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
}

/// True for a link that doesn't name another site.
fn is_local(link: &str) -> bool {
    !link.contains("://") && !link.starts_with("mailto:")
}

/// Reason why a link of `from` is broken, if it is.
fn fault(from: &Path, link: &str, documents: &HashMap<PathBuf, Document>) -> Option<String> {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = if file.is_empty() { from.to_path_buf() } else { from.parent()?.join(file) };
    let Ok(target) = target.canonicalize() else { return Some("no such file".to_owned()) };
    let anchor = anchor?;
    let Some(document) = documents.get(&target) else { return Some("an anchor of what is no document".to_owned()) };
    (!document.anchors.contains(anchor)).then(|| "no such heading".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn links_and_headings_are_found() {
        let document = Document::of(
            "# A `b` (c), D\n## Again\n## Again\n[x](y.md#z) [s](https://e.org) ![p](p.svg)\n\n    [no](code.md)\n",
        );
        assert_eq!(document.links, ["y.md#z", "p.svg"]);
        let mut anchors: Vec<_> = document.anchors.into_iter().collect();
        anchors.sort();
        assert_eq!(anchors, ["a-b-c-d", "again", "again-1"]);
    }

    #[test]
    fn a_link_names_a_file_and_one_of_its_headings() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("a path");
        let (a, b) = (folder.join("a.md"), folder.join("b.md"));
        fs::write(&a, "").expect("a file");
        fs::write(&b, "").expect("a file");
        let documents = HashMap::from([(a.clone(), Document::of("# One")), (b, Document::of("# Two"))]);
        for right in ["b.md", "b.md#two", "#one", "."] {
            assert_eq!(fault(&a, right, &documents), None, "{right}");
        }
        for wrong in ["c.md", "b.md#one", "#two", ".#one"] {
            assert!(fault(&a, wrong, &documents).is_some(), "{wrong}");
        }
    }
}
