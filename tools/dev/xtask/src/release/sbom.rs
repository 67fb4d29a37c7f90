//! Software bill of materials: the crates in the command and its libraries, in CycloneDX's form (1.5, ECMA-424).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{portable, workspace};

/// Writes the bill to `target/dist`, and returns its path.
///
/// # Errors
/// If cargo or rustc doesn't answer, or the file can't be written.
pub(crate) fn write() -> Result<PathBuf> {
    let metadata = workspace::read(workspace::cargo().args([
        "metadata",
        "--format-version=1",
        "--locked",
        "--filter-platform",
        &portable::target(),
    ]))?;
    let date = workspace::read(Command::new("date").args([
        "--utc",
        "+%Y-%m-%dT%H:%M:%SZ",
        "-d",
        &format!("@{}", workspace::epoch()?),
    ]))?;
    let rustc = workspace::read(Command::new("rustc").current_dir(workspace::root()).arg("--version"))?;
    let version = rustc.split_whitespace().nth(1).context("rustc has no version")?;
    let bill = bill(&serde_json::from_str(&metadata)?, date.trim(), version)?;
    let path = workspace::target().join("dist").join(format!("ora-{}.cdx.json", env!("CARGO_PKG_VERSION")));
    workspace::write(&path, &format!("{bill:#}\n"))?;
    Ok(path)
}

/// The bill for what cargo says about the workspace.
fn bill(metadata: &Value, date: &str, rust: &str) -> Result<Value> {
    let list = |value: &Value, path: &str| value.pointer(path).and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let dependencies: BTreeMap<String, Vec<String>> = list(metadata, "/resolve/nodes")
        .iter()
        .map(|node| {
            (text(&node["id"]), list(node, "/deps").iter().filter(|d| is_linked(d)).map(|d| text(&d["pkg"])).collect())
        })
        .collect();
    let packages = list(metadata, "/packages");
    let runs_in_the_compiler: BTreeSet<String> =
        packages.iter().filter(|p| is_macro(p)).map(|p| text(&p["id"])).collect();
    let mut linked = BTreeSet::new();
    let mut next: Vec<String> = list(metadata, "/workspace_default_members").iter().map(text).collect();
    while let Some(id) = next.pop() {
        if !runs_in_the_compiler.contains(&id) && linked.insert(id.clone()) {
            next.extend(dependencies.get(&id).context("cargo has a package without dependencies")?.iter().cloned());
        }
    }
    let named: BTreeMap<String, &Value> =
        packages.iter().map(|p| (text(&p["id"]), p)).filter(|(id, _)| linked.contains(id)).collect();
    let url = |id: &String| named.get(id).map(|p| format!("pkg:cargo/{}@{}", text(&p["name"]), text(&p["version"])));
    let mut components: Vec<Value> = Vec::new();
    let mut graph: Vec<Value> = Vec::new();
    for (id, package) in &named {
        components.push(json!({
            "type": "library", "bom-ref": url(id), "purl": url(id), "name": package["name"],
            "version": package["version"], "licenses": [{ "expression": text(&package["license"]).replace('/', " OR ") }],
        }));
        let uses: BTreeSet<_> = dependencies.get(id).into_iter().flatten().filter_map(url).collect();
        graph.push(json!({ "ref": url(id), "dependsOn": uses }));
    }
    components.push(json!({
        "type": "library", "bom-ref": "rust-std", "name": "rust-std", "version": rust,
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
    }));
    Ok(json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": { "timestamp": date, "component": {
            "type": "application", "name": "ora", "version": env!("CARGO_PKG_VERSION"),
            "bom-ref": "ora", "licenses": [{ "expression": "MIT OR Apache-2.0" }],
        }},
        "components": components, "dependencies": graph,
    }))
}

/// True for a dependency that gets into the program: tests' and build scripts' don't.
fn is_linked(dependency: &Value) -> bool {
    dependency["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

/// True for a package of macros: the compiler runs it.
fn is_macro(package: &Value) -> bool {
    let kinds = package["targets"].as_array().into_iter().flatten().filter_map(|target| target["kind"].as_array());
    kinds.flatten().any(|kind| kind == "proc-macro")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_is_listed_and_what_tests_need_is_not() {
        let package = |id: &str| json!({ "id": id, "name": id, "version": "1.0.0", "license": "MIT/Apache-2.0" });
        let dep = |id: &str, kind: Value| json!({ "pkg": id, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "workspace_default_members": ["a"],
            "packages": [package("a"), package("b"), package("c"), package("other")],
            "resolve": { "nodes": [
                { "id": "a", "deps": [dep("b", Value::Null), dep("c", json!("dev"))] },
                { "id": "b", "deps": [] }, { "id": "c", "deps": [] }, { "id": "other", "deps": [] },
            ]},
        });
        let bill = bill(&metadata, "2026-01-01T00:00:00Z", "1.90.0").unwrap();
        let names: Vec<&str> =
            bill["components"].as_array().unwrap().iter().filter_map(|c| c["name"].as_str()).collect();
        assert_eq!(names, ["a", "b", "rust-std"]);
        assert_eq!(bill["components"][1]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(bill["dependencies"][0], json!({ "ref": "pkg:cargo/a@1.0.0", "dependsOn": ["pkg:cargo/b@1.0.0"] }));
    }
}
