//! Answer of a benchmark.

use anyhow::Result;
use serde::Serialize;

use crate::programs::{Programs, processors};
use crate::table::Page;

/// Results of a benchmark, as text for people and JSON for scripts.
pub(crate) struct Answer {
    pub(crate) page: Page,
    pub(crate) json: serde_json::Value,
}

impl Answer {
    /// Combines a report and its tables; adds the library and the number of processors to both.
    pub(crate) fn new(programs: &Programs, report: &impl Serialize, page: Page) -> Result<Self> {
        let mut json = serde_json::to_value(report)?;
        if let Some(fields) = json.as_object_mut() {
            fields.insert("library".to_owned(), serde_json::to_value(&programs.library)?);
            fields.insert("processors".to_owned(), processors().into());
        }
        let mut whole = Page::default();
        whole.line(&format!("library: {}; {} processors", programs.library.display(), processors()));
        whole.append(page);
        Ok(Self { page: whole, json })
    }
}
