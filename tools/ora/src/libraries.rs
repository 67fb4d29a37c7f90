//! Search for the shared libraries that the command preloads.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
pub(crate) use linking::preloaded::{
    ALL, COLLECTORS, GUARD, LIBRARY, PROFILER, RACE, REQUEST_LOG, TRACER, VALIDATOR, VERSIONED,
};
use terminal::printable::Shown;

/// Finds a library that belongs to this executable.
///
/// # Errors
/// If it is in none of the places; the message names the file, the places and the remedy.
pub(crate) fn find(name: &str) -> Result<PathBuf> {
    let own = env::current_exe().context("cannot find out where ora itself is: is /proc mounted?")?;
    find_beside(&own, name)
}

/// True for a build folder of cargo, which contains a folder for dependencies.
fn is_build(folder: &Path) -> bool {
    folder.join("deps").is_dir()
}

fn find_beside(executable: &Path, name: &str) -> Result<PathBuf> {
    let folder = executable.parent().unwrap_or(Path::new("/"));
    // `cargo run` puts the libraries in `deps` only, and those next to the executable may then be older. An installation has the library in
    // `lib`, and libraries that only this command uses in `lib/ora`; Debian has both in its folder for the processor.
    let lib = folder.join("../lib");
    let libs = [lib.clone(), lib.join(format!("{}-linux-gnu", env::consts::ARCH))];
    let installed = libs.iter().flat_map(|lib| [lib.clone(), lib.join("ora")]);
    let places = [folder.join("deps"), folder.to_owned()].into_iter().chain(installed);
    let versioned = libs.iter().filter(|_| name == LIBRARY).map(|lib| lib.join(VERSIONED));
    let found = places.map(|place| place.join(name)).chain(versioned).find(|file| file.is_file());
    let Some(found) = found else {
        bail!(
            "{name} is missing: it is neither beside {} nor in {} or its folder `ora`. {}",
            executable.shown(),
            lib.shown(),
            if is_build(folder) { "Build it with `cargo build --release`" } else { "Install ora again" },
        );
    };
    // The name is kept: an installed libora.so is a link.
    let folder = found.parent().and_then(|folder| folder.canonicalize().ok());
    let whole = folder.zip(found.file_name()).map(|(folder, name)| folder.join(name));
    Ok(whole.unwrap_or(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn libraries_are_found_beside_the_executable_or_in_lib() {
        let root = tempfile::tempdir().unwrap();
        let (bin, lib) = (root.path().join("bin"), root.path().join("lib"));
        fs::create_dir_all(&bin).unwrap();
        fs::create_dir_all(&lib).unwrap();
        let executable = bin.join("ora");

        let missing = find_beside(&executable, "libx.so").unwrap_err().to_string();
        assert!(missing.starts_with("libx.so is missing"), "{missing}");
        assert!(missing.contains(&format!("{}", executable.display())), "{missing}");

        let debians = lib.join(format!("{}-linux-gnu/ora", env::consts::ARCH));
        fs::create_dir_all(&debians).unwrap();
        fs::write(debians.join("libx.so"), "").unwrap();
        assert_eq!(find_beside(&executable, "libx.so").unwrap(), debians.join("libx.so").canonicalize().unwrap());
        fs::create_dir_all(lib.join("ora")).unwrap();
        fs::write(lib.join("ora/libx.so"), "").unwrap();
        assert_eq!(find_beside(&executable, "libx.so").unwrap(), lib.join("ora/libx.so").canonicalize().unwrap());
        fs::write(lib.join("libx.so"), "").unwrap();
        assert_eq!(find_beside(&executable, "libx.so").unwrap(), lib.join("libx.so").canonicalize().unwrap());
        fs::write(lib.join(VERSIONED), "").unwrap();
        assert_eq!(find_beside(&executable, LIBRARY).unwrap(), lib.join(VERSIONED).canonicalize().unwrap());
        fs::write(bin.join("libx.so"), "").unwrap();
        assert_eq!(find_beside(&executable, "libx.so").unwrap(), bin.join("libx.so").canonicalize().unwrap());
    }
}
