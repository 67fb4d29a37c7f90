//! Description of the reasons, and content of the help.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::harness::{Answer, Folder, doctor};
use crate::harness::ORA;
use crate::reference::page;

#[test]
fn every_reason_is_described() {
    let description = page("doctor-json.md");
    let mut found = BTreeSet::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../doctor/src");
    // Words at the place of a reason's word in the code.
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
    found.remove("x"); // Belongs to a unit test.
    assert!(reasons > 20, "{reasons}");
    let missing: Vec<_> = found.iter().filter(|word| !description.contains(&format!("`{word}`"))).collect();
    assert!(missing.is_empty(), "not in doctor-json.md: {missing:?}");
}

#[test]
fn a_tool_is_in_the_json() {
    let folder = Folder::new();
    let tool = folder.tool("tool5", "tool.so", &[]);
    let with_tool = Answer::of(doctor(&["--tool", tool.to_str().unwrap()]).env("OMP_TOOL", ""), &folder.region(), &[]);
    assert_eq!(with_tool.tools().len(), 1);
}

#[test]
fn help_has_examples() {
    let help = std::process::Command::new(ORA).args(["doctor", "--help"]).output().unwrap();
    let text = String::from_utf8_lossy(&help.stdout);
    assert!(text.contains("Examples:") && text.contains("Exit code"), "{text}");
}
