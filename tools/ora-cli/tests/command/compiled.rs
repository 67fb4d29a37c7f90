//! Compilation cache: a program that several tests run is compiled once, for all of them and for later runs of the tests.
//!
//! A product's name is a hash of the command, of the contents of all files that it names or includes, and of the compiler's size and time.
//! So a product that exists is current. Only an update of the system's headers and static libraries without the compiler goes unnoticed.

use std::collections::{BTreeSet, hash_map::DefaultHasher};
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};
use std::time::SystemTime;

use compat_tests::forge::once;

use crate::harness::{PREFIX, copy_program};

/// Environment variables by which compilers and linkers find files.
const VARIABLES: [&str; 6] =
    ["CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "LD_RUN_PATH"];

/// Compiles to a file of a test's folder. `compiler` has the options and the sources, without `-o`.
///
/// A command that names a file of a test's own folder is run each time, and nothing is kept of one that fails.
///
/// # Errors
/// If the compiler can't be started.
pub(crate) fn compile(compiler: &mut Command, to: &Path) -> io::Result<Output> {
    let own = env::temp_dir().join(PREFIX).display().to_string();
    if format!("{compiler:?}").contains(&own) {
        return compiler.arg("-o").arg(to).output();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled");
    fs::create_dir_all(&folder).unwrap();
    let product = folder.join(format!("{:016x}", key(compiler)));
    let made = once(&product, |fresh| match compiler.arg("-o").arg(fresh).output() {
        Ok(done) if done.status.success() => Ok(()),
        failed => Err(failed),
    });
    match made {
        Ok(()) => copy_program(&product, to),
        Err(failed) => return failed,
    }
    Ok(Output { status: ExitStatus::default(), stdout: Vec::new(), stderr: Vec::new() })
}

/// Hash of all that a product depends on.
fn key(compiler: &Command) -> u64 {
    let mut hasher = DefaultHasher::new();
    // The folder in which it runs, the variables that it is given, and its arguments.
    format!("{compiler:?}").hash(&mut hasher);
    VARIABLES.map(env::var_os).hash(&mut hasher);
    version(compiler.get_program()).hash(&mut hasher);
    let within = compiler.get_current_dir().unwrap_or(Path::new(""));
    let mut files = BTreeSet::new();
    for argument in compiler.get_args().filter_map(OsStr::to_str) {
        let path = within.join(argument.strip_prefix("-I").unwrap_or(argument));
        if path.is_dir() {
            files.extend(headers(&path));
        } else {
            with_included(path, &mut files);
        }
    }
    files.iter().for_each(|file| read(file).hash(&mut hasher));
    hasher.finish()
}

/// File, size and time of a compiler: links lead from its name to that of its release.
fn version(compiler: &OsStr) -> Option<(PathBuf, u64, Option<SystemTime>)> {
    let path = env::var_os("PATH").unwrap_or_default();
    let file = env::split_paths(&path).find_map(|folder| folder.join(compiler).canonicalize().ok())?;
    let about = file.metadata().ok()?;
    Some((file, about.len(), about.modified().ok()))
}

/// The headers of a folder.
fn headers(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    files.filter(|file| file.extension().is_some_and(|extension| extension == "h"))
}

/// Adds a file, and what it includes from its own folder. Other headers are in folders that the command names, or the system's.
fn with_included(file: PathBuf, files: &mut BTreeSet<PathBuf>) {
    if !file.is_file() || files.contains(&file) {
        return;
    }
    let text = String::from_utf8_lossy(&read(&file)).into_owned();
    let included = |line: &str| {
        let directive = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        directive.trim_start().strip_prefix('"')?.split('"').next().map(|name| file.with_file_name(name))
    };
    let included: Vec<_> = text.lines().filter_map(included).collect();
    files.insert(file);
    included.into_iter().for_each(|file| with_included(file, files));
}

fn read(file: &Path) -> Vec<u8> {
    fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn whatever_changes_a_product_changes_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    };
    let files = ["program.c", "beside.h", "deeper.c", "headers/elsewhere.h"];
    let texts = ["#include \"beside.h\"\n#include <elsewhere.h>\n", "#  include \"deeper.c\"\n", "\n", "\n"];
    let [program, ..] = [0, 1, 2, 3].map(|index| file(files[index], texts[index]));
    let command = || {
        let mut command = Command::new("gcc");
        command.arg("-I").arg(folder.path().join("headers")).arg(&program);
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

#[test]
fn a_failed_compilation_fails_again() {
    let to = crate::harness::Folder::new();
    for _ in 0..2 {
        let mut gcc = Command::new("gcc");
        let done = compile(gcc.arg("/no-such-source.c"), &to.file("product")).expect("gcc is installed");
        assert!(!done.status.success() && !done.stderr.is_empty());
        assert!(!to.file("product").exists());
    }
}
