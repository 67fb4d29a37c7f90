//! Software bill of materials: the crates in the command and its libraries, in the CycloneDX format (1.5, ECMA-424).

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::workspace;

/// Writes the bill to `target/dist`.
///
/// # Errors
/// If cargo or rustc fails, or the file can't be written.
pub(super) fn write() -> Result<()> {
    // Linked crates only: no build scripts, tests or macros. A line contains the depth, name and version, and the licence.
    let tree = "tree --locked --no-dedupe --edges normal,no-proc-macro --prefix depth --target".split(' ');
    let format = [&workspace::processor_target(), "--format", " {p}|{l}"];
    let tree = workspace::read(workspace::cargo().args(tree).args(format))?;
    let rustc = workspace::read(Command::new("rustc").current_dir(workspace::root()).arg("--version"))?;
    let version = rustc.split_whitespace().nth(1).context("rustc has no version")?;
    let date = ["--utc", "+%Y-%m-%dT%H:%M:%SZ", "-d", &format!("@{}", workspace::epoch()?)];
    let date = workspace::read(Command::new("date").args(date))?;
    let bill = bill(&tree, date.trim(), version).context("cargo names a crate without a version")?;
    let path = workspace::target().join("dist").join(format!("ora-{}.cdx.json", env!("CARGO_PKG_VERSION")));
    workspace::write(&path, &format!("{bill:#}\n"))
}

/// Bill for cargo's description of the default members.
fn bill(tree: &str, date: &str, rust: &str) -> Option<Value> {
    let mut crates = BTreeMap::<String, (Value, BTreeSet<String>)>::new();
    // Crates on the path from a member to this line.
    let mut above = Vec::<String>::new();
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let (depth, package) = line.split_once(' ')?;
        let (package, licence) = package.split_once('|')?;
        let (name, version) = package.split_once(" v")?;
        // For a crate of the workspace, the folder follows the version.
        let version = version.split(' ').next()?;
        let url = format!("pkg:cargo/{name}@{version}");
        above.truncate(depth.parse().ok()?);
        if let Some((_, uses)) = above.last().and_then(|user| crates.get_mut(user)) {
            uses.insert(url.clone());
        }
        crates.entry(url.clone()).or_insert_with(|| {
            let licences = [json!({ "expression": licence.replace('/', " OR ") })];
            let component = json!({
                "type": "library", "bom-ref": url, "purl": url, "name": name, "version": version, "licenses": licences,
            });
            (component, BTreeSet::new())
        });
        above.push(url);
    }
    let ours = json!([{ "expression": "MIT OR Apache-2.0" }]);
    let rust =
        json!({ "type": "library", "bom-ref": "rust-std", "name": "rust-std", "version": rust, "licenses": ours });
    let graph: Vec<_> = crates.iter().map(|(url, (_, uses))| json!({ "ref": url, "dependsOn": uses })).collect();
    let components: Vec<_> = crates.into_values().map(|(component, _)| component).chain([rust]).collect();
    Some(json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": { "timestamp": date, "component": {
            "type": "application", "name": "ora", "version": env!("CARGO_PKG_VERSION"), "bom-ref": "ora", "licenses": ours,
        }},
        "components": components, "dependencies": graph,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_crate_is_listed_once_with_its_licence_and_what_it_uses() {
        let tree =
            "0 a v1.0.0 (/folder/a)|MIT\n1 b v1.0.0|MIT/Apache-2.0\n2 c v0.2.0|MIT\n1 c v0.2.0|MIT\n\n0 c v0.2.0|MIT\n";
        let bill = bill(tree, "2026-01-01T00:00:00Z", "1.90.0").unwrap();
        let names: Vec<_> = bill["components"].as_array().unwrap().iter().filter_map(|c| c["name"].as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "rust-std"]);
        assert_eq!(bill["components"][1]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        let of_a = ["pkg:cargo/b@1.0.0", "pkg:cargo/c@0.2.0"];
        assert_eq!(bill["dependencies"][0], json!({ "ref": "pkg:cargo/a@1.0.0", "dependsOn": of_a }));
    }
}
