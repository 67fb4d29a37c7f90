//! Programs instrumented by OPARI, in all forms in which they can be linked.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::forge::{Forge, Language};
use crate::library::{crate_dir, libora};
use requirements::OPARI;

/// Form of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Not instrumented.
    Plain,
    /// Instrumented, with libgomp as a shared library.
    Dynamic,
    /// Instrumented, with libgomp linked statically.
    Static,
    /// Instrumented, and compiled by clang (C only), with LLVM's runtime.
    Clang,
    /// Instrumented and completely static, without a dynamic linker. The program contains a collector as well. Needs [`ARCHIVE`].
    Whole,
}

/// Variable that names `libora_pomp.a`; if unset, no program is completely static.
pub const ARCHIVE: &str = "ORA_POMP_ARCHIVE";

/// The forms with instrumented code.
pub const INSTRUMENTED: [Form; 2] = [Form::Dynamic, Form::Static];

/// True if programs can be instrumented. If not, prints that the test is skipped; on CI that is a failure.
///
/// # Panics
/// With `CI=true` and no OPARI.
pub fn opari_is_here(test: &str) -> bool {
    OPARI.is_here(test)
}

/// Builds a program of `programs/` in that form.
///
/// # Panics
/// If it can't be made.
pub fn build(forge: &Forge, source: &str, form: Form) -> PathBuf {
    build_with(forge, source, form, &[])
}

/// Builds a program of `programs/` in that form, with these options of OPARI's.
///
/// # Panics
/// If it can't be made.
pub fn build_with(forge: &Forge, source: &str, form: Form, options: &[&str]) -> PathBuf {
    attempt(forge, source, form, options).unwrap_or_else(|said| panic!("{said}"))
}

/// Builds a program of `programs/` in that form, with these options of OPARI's.
///
/// # Errors
/// The output of OPARI or the compiler.
///
/// # Panics
/// If neither can be run.
pub fn attempt(forge: &Forge, source: &str, form: Form, options: &[&str]) -> Result<PathBuf, String> {
    if form == Form::Plain {
        return Ok(forge.program(source));
    }
    link(forge, source, &instrument(forge, source, options), form)
}

/// Builds a program of `programs/` that contains instrumentation calls itself, in an instrumented form.
///
/// # Panics
/// If it can't be built.
pub fn with_own_calls(forge: &Forge, source: &str, form: Form) -> PathBuf {
    link(forge, source, &crate_dir().join("programs").join(source), form).unwrap_or_else(|said| panic!("{said}"))
}

fn link(forge: &Forge, source: &str, instrumented: &Path, form: Form) -> Result<PathBuf, String> {
    let library = libora();
    let folder = |path: &Path| path.parent().expect("a file lies in a folder").display().to_string();
    let (include, search) = (format!("-I{}", folder(instrumented)), format!("-Wl,-rpath,{}", folder(&library)));
    // Fortran's header declares more than a file uses. gcc puts libgomp after our library on the command line, so with `--as-needed` the
    // linker would drop it if our library defines all names that are called. If libgomp's archive defines them, it has to be dropped.
    let needed = if matches!(form, Form::Dynamic | Form::Clang) { "-Wl,--no-as-needed" } else { "-Wl,--as-needed" };
    let mut flags = vec!["-O2", "-g", "-fopenmp", "-pthread", "-w", needed, &include, "-Iprograms", &search];
    let runtime = archive();
    let whole = std::env::var_os(ARCHIVE).map(PathBuf::from).unwrap_or_default();
    let collector = crate_dir().join("programs/pomp/linked_collector.c");
    let products: &[&Path] = match form {
        Form::Whole => &[&collector, &whole, &runtime],
        Form::Static => &[&runtime, &library],
        _ => &[&library],
    };
    if form == Form::Whole {
        // The linker warns that `dlopen` doesn't work in static programs.
        flags.extend(["-static", "-Wl,--no-warnings"]);
    }
    let language = if form == Form::Clang { Language::ClangC11 } else { Language::of(source) };
    forge.attempt(language, &[&instrumented.to_string_lossy()], &flags, products, &format!("-{form:?}"))
}

/// Instruments a source with OPARI.
fn instrument(forge: &Forge, source: &str, options: &[&str]) -> PathBuf {
    let path = crate_dir().join("programs").join(source);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut hasher = DefaultHasher::new();
    (&text, options).hash(&mut hasher);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("program").to_owned();
    // The only dot: products are named after the part before it.
    let result = format!("instrumented_{name}");
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

/// Path of libgomp's archive.
fn archive() -> PathBuf {
    let output = Command::new("gcc").arg("-print-file-name=libgomp.a").output();
    let output = output.unwrap_or_else(|e| panic!("can't run gcc: {e}"));
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
}
