//! The installation as a Debian package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Place, soname};
use crate::workspace;

/// Options of `strip`: Debian's packages have no names of functions either.
const STRIP: &[&str] = &["--strip-unneeded", "--remove-section=.comment", "--remove-section=.note"];

/// Builds `ora_VERSION_amd64.deb` in `target/debian` and returns its path.
pub(crate) fn package() -> Result<PathBuf> {
    ensure!(
        soname::can_be_set(),
        "patchelf, which gives libora.so its versioned name, is missing: apt install patchelf"
    );
    let folder = workspace::target().join("debian");
    let root = folder.join("root");
    if root.exists() {
        fs::remove_dir_all(&root).with_context(|| format!("can't empty {}", root.display()))?;
    }
    let mut place = Place::new(Path::new("/usr"), Some(root.clone()))?;
    place.strip = STRIP;
    super::install(&place)?;
    // Folder in which Debian's zsh searches for packages' completions.
    let zsh = root.join("usr/share/zsh");
    fs::rename(zsh.join("site-functions"), zsh.join("vendor-completions")).context("can't move zsh's completion")?;
    documents(&root)?;
    let control = control(&newest_c_library(&root)?, &maintainer());
    workspace::write(&root.join("DEBIAN/control"), &control)?;
    workspace::write(&root.join("DEBIAN/shlibs"), &shlibs())?;
    // The dynamic linker's cache is to know libora.so.
    workspace::write(&root.join("DEBIAN/triggers"), "activate-noawait ldconfig\n")?;
    let package = folder.join(format!("ora_{}_amd64.deb", env!("CARGO_PKG_VERSION")));
    workspace::run(Command::new("dpkg-deb").args(["--root-owner-group", "--build"]).arg(&root).arg(&package))?;
    println!("the package is {}", workspace::shown(&package));
    Ok(package)
}

/// Documents that Debian requires: compressed pages and changes, and the licences of the files (Policy 12.1, 12.5,
/// 12.7).
fn documents(root: &Path) -> Result<()> {
    let ours = root.join("usr/share/doc/ora");
    workspace::write(&ours.join("changelog"), &changelog()?)?;
    let man = root.join("usr/share/man");
    let pages = super::files(&man)?.into_iter().map(|page| man.join(page));
    workspace::run(Command::new("gzip").args(["-9", "-n"]).arg(ours.join("changelog")).args(pages))?;
    fs::remove_file(ours.join("LICENSE-APACHE")).context("can't remove a licence that Debian has")?;
    workspace::write(&ours.join("copyright"), &copyright()?)
}

/// The changelog of the package (Policy 4.4). That of the project is in `CHANGELOG.md` beside it.
fn changelog() -> Result<String> {
    let now = std::env::var("SOURCE_DATE_EPOCH").map_or("now".to_owned(), |seconds| format!("@{seconds}"));
    let date = workspace::read(Command::new("date").args(["--utc", "-R", "-d", &now]))?;
    Ok(format!(
        "ora ({}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {}  {}\n",
        env!("CARGO_PKG_VERSION"),
        maintainer(),
        date.trim(),
    ))
}

/// The licences, in Debian's machine-readable form.
fn copyright() -> Result<String> {
    let read = |name: &str| {
        let path = workspace::root().join(name);
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))
    };
    let mit = read("LICENSE-MIT")?;
    let (holder, terms) = mit.split_once("Permission is").context("LICENSE-MIT grants no permission")?;
    let holder =
        holder.lines().find_map(|line| line.strip_prefix("Copyright (c) ")).context("LICENSE-MIT has no holder")?;
    let header = read("headers/omp_collector_api.h")?;
    let notice =
        header.lines().find_map(|line| line.strip_prefix(" * Copyright (c) ")).context("the header has no notice")?;
    let terms = format!("Permission is{terms}");
    let indented: Vec<String> =
        terms.trim().lines().map(|line| if line.is_empty() { " .".to_owned() } else { format!(" {line}") }).collect();
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: ora\n\n\
         Files: *\nCopyright: {holder}\nLicense: Expat or Apache-2.0\n\n\
         Files: usr/include/ora/omp_collector_api.h\nCopyright: {notice}\nLicense: Expat\n\n\
         License: Expat\n{}\n\n\
         License: Apache-2.0\n On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n",
        indented.join("\n"),
    ))
}

/// Dependency of a program that is linked to the library, for Debian's tools.
fn shlibs() -> String {
    let version = soname::SONAME.rsplit('.').next().unwrap_or_default();
    format!("libora {version} ora (>= {})\n", env!("CARGO_PKG_VERSION"))
}

/// Maintainer of the package, from the variables of Debian's own tools.
fn maintainer() -> String {
    let of = |name: &str, other: &str| std::env::var(name).unwrap_or_else(|_| other.to_owned());
    format!("{} <{}>", of("DEBFULLNAME", "the ora developers"), of("DEBEMAIL", "ora@packages.invalid"))
}

/// Control file of the package.
fn control(c_library: &str, maintainer: &str) -> String {
    format!(
        "Package: ora\nVersion: {}\nArchitecture: amd64\nMaintainer: {maintainer}\nSection: devel\nPriority: optional\n\
         Depends: libc6 (>= {c_library}), libgcc-s1\nSuggests: gcc, libgomp1\n\
         Description: OpenMP tool interfaces for every OpenMP runtime\n \
         A library that gives GNU, LLVM and Intel OpenMP runtimes the Sun Collector API\n \
         and OMPT (OpenMP 5 and Technical Report 2), for several tools at once, and a\n \
         command that profiles OpenMP programs and says why a tool sees nothing.\n",
        env!("CARGO_PKG_VERSION"),
    )
}

/// The newest version of the C library that a file of the package requires.
fn newest_c_library(root: &Path) -> Result<String> {
    let mut newest = (0, 0);
    for file in [
        root.join("usr/bin/ora"),
        root.join("usr/lib").join(soname::SONAME),
        root.join("usr/lib/ora/libora_profiler.so"),
    ] {
        let table = workspace::read(Command::new("objdump").arg("-T").arg(&file))?;
        newest = newest.max(table.lines().filter_map(required_version).max().unwrap_or_default());
    }
    Ok(format!("{}.{}", newest.0, newest.1))
}

/// The version of the C library that a line of `objdump -T` names.
fn required_version(line: &str) -> Option<(u32, u32)> {
    let version = line.split_once("GLIBC_")?.1;
    let mut parts = version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or_default());
    Some((parts.next()?, parts.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(required_version("0000 DF *UND* 0000 (GLIBC_2.34)  pthread_create"), Some((2, 34)));
        assert_eq!(required_version("0000 DF *UND* 0000 (GLIBC_2.2.5) malloc"), Some((2, 2)));
        assert!(required_version("GLIBC_2.4 x") < required_version("GLIBC_2.34 x"));
        assert_eq!(required_version("0000 DF .text 0000 Base ora_embed_begin"), None);
    }
}
