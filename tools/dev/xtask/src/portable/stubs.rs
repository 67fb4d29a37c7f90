//! Stub libraries: the C library and `libgcc_s` of old releases, as far as a linker sees them.
//!
//! glibc keeps each symbol's old versions, and the linker takes the newest one of the library that it is given. A stub has
//! the newest version of each symbol that is old enough, and no code. A symbol that came later is
//! missing there: linking fails and names it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use super::symbols::{self, Kind, Version};
use crate::{portable, workspace};

/// The dynamic linker, which defines `__tls_get_addr`.
fn dynamic_linker() -> &'static str {
    if portable::processor() == "x86_64" { "ld-linux-x86-64.so.2" } else { "ld-linux-aarch64.so.1" }
}

/// Functions that were in an archive until glibc 2.33.
const STAT: &str = include_str!("../../programs/stat.c");
/// Libraries that had a file of their own until glibc 2.34: its name for the linker, and the functions that were in
/// it, or the first letters of their names.
const SEPARATE: [(&str, &str, &[&str]); 4] = [
    ("pthread", "libpthread.so.0", &["pthread_*", "_pthread_*", "__pthread_*", "sem_*"]),
    (
        "dl",
        "libdl.so.2",
        &["dladdr", "dladdr1", "dlclose", "dlerror", "dlinfo", "dlmopen", "dlopen", "dlsym", "dlvsym"],
    ),
    ("rt", "librt.so.1", &["aio_*", "mq_*", "shm_*", "timer_*"]),
    ("util", "libutil.so.1", &["forkpty", "openpty", "login_tty"]),
];

/// Symbols of a stub by their versions.
type Versions = BTreeMap<Version, BTreeMap<String, Kind>>;

/// The names that the linker finds when it links with the stubs.
///
/// # Errors
/// If this system's C library can't be read.
pub(super) fn names() -> Result<BTreeSet<String>> {
    let of_stat = STAT.lines().filter_map(|line| line.strip_prefix("int ")?.split('(').next()).map(str::to_owned);
    let all = [newest(&of_the_c_library())?, newest(&["libm.so.6"])?, newest(&["libgcc_s.so.1"])?];
    Ok(all
        .into_iter()
        .flat_map(|versions| versions.into_values().flatten())
        .map(|(name, _)| name)
        .chain(of_stat)
        .collect())
}

/// The files that the C library consists of, apart from `libm`.
fn of_the_c_library() -> Vec<&'static str> {
    SEPARATE.iter().map(|(_, file, _)| *file).chain(["libc.so.6", dynamic_linker()]).collect()
}

/// Makes the stubs in a folder for the linker to search.
///
/// # Errors
/// If this system's C library can't be read, or gcc fails.
pub(super) fn make(folder: &Path) -> Result<()> {
    workspace::empty(folder)?;
    let mut rest = newest(&of_the_c_library())?;
    take(&mut rest, &["__tls_get_addr"]);
    for (name, file, functions) in SEPARATE {
        let own = take(&mut rest, functions);
        build(folder, &format!("lib{name}.so"), file, own)?;
    }
    build(folder, "libm.so", "libm.so.6", newest(&["libm.so.6"])?)?;
    build(folder, "libgcc_s.so", "libgcc_s.so.1", newest(&["libgcc_s.so.1"])?)?;
    build(folder, "libc.so.6", "libc.so.6", rest)?;
    stat(folder)?;
    // As in the C library's own script: what a program links statically, and the dynamic linker for `__tls_get_addr`.
    let script = format!(
        "GROUP({0}/libc.so.6 {0}/libstat.a {1} AS_NEEDED({2}))\n",
        folder.display(),
        file_of_gcc("libc_nonshared.a")?.display(),
        file_of_gcc(dynamic_linker())?.display(),
    );
    workspace::write(&folder.join("libc.so"), &script)
}

/// Path of a file that gcc links.
fn file_of_gcc(name: &str) -> Result<PathBuf> {
    let path = PathBuf::from(workspace::read(Command::new("gcc").arg(format!("-print-file-name={name}")))?.trim());
    ensure!(path.is_absolute(), "gcc has no {name}. Next: install libc6-dev");
    Ok(path)
}

