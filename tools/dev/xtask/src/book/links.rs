//! Links between the project's documents: each names a file of the checkout and, after `#`, one of its headings.

use super::document::Document;

/// Returns a line for each broken link.
pub(super) fn broken(documents: &[Document]) -> Vec<String> {
    let links: usize = documents.iter().map(|document| document.links.len()).sum();
    println!("documents: {} files, {links} links between them", documents.len());
    let links = documents.iter().flat_map(|document| document.links.iter().map(move |link| (document, link)));
    let line = |(from, link): (&Document, &String)| {
        Some(format!("{}: ({link}): {}", from.shown(), fault(from, link, documents)?))
    };
    links.filter_map(line).collect()
}

/// Reason why a link is broken, if it is.
fn fault(from: &Document, link: &str, documents: &[Document]) -> Option<&'static str> {
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let target = if file.is_empty() { from.path.clone() } else { from.path.parent()?.join(file) };
    let Ok(target) = target.canonicalize() else { return Some("no such file") };
    let anchor = anchor?;
    let Some(document) = documents.iter().find(|document| document.path == target) else {
        return Some("an anchor of what is not a document");
    };
    (!document.anchors.contains(anchor)).then_some("no such heading")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_link_names_a_file_and_one_of_its_headings() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("a path");
        let documents = ["# One", "# Two"].map(|text| {
            let path = folder.join(text.trim_start_matches("# ").to_lowercase());
            fs::write(&path, "").expect("a file");
            Document { path, ..Document::of(text.to_owned()) }
        });
        for right in ["two", "two#two", "#one", "."] {
            assert_eq!(fault(&documents[0], right, &documents), None, "{right}");
        }
        for wrong in ["three", "two#one", "#two", ".#one"] {
            assert!(fault(&documents[0], wrong, &documents).is_some(), "{wrong}");
        }
    }
}
