//! Puts the command, the libraries and what belongs to them where a system looks for them.
//!
//! Below the prefix: `bin/ora`; `lib` with `libora.so.0`, its link `libora.so`, `libora.a`, `pkgconfig/ora.pc` and
//! `cmake/ora`; `lib/ora` with the libraries that the command preloads, and `lib/ora/preload` with their stand-ins; `include/ora`;
//! `share` with man pages, completions, `doc/ora` (with `schemas`) and, unless it is staged for a package, the manifest by which `uninstall.sh`
//! removes all of that. It is staged below the target folder, and installed from there as a tarball is: by `install.sh`.

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

pub(crate) use debian::packages;

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
    staging: PathBuf,
    /// Options of `strip` for programs and libraries.
    strip: &'static [&'static str],
    /// True for a wheel: see [`Self::for_wheel`].
    is_for_wheel: bool,
}

/// Options of `strip`: line tables of our own code are most of the size, and of no use to others. Functions keep their
/// names.
const STRIP: &[&str] = &["--strip-debug"];
/// As in Debian's packages, which have no names of functions either.
const STRIP_ALL: &[&str] = &["--strip-unneeded", "--remove-section=.comment", "--remove-section=.note"];

impl Place {
    /// Makes a destination. Relative folders are relative to the current one.
    fn new(prefix: &Path, staging: &Path) -> Result<Self> {
        let prefix =
            std::path::absolute(prefix).with_context(|| format!("`{}` is no folder's name", prefix.display()))?;
        let built = workspace::target().join("release");
        Ok(Self { built, prefix, staging: staging.to_owned(), strip: STRIP, is_for_wheel: false })
    }

    /// Makes a destination below an empty folder, for a package of the portable build.
    pub(crate) fn packaged(prefix: &Path, staging: &Path, built: &Path) -> Result<Self> {
        workspace::empty(staging)?;
        Ok(Self { built: built.to_owned(), strip: STRIP_ALL, ..Self::new(prefix, staging)? })
    }

    /// Leaves `libora.a` out, and gives `libora.so` its plain name alone: an archive of zip's has no links, so another name would
    /// be another copy.
    pub(crate) fn for_wheel(self) -> Self {
        Self { is_for_wheel: true, ..self }
    }

    /// Path to which `name` of the installation is written.
    fn of(&self, name: &str) -> PathBuf {
        let place = self.prefix.join(name);
        self.staging.join(place.strip_prefix("/").unwrap_or(&place))
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
        self.replace(Path::new(soname::SONAME), "lib/libora.so", None, |target, link| Ok(symlink(target, link)?))
    }

    /// Makes a file, in place of one that is there.
    fn replace(
        &self,
        from: &Path,
        name: &str,
        mode: Option<u32>,
        make: impl FnOnce(&Path, &Path) -> Result<()>,
    ) -> Result<()> {
        let to = self.of(name);
        let replaced = || -> Result<()> {
            fs::create_dir_all(to.parent().unwrap_or(Path::new("/")))?;
            let _ = fs::remove_file(&to);
            make(from, &to)?;
            mode.map_or(Ok(()), |mode| Ok(fs::set_permissions(&to, fs::Permissions::from_mode(mode))?))
        };
        replaced().with_context(|| format!("can't install {} as {}", from.display(), to.display()))
    }
}

/// Builds everything, and installs it; or, for a package, leaves it below the folder `staging`, without a manifest.
pub(crate) fn install(prefix: &Path, staging: Option<&Path>) -> Result<()> {
    workspace::run(workspace::cargo().args(["build", "--release", "--quiet"]))?;
    let Some(staging) = staging else {
        let folder = workspace::target().join("staged");
        workspace::empty(&folder)?;
        let place = Place::new(prefix, &folder)?;
        put_all(&place)?;
        put_scripts(&place.of(""))?;
        return workspace::run(Command::new(place.of("install.sh")).arg("--prefix").arg(&place.prefix));
    };
    let place = Place::new(prefix, staging)?;
    put_all(&place)?;
    // Without the slash at the end.
    println!("installed ora {} in {}", env!("CARGO_PKG_VERSION"), place.of("").components().as_path().display());
    Ok(())
}

/// Removes what `install` has put below the prefix.
pub(crate) fn uninstall(prefix: &Path) -> Result<()> {
    workspace::run(Command::new("sh").arg(workspace::root().join("packaging/uninstall.sh")).arg(prefix))
}

