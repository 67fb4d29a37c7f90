//! Compilation cache: a program that several tests need is compiled once, for all of them and for later runs of the tests.
//!
//! A product's key is a hash of the command, of the contents of all files that it names or includes, and of the compiler's size and time,
//! so an existing product is always current. The one exception is an update of the system's headers or static libraries without the
//! compiler, which goes unnoticed.

use std::collections::{BTreeMap, hash_map::DefaultHasher};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Environment variables that tell compilers and linkers where to find files.
const VARIABLES: [&str; 6] =
    ["CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "LD_RUN_PATH"];

/// Makes a product unless it exists: `make` writes it to a temporary path, from which it is moved to its place. Callers in this process
/// that need the same product wait for the first; other processes may make it at the same time.
///
/// # Errors
/// The error of `make`; in that case nothing is kept.
///
/// # Panics
/// If the product can't be moved.
pub fn once<E>(product: &Path, make: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), E> {
    static LOCKS: Mutex<BTreeMap<PathBuf, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());
    let lock = LOCKS.lock().unwrap_or_else(PoisonError::into_inner).entry(product.to_owned()).or_default().clone();
    let _one_at_a_time = lock.lock().unwrap_or_else(PoisonError::into_inner);
    if !product.exists() {
        let fresh = product.with_extension(format!("new{}", std::process::id()));
        make(&fresh)?;
        fs::rename(&fresh, product).unwrap_or_else(|e| panic!("{}: {e}", product.display()));
    }
    Ok(())
}

/// Hash of everything that the product of a compiler's command depends on. The command must not name the product yet.
///
/// # Panics
/// If a file that exists can't be read.
pub fn key(compiler: &Command) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Includes the working folder, the variables that are set, and the arguments.
    format!("{compiler:?}").hash(&mut hasher);
    VARIABLES.map(env::var_os).hash(&mut hasher);
    version(compiler.get_program()).hash(&mut hasher);
    let mut inputs = Inputs { folders: Vec::new(), files: BTreeMap::new() };
    let within = compiler.get_current_dir().unwrap_or(Path::new(""));
    let arguments: Vec<_> = compiler.get_args().filter_map(OsStr::to_str).collect();
    inputs.folders.extend(arguments.iter().map(|word| within.join(word.strip_prefix("-I").unwrap_or(word))));
    inputs.folders.retain(|folder| folder.is_dir());
    for argument in arguments {
        inputs.add(within.join(argument));
        // The header in `-DHEADER=<ompt.h>`.
        if let Some((_, value)) = argument.strip_prefix("-D").and_then(|defined| defined.split_once('=')) {
            inputs.add_included(value, within);
        }
    }
    inputs.files.values().for_each(|contents| contents.hash(&mut hasher));
    hasher.finish()
}

/// File, size and time of a compiler, after links have been followed to the release's own file.
fn version(compiler: &OsStr) -> Option<(PathBuf, u64, Option<SystemTime>)> {
    let path = env::var_os("PATH").unwrap_or_default();
    let file = env::split_paths(&path).find_map(|folder| folder.join(compiler).canonicalize().ok())?;
    let about = file.metadata().ok()?;
    Some((file, about.len(), about.modified().ok()))
}

/// Files that a command reads, as far as it names their folders.
struct Inputs {
    /// Folders that the command names.
    folders: Vec<PathBuf>,
    /// Contents by path.
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Inputs {
    /// Adds a file, if it exists, and the files that it includes.
    fn add(&mut self, file: PathBuf) {
        if !file.is_file() || self.files.contains_key(&file) {
            return;
        }
        let contents = fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        // Objects and archives, some of which have many megabytes, are not text and include nothing.
        let text = str::from_utf8(&contents).unwrap_or_default().to_owned();
        let beside = file.parent().unwrap_or(Path::new("")).to_owned();
        self.files.insert(file, contents);
        for line in text.lines() {
            let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
            if let Some(included) = directive.and_then(|directive| directive.strip_prefix("include")) {
                self.add_included(included.trim_start(), &beside);
            }
        }
    }

    /// Adds the files that `"this.h"` or `<this.h>` may refer to in a file of this folder.
    fn add_included(&mut self, included: &str, beside: &Path) {
        let closing = |open| if open == '<' { '>' } else { '"' };
        let name = included.strip_prefix(['"', '<']).zip(included.chars().next());
        let Some((name, _)) = name.and_then(|(behind, open)| behind.split_once(closing(open))) else { return };
        let places: Vec<_> =
            self.folders.iter().map(PathBuf::as_path).chain([beside]).map(|at| at.join(name)).collect();
        places.into_iter().for_each(|file| self.add(file));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_changes_a_product_changes_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        let files = ["program.c", "beside.h", "deeper.c", "headers/elsewhere.h", "headers/below/defined.h"];
        let texts = ["#include \"beside.h\"\n#include <elsewhere.h>\n", "#  include \"deeper.c\"\n", "\n", "\n", "\n"];
        let [program, ..] = [0, 1, 2, 3, 4].map(|index| file(files[index], texts[index]));
        let command = || {
            let mut command = Command::new("gcc");
            command.arg("-I").arg(folder.path().join("headers")).arg("-DHEADER=<below/defined.h>").arg(&program);
            command
        };
        let whole = key(&command());
        for (name, text) in files.into_iter().zip(texts) {
            file(name, &format!("{text}int changed;\n"));
            assert_ne!(key(&command()), whole, "{name}");
            file(name, text);
        }
        assert_ne!(key(command().arg("-O1")), whole);
        assert_ne!(key(command().env("LANG", "C")), whole);
        assert_ne!(key(command().current_dir(folder.path())), whole);
        let other_compiler = file("gcc", "");
        assert_ne!(version(other_compiler.as_os_str()), version(OsStr::new("gcc")));
        assert_eq!(key(&command()), whole);
    }
}
