//! The portable build as Debian packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Place, soname};
use crate::portable::symbols::{self, Version};
use crate::{portable, workspace};

/// A package: its files, by the first parts of their paths, and its fields.
struct Package {
    name: &'static str,
    section: &'static str,
    /// `None`: what no other package has.
    files: Option<&'static [&'static str]>,
    /// Beside the C library and `libgcc_s`.
    needs: &'static [&'static str],
    suggests: &'static str,
    about: &'static str,
}

/// The library's package has the number of its ABI in its name (Policy 8.1).
const LIBRARY: &str = "libora0";
const PACKAGES: [Package; 3] = [
    Package {
        name: LIBRARY,
        section: "libs",
        files: Some(&["usr/lib/libora.so.0"]),
        needs: &[],
        suggests: "libgomp1",
        about: "OpenMP tool interfaces for every OpenMP runtime (shared library)",
    },
    Package {
        name: "libora-dev",
        section: "libdevel",
        files: Some(&["usr/lib/libora.so", "usr/lib/libora.a", "usr/lib/pkgconfig", "usr/lib/cmake", "usr/include"]),
        needs: &[LIBRARY],
        suggests: "gcc",
        about: "OpenMP tool interfaces for every OpenMP runtime (development files)",
    },
    Package {
        name: "ora",
        section: "devel",
        files: None,
        needs: &[LIBRARY],
        suggests: "libora-dev",
        about: "profiler of OpenMP programs, on every OpenMP runtime",
    },
];

/// Builds the packages in `target/debian` and returns their paths.
///
/// # Errors
/// If a program is missing or fails.
pub(crate) fn packages(built: &Path) -> Result<Vec<PathBuf>> {
    ensure!(
        soname::can_be_set(),
        "patchelf, which gives libora.so its versioned name, is missing: apt install patchelf"
    );
    let folder = workspace::target().join("debian");
    let all = folder.join("all");
    super::put_all(&Place::packaged(Path::new("/usr"), &all, built)?)?;
    // Folder in which Debian's zsh searches for packages' completions.
    let zsh = all.join("usr/share/zsh");
    fs::rename(zsh.join("site-functions"), zsh.join("vendor-completions")).context("can't move zsh's completion")?;
    let man = all.join("usr/share/man");
    let pages = super::files(&man)?.into_iter().map(|page| man.join(page));
    workspace::run(Command::new("gzip").args(["-9", "-n"]).args(pages))?;
    let doc = all.join("usr/share/doc/ora");
    // Debian has the one, and the other is in `copyright`.
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::remove_file(doc.join(licence)).with_context(|| format!("can't remove {licence}"))?;
    }
    PACKAGES.iter().map(|package| package.build(&folder, &all)).collect()
}

impl Package {
    /// Takes the package's files out of `all`, and builds it.
    fn build(&self, folder: &Path, all: &Path) -> Result<PathBuf> {
        let root = folder.join(self.name);
        workspace::empty(&root)?;
        for file in super::files(all)?.iter().filter(|file| self.has(file)) {
            let to = root.join(file);
            fs::create_dir_all(to.parent().context("no folder")?)?;
            fs::rename(all.join(file), &to).with_context(|| format!("can't move {file}"))?;
        }
        documents(&root, self.name)?;
        let about = root.join("DEBIAN");
        workspace::write(&about.join("control"), &self.control(&root)?)?;
        if self.name == LIBRARY {
            workspace::write(&about.join("shlibs"), &shlibs())?;
            workspace::write(&about.join("symbols"), &exported(&root.join("usr/lib").join(soname::SONAME))?)?;
            // The dynamic linker's cache is to know libora.so.
            workspace::write(&about.join("triggers"), "activate-noawait ldconfig\n")?;
        }
        let package = folder.join(format!("{}_{}_{}.deb", self.name, env!("CARGO_PKG_VERSION"), architecture()));
        // Every release of Debian can unpack xz. With more threads it makes other blocks.
        let build = ["--root-owner-group", "-Zxz", "--threads-max=1", "--build"];
        let epoch = workspace::epoch()?;
        dated(&root, &epoch)?;
        workspace::run(Command::new("dpkg-deb").args(build).arg(&root).arg(&package).env("SOURCE_DATE_EPOCH", epoch))?;
        println!("the package is {}", workspace::shown(&package));
        Ok(package)
    }

