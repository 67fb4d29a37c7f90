//! The installation as a package of Debian's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::Place;
use crate::workspace;

/// Builds `ora_VERSION_amd64.deb` in `target/debian` and returns where it is.
pub(crate) fn package() -> Result<PathBuf> {
    let folder = workspace::target().join("debian");
    let root = folder.join("root");
    if root.exists() {
        fs::remove_dir_all(&root).with_context(|| format!("can't empty {}", root.display()))?;
    }
    super::install(&Place::new(Path::new("/usr"), Some(root.clone()))?)?;
    // Where Debian's zsh looks for what packages bring.
    let zsh = root.join("usr/share/zsh");
    fs::rename(zsh.join("site-functions"), zsh.join("vendor-completions")).context("can't move zsh's completion")?;
    let control = control(&newest_c_library(&root)?);
    workspace::write(&root.join("DEBIAN/control"), &control)?;
    // The dynamic linker's cache is to know libora.so.
    workspace::write(&root.join("DEBIAN/triggers"), "activate-noawait ldconfig\n")?;
    let package = folder.join(format!("ora_{}_amd64.deb", env!("CARGO_PKG_VERSION")));
    workspace::run(Command::new("dpkg-deb").args(["--root-owner-group", "--build"]).arg(&root).arg(&package))?;
    println!("the package is {}", workspace::shown(&package));
    Ok(package)
}

/// What the package says of itself.
fn control(c_library: &str) -> String {
    format!(
        "Package: ora\nVersion: {}\nArchitecture: amd64\nMaintainer: the ora project\nSection: devel\nPriority: optional\n\
         Depends: libc6 (>= {c_library}), libgcc-s1\nSuggests: gcc, libgomp1\n\
         Description: OpenMP tool interfaces for every OpenMP runtime\n \
         A library that gives GNU, LLVM and Intel OpenMP runtimes the Sun Collector API\n \
         and OMPT (OpenMP 5 and Technical Report 2), for several tools at once, and a\n \
         command that profiles OpenMP programs and tells why a tool sees nothing.\n",
        env!("CARGO_PKG_VERSION"),
    )
}

/// The newest version of the C library that a file of the package asks for.
fn newest_c_library(root: &Path) -> Result<String> {
    let mut newest = (0, 0);
    for file in [root.join("usr/bin/ora"), root.join("usr/lib/libora.so"), root.join("usr/lib/ora/libora_profiler.so")]
    {
        let table = workspace::read(Command::new("objdump").arg("-T").arg(&file))?;
        newest = newest.max(table.lines().filter_map(asked).max().unwrap_or_default());
    }
    Ok(format!("{}.{}", newest.0, newest.1))
}

/// The version of the C library that a line of `objdump -T` names.
fn asked(line: &str) -> Option<(u32, u32)> {
    let version = line.split_once("GLIBC_")?.1;
    let mut parts = version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or_default());
    Some((parts.next()?, parts.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(asked("0000 DF *UND* 0000 (GLIBC_2.34)  pthread_create"), Some((2, 34)));
        assert_eq!(asked("0000 DF *UND* 0000 (GLIBC_2.2.5) malloc"), Some((2, 2)));
        assert!(asked("GLIBC_2.4 x") < asked("GLIBC_2.34 x"));
        assert_eq!(asked("0000 DF .text 0000 Base ora_embed_begin"), None);
    }
}
