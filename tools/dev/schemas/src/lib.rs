//! JSON Schemas of the documents and the tables in their pages, generated from the serialized types and their doc comments.
//!
//! A crate's test calls [`assert_current`] with the type of its document. With `ORA_WRITE_SCHEMAS` set, as `cargo xtask schemas` does, the
//! files are written; otherwise the test fails if they are stale.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a failure is that of the test that calls")]

mod closed;
mod elsewhere;
mod page;
mod valid;

use std::path::{Path, PathBuf};
use std::{env, fs};

use json_document::Versioned;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

pub use elsewhere::{Finding, Interface, Job, Report, StatProcess};
pub use valid::assert_valid;

/// Asserts that the schema of a document and the tables in this page of `docs/reference` are those of its type.
pub fn assert_current<B: Versioned + JsonSchema>(page: &str) {
    let mut schema = schema_of::<B>();
    let object = schema.as_object_mut().unwrap();
    object.insert("title".into(), B::SCHEMA.into());
    let mut required = vec!["schema".into(), "version".into(), "ora_version".into()];
    required.append(entry(object, "required", json!([])).as_array_mut().unwrap());
    object.insert("required".into(), required.into());
    let envelope = [
        ("schema", json!({"const": B::SCHEMA, "description": "Name of the schema."})),
        ("version", json!({"const": B::VERSION, "description": "Version of the schema."})),
        ("ora_version", json!({"type": "string", "description": "Version of the command."})),
    ];
    let properties = entry(object, "properties", json!({})).as_object_mut().unwrap();
    properties.extend(envelope.map(|(key, value)| (key.to_owned(), value)));
    assert_files(schema, B::SCHEMA.trim_start_matches("ora-"), page);
}

/// Like [`assert_current`], for an object that is part of documents of several crates: their schemas refer to it.
pub fn assert_current_part<T: JsonSchema>(name: &str, page: &str) {
    assert_files(schema_of::<T>(), name, page);
}

fn entry<'o>(object: &'o mut Map<String, Value>, key: &str, default: Value) -> &'o mut Value {
    object.entry(key).or_insert(default)
}

fn schema_of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>().to_value()
}

fn assert_files(mut schema: Value, name: &str, page: &str) {
    let tables = page::of(&schema);
    closed::close(&mut schema);
    let reference = reference();
    let text = format!("{schema:#}\n");
    assert_same(&reference.join("schemas").join(name).with_extension("json"), &text);
    let page = reference.join(page);
    let present = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    assert_same(&page, &page::with_tables(&present, name, &tables));
}

fn reference() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/reference")
}

fn assert_same(file: &Path, text: &str) {
    let is_same = fs::read_to_string(file).is_ok_and(|present| present == text);
    if !is_same && env::var_os("ORA_WRITE_SCHEMAS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        return fs::write(file, text).unwrap();
    }
    assert!(is_same, "{} is stale. Next: cargo xtask schemas", file.display());
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Names and versions of all schemas of documents.
    fn versions() -> BTreeSet<(String, String)> {
        let files = fs::read_dir(reference().join("schemas")).unwrap().map(|file| file.unwrap().path());
        let schemas = files.map(|file| serde_json::from_str::<Value>(&fs::read_to_string(file).unwrap()).unwrap());
        let constant = |schema: &Value, key: &str| Some(schema["properties"].get(key)?.get("const")?.clone());
        let one = |schema: Value| {
            let name = constant(&schema, "schema")?.as_str()?.to_owned();
            Some((name, constant(&schema, "version")?.to_string()))
        };
        schemas.filter_map(one).collect()
    }

    #[test]
    fn the_release_promises_the_versions_of_all_documents() {
        let page = fs::read_to_string(reference().join("../releases/0.1.0.md")).unwrap();
        let rows = page.lines().filter_map(|line| {
            let cells: Vec<_> = line.split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect();
            let [_, _, name, version, _] = &cells[..] else { return None };
            name.starts_with("ora-").then(|| (name.clone(), version.clone()))
        });
        assert_eq!(rows.collect::<BTreeSet<_>>(), versions());
    }
}
