//! The types that a source declares, for headers whose names in C and Rust are equal.

use anyhow::{Context, Result};

use crate::workspace;

const KINDS: [&str; 4] = ["pub enum ", "pub struct ", "pub type ", "pub union "];

/// The names of all public types in `sources`.
pub(super) fn types(sources: &[&str]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for source in sources {
        let path = workspace::root().join(source);
        let text = std::fs::read_to_string(&path).with_context(|| format!("can't read {source}"))?;
        names.extend(text.lines().filter_map(name).map(str::to_owned));
    }
    Ok(names)
}

/// The name of the type whose declaration begins on a line.
fn name(line: &str) -> Option<&str> {
    let rest = KINDS.iter().find_map(|kind| line.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    rest.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_type_has_a_name_and_nothing_else_has() {
        assert_eq!(name("pub enum ompt_state_t {"), Some("ompt_state_t"));
        assert_eq!(
            name("pub type ompt_callback_t = Option<unsafe extern \"C-unwind\" fn()>;"),
            Some("ompt_callback_t")
        );
        assert_eq!(name("pub type ompt_callback_work_t ="), Some("ompt_callback_work_t"));
        assert_eq!(name("pub union ompt_data_t {"), Some("ompt_data_t"));
        for line in ["    pub value: u64,", "pub use states::*;", "/// pub type of work", "pub(crate) struct Hidden;"] {
            assert_eq!(name(line), None, "{line}");
        }
    }
}
