//! Types that a source declares, for headers whose names in C and Rust are equal.

use anyhow::{Context, Result};
use syn::{Item, Visibility};

use crate::workspace;

/// Names of all public types in `sources`.
pub(super) fn types(sources: &[&str]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for source in sources {
        let path = workspace::root().join(source);
        let text = std::fs::read_to_string(&path).with_context(|| format!("can't read {source}"))?;
        let file = syn::parse_file(&text).with_context(|| format!("can't parse {source}"))?;
        names.extend(file.items.into_iter().filter_map(|item| {
            let (visibility, name) = match item {
                Item::Enum(item) => (item.vis, item.ident),
                Item::Struct(item) => (item.vis, item.ident),
                Item::Type(item) => (item.vis, item.ident),
                Item::Union(item) => (item.vis, item.ident),
                _ => return None,
            };
            matches!(visibility, Visibility::Public(_)).then(|| name.to_string())
        }));
    }
    Ok(names)
}
