//! Puts the command, the libraries and what belongs to them where a system looks for them.
//!
//! Below the prefix: `bin/ora`; `lib` with `libora.so.0`, its link `libora.so`, `libora.a`, `pkgconfig/ora.pc` and
//! `cmake/ora`; `lib/ora` with the libraries that the command preloads, and `lib/ora/preload` with their stand-ins; `include/ora`;
//! `share` with man pages, completions, `doc/ora` and, unless it is staged for a package, the [`manifest`] by which `uninstall`
//! removes all of that.

pub(crate) mod check;
mod debian;
mod documents;
mod manifest;
mod settings;
mod soname;

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace;

use manifest::Manifest;

pub(crate) use debian::packages;
pub(crate) use manifest::uninstall;

/// Libraries that the command preloads.
const PRELOADED: [&str; 7] = [
    "libora_collectors.so",
    "libora_guard.so",
    "libora_profiler.so",
    "libora_race.so",
    "libora_request_log.so",
    "libora_tracer.so",
    "libora_validator.so",
];
/// Headers for C programs, and those that OPARI makes programs include.
const HEADERS: [&str; 7] = [
    "omp_collector_api.h",
    "ompt_tr2.h",
    "omp-tools.h",
    "omp_control_tool.h",
    "ora_embed.h",
    "opari2/pomp2_lib.h",
    "opari2/pomp2_user_lib.h",
];

/// Place of gdb's commands for OpenMP.
const GDB: &str = "share/ora/ora.py";

/// The command and its libraries in the folder of a build.
pub(crate) fn binaries(built: &Path) -> Vec<PathBuf> {
    ["ora", "libora.so"].iter().chain(&PRELOADED).map(|name| built.join(name)).collect()
}

/// Destination of an installation.
pub(crate) struct Place {
    /// Folder of the build.
    built: PathBuf,
    /// Prefix of the files when they are used.
    prefix: PathBuf,
    /// Folder in front of the prefix, to which they are written now.
    staging: Option<PathBuf>,
    /// Options of `strip` for programs and libraries.
    strip: &'static [&'static str],
    /// True for a wheel: see [`Self::for_wheel`].
    is_for_wheel: bool,
    /// Files and folders that were made.
    made: RefCell<Manifest>,
}

/// Options of `strip`: line tables of our own code are most of the size, and of no use to others. Functions keep their
/// names.
const STRIP: &[&str] = &["--strip-debug"];
/// As in Debian's packages, which have no names of functions either.
const STRIP_ALL: &[&str] = &["--strip-unneeded", "--remove-section=.comment", "--remove-section=.note"];

impl Place {
    /// Makes a destination. Relative folders are relative to the current one.
    pub(crate) fn new(prefix: &Path, staging: Option<PathBuf>) -> Result<Self> {
        let prefix =
            std::path::absolute(prefix).with_context(|| format!("`{}` is no folder's name", prefix.display()))?;
        let built = workspace::target().join("release");
        Ok(Self { built, prefix, staging, strip: STRIP, is_for_wheel: false, made: RefCell::default() })
    }

    /// Makes a destination below an empty folder, for a package of the portable build.
    pub(crate) fn packaged(prefix: &Path, staging: &Path, built: &Path) -> Result<Self> {
        workspace::empty(staging)?;
        Ok(Self { built: built.to_owned(), strip: STRIP_ALL, ..Self::new(prefix, Some(staging.to_owned()))? })
    }

    /// Leaves `libora.a` out, and gives `libora.so` its plain name alone: an archive of zip's has no links, so another name would
    /// be another copy.
    pub(crate) fn for_wheel(self) -> Self {
        Self { is_for_wheel: true, ..self }
    }

    /// Path to which `name` of the installation is written.
    fn of(&self, name: &str) -> PathBuf {
        let place = self.prefix.join(name);
        match &self.staging {
            Some(staging) => staging.join(place.strip_prefix("/").unwrap_or(&place)),
            None => place,
        }
    }