    fn has(&self, file: &str) -> bool {
        self.files.is_none_or(|names| {
            names.iter().any(|name| file == *name || file.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')))
        })
    }

    /// Control file of the package.
    fn control(&self, root: &Path) -> Result<String> {
        let version = env!("CARGO_PKG_VERSION");
        let mut depends: Vec<String> = self.needs.iter().map(|name| format!("{name} (= {version})")).collect();
        if let Some(release) = newest_c_library(root)? {
            depends.extend([format!("libc6 (>= {release})"), "libgcc-s1".to_owned()]);
        }
        Ok(format!(
            "Package: {}\nSource: ora\nVersion: {version}\nArchitecture: {}\nMaintainer: {}\nSection: {}\nPriority: optional\n\
             Depends: {}\nSuggests: {}\n\
             Description: {}\n \
             A library that gives GNU, LLVM and Intel OpenMP runtimes the Sun Collector API\n \
             and OMPT (OpenMP 5 and Technical Report 2), for several tools at once, and a\n \
             command that profiles OpenMP programs and says why a tool sees nothing.\n",
            self.name,
            architecture(),
            maintainer(),
            self.section,
            depends.join(", "),
            self.suggests,
            self.about,
        ))
    }
}

/// Debian's name of the target's processor.
fn architecture() -> &'static str {
    if portable::processor() == "x86_64" { "amd64" } else { "arm64" }
}

/// Gives every file and folder of a package the same time.
fn dated(root: &Path, epoch: &str) -> Result<()> {
    workspace::run(Command::new("find").arg(root).args([
        "-exec",
        "touch",
        "--no-dereference",
        &format!("--date=@{epoch}"),
        "{}",
        "+",
    ]))
}

/// Documents that Debian requires: changes and licences (Policy 12.5, 12.7).
fn documents(root: &Path, package: &str) -> Result<()> {
    let folder = root.join("usr/share/doc").join(package);
    workspace::write(&folder.join("changelog"), &changelog()?)?;
    workspace::run(Command::new("gzip").args(["-9", "-n"]).arg(folder.join("changelog")))?;
    workspace::write(&folder.join("copyright"), &copyright()?)
}

/// The changelog of the package (Policy 4.4). That of the project is in `CHANGELOG.md` beside it.
fn changelog() -> Result<String> {
    let date = workspace::read(Command::new("date").args(["--utc", "-R", "-d", &format!("@{}", workspace::epoch()?)]))?;
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
    format!("libora {version} {LIBRARY} (>= {})\n", env!("CARGO_PKG_VERSION"))
}

/// The library's symbols, each with the version of the package that brought it (deb-symbols(5)).
fn exported(library: &Path) -> Result<String> {
    let symbols = symbols::of(library)?;
    let mut names: Vec<&str> = symbols.iter().filter(|s| !s.is_imported).map(|symbol| symbol.name.as_str()).collect();
    names.sort_unstable();
    let lines: String = names.iter().map(|name| format!(" {name}@Base 0.1.0\n")).collect();
    Ok(format!("{} {LIBRARY} #MINVER#\n{lines}", soname::SONAME))
}

/// Maintainer of the package, from the variables of Debian's own tools.
fn maintainer() -> String {
    let of = |name: &str, other: &str| std::env::var(name).unwrap_or_else(|_| other.to_owned());
    format!("{} <{}>", of("DEBFULLNAME", "the ora developers"), of("DEBEMAIL", "ora@packages.invalid"))
}

/// The newest release of the C library that a file of the package requires; `None` where no file is linked to it.
fn newest_c_library(root: &Path) -> Result<Option<String>> {
    let mut newest = None;
    for file in super::files(root)?.iter().map(|file| root.join(file)) {
        if !file.is_symlink() && fs::read(&file)?.starts_with(b"\x7fELF") {
            let imported = symbols::of(&file)?.into_iter().filter(|symbol| symbol.is_imported && !symbol.is_weak);
            newest = newest.max(imported.filter_map(|symbol| of_the_c_library(&symbol)).max());
        }
    }
    Ok(newest.and_then(|version: Version| version.of_the_c_library()))
}

/// The version of an imported symbol, if the C library has it.
fn of_the_c_library(symbol: &symbols::Symbol) -> Option<Version> {
    Version::of(symbol.version.as_deref()?).filter(|version| version.of_the_c_library().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_belongs_to_the_first_package_that_has_it() {
        let of = |file: &str| PACKAGES.iter().find(|package| package.has(file)).map(|package| package.name);
        assert_eq!(of("usr/lib/libora.so.0"), Some("libora0"));
        assert_eq!(of("usr/lib/libora.so"), Some("libora-dev"));
        assert_eq!(of("usr/include/ora/omp-tools.h"), Some("libora-dev"));
        assert_eq!(of("usr/lib/ora/libora_guard.so"), Some("ora"));
    }
}
