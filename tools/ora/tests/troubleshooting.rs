//! Each message on the page about troubleshooting occurs in the sources.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it stands")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All sources of the programs that users run; strings that span several lines are joined.
fn sources() -> String {
    let mut text = String::new();
    let mut folders = ["ora/src", "ora/runtimes/src", "ompt-core", "tools"].map(|folder| root().join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.extend(Some(path).filter(|path| !["tests", "dev"].iter().any(|name| path.ends_with(name))));
            } else if path.extension().is_some_and(|e| e == "rs") {
                text += &fs::read_to_string(path).unwrap();
            }
        }
    }
    let mut lines = text.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |joined, line| joined + line.trim_start())
}

/// First cells of the page's rows.
fn messages(page: &str) -> Vec<String> {
    page.lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        // Code with backquotes in it has two of them around it.
        .map(|(cell, _)| cell.strip_prefix("` ").and_then(|cell| cell.strip_suffix(" `")).unwrap_or(cell).to_owned())
        .collect()
}

#[test]
fn each_message_on_the_page_is_in_the_sources() {
    let sources = sources();
    let messages = messages(&fs::read_to_string(root().join("docs/troubleshooting.md")).unwrap());
    assert!(messages.len() > 30, "{messages:#?}");
    for message in messages {
        // A variable part is a placeholder, or an argument of its own.
        for part in message.trim_start_matches("ora: ").split('…').map(str::trim).filter(|part| part.len() > 3) {
            assert!(sources.contains(part), "nothing says `{part}` of `{message}`");
        }
    }
}