/// The symbols of this system's libraries, each in its newest version that isn't too new.
fn newest(files: &[&str]) -> Result<Versions> {
    let mut found: BTreeMap<String, (Version, Kind)> = BTreeMap::new();
    for file in files {
        for symbol in symbols::of(&file_of_gcc(file)?)?.into_iter().filter(|symbol| !symbol.is_imported) {
            let Some(version) = symbol.version.as_deref().and_then(Version::of) else { continue };
            let newer = found.get(&symbol.name).is_none_or(|(known, _)| *known < version);
            if version.is_old() && newer && symbol.kind != Kind::Other {
                found.insert(symbol.name, (version, symbol.kind));
            }
        }
    }
    let mut versions = Versions::new();
    for (name, (version, kind)) in found {
        versions.entry(version).or_default().insert(name, kind);
    }
    Ok(versions)
}

/// Takes the symbols out that have one of these names; a name that ends with a star has only the first letters.
fn take(from: &mut Versions, names: &[&str]) -> Versions {
    let is_one = |symbol: &str| {
        names.iter().any(|name| name.strip_suffix('*').map_or(symbol == *name, |first| symbol.starts_with(first)))
    };
    let mut taken = Versions::new();
    for (version, symbols) in from {
        let all = std::mem::take(symbols);
        let (own, rest) = all.into_iter().partition(|(name, _)| is_one(name));
        *symbols = rest;
        taken.insert(version.clone(), own);
    }
    taken
}

/// Builds a stub.
fn build(folder: &Path, name: &str, soname: &str, versions: Versions) -> Result<()> {
    let (source, script) = (folder.join(format!("{soname}.s")), folder.join(format!("{soname}.map")));
    workspace::write(&source, &assembly(&versions))?;
    workspace::write(&script, &version_script(&versions))?;
    workspace::run(
        Command::new("gcc")
            .args(["-shared", "-nostdlib", &format!("-Wl,-soname,{soname}")])
            .arg(format!("-Wl,--version-script={}", script.display()))
            .arg("-o")
            .arg(folder.join(name))
            .arg(source),
    )
}

/// Definitions of the symbols, for the assembler.
fn assembly(versions: &Versions) -> String {
    let mut text = String::from(".section .note.GNU-stack,\"\",@progbits\n");
    for (name, kind) in versions.values().flatten() {
        // Writing to a `String` can't fail.
        let _ = match kind {
            Kind::Variable(size) => {
                writeln!(
                    text,
                    ".data\n.globl {name}\n.type {name}, @object\n.size {name}, {size}\n{name}: .zero {size}"
                )
            }
            _ => writeln!(text, ".text\n.globl {name}\n.type {name}, @function\n{name}:"),
        };
    }
    text
}

/// The versions of the symbols, for the linker.
fn version_script(versions: &Versions) -> String {
    let mut text = String::new();
    for (version, symbols) in versions.iter().filter(|(_, symbols)| !symbols.is_empty()) {
        let names: String = symbols.keys().map(|name| format!(" {name};")).collect();
        let _ = writeln!(text, "{version} {{ global:{names} }};");
    }
    text
}

/// Builds the archive of `stat` and its kin.
fn stat(folder: &Path) -> Result<()> {
    let (source, object) = (folder.join("stat.c"), folder.join("stat.o"));
    workspace::write(&source, STAT)?;
    let flags = ["-c", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"];
    workspace::run(Command::new("gcc").args(flags).arg("-o").arg(&object).arg(source))?;
    workspace::run(Command::new("ar").arg("rcsD").arg(folder.join("libstat.a")).arg(object))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_go_to_the_library_that_had_them() {
        let names =
            |versions: &Versions| -> Vec<String> { versions.values().flat_map(BTreeMap::keys).cloned().collect() };
        let symbols = ["dlsym", "malloc", "pthread_create"].map(|name| (name.to_owned(), Kind::Function));
        let mut rest = Versions::from([(Version::of("GLIBC_2.2.5").unwrap(), symbols.into())]);
        assert_eq!(names(&take(&mut rest, &["pthread_*"])), ["pthread_create"]);
        assert_eq!(names(&rest), ["dlsym", "malloc"]);
        assert_eq!(version_script(&rest), "GLIBC_2.2.5 { global: dlsym; malloc; };\n");
    }

    #[test]
    fn the_newest_version_that_is_old_enough_is_taken() {
        let versions = newest(&["libc.so.6"]).unwrap();
        let of =
            |name: &str| versions.iter().find_map(|(version, all)| all.contains_key(name).then(|| version.to_string()));
        assert_eq!(of("memcpy").as_deref(), Some("GLIBC_2.14"));
        assert_eq!(of("pthread_create").as_deref(), Some("GLIBC_2.2.5"));
        assert_eq!(of("gettid"), None, "it came with 2.30");
    }
}
