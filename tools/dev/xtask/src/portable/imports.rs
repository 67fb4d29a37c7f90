//! Check of what built files ask the dynamic linker for: the oldest supported C library has all symbols that they import, and they name no
//! folders for libraries.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::search_paths;
use super::stubs;
use super::symbols::{self, Symbol, Version};
use crate::workspace;

/// Fails if a file imports a symbol in a version that the oldest systems don't have.
pub(crate) fn are_old(files: &[PathBuf]) -> Result<()> {
    check(files, is_old)
}

/// Fails if a file imports a symbol that the oldest systems have in no version. The file itself is linked with this
/// system's library, and imports newer ones.
pub(crate) fn have_old_versions(files: &[PathBuf]) -> Result<()> {
    let names = stubs::names()?;
    check(files, |symbol| names.contains(&symbol.name) || is_old(symbol))
}

/// True for a symbol that the oldest systems have, and for one that may be missing.
fn is_old(symbol: &Symbol) -> bool {
    let has_old_version = |version| Version::of(version).is_some_and(|version| version.is_old());
    symbol.is_weak || symbol.version.as_deref().is_none_or(has_old_version)
}

fn check(files: &[PathBuf], may_be: impl Fn(&Symbol) -> bool) -> Result<()> {
    search_paths::are_absent(files)?;
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in files {
        let imported: Vec<Symbol> = symbols::of(file)?.into_iter().filter(|symbol| symbol.is_imported).collect();
        count += imported.len();
        wrong.extend(imported.iter().filter(|symbol| !may_be(symbol)).map(|symbol| line(file, symbol)));
    }
    ensure!(
        wrong.is_empty(),
        "systems with glibc 2.17 don't have what these files import:\n{}\nNext: call it through `syscall` or `dlsym`",
        wrong.join("\n")
    );
    println!("glibc 2.17 has the {count} symbols that {} files import", files.len());
    Ok(())
}

fn line(file: &Path, symbol: &Symbol) -> String {
    let version = symbol.version.as_deref().unwrap_or("none");
    format!("  {} imports {} in version {version}", workspace::shown(file), symbol.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_symbol_file_and_version() {
        let own = std::env::current_exe().unwrap();
        let error = check(&[own], |symbol| symbol.name != "memcpy").unwrap_err().to_string();
        assert!(error.contains("xtask") && error.contains(" imports memcpy in version GLIBC_2."), "{error}");
    }

    #[test]
    fn a_symbol_that_came_later_is_refused_and_one_with_an_old_version_is_not() {
        let symbol = |name: &str, version: &str| Symbol {
            name: name.to_owned(),
            version: Some(version.to_owned()),
            kind: symbols::Kind::Function,
            is_imported: true,
            is_weak: false,
        };
        let names = stubs::names().unwrap();
        for (name, version, old) in
            [("pthread_create", "GLIBC_2.34", true), ("stat64", "GLIBC_2.33", true), ("gettid", "GLIBC_2.30", false)]
        {
            let symbol = symbol(name, version);
            assert!(!is_old(&symbol), "{name}");
            assert_eq!(names.contains(name), old, "{name}");
        }
    }
}
