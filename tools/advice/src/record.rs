//! Records the facts that findings are based on, for the corpus of cases. Releases don't contain this.

use serde::Serialize;

/// Prints facts to stderr: a line with a marker, and a JSON object with one key.
#[allow(clippy::print_stderr, reason = "its reader is the benchmark that has built this")]
pub(crate) fn print(kind: &str, facts: &impl Serialize) {
    if let Ok(line) = serde_json::to_string(&serde_json::json!({ kind: facts })) {
        eprintln!("ora facts {line}");
    }
}
