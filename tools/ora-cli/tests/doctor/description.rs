//! The JSON object's description.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::harness::{Answer, Folder, ORA};
use serde_json::Value;

fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                found.insert(key.clone());
                keys(value, found);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn every_key_and_every_reason_is_described() {
    let description = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("doctor-json.md")).unwrap();
    let folder = Folder::new();
    let mut found = BTreeSet::new();
    keys(&Answer::run(&folder.region(), &[]).json, &mut found);
    keys(&Answer::about(&folder.compile("plain", "plain", &[])).json, &mut found);
    // Words that stand where a reason's word stands in the code.
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/doctor");
    let mut reasons = 0;
    for file in fs::read_dir(sources).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for call in text.split(".reason(").chain(text.split(".likely(")).skip(1) {
            if let Some(word) = call.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next()) {
                found.insert(word.to_owned());
                reasons += 1;
            }
        }
    }
    found.remove("x"); // a unit test's
    assert!(reasons > 20, "{reasons}");
    let missing: Vec<_> = found.iter().filter(|word| !description.contains(&format!("`{word}`"))).collect();
    assert!(missing.is_empty(), "not in doctor-json.md: {missing:?}");
}

#[test]
fn help_has_examples() {
    let help = std::process::Command::new(ORA).args(["doctor", "--help"]).output().unwrap();
    let text = String::from_utf8_lossy(&help.stdout);
    assert!(text.contains("Examples:") && text.contains("Exit code"), "{text}");
}
