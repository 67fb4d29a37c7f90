//! Numbers in the documents that count something in the project.

use anyhow::{Context, Result};
use serde_json::Value;

use super::document::Document;
use crate::{sources, sources::read, workspace};

/// Words that follow the number of functions that `libora.so` exports for gcc's code.
const FUNCTIONS: &str = " GOMP functions";
/// Page that lists the versions of all JSON documents.
const VERSIONS: &str = "docs/releases/0.1.0.md";

/// Returns a line for each number that differs from the project's.
pub(super) fn wrong(documents: &[Document]) -> Result<Vec<String>> {
    let root = workspace::root();
    let exports = read(&root.join("ora/exports.txt"))?;
    let functions = exports.lines().filter(|name| name.starts_with("GOMP_")).count().to_string();
    let mut lines = Vec::new();
    for document in documents {
        let wrong = before(&document.text, FUNCTIONS).into_iter().filter(|number| *number != functions);
        let line = |number| format!("{}: {number}{FUNCTIONS}: libora.so exports {functions}", document.shown());
        lines.extend(wrong.map(line));
    }
    let promises = read(&root.join(VERSIONS))?;
    // The release notes promise the name that the library is linked with.
    let build = read(&root.join("ora/build.rs"))?;
    let name = build.lines().find_map(|line| line.strip_prefix("const SONAME: &str = \"")?.strip_suffix("\";"));
    let name = name.context("ora/build.rs has no SONAME")?;
    if !promises.contains(&format!("The SONAME is `{name}`")) {
        lines.push(format!("{VERSIONS}: the SONAME is {name}"));
    }
    let versions = versions()?;
    lines.extend(
        missing(&promises, &versions).map(|row| format!("{VERSIONS}: the table of JSON versions lacks `{row}`")),
    );
    Ok(lines)
}

/// Numbers that precede these words.
fn before<'a>(text: &'a str, words: &str) -> Vec<&'a str> {
    let numbers = text.match_indices(words).filter_map(|(at, _)| text.get(..at)?.rsplit(' ').next());
    numbers.filter(|word| word.parse::<u32>().is_ok()).collect()
}

/// Schema and version of each JSON document.
fn versions() -> Result<Vec<(String, u64)>> {
    let mut versions = Vec::new();
    for (path, text) in sources::read_all(&workspace::root().join("docs/reference/schemas"), "json")? {
        let schema: Value = serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))?;
        let constant = |key: &str| schema.pointer(&format!("/properties/{key}/const"));
        let name = constant("schema").and_then(Value::as_str).map(str::to_owned);
        // The other schemas are parts of these.
        versions.extend(name.zip(constant("version").and_then(Value::as_u64)));
    }
    Ok(versions)
}

/// Ends of rows that are missing from the table.
fn missing(page: &str, versions: &[(String, u64)]) -> impl Iterator<Item = String> {
    let rows = versions.iter().map(|(schema, version)| format!("| `{schema}` | {version} |"));
    rows.filter(|row| !page.lines().any(|line| line.ends_with(row.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_versions_that_are_wrong_are_found() {
        assert_eq!(
            before("a: 120 GOMP functions, 130 GOMP functions; own GOMP functions. 7", FUNCTIONS),
            ["120", "130"]
        );
        let versions = [("ora-stat".to_owned(), 2), ("ora-top".to_owned(), 1)];
        let page = "| `ora stat --json` | `ora-stat` | 1 |\n| `ora top --json` | `ora-top` | 1 |\n";
        assert_eq!(missing(page, &versions).collect::<Vec<_>>(), ["| `ora-stat` | 2 |"]);
    }
}
