//! Puts the command, the libraries and what belongs to them where a system looks for them.
//!
//! Below the prefix: `bin/ora`; `lib` with `libora.so.0`, its link `libora.so`, `libora.a` and `pkgconfig/ora.pc`; `lib/ora` with
//! the libraries that the command preloads, and `lib/ora/preload` with their stand-ins; `include/ora`; `share` with man pages,
//! completions and `doc/ora`.

pub(crate) mod check;
mod debian;
mod documents;
mod soname;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace;

pub(crate) use debian::package;

/// Libraries that the command preloads.
const PRELOADED: [&str; 5] =
    ["libora_collectors.so", "libora_guard.so", "libora_profiler.so", "libora_request_log.so", "libora_validator.so"];
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

/// Destination of an installation.
pub(crate) struct Place {
    /// Prefix of the files when they are used.
    prefix: PathBuf,
    /// Folder in front of the prefix, to which they are written now.
    staging: Option<PathBuf>,
    /// Options of `strip` for programs and libraries.
    strip: &'static [&'static str],
}

/// Options of `strip`: line tables of our own code are most of the size, and of no use to others. Functions keep their
/// names.
const STRIP: &[&str] = &["--strip-debug"];

impl Place {
    /// Makes a destination. Relative folders are relative to the current one.
    pub(crate) fn new(prefix: &Path, staging: Option<PathBuf>) -> Result<Self> {
        let prefix =
            std::path::absolute(prefix).with_context(|| format!("`{}` is no folder's name", prefix.display()))?;
        Ok(Self { prefix, staging, strip: STRIP })
    }

    /// Path to which `name` of the installation is written.
    fn of(&self, name: &str) -> PathBuf {
        let place = self.prefix.join(name);
        match &self.staging {
            Some(staging) => staging.join(place.strip_prefix("/").unwrap_or(&place)),
            None => place,
        }
    }

    /// Copies a document, readable to all.
    fn put(&self, from: &Path, name: &str) -> Result<()> {
        self.replace(from, name, Some(0o644), |from, to| {
            fs::copy(from, to)?;
            Ok(())
        })
    }

    /// Copies a program or library, stripped.
    fn put_binary(&self, from: &Path, name: &str, mode: u32) -> Result<()> {
        self.replace(from, name, Some(mode), |from, to| {
            workspace::run(Command::new("strip").args(self.strip).arg("-o").arg(to).arg(from))
        })
    }

    /// Copies `libora.so` under the name with its ABI version, by which programs linked to it find it, with a link of
    /// the plain name.
    fn put_versioned(&self, from: &Path) -> Result<()> {
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
            fs::create_dir_all(to.parent().unwrap_or(Path::new("/")))?;
            make(from, &new)?;
            if let Some(mode) = mode {
                fs::set_permissions(&new, fs::Permissions::from_mode(mode))?;
            }
            fs::rename(&new, &to)?;
            Ok(())
        };
        replaced().with_context(|| format!("can't install {} as {}", from.display(), to.display()))
    }
}

/// Builds everything, and installs it.
pub(crate) fn install(place: &Place) -> Result<()> {
    workspace::run(workspace::cargo().args(["build", "--release", "--quiet"]))?;
    let built = workspace::target().join("release");
    place.put_binary(&built.join("ora"), "bin/ora", 0o755)?;
    place.put_versioned(&built.join("libora.so"))?;
    place.put_binary(&built.join("libora.a"), "lib/libora.a", 0o644)?;
    for library in PRELOADED {
        place.put_binary(&built.join(library), &format!("lib/ora/{library}"), 0o644)?;
    }
    for header in HEADERS {
        place.put(&workspace::root().join("headers").join(header), &format!("include/ora/{header}"))?;
    }
    workspace::write(&place.of("lib/pkgconfig/ora.pc"), &package_config(&place.prefix))?;
    // The command that was built here writes them: the one that was installed may be for another root.
    workspace::run(Command::new(built.join("ora")).arg("pages").arg(place.of("share")))?;
    workspace::run(Command::new(built.join("ora")).arg("stand-ins").arg(place.of("lib")))?;
    documents::install(place)?;
    println!("installed ora {} in {}", env!("CARGO_PKG_VERSION"), place.of("").display());
    Ok(())
}

/// The file for `pkg-config ora`.
fn package_config(prefix: &Path) -> String {
    // Default folders of the dynamic linker need no rpath.
    let rpath = if prefix == Path::new("/usr") { "" } else { " -Wl,-rpath,${libdir}" };
    format!(
        "prefix={}\nlibdir=${{prefix}}/lib\nincludedir=${{prefix}}/include\n\n\
         Name: ora\nDescription: OpenMP tool interfaces for every OpenMP runtime\nVersion: {}\n\
         Libs: -L${{libdir}} -lora{rpath}\nLibs.private: -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc\nCflags: -I${{includedir}}/ora\n",
        prefix.display(),
        env!("CARGO_PKG_VERSION"),
    )
}
