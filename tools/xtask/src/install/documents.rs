//! What people read: `share/doc/ora`.

use std::path::Path;

use anyhow::Result;

use super::Place;
use crate::workspace;

/// Files of the project, from its root.
const DOCUMENTS: [&str; 13] = [
    "README.md",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "docs/troubleshooting.md",
    "tools/ora-cli/decode-json.md",
    "tools/ora-cli/doctor-json.md",
    "tools/ora-cli/report-json.md",
    "tools/ora-cli/stat-json.md",
    "tools/ora-cli/tasks-json.md",
    "tools/ora-cli/validate-json.md",
    "tools/report/outputs.md",
    "tools/request-log/FORMAT.md",
];

pub(super) fn install(place: &Place) -> Result<()> {
    for document in DOCUMENTS {
        let name = match Path::new(document).file_name() {
            Some(name) if name == "FORMAT.md" => "request-log.md".into(),
            Some(name) => name.to_string_lossy(),
            None => continue,
        };
        place.put(&workspace::root().join(document), &format!("share/doc/ora/{name}"))?;
    }
    Ok(())
}
