//! Check of the dynamic dependencies of built files: the oldest supported C library defines all symbols that they import, and they name no
//! folders for libraries (DT_RPATH, DT_RUNPATH). Others may be able to write to such a folder, and an empty or relative one is the user's
//! current folder: anyone who can write there would choose the libraries of root's `ora`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::workspace;

/// Symbol that the dynamic linker itself exports. It is as old as thread-local variables, and no stub defines it.
const OF_DYNAMIC_LINKER: &str = "__tls_get_addr";

/// A dynamic symbol of an ELF file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Symbol {
    name: String,
    /// Name of the version, such as `GLIBC_2.17`; empty for none.
    version: String,
    is_imported: bool,
    /// True if the file can be loaded without the symbol.
    is_weak: bool,
}

/// Fails if a file that is linked with the stubs imports a symbol that no stub defines.
pub(super) fn are_of_stubs(files: &[PathBuf], stubs: &Path) -> Result<()> {
    let stubs: BTreeSet<_> = of_stubs(stubs)?.into_iter().map(|symbol| (symbol.name, symbol.version)).collect();
    check(files, |symbol| stubs.contains(&(symbol.name.clone(), symbol.version.clone())))
}

/// Fails if a file imports a symbol of which the oldest systems have no version. The file itself is linked with this system's library, and
/// imports newer versions.
pub(crate) fn have_old_versions(files: &[PathBuf]) -> Result<()> {
    let names: BTreeSet<_> = of_stubs(&super::stubs()?)?.into_iter().map(|symbol| symbol.name).collect();
    check(files, |symbol| names.contains(&symbol.name))
}

fn check(files: &[PathBuf], is_old: impl Fn(&Symbol) -> bool) -> Result<()> {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in files {
        has_no_search_path(file)?;
        let imported: Vec<_> = symbols(file)?.into_iter().filter(|symbol| symbol.is_imported).collect();
        count += imported.len();
        let is_wrong = |symbol: &&Symbol| {
            !symbol.is_weak && !symbol.version.is_empty() && symbol.name != OF_DYNAMIC_LINKER && !is_old(symbol)
        };
        let line = |it: &Symbol| format!("  {} imports {} in version {}", workspace::shown(file), it.name, it.version);
        wrong.extend(imported.iter().filter(is_wrong).map(line));
    }
    ensure!(
        wrong.is_empty(),
        "systems with glibc 2.17 don't have what these files import:\n{}\nNext: call it through `syscall` or `dlsym`",
        wrong.join("\n")
    );
    println!("glibc 2.17 has the {count} symbols that {} files import", files.len());
    Ok(())
}

/// Symbols that the linker finds when it links with the stubs.
fn of_stubs(folder: &Path) -> Result<Vec<Symbol>> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder)?.flatten().map(|file| file.path()) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // `libc.so` is a linker script.
        if name.starts_with("lib") && name != "libc.so" {
            found.extend(symbols(&file)?.into_iter().filter(|symbol| !symbol.is_imported));
        }
    }
    Ok(found)
}

/// Symbols of a file that are visible to the linker.
fn symbols(file: &Path) -> Result<Vec<Symbol>> {
    // An archive has no dynamic symbols.
    let table = if file.extension().is_some_and(|it| it == "a") { "--syms" } else { "--dyn-syms" };
    let lines = workspace::read(Command::new("readelf").args(["--wide", table]).arg(file))?;
    Ok(lines.lines().filter_map(symbol).collect())
}

/// Global symbol on a line: number, value, size, type, binding, visibility, section, name with its version.
fn symbol(line: &str) -> Option<Symbol> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [number, _, _, _, binding, _, section, name, ..] = words.as_slice() else { return None };
    if !number.ends_with(':') || *binding == "LOCAL" || *section == "ABS" {
        return None;
    }
    let (name, version) = name.split_once('@').unwrap_or((name, ""));
    Some(Symbol {
        name: name.to_owned(),
        version: version.trim_start_matches('@').to_owned(),
        is_imported: *section == "UND",
        is_weak: *binding == "WEAK",
    })
}

fn has_no_search_path(file: &Path) -> Result<()> {
    let dynamic = workspace::read(Command::new("readelf").args(["--wide", "--dynamic"]).arg(file))?;
    let found: Vec<_> = dynamic.lines().filter(|line| line.contains("(RPATH)") || line.contains("(RUNPATH)")).collect();
    let (shown, found) = (workspace::shown(file), found.join("\n"));
    ensure!(
        found.is_empty(),
        "{shown} has a search path of its own for libraries:\n{found}\nNext: link it without -rpath"
    );
    Ok(())
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
    fn stubs_have_the_newest_version_that_is_old_enough_and_nothing_that_came_later() {
        let stubs = of_stubs(&super::super::stubs().unwrap()).unwrap();
        let of = |name: &str| stubs.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.version.as_str());
        assert_eq!(of("memcpy"), Some("GLIBC_2.14"));
        assert_eq!(of("pthread_create"), Some("GLIBC_2.2.5"));
        assert_eq!(of("_Unwind_Backtrace"), Some("GCC_3.3"));
        assert_eq!(of("stat64"), Some(""), "from the archive");
        assert_eq!(of("gettid"), None, "it came with 2.30");
    }

    #[test]
    fn a_file_with_a_search_path_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (source, file) = (folder.path().join("empty.c"), folder.path().join("empty.so"));
        std::fs::write(&source, "").unwrap();
        for (option, is_refused) in
            [("-Wl,-rpath,.", true), ("-Wl,--disable-new-dtags,-rpath,/tmp", true), ("-g", false)]
        {
            let mut command = Command::new("gcc");
            workspace::run(command.args(["-shared", option, "-o"]).arg(&file).arg(&source)).unwrap();
            assert_eq!(has_no_search_path(&file).is_err(), is_refused, "{option}");
        }
    }
}
