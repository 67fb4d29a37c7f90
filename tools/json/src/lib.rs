//! Envelope of the JSON documents: the keys with which all of them start.

use std::ffi::OsString;

use serde::Serialize;

/// Keys of one kind of document.
pub trait Versioned: Serialize {
    /// Name of the schema.
    const SCHEMA: &'static str;
    /// Incremented when a key is removed or changes meaning; new keys may be added without that.
    const VERSION: u32;
}

/// Document, with its own keys after those that all documents have.
#[derive(Debug, Serialize)]
pub struct Document<B> {
    schema: &'static str,
    version: u32,
    ora_version: &'static str,
    #[serde(flatten)]
    body: B,
}

impl<B: Versioned> Document<B> {
    /// Creates the document with these keys.
    pub const fn of(body: B) -> Self {
        Self { schema: B::SCHEMA, version: B::VERSION, ora_version: env!("CARGO_PKG_VERSION"), body }
    }

    /// The object over several lines, followed by a newline.
    ///
    /// # Errors
    /// None are known: the documents contain nothing that JSON can't express.
    pub fn text(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// The object on a single line.
    ///
    /// # Errors
    /// The same as those of [`Self::text`].
    pub fn line(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }
}

impl<B: Versioned> Versioned for &B {
    const SCHEMA: &'static str = B::SCHEMA;
    const VERSION: u32 = B::VERSION;
}

/// A program and its arguments, as given. JSON can't express words that are not valid UTF-8: such bytes are replaced.
pub fn words(command: &[OsString]) -> Vec<String> {
    command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Body {
        first: u32,
    }

    impl Versioned for Body {
        const SCHEMA: &'static str = "ora-test";
        const VERSION: u32 = 3;
    }

    #[test]
    fn the_envelope_comes_before_the_keys_of_the_document() {
        let document = Document::of(Body { first: 1 });
        let ora = env!("CARGO_PKG_VERSION");
        let line = format!("{{\"schema\":\"ora-test\",\"version\":3,\"ora_version\":\"{ora}\",\"first\":1}}\n");
        assert_eq!(document.line().unwrap(), line);
        let text = document.text().unwrap();
        assert!(text.starts_with("{\n  \"schema\"") && text.ends_with("1\n}\n"), "{text}");
    }
}
