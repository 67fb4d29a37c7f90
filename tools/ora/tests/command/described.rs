//! Keys of JSON objects, and their description in `docs/reference`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The keys of all objects in these values, however deep.
pub(crate) fn keys<'v>(values: impl IntoIterator<Item = &'v Value>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    values.into_iter().for_each(|value| add(value, &mut found));
    found
}

fn add(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                found.insert(key.clone());
                add(value, found);
            }
        }
        Value::Array(list) => list.iter().for_each(|value| add(value, found)),
        _ => {}
    }
}

/// A page of `docs/reference`.
pub(crate) fn page(name: &str) -> String {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    fs::read_to_string(pages.join(name)).unwrap()
}

/// Asserts that one of these pages of `docs/reference` describes each key.
pub(crate) fn assert_described(keys: &BTreeSet<String>, pages: &[&str]) {
    let text: String = pages.iter().copied().map(page).collect();
    // Variables of the environment are keys, too.
    let ours = keys.iter().filter(|key| !key.contains("MP_"));
    let missing: Vec<_> = ours.filter(|key| !text.contains(&format!("`{key}`"))).collect();
    assert!(missing.is_empty(), "not in {pages:?}: {missing:?}");
}
