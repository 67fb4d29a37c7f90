//! Installed documents: `share/doc/ora`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::{HEADERS, Place};
use crate::workspace;

/// Files of the project, from its root.
const DOCUMENTS: [&str; 44] = [
    "README.md",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "SECURITY.md",
    "docs/conformance.md",
    "docs/performance.md",
    "docs/robustness.md",
    "docs/threats.md",
    "docs/screens.md",
    "docs/troubleshooting.md",
    "docs/guide/collector.md",
    "docs/guide/decode.md",
    "docs/guide/demo.md",
    "docs/guide/doctor.md",
    "docs/guide/install.md",
    "docs/guide/mpi.md",
    "docs/guide/opari.md",
    "docs/guide/openmp5-tool.md",
    "docs/guide/profile.md",
    "docs/guide/python.md",
    "docs/guide/race.md",
    "docs/guide/run.md",
    "docs/guide/runtime.md",
    "docs/guide/rust-tool.md",
    "docs/guide/scaling.md",
    "docs/guide/slow.md",
    "docs/guide/stat.md",
    "docs/guide/tasks.md",
    "docs/guide/tools-on-gcc.md",
    "docs/guide/tr2-tool.md",
    "docs/guide/validate.md",
    "docs/reference/decode-json.md",
    "docs/reference/doctor-json.md",
    "docs/reference/exit-codes.md",
    "docs/reference/outputs.md",
    "docs/reference/report-json.md",
    "docs/reference/request-log.md",
    "docs/reference/settings.md",
    "docs/reference/stat-json.md",
    "docs/reference/support.md",
    "docs/reference/tasks-json.md",
    "docs/reference/validate-json.md",
    "docs/releases/0.1.0.md",
];

pub(super) fn install(place: &Place) -> Result<()> {
    for document in DOCUMENTS {
        let from = workspace::root().join(document);
        let text = fs::read_to_string(&from).with_context(|| format!("can't read {}", from.display()))?;
        let text = if document.ends_with(".md") { relinked(&text) } else { text };
        let name = format!("share/doc/ora/{}", installed_name(document));
        place.replace(&from, &name, Some(0o644), |_, to| Ok(fs::write(to, &text)?))?;
    }
    Ok(())
}

/// The name of a document in its folder.
fn installed_name(document: &str) -> &str {
    match document.rsplit('/').next().unwrap_or(document) {
        "0.1.0.md" => "release-0.1.0.md",
        name => name,
    }
}

/// A document with links adapted to an installation: to other documents and to headers. Other links become plain text.
fn relinked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut code = false;
    for line in text.split_inclusive('\n') {
        code ^= line.starts_with("```");
        if code || line.starts_with("    ") { out.push_str(line) } else { relink(line, &mut out) }
    }
    out
}

fn relink(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some((before, words, target, after)) = link(rest) {
        out.push_str(before);
        match installed(target) {
            Some(target) => out.push_str(&format!("[{words}]({target})")),
            None => out.push_str(words),
        }
        rest = after;
    }
    out.push_str(rest);
}

/// Checks the links of the documents in a folder: each leads to a file.
pub(super) fn have_no_dead_link(folder: &Path) -> Result<()> {
    for name in super::files(folder)?.iter().filter(|name| name.ends_with(".md")) {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
        for target in targets(&text).filter(|target| !target.contains("://") && !target.starts_with('#')) {
            let file = target.split('#').next().unwrap_or_default();
            let folder = path.parent().unwrap_or(folder);
            ensure!(folder.join(file).exists(), "{name} has a dead link: {target}");
        }
    }
    Ok(())
}

/// The targets of a text's links, code left out.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    let lines = text.lines().filter(move |line| {
        code ^= line.starts_with("```");
        !code && !line.starts_with("    ")
    });
    lines.flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            let (_, _, target, after) = link(rest)?;
            rest = after;
            Some(target)
        })
    })
}

/// The first link of a line: the text before it, its text, its target, and the text behind it.
fn link(line: &str) -> Option<(&str, &str, &str, &str)> {
    let middle = line.find("](")?;
    let begin = line.get(..middle)?.rfind('[')?;
    let target = line.get(middle + 2..)?;
    let end = target.find(')')?;
    Some((line.get(..begin)?, line.get(begin + 1..middle)?, target.get(..end)?, target.get(end + 1..)?))
}

/// Target of a link in an installation.
fn installed(target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with('#') {
        return Some(target.to_owned());
    }
    let (path, place) = target.split_once('#').unwrap_or((target, ""));
    let hash = if place.is_empty() { "" } else { "#" };
    let name = installed_name(path);
    if DOCUMENTS.iter().any(|document| installed_name(document) == name) {
        return Some(format!("{name}{hash}{place}"));
    }
    let header = path.split_once("headers/").map(|(_, header)| header);
    header.filter(|header| HEADERS.contains(header)).map(|header| format!("../../../include/ora/{header}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_what_is_installed_and_others_are_words() {
        for (line, expected) in [
            ("see [this](docs/threats.md#names), please", "see [this](threats.md#names), please"),
            (
                "[`x.h`](headers/omp-tools.h) and [y](ora/runtimes/src/lib.rs).",
                "[`x.h`](../../../include/ora/omp-tools.h) and y.",
            ),
            ("[there](https://example.org) [here](#below)", "[there](https://example.org) [here](#below)"),
            ("[log](../reference/request-log.md)", "[log](request-log.md)"),
            ("    table[i](x);", "    table[i](x);"),
            ("no link", "no link"),
        ] {
            assert_eq!(relinked(line), expected);
        }
        assert_eq!(relinked("```c\na[1](b);\n```\n[c](d)\n"), "```c\na[1](b);\n```\nc\n");
    }

    #[test]
    fn no_installed_document_has_a_dead_link() {
        for document in DOCUMENTS.iter().filter(|document| document.ends_with(".md")) {
            let text = relinked(&fs::read_to_string(workspace::root().join(document)).unwrap());
            for target in targets(&text).filter(|target| !target.contains("://") && !target.starts_with('#')) {
                assert!(
                    installed(target).is_some() || target.starts_with("../../../include/ora/"),
                    "{document}: {target}"
                );
            }
        }
    }
}
