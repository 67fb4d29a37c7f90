//! Programs that OPARI instruments, in the forms in which they may be linked.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::forge::{Forge, Language};
use crate::library::{crate_dir, libora};

/// How a program is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As its author would.
    Plain,
    /// Instrumented, with a libgomp that is loaded.
    Dynamic,
    /// Instrumented, with a libgomp that is part of it.
    Static,
}

/// The forms with instrumented code.
pub const INSTRUMENTED: [Form; 2] = [Form::Dynamic, Form::Static];

/// Whether programs can be instrumented; a skip is said aloud, and on CI it is a failure.
///
/// # Panics
/// With `CI=true` and no OPARI.
pub fn opari_is_here(test: &str) -> bool {
    let here = Command::new("opari2").arg("--version").output().is_ok();
    if !here {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "opari2 is missing, and CI must run every test");
        eprintln!("SKIP: {test}: opari2 is not installed");
    }
    here
}

/// A program of `programs/` in that form.
///
/// # Panics
/// When it can't be made.
pub fn build(forge: &Forge, source: &str, form: Form) -> PathBuf {
    build_with(forge, source, form, &[])
}

/// As above, instrumented with these options of OPARI's.
///
/// # Panics
/// When it can't be made.
pub fn build_with(forge: &Forge, source: &str, form: Form, options: &[&str]) -> PathBuf {
    if form == Form::Plain {
        return forge.program(source);
    }
    let library = libora();
    let folder = |path: &Path| path.parent().expect("a file lies in a folder").display().to_string();
    let instrumented = instrument(forge, source, options);
    let (include, search) = (format!("-I{}", folder(&instrumented)), format!("-Wl,-rpath,{}", folder(&library)));
    // What is only used by constructs that a file doesn't have is declared in Fortran's.
    let flags = ["-O2", "-g", "-fopenmp", "-pthread", "-w", "-Wl,--as-needed", &include, &search];
    let runtime = archive();
    let products: &[&Path] = if form == Form::Static { &[&runtime, &library] } else { &[&library] };
    forge.link(Language::of(source), &[&instrumented.to_string_lossy()], &flags, products, &format!("-{form:?}"))
}

/// The source that OPARI makes of another.
fn instrument(forge: &Forge, source: &str, options: &[&str]) -> PathBuf {
    let path = crate_dir().join("programs").join(source);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut hasher = DefaultHasher::new();
    (&text, options).hash(&mut hasher);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("program").to_owned();
    let result = format!("instrumented.{name}");
    let made = forge.file(&format!("opari-{name}-{:016x}", hasher.finish()), |folder| {
        fs::create_dir_all(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        fs::write(folder.join(&name), &text).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        let mut opari = Command::new("opari2");
        let output = opari.args(options).args([&name, &result]).current_dir(folder).output();
        let output = output.unwrap_or_else(|e| panic!("can't run opari2: {e}"));
        assert!(output.status.success(), "{opari:?}: {}", String::from_utf8_lossy(&output.stderr));
    });
    made.join(result)
}

/// The archive of gcc's runtime.
fn archive() -> PathBuf {
    let output = Command::new("gcc").arg("-print-file-name=libgomp.a").output();
    let output = output.unwrap_or_else(|e| panic!("can't run gcc: {e}"));
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
}
