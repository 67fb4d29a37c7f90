//! Paths of the library under test and of the project.

use std::path::{Path, PathBuf};

/// Variable that names a library which must be preloaded into every program, before all others, if `libora.so` has a sanitizer's checks in
/// it.
pub const SANITIZER: &str = "ORA_TEST_SANITIZER";

/// Folder of this crate, which contains the C, C++ and Fortran sources.
pub fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The project's folder.
///
/// # Panics
/// Never: the crate is in a folder of the project.
pub fn project_dir() -> &'static Path {
    crate_dir().parent().expect("the crate is a folder of the project")
}

/// Path of `libora.so`: `ORA_LIB`, or else the release build of this checkout.
///
/// # Panics
/// If the file doesn't exist; the message says how to build it.
pub fn libora() -> PathBuf {
    let (path, from) = match std::env::var_os("ORA_LIB") {
        Some(path) => (PathBuf::from(path), "named by ORA_LIB"),
        None => (project_dir().join("target/release/libora.so"), "the release build"),
    };
    assert!(
        path.is_file(),
        "no library to test: {} ({from}) is not a file; run `cargo build --release` first",
        path.display()
    );
    // LD_PRELOAD treats a name with a slash as a path; a relative path would depend on the program's working folder.
    path.canonicalize().unwrap_or(path)
}
