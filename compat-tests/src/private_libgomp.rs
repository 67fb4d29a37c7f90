//! Copies of libgomp under other names, as in Python packages, and libraries that are linked to them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::forge::{Forge, Language};

/// Path of the libgomp that gcc links programs to.
///
/// # Panics
/// If gcc can't be run.
pub fn original() -> PathBuf {
    let output = Command::new("gcc").arg(format!("-print-file-name={ORIGINAL}")).output();
    let output = output.unwrap_or_else(|e| panic!("can't run gcc: {e}"));
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
}

const ORIGINAL: &str = "libgomp.so.1";

/// Makes a copy of the system's libgomp called `lib{letters}.so.1`; `letters` has the same length as `gomp`.
///
/// # Panics
/// If the system's libgomp can't be found.
pub fn copy(forge: &Forge, letters: &str) -> PathBuf {
    let name = format!("lib{letters}.so.1");
    forge.file(&name, |path| {
        let found = original();
        let mut bytes = fs::read(&found).unwrap_or_else(|e| panic!("{}: {e}", found.display()));
        // The dynamic string table contains the soname; a name of equal length changes nothing else.
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

/// Builds `programs/wheel.c` as a library that is linked to `libgomp`, or to the system's.
pub fn wheel(forge: &Forge, libgomp: Option<&Path>) -> PathBuf {
    wheel_with(forge, libgomp, &[])
}

/// Like [`wheel`], with more options for the compiler.
pub fn wheel_with(forge: &Forge, libgomp: Option<&Path>, more: &[&str]) -> PathBuf {
    let rpath = format!("-Wl,-rpath,{}", forge.dir().display());
    // -fopenmp adds the system's libgomp at the end; as no undefined symbol is left for it, it isn't recorded.
    let flags = ["-O2", "-g", "-shared", "-fPIC", "-fopenmp", "-Wl,--as-needed", &rpath];
    let products: Vec<&Path> = libgomp.into_iter().collect();
    forge.link(Language::C11, &["programs/wheel.c"], &[&flags, more].concat(), &products, ".so")
}