/// Puts the scripts that install a folder's files, and remove them again, among these.
pub(crate) fn put_scripts(folder: &Path) -> Result<()> {
    for (script, place) in [("install.sh", "install.sh"), ("uninstall.sh", "share/ora/uninstall.sh")] {
        let (from, to) = (workspace::root().join("packaging").join(script), folder.join(place));
        fs::copy(&from, &to).with_context(|| format!("can't copy {}", from.display()))?;
        fs::set_permissions(&to, fs::Permissions::from_mode(0o755))?;
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
    workspace::empty(&pages)?;
    workspace::run(Command::new(built.join("ora")).arg("pages").arg(&pages))?;
    for page in files(&pages)? {
        place.put(&pages.join(&page), &format!("share/{page}"))?;
    }
    let stand_ins = place.of("lib/ora/preload");
    fs::create_dir_all(&stand_ins).with_context(|| format!("can't create {}", stand_ins.display()))?;
    workspace::run(Command::new(built.join("ora")).arg("stand-ins").arg(place.of("lib")))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "share/ora/manifest";

    /// A folder to install from, with these files, and an empty prefix beside it.
    fn scratch(files: &[&str]) -> tempfile::TempDir {
        let scratch = tempfile::tempdir().unwrap();
        let of = scratch.path().join("of");
        for folder in ["bin", "lib", "include", "share/ora"] {
            fs::create_dir_all(of.join(folder)).unwrap();
        }
        files.iter().for_each(|file| workspace::write(&of.join(file), "").unwrap());
        put_scripts(&of).unwrap();
        scratch
    }

    /// What a script says, and whether it succeeds. The user has bash or another shell, and nothing is set.
    fn run(script: &Path, shell: &str, words: &[&Path]) -> (bool, String) {
        let mut command = Command::new(script);
        command.args(words).env("SHELL", shell).env("XDG_DATA_DIRS", "/usr/share").env_remove("XDG_DATA_HOME");
        let output = command.env_remove("LD_LIBRARY_PATH").env_remove("PKG_CONFIG_PATH").output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).unwrap())
    }

    fn installed(scratch: &Path, shell: &str, prefix: &str) -> String {
        let prefix = scratch.join(prefix);
        let (done, said) = run(&scratch.join("of/install.sh"), shell, &[Path::new("--prefix"), &prefix]);
        assert!(done, "{said}");
        said
    }

    fn removed(prefix: &Path) -> (bool, String) {
        run(&workspace::root().join("packaging/uninstall.sh"), "sh", &[prefix])
    }

    #[test]
    fn an_installation_goes_without_a_trace_and_a_later_one_takes_what_is_gone() {
        let scratch = scratch(&["bin/ora", "share/man/man1/ora.1", "share/old/file"]);
        let (from, prefix) = (scratch.path().join("of"), scratch.path().join("prefix"));
        fs::set_permissions(from.join("bin/ora"), fs::Permissions::from_mode(0o700)).unwrap();
        installed(scratch.path(), "sh", "prefix");
        assert_eq!(fs::metadata(prefix.join("bin/ora")).unwrap().permissions().mode() & 0o777, 0o755);
        fs::remove_dir_all(from.join("share/old")).unwrap();
        installed(scratch.path(), "sh", "prefix");
        assert!(!prefix.join("share/old/file").exists());
        let (done, said) = removed(&prefix);
        assert!(done && said.contains(&format!("removed {}/bin/ora\n", prefix.display())), "{said}");
        assert!(!prefix.exists());
        let (done, said) = removed(&from);
        assert!(!done && said.contains("has no installation of ora"), "{said}");
    }

    #[test]
    fn files_and_folders_of_others_stay() {
        let scratch = scratch(&["bin/ora", "share/man/man1/ora.1"]);
        let prefix = scratch.path().join("prefix");
        fs::create_dir_all(prefix.join("bin")).unwrap();
        installed(scratch.path(), "sh", "prefix");
        fs::write(prefix.join("share/man/man1/other.1"), "").unwrap();
        assert!(removed(&prefix).0);
        assert!(prefix.join("bin").is_dir() && prefix.join("share/man/man1/other.1").is_file());
        assert!(!prefix.join("share/ora").exists() && !prefix.join("share/man/man1/ora.1").exists());
    }

    #[test]
    fn a_manifest_that_names_files_elsewhere_removes_nothing() {
        let scratch = scratch(&["bin/ora"]);
        let prefix = scratch.path().join("prefix");
        installed(scratch.path(), "sh", "prefix");
        for line in ["../outside", "/etc/passwd", "bin/../../outside", "bin/../"] {
            fs::write(prefix.join(MANIFEST), format!("{MANIFEST}\nbin/ora\n{line}\n")).unwrap();
            let (done, said) = removed(&prefix);
            assert!(!done && said.contains("damaged"), "{line}: {said}");
            let again = run(&scratch.path().join("of/install.sh"), "sh", &[Path::new("--prefix"), &prefix]);
            assert!(!again.0 && again.1.contains("damaged"), "{line}: {}", again.1);
            assert!(prefix.join("bin/ora").is_file());
        }
    }

    #[test]
    fn settings_that_are_missing_are_named_in_the_words_of_the_shell() {
        let scratch = scratch(&["bin/ora"]);
        let said = installed(scratch.path(), "/bin/bash", "my $tools");
        assert!(said.contains("my \\$tools/bin${PATH:+:$PATH}\"   # the command `ora`\n"), "{said}");
        assert!(said.contains("my \\$tools/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\"   # only for"), "{said}");
        assert!(
            said.contains("/share:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}\"   # completions of bash"),
            "{said}"
        );
        let said = installed(scratch.path(), "/usr/bin/fish", "prefix");
        assert!(
            said.contains("set -gx --prepend PATH \"") && said.contains(":/usr/share\"   # completions of"),
            "{said}"
        );
        let said = installed(scratch.path(), "/bin/zsh", "prefix");
        assert!(said.contains("fpath=(\"") && !said.contains("XDG_DATA_DIRS"), "{said}");
    }
}