    /// Makes a folder, and those that it is in.
    fn make_folder(&self, folder: &Path) -> Result<()> {
        // Folders above the staging folder are not of the installation.
        let prefix = self.of("");
        self.made.borrow_mut().make_folder(&prefix, folder)
    }

    /// Copies a document, readable to all.
    fn put(&self, from: &Path, name: &str) -> Result<()> {
        self.replace(from, name, Some(0o644), |from, to| {
            fs::copy(from, to)?;
            Ok(())
        })
    }

    /// Writes a text to its place, readable to all.
    fn put_text(&self, name: &str, text: &str) -> Result<()> {
        self.replace(Path::new(name), name, Some(0o644), |_, to| Ok(fs::write(to, text)?))
    }

    /// Writes the manifest: what was made, and these entries of an installation before.
    fn put_manifest(&self, before: &Manifest) -> Result<Manifest> {
        // Twice: the manifest's own folder is in it.
        self.put_text(manifest::NAME, "")?;
        let all = self.made.borrow().clone().and(before);
        self.put_text(manifest::NAME, &all.text())?;
        Ok(all)
    }

    /// Copies a program or library, stripped.
    fn put_binary(&self, from: &Path, name: &str, mode: u32) -> Result<()> {
        self.put_stripped(from, name, mode, self.strip)
    }

    fn put_stripped(&self, from: &Path, name: &str, mode: u32, options: &[&str]) -> Result<()> {
        self.replace(from, name, Some(mode), |from, to| {
            // `D`: an archive has no times and owners of this machine.
            workspace::run(Command::new("strip").arg("-D").args(options).arg("-o").arg(to).arg(from))
        })
    }

    /// Copies `libora.so` under the name with its ABI version, by which programs linked to it find it, with a link of
    /// the plain name.
    fn put_versioned(&self, from: &Path) -> Result<()> {
        if self.is_for_wheel {
            return self.put_binary(from, "lib/libora.so", 0o644);
        }
        if !soname::can_be_set() {
            eprintln!("libora.so gets no versioned name: patchelf is missing (Debian: apt install patchelf)");
            return self.put_binary(from, "lib/libora.so", 0o644);
        }
        let name = format!("lib/{}", soname::SONAME);
        self.put_binary(from, &name, 0o644)?;
        soname::set(&self.of(&name))?;
        self.replace(Path::new(soname::SONAME), "lib/libora.so", None, |target, link| {
            // What an attempt before has left.
            let _ = fs::remove_file(link);
            Ok(symlink(target, link)?)
        })
    }

    /// Writes a new file and renames it: a process that has the old file mapped keeps that.
    fn replace(
        &self,
        from: &Path,
        name: &str,
        mode: Option<u32>,
        make: impl FnOnce(&Path, &Path) -> Result<()>,
    ) -> Result<()> {
        let to = self.of(name);
        let new = to.with_extension("new");
        let replaced = || -> Result<()> {
            self.make_folder(to.parent().unwrap_or(Path::new("/")))?;
            make(from, &new)?;
            if let Some(mode) = mode {
                fs::set_permissions(&new, fs::Permissions::from_mode(mode))?;
            }
            fs::rename(&new, &to)?;
            self.made.borrow_mut().add(name);
            Ok(())
        };
        replaced()
            .inspect_err(|_| drop(fs::remove_file(&new)))
            .with_context(|| format!("can't install {} as {}", from.display(), to.display()))
    }
}

