//! Paths of the library under test and of the project.

use std::path::{Path, PathBuf};

/// The variable that names the library which a `libora.so` with a sanitizer's checks needs preloaded in every program, before
/// all others.
pub const SANITIZER: &str = "ORA_TEST_SANITIZER";

/// This crate's folder, with the C, C++ and Fortran sources.
pub fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The project's folder.
///
/// # Panics
/// Never: the crate lies in a folder of the project.
pub fn project_dir() -> &'static Path {
    crate_dir().parent().expect("the crate is a folder of the project")
}

/// `libora.so`: `ORA_LIB`, else the release build of this checkout.
///
/// # Panics
/// If there is no such file; the message says how to make it.
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
    // LD_PRELOAD takes a name with a slash as a path; a relative one would depend on the program's folder.
    path.canonicalize().unwrap_or(path)
}
