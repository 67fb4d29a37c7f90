//! The races in SARIF 2.1.0 (OASIS), which code hosts and editors read.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use crate::cause::Explained;
use crate::describe::{access, alternatives, memory, surroundings, title};
use crate::finding::{Finding, Side};
use crate::frames::Frame;
use crate::outcome::Outcome;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Rules, by index.
const SURE: usize = 0;
const POSSIBLE: usize = 1;

/// The document. Files below the folder `root` are relative to it.
///
/// # Errors
/// Never: everything can be represented in JSON.
pub fn document(outcome: &Outcome, root: Option<&Path>) -> Result<String> {
    let results: Vec<Value> = outcome.findings.iter().map(|explained| result(explained, root)).collect();
    let mut run = json!({
        "tool": { "driver": driver() },
        "invocations": [{ "executionSuccessful": true }],
        "columnKind": "unicodeCodePoints",
        "results": results,
    });
    if let (Some(root), Some(run)) = (root, run.as_object_mut()) {
        let uri = format!("file://{}/", encoded(&root.to_string_lossy()));
        run.insert("originalUriBaseIds".to_owned(), json!({ "SRCROOT": { "uri": uri } }));
    }
    let document = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn driver() -> Value {
    let rule = |id: &str, name: &str, short: &str, level: &str| {
        json!({
            "id": id,
            "name": name,
            "shortDescription": { "text": short },
            "fullDescription": {
                "text": format!("{short}: two accesses to one location, at least one of which writes, and nothing orders them.")
            },
            "help": { "text": "Order the accesses: a reduction or private clause, a critical or atomic construct, a barrier, a taskwait or a \
                               depend clause." },
            "defaultConfiguration": { "level": level },
        })
    };
    json!({
        "name": "ora race",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": [
            rule("openmp-data-race", "OpenMpDataRace", "Data race", "error"),
            rule("openmp-possible-data-race", "OpenMpPossibleDataRace", "Possible data race", "warning"),
        ],
    })
}

fn result(explained: &Explained, root: Option<&Path>) -> Value {
    let finding = &explained.finding;
    let rule = if finding.sure { SURE } else { POSSIBLE };
    let ids = ["openmp-data-race", "openmp-possible-data-race"];
    let levels = ["error", "warning"];
    // The write is the access that has to change.
    let [first, second] = &finding.sides;
    let (main, other) = if !first.write && second.write { (second, first) } else { (first, second) };
    let main_location = location(main, root, None);
    let mut related: Vec<Value> = Vec::new();
    if let Some(location) =
        location(other, root, Some(format!("the other access, a {}: {}", other.what(), access(other))))
    {
        related.push(location);
    }
    for (number, location) in (1..).zip(&mut related) {
        if let Some(location) = location.as_object_mut() {
            location.insert("id".to_owned(), json!(number));
        }
    }
    let mut result = json!({
        "ruleId": ids.get(rule),
        "ruleIndex": rule,
        "level": levels.get(rule),
        "message": { "text": message(explained, main, other) },
        "locations": main_location.into_iter().collect::<Vec<_>>(),
        "partialFingerprints": { "oraRacePlaces/v1": fingerprint(finding) },
        "occurrenceCount": finding.times.max(1),
    });
    let stacks: Vec<Value> = finding.sides.iter().filter_map(|side| stack(side, root)).collect();
    if let Some(result) = result.as_object_mut() {
        if !related.is_empty() {
            result.insert("relatedLocations".to_owned(), related.into());
        }
        if !stacks.is_empty() {
            result.insert("stacks".to_owned(), stacks.into());
        }
    }
    result
}

fn message(explained: &Explained, main: &Side, other: &Side) -> String {
    let Explained { finding, missing, likely } = explained;
    let title = title(finding);
    let (first, rest) = title.split_at(1);
    let mut parts = vec![format!("{}{rest}", first.to_uppercase())];
    if let Some(memory) = memory(finding) {
        parts.push(format!(" ({memory})"));
    }
    for side in [main, other] {
        let mut words = vec![access(side)];
        words.extend(surroundings(side));
        parts.push(format!(". {}: {}", side.what(), words.join(", ")));
    }
    parts.push(format!(". Missing: {missing}."));
    if !likely.is_empty() {
        parts.push(format!(" Likely: {}.", alternatives(likely)));
    }
    if let Some(why) = &finding.why_possible {
        parts.push(format!(" Not sure: {why}."));
    }
    parts.concat()
}

/// Fingerprint that stays the same while lines above the functions change.
fn fingerprint(finding: &Finding) -> String {
    let of = |side: &Side| match side.frame() {
        Some(frame) => format!(
            "{}:{}:{}",
            frame.short_file().unwrap_or(&frame.object),
            frame.function,
            side.text.as_deref().unwrap_or_default()
        ),
        None => "?".to_owned(),
    };
    let mut both = finding.sides.each_ref().map(of);
    both.sort();
    both.join("|")
}

