//! Types that other crates serialize: their schemas are in separate files.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

macro_rules! elsewhere {
    ($($(#[$comment:meta])* $name:ident: $schema:tt)*) => {$(
        $(#[$comment])*
        #[derive(Debug, Serialize)]
        pub struct $name;

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

elsewhere! {
    /// Finding of the crate `advice`.
    Finding: {"$ref": "finding.json"}
    /// Job of ranks, of the crate `profile-analysis`.
    Job: {"$ref": "job.json"}
    /// Document about a profile.
    Report: {"$ref": "report.json"}
    /// Process in the document of `ora stat`.
    StatProcess: {"$ref": "stat.json#/$defs/OneProcess"}
    /// Interface of a tool, of the crate `linking`.
    Interface: {"enum": ["tr2", "openmp_5"]}
}

/// Place in the reference's pages that describes a schema's file, and its name.
pub(crate) fn page(reference: &str) -> Option<&'static str> {
    Some(match reference {
        "finding.json" => "[a finding](stat-json.md#a-finding)",
        "job.json" => "[a job](stat-json.md#a-job)",
        "report.json" => "[the document of a profile](report-json.md)",
        "stat.json#/$defs/OneProcess" => "[a process of `ora stat`](stat-json.md#a-process)",
        _ => return None,
    })
}
