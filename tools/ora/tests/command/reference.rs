//! Pages of `docs/reference`, and the schemas there that JSON documents must satisfy.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Text of a page.
pub(crate) fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name)).unwrap()
}

/// Document that a command has written, which must be valid.
pub(crate) fn document(text: impl AsRef<[u8]>) -> Value {
    let text = text.as_ref();
    let document: Value =
        serde_json::from_slice(text).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(text)));
    schemas::assert_valid(&document);
    document
}