/// Builds everything, installs it, and prints the settings that are missing.
pub(crate) fn install(place: &Place) -> Result<()> {
    workspace::run(workspace::cargo().args(["build", "--release", "--quiet"]))?;
    // Without the slash at the end.
    let shown = place.of("").components().as_path().display().to_string();
    if place.staging.is_some() {
        // A package has a list of its files anyway.
        put_all(place)?;
        println!("installed ora {} in {shown}", env!("CARGO_PKG_VERSION"));
        return Ok(());
    }
    let before = Manifest::read(&place.prefix)?.unwrap_or_default();
    if let Err(error) = put_all(place) {
        // The files that are there can be removed then.
        let _ = place.put_manifest(&before);
        return Err(error);
    }
    let made = place.put_manifest(&before.folders())?;
    before.without_files_of(&made).remove(&place.prefix, |path| println!("removed {}", path.display()))?;
    println!("installed ora {} in {shown}", env!("CARGO_PKG_VERSION"));
    let missing = settings::missing(&place.prefix);
    if !missing.is_empty() {
        println!("Not set yet, for example in ~/.profile:");
        missing.iter().for_each(|line| println!("  {line}"));
    }
    Ok(())
}

/// Puts every file in its place.
pub(crate) fn put_all(place: &Place) -> Result<()> {
    let built = &place.built;
    place.put_binary(&built.join("ora"), "bin/ora", 0o755)?;
    place.put_versioned(&built.join("libora.so"))?;
    if !place.is_for_wheel {
        // The linker needs the names of its functions.
        place.put_stripped(&built.join("libora.a"), "lib/libora.a", 0o644, STRIP)?;
    }
    for library in PRELOADED {
        place.put_binary(&built.join(library), &format!("lib/ora/{library}"), 0o644)?;
    }
    for header in HEADERS {
        place.put(&workspace::root().join("headers").join(header), &format!("include/ora/{header}"))?;
    }
    place.put(&workspace::root().join("tools/gdb/ora.py"), GDB)?;
    place.put_text("lib/pkgconfig/ora.pc", &package_config(&place.prefix))?;
    for (name, text) in cmake_package() {
        place.put_text(&format!("lib/cmake/ora/{name}"), &text)?;
    }
    // The command that was built here writes them: the one that was installed may be for another root.
    let pages = workspace::target().join("xtask/share");
    if pages.exists() {
        fs::remove_dir_all(&pages).with_context(|| format!("can't empty {}", pages.display()))?;
    }
    workspace::run(Command::new(built.join("ora")).arg("pages").arg(&pages))?;
    for page in files(&pages)? {
        place.put(&pages.join(&page), &format!("share/{page}"))?;
    }
    let stand_ins = place.of("lib/ora/preload");
    place.make_folder(&stand_ins)?;
    workspace::run(Command::new(built.join("ora")).arg("stand-ins").arg(place.of("lib")))?;
    for name in files(&stand_ins)? {
        place.made.borrow_mut().add(&format!("lib/ora/preload/{name}"));
    }
    documents::install(place)
}

/// The files below a folder, by their paths from there.
pub(crate) fn files(folder: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            found.extend(files(&entry.path())?.into_iter().map(|below| format!("{name}/{below}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}

/// The files for CMake's `find_package(ora)`. They find the rest of the installation from their own place.
fn cmake_package() -> [(&'static str, String); 2] {
    let version =
        include_str!("../../templates/ora-config-version.cmake").replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    [
        ("ora-config.cmake", include_str!("../../templates/ora-config.cmake").to_owned()),
        ("ora-config-version.cmake", version),
    ]
}

/// The file for `pkg-config ora`.
fn package_config(prefix: &Path) -> String {
    // Default folders of the dynamic linker need no rpath. A package that its user unpacks anywhere has `/`.
    let rpath = if prefix == Path::new("/usr") { "" } else { " -Wl,-rpath,${libdir}" };
    let prefix = if prefix == Path::new("/") { Path::new("${pcfiledir}/../..") } else { prefix };
    format!(
        "prefix={}\nlibdir=${{prefix}}/lib\nincludedir=${{prefix}}/include\n\n\
         Name: ora\nDescription: OpenMP tool interfaces for every OpenMP runtime\nVersion: {}\n\
         Libs: -L${{libdir}} -lora{rpath}\nLibs.private: -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc\nCflags: -I${{includedir}}/ora\n",
        prefix.display(),
        env!("CARGO_PKG_VERSION"),
    )
}
