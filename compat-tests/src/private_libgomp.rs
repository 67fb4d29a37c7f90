//! Copies of libgomp under names of their own, as in Python's packages, and libraries that are linked to them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::forge::{Forge, Language};

/// The libgomp that gcc links programs to.
///
/// # Panics
/// If gcc can't say.
pub fn original() -> PathBuf {
    let output = Command::new("gcc").arg(format!("-print-file-name={ORIGINAL}")).output();
    let output = output.unwrap_or_else(|e| panic!("can't run gcc: {e}"));
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
}

const ORIGINAL: &str = "libgomp.so.1";

/// A copy of the system's libgomp called `lib{letters}.so.1`; the name has as many letters as `gomp`.
///
/// # Panics
/// If the system's libgomp can't be found.
pub fn copy(forge: &Forge, letters: &str) -> PathBuf {
    let name = format!("lib{letters}.so.1");
    forge.file(&name, |path| {
        let found = original();
        let mut bytes = fs::read(&found).unwrap_or_else(|e| panic!("{}: {e}", found.display()));
        // The dynamic string table holds the soname; a name of equal length changes nothing else.
        assert_eq!(ORIGINAL.len(), name.len(), "{name} has another length");
        let mut at = 0;
        while let Some(step) = bytes.get(at..).and_then(|rest| find(rest, ORIGINAL.as_bytes())) {
            at += step;
            bytes.splice(at..at + ORIGINAL.len(), name.bytes());
        }
        assert!(at > 0, "{} doesn't name itself", found.display());
        fs::write(path, bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    })
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// `programs/wheel.c` as a library that is linked to `libgomp`, or to the system's.
pub fn wheel(forge: &Forge, libgomp: Option<&Path>) -> PathBuf {
    wheel_with(forge, libgomp, &[])
}

/// The same, with more options for the compiler.
pub fn wheel_with(forge: &Forge, libgomp: Option<&Path>, more: &[&str]) -> PathBuf {
    let rpath = format!("-Wl,-rpath,{}", forge.dir().display());
    // -fopenmp names the system's libgomp last; as it defines nothing that is missing, it isn't recorded.
    let flags = ["-O2", "-g", "-shared", "-fPIC", "-fopenmp", "-Wl,--as-needed", &rpath];
    let products: Vec<&Path> = libgomp.into_iter().collect();
    forge.link(Language::C11, &["programs/wheel.c"], &[&flags, more].concat(), &products, ".so")
}