fn location(side: &Side, root: Option<&Path>, message: Option<String>) -> Option<Value> {
    let frame = side.frame()?;
    let mut location = place(frame, root)?;
    if let (Some(text), Some(location)) = (message, location.as_object_mut()) {
        location.insert("message".to_owned(), json!({ "text": text }));
    }
    Some(location)
}

fn stack(side: &Side, root: Option<&Path>) -> Option<Value> {
    let frames: Vec<Value> = side
        .stack
        .iter()
        .map(|frame| {
            let location = place(frame, root).unwrap_or_else(
                || json!({ "logicalLocations": [{ "fullyQualifiedName": frame.function, "kind": "function" }] }),
            );
            json!({ "location": location, "module": frame.object })
        })
        .collect();
    (!frames.is_empty())
        .then(|| json!({ "message": { "text": format!("{}: {}", side.what(), access(side)) }, "frames": frames }))
}

fn place(frame: &Frame, root: Option<&Path>) -> Option<Value> {
    let file = frame.file.as_deref().filter(|_| frame.line > 0)?;
    Some(json!({
        "physicalLocation": {
            "artifactLocation": artifact(file, root),
            "region": { "startLine": frame.line },
        },
        "logicalLocations": [{ "fullyQualifiedName": frame.function, "kind": "function" }],
    }))
}

/// A file as a location. Files below the current folder are relative to it, as code hosts require.
fn artifact(file: &str, root: Option<&Path>) -> Value {
    let path = normal(Path::new(file));
    if let Some(inside) = root.and_then(|root| path.strip_prefix(root).ok()) {
        return json!({ "uri": encoded(&inside.to_string_lossy()), "uriBaseId": "SRCROOT" });
    }
    if path.is_absolute() {
        return json!({ "uri": format!("file://{}", encoded(&path.to_string_lossy())) });
    }
    json!({ "uri": encoded(&path.to_string_lossy()), "uriBaseId": "SRCROOT" })
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// A path as a URI (RFC 3986): bytes other than the unreserved ones and the slash are percent-encoded.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_the_folder_are_relative_to_it() {
        let root = Path::new("/work space/app");
        let of = |file: &str| artifact(file, Some(root));
        assert_eq!(of("/work space/app/src/../a b.c"), json!({ "uri": "a%20b.c", "uriBaseId": "SRCROOT" }));
        assert_eq!(of("/usr/include/x.h"), json!({ "uri": "file:///usr/include/x.h" }));
        assert_eq!(of("./b.c"), json!({ "uri": "b.c", "uriBaseId": "SRCROOT" }));
    }

    /// Requirements of SARIF 2.1.0 on the objects that are used here (sections 3.13 to 3.58).
    fn check(document: &Value) {
        let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        assert_eq!(document["version"], "2.1.0");
        let run = &document["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert!(text(&run["tool"]["driver"]["name"]));
        for result in run["results"].as_array().unwrap() {
            assert!(text(&result["message"]["text"]));
            let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
            assert_eq!(rule["id"], result["ruleId"]);
            assert_eq!(rule["defaultConfiguration"]["level"], result["level"]);
            assert!(["error", "warning", "note", "none"].contains(&result["level"].as_str().unwrap()));
            assert!(result["occurrenceCount"].as_u64().unwrap() >= 1);
            let stacks = result["stacks"].as_array().unwrap();
            let framed =
                stacks.iter().flat_map(|stack| stack["frames"].as_array().unwrap()).map(|frame| &frame["location"]);
            let places = ["locations", "relatedLocations"].iter().flat_map(|key| result[*key].as_array().unwrap());
            for location in places.chain(framed) {
                let place = &location["physicalLocation"];
                let uri = place["artifactLocation"]["uri"].as_str().unwrap();
                assert!(!uri.contains(' ') && !uri.contains('\\'), "{uri}");
                assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
                let base = &place["artifactLocation"]["uriBaseId"];
                assert!(
                    base.is_null()
                        || run["originalUriBaseIds"][base.as_str().unwrap()]["uri"].as_str().unwrap().ends_with('/')
                );
            }
            for related in result["relatedLocations"].as_array().unwrap() {
                assert!(related["id"].is_u64() && text(&related["message"]["text"]));
            }
        }
    }

    #[test]
    fn the_document_keeps_the_rules_of_the_standard() {
        let written = document(&crate::sample::outcome(), Some(Path::new("/work"))).unwrap();
        let read: Value = serde_json::from_str(&written).unwrap();
        check(&read);
        let results = read["runs"][0]["results"].as_array().unwrap();
        let levels: Vec<&str> = results.iter().map(|result| result["level"].as_str().unwrap()).collect();
        assert_eq!(levels, ["error", "error", "warning"]);
        assert_eq!(
            results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "file:///home/user/project%20with%20a%20long%20name/src/heat.c"
        );
        let message = results[0]["message"]["text"].as_str().unwrap();
        assert!(message.starts_with("Data race on `sum` (on a stack, declared at heat.c:4). write: "), "{message}");
        assert!(message.contains("Likely: `reduction(+:sum)`"), "{message}");
        assert_eq!(results[0]["occurrenceCount"], 12);
    }
}
