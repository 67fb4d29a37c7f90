//! Commands in documents, run as readers of the documents run them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use crate::forge::Forge;
use crate::library::{SANITIZER, libora, project_dir};
use crate::llvm;
use crate::run::Launch;
use crate::skips::skip;

/// Folder that looks like the project's after `cargo build --release`, and like a home after `cargo xtask install --prefix ~/.local`. Files
/// that commands create stay in it.
pub struct Checkout {
    forge: Forge,
    folder: TempDir,
}

impl Checkout {
    /// Creates a new folder below `tmp`. Returns `None`, and prints that the test is skipped, if the library has a sanitizer's checks in
    /// it: it would be preloaded into compilers as well.
    ///
    /// # Panics
    /// If the folder can't be created.
    pub fn new(tmp: &str, test: &str) -> Option<Self> {
        if std::env::var_os(SANITIZER).is_some() {
            skip(test, "not with a sanitizer");
            return None;
        }
        let forge = Forge::at(tmp);
        let folder = tempfile::Builder::new().prefix("checkout-").tempdir_in(forge.dir());
        let folder = folder.unwrap_or_else(|e| panic!("{}: {e}", forge.dir().display()));
        fill(folder.path()).unwrap_or_else(|e| panic!("{}: {e}", folder.path().display()));
        Some(Self { forge, folder })
    }

    /// Runs commands with two threads, and returns all of their output.
    ///
    /// # Panics
    /// If one of them fails, or they take longer than a quarter of an hour.
    pub fn run(&self, commands: &str) -> String {
        let at = self.folder.path().display();
        let path = format!("{at}/bin:{}", std::env::var("PATH").unwrap_or_default());
        let script = format!("cd '{at}'\n{commands}");
        let launch = Launch::of(&self.forge, Path::new("/bin/sh")).arg("-euc").arg(&script).env("PATH", &path);
        let launch = launch.env("HOME", &format!("{at}/home")).threads(2).within(Duration::from_secs(900));
        let outcome = launch.run().succeeded();
        format!("{}{}", outcome.text(), String::from_utf8_lossy(&outcome.stderr))
    }
}

fn fill(at: &Path) -> std::io::Result<()> {
    for folder in ["bin", "target/release", "home/.local/include", "home/.local/lib"] {
        fs::create_dir_all(at.join(folder))?;
    }
    for name in ["examples", "headers"] {
        symlink(project_dir().join(name), at.join(name))?;
    }
    for folder in ["target/release", "home/.local/lib"] {
        for name in ["libora.so", "libora.so.0"] {
            symlink(libora(), at.join(folder).join(name))?;
        }
    }
    symlink(project_dir().join("headers"), at.join("home/.local/include/ora"))?;
    for file in ["ora", "libora_collectors.so", "libora_guard.so", "libload_balance.so"] {
        symlink(built().join(file), at.join("target/release").join(file))?;
    }
    symlink(built().join("ora"), at.join("bin/ora"))?;
    // Commands in documents name this clang; the tests may use another release.
    symlink(Path::new("/usr/bin").join(llvm::clang()), at.join(format!("bin/clang-{}", llvm::OF_TABLES)))?;
    // What is tested is already built, and a build would wait for the end of any other that is running. Every other cargo command runs in the
    // project's folder, with this home's tools. Cargo passes its path to what it runs; a name without a path would find the script again.
    let cargo = std::env::var_os("CARGO").map_or_else(|| in_path("cargo"), PathBuf::from);
    let (cargo, built) = (cargo.display(), built());
    let (home, project, built) = (std::env::var("HOME").unwrap_or_default(), project_dir().display(), built.display());
    let script = format!(
        "#!/bin/sh\n\
         case \"$*\" in\n\
         'build --release' | 'build --release --quiet') exit 0 ;;\n\
         'build --release -p load-balance') [ ! -f '{built}/libload_balance.so' ] || exit 0 ;;\n\
         esac\n\
         export HOME='{home}'\n\
         cd '{project}' || exit\n\
         if [ \"$1\" = xtask ] && [ -x '{built}/xtask' ]; then\n\
         shift\n\
         CARGO_MANIFEST_DIR='{project}/tools/dev/xtask' CARGO=$0 exec '{built}/xtask' \"$@\"\n\
         fi\n\
         exec '{cargo}' \"$@\"\n"
    );
    fs::write(at.join("bin/cargo"), script)?;
    fs::set_permissions(at.join("bin/cargo"), fs::Permissions::from_mode(0o755))
}

/// Path of a program, as the shell would find it.
fn in_path(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    found.unwrap_or_else(|| PathBuf::from(format!("/nowhere in PATH: {name}")))
}

/// Folder of the project's release build.
fn built() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| project_dir().join("target"), PathBuf::from);
    std::path::absolute(&target).unwrap_or(target).join("release")
}

/// Code blocks of a text in this language, exactly as written between the fences.
pub fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}
