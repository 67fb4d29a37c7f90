//! Identifiers that are allowed in one folder only: assembly, registers and relocations, the dynamic linker's list, the list of mappings.

use anyhow::Result;

use super::crates::Crate;
use super::order;
use crate::{sources, workspace};

/// Identifiers, and the only folder that may contain them. Tests may contain them as well.
const CONFINED: [(&[&str], &str); 2] = [
    (&["asm!(", "naked_asm!(", "global_asm!(", "target_arch", "libc::REG_", "R_X86_64"], "ompt-core/system/src/arch/"),
    (&["dl_iterate_phdr", "/proc/self/maps", "/proc/thread-self/maps"], "ompt-core/system/src/"),
];

/// Folder of the core's model, and its parts that may contain unsafe code: the interfaces, which call tools, and files that store a pointer
/// as a word of the C library, of a thread or of a runtime.
const MODEL: &str = "ompt-core/src/";
const MODEL_UNSAFE: [&str; 5] = ["tr2/", "v5/", "errno.rs", "task/mod.rs", "tls.rs"];

/// Folder of the adapters, and the maximum number of its files that may contain unsafe code.
const ADAPTERS: &str = "ora/runtimes/src/";
const ADAPTERS_UNSAFE: usize = 30;

/// Messages for files that contain an identifier of another folder.
pub(super) fn misplaced(crates: &[Crate]) -> Result<Vec<String>> {
    let (mut lines, mut unsafe_adapters) = (Vec::new(), 0);
    for folder in crates.iter().map(Crate::folder).filter(|folder| order::runs_in_programs(folder)) {
        for (path, text) in sources::read_all(&workspace::root().join(folder).join("src"), "rs")? {
            let name = workspace::shown(&path);
            lines.extend(found(&name, &text).map(|word| format!("{name}: {word}")));
            if is_unsafe_model(&name, &text) {
                lines.push(format!("{name}: unsafe code in the model"));
            }
            unsafe_adapters += usize::from(name.starts_with(ADAPTERS) && has_unsafe(&text));
        }
    }
    if unsafe_adapters > ADAPTERS_UNSAFE {
        lines.push(format!("{ADAPTERS}: {unsafe_adapters} files with unsafe code, at most {ADAPTERS_UNSAFE} may"));
    }
    Ok(lines)
}

/// True if a file of the model contains unsafe code without permission.
fn is_unsafe_model(name: &str, text: &str) -> bool {
    let inner = name.strip_prefix(MODEL).filter(|inner| !MODEL_UNSAFE.iter().any(|place| inner.starts_with(place)));
    inner.is_some() && has_unsafe(text)
}

/// True if a file contains unsafe code outside of its tests.
fn has_unsafe(text: &str) -> bool {
    code(text).contains("allow(unsafe_code)")
}

/// Text of a file before its tests.
fn code(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or_default()
}

/// First identifier of each kind that a file must not contain.
fn found<'a>(name: &'a str, text: &'a str) -> impl Iterator<Item = &'static str> + 'a {
    let has = |word: &str| code(text).lines().any(|line| line.contains(word) && !line.trim_start().starts_with("//"));
    let kinds = CONFINED.iter().filter(|(_, place)| !name.starts_with(place));
    kinds.filter_map(move |(words, _)| words.iter().find(|word| has(word)).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_code_outside_of_their_place() {
        let words = |name: &str, text: &str| found(name, text).collect::<Vec<_>>();
        let naked = "fn f() { naked_asm!(\"ret\") }";
        assert_eq!(words("ora/runtimes/src/a.rs", naked), ["asm!("]);
        assert!(words("ompt-core/system/src/arch/x86_64/mod.rs", naked).is_empty());
        assert!(words("ora/runtimes/src/a.rs", "// asm!(\n#[cfg(test)]\nasm!()").is_empty());
        assert_eq!(words("ora/src/a.rs", "libc::dl_iterate_phdr(x)"), ["dl_iterate_phdr"]);
    }

    #[test]
    fn unsafe_code_is_found_in_the_model_outside_of_its_places() {
        let allowed = "#![allow(unsafe_code)] // why";
        assert!(is_unsafe_model("ompt-core/src/region/mod.rs", allowed));
        assert!(is_unsafe_model("ompt-core/src/thread/registry.rs", allowed));
        assert!(!is_unsafe_model("ompt-core/src/region/mod.rs", "#[cfg(test)]\n#![allow(unsafe_code)]"));
        for place in ["ompt-core/src/tls.rs", "ompt-core/src/v5/tool.rs", "ora/src/session.rs"] {
            assert!(!is_unsafe_model(place, allowed), "{place}");
        }
    }
}
