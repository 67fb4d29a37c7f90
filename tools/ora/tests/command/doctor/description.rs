//! The JSON object's description.

use std::fs;
use std::path::Path;

use super::harness::{Answer, Folder, doctor};
use crate::described::{keys, page};
use crate::harness::ORA;

#[test]
fn every_key_and_every_reason_is_described() {
    let description = page("doctor-json.md");
    let folder = Folder::new();
    let run = Answer::run(&folder.region(), &[]);
    let plain = Answer::about(&folder.compile("plain", "plain", &[]));
    let tool = folder.tool("tool5", "tool.so", &[]);
    let with_tool = Answer::of(doctor(&["--tool", tool.to_str().unwrap()]).env("OMP_TOOL", ""), &folder.region(), &[]);
    assert_eq!(with_tool.tools().len(), 1);
    let mut found = keys([&run.json, &plain.json, &with_tool.json]);
    // What a tool may be, as the code spells it for serde.
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../doctor/src");
    let tools = fs::read_to_string(sources.join("found_tool.rs")).unwrap();
    let callbacks = fs::read_to_string(sources.join("callbacks.rs")).unwrap();
    for (text, name) in [(&tools, "enum Place"), (&tools, "enum Outcome"), (&callbacks, "enum Answer")] {
        let body = text.split_once(name).unwrap().1.split_once("\n}").unwrap().0;
        let variants = body.lines().filter_map(|line| line.strip_prefix("    ")?.strip_suffix(','));
        let words: Vec<_> = variants.map(snake_case).collect();
        assert!(words.len() >= 4, "{words:?}");
        found.extend(words);
    }
    // Words that stand where a reason's word stands in the code.
    let mut reasons = 0;
    let folders = [sources.join("tools"), sources];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    for file in files.filter(|file| file.is_file()) {
        let text = fs::read_to_string(file).unwrap();
        for call in text.split(".reason(").chain(text.split(".likely(")).skip(1) {
            if let Some(word) = call.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next()) {
                found.insert(word.to_owned());
                reasons += 1;
            }
        }
    }
    found.remove("x"); // a unit test's
    assert!(reasons > 20, "{reasons}");
    let missing: Vec<_> = found
        .iter()
        .filter(|word| !["", "\""].iter().any(|quote| description.contains(&format!("`{quote}{word}{quote}`"))))
        .collect();
    assert!(missing.is_empty(), "not in doctor-json.md: {missing:?}");
}

fn snake_case(name: &str) -> String {
    let words = name.chars().flat_map(|c| c.is_uppercase().then_some('_').into_iter().chain(c.to_lowercase()));
    words.skip(1).collect()
}

#[test]
fn help_has_examples() {
    let help = std::process::Command::new(ORA).args(["doctor", "--help"]).output().unwrap();
    let text = String::from_utf8_lossy(&help.stdout);
    assert!(text.contains("Examples:") && text.contains("Exit code"), "{text}");
}
